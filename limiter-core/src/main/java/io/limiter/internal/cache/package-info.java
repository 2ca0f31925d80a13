/** Rejections that are known, and answered without Redis. */
@NullMarked
package io.limiter.internal.cache;

import org.jspecify.annotations.NullMarked;
