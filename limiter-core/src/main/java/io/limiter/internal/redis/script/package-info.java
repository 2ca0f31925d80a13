/** The script engine, which decides a batch in one script call, and the scripts of all kinds of limit. */
@NullMarked
package io.limiter.internal.redis.script;

import org.jspecify.annotations.NullMarked;
