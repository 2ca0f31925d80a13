/** The script engine: a batch is one script call, and the scripts of all kinds of limits. */
@NullMarked
package io.limiter.internal.redis.script;

import org.jspecify.annotations.NullMarked;
