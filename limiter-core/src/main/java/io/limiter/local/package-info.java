/** Limiters within one process: for tests, single nodes, and as the fallback when Redis is unavailable. */
@NullMarked
package io.limiter.local;

import org.jspecify.annotations.NullMarked;
