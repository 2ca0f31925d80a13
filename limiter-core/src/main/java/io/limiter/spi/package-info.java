/** Extension points: the script of a custom limit, and a distributed lock. */
@NullMarked
package io.limiter.spi;

import org.jspecify.annotations.NullMarked;
