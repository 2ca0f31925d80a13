/** Implements the limiters and limit sets of the API on any engine. */
@NullMarked
package io.limiter.internal.limiter;

import org.jspecify.annotations.NullMarked;
