/** Extension points: the script of a custom limit, a distributed lock, an observer of all decisions. */
@NullMarked
package io.limiter.spi;

import org.jspecify.annotations.NullMarked;
