/** Prefetch: permits that an instance takes ahead for a hot key. */
@NullMarked
package io.limiter.internal.prefetch;

import org.jspecify.annotations.NullMarked;
