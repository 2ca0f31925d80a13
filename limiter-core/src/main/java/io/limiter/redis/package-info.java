/** The limiters over Redis, and the engines that decide there: in a Lua script, or in Java under a distributed lock. */
@NullMarked
package io.limiter.redis;

import org.jspecify.annotations.NullMarked;
