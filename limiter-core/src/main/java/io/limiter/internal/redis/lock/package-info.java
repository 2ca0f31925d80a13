/** The lock engine: load, step and save under a distributed lock. */
@NullMarked
package io.limiter.internal.redis.lock;

import org.jspecify.annotations.NullMarked;
