/** Limits on WebFlux exchanges, and their responses. */
@NullMarked
package io.limiter.spring.internal.web.reactive;

import org.jspecify.annotations.NullMarked;
