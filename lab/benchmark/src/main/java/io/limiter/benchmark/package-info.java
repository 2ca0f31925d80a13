/** Rate limiters for Java side by side, on one Redis, in one run. */
@NullMarked
package io.limiter.benchmark;

import org.jspecify.annotations.NullMarked;
