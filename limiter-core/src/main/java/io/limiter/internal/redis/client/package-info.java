/** Calls Redis with Lettuce or Jedis, and interprets the errors of both. */
@NullMarked
package io.limiter.internal.redis.client;

import org.jspecify.annotations.NullMarked;
