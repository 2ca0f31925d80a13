/** Calls to Redis by Lettuce or Jedis, and what their errors mean. */
@NullMarked
package io.limiter.internal.redis.client;

import org.jspecify.annotations.NullMarked;
