/** Limits on servlet requests, and their responses. */
@NullMarked
package io.limiter.spring.internal.web.servlet;

import org.jspecify.annotations.NullMarked;
