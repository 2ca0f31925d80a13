/** Builds the Redis keys of limiters, and the text that logs show of a key. */
@NullMarked
package io.limiter.internal.key;

import org.jspecify.annotations.NullMarked;
