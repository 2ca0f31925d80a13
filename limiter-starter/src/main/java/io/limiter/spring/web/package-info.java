/** Limits on HTTP requests and responses to rejections, as far as they are the same for servlets and WebFlux. */
@NullMarked
package io.limiter.spring.web;

import org.jspecify.annotations.NullMarked;
