/** The rejection cache: known rejections are answered without Redis. */
@NullMarked
package io.limiter.internal.cache;

import org.jspecify.annotations.NullMarked;
