/** How the keys of a limiter are written in Redis. */
@NullMarked
package io.limiter.internal.key;

import org.jspecify.annotations.NullMarked;
