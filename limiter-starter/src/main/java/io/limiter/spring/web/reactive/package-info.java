/** Limits of WebFlux exchanges, and what their answers tell of limits. */
@NullMarked
package io.limiter.spring.web.reactive;

import org.jspecify.annotations.NullMarked;
