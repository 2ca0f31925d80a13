/** Clocks, timers, sleeping, and threads for what blocks. */
@NullMarked
package io.limiter.internal.time;

import org.jspecify.annotations.NullMarked;
