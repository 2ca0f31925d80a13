/** Starts live limits for a factory over Redis. */
@NullMarked
package io.limiter.live.redis;

import org.jspecify.annotations.NullMarked;
