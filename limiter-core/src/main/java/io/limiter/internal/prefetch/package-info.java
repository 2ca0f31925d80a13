/** Prefetch: an instance takes permits of a hot key ahead of requests. */
@NullMarked
package io.limiter.internal.prefetch;

import org.jspecify.annotations.NullMarked;
