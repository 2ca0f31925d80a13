/** Responses to rejections, which an application may change. */
@NullMarked
package io.limiter.spring.web;

import org.jspecify.annotations.NullMarked;
