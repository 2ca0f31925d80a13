/** The parts of a factory over Redis that other modules of this library use. */
@NullMarked
package io.limiter.internal.redis;

import org.jspecify.annotations.NullMarked;
