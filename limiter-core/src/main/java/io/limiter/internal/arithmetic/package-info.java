/** The arithmetic that limits share: ranges, rounding, offsets of time zones. Pure functions. */
@NullMarked
package io.limiter.internal.arithmetic;

import org.jspecify.annotations.NullMarked;
