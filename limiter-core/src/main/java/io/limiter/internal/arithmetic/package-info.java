/** Pure functions that the limits share: ranges, rounding, and offsets of time zones. */
@NullMarked
package io.limiter.internal.arithmetic;

import org.jspecify.annotations.NullMarked;
