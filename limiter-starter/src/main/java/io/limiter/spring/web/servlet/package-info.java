/** Limits on servlet requests, and their responses. */
@NullMarked
package io.limiter.spring.web.servlet;

import org.jspecify.annotations.NullMarked;
