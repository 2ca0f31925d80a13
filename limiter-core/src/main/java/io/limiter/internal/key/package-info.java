/** Redis keys of limiters. */
@NullMarked
package io.limiter.internal.key;

import org.jspecify.annotations.NullMarked;
