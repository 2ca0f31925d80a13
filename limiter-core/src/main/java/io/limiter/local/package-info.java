/** The same limiters in one process: for tests, single nodes, and as the fallback when Redis is away. */
@NullMarked
package io.limiter.local;

import org.jspecify.annotations.NullMarked;
