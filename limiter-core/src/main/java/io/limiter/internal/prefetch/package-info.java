/** Permits that an instance takes ahead of a hot key. */
@NullMarked
package io.limiter.internal.prefetch;

import org.jspecify.annotations.NullMarked;
