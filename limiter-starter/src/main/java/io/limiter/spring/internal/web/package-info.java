/** Limits on HTTP requests and responses to rejections, as far as they are the same for servlets and WebFlux. */
@NullMarked
package io.limiter.spring.internal.web;

import org.jspecify.annotations.NullMarked;
