/** Live limits of limiters over Redis. */
@NullMarked
package io.limiter.live.redis;

import org.jspecify.annotations.NullMarked;
