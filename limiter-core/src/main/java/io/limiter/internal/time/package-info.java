/** Clocks, timers, sleeping, and threads for blocking calls. */
@NullMarked
package io.limiter.internal.time;

import org.jspecify.annotations.NullMarked;
