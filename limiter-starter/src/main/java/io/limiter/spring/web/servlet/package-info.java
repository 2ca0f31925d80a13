/** Limits of servlet requests, and what their answers tell of limits. */
@NullMarked
package io.limiter.spring.web.servlet;

import org.jspecify.annotations.NullMarked;
