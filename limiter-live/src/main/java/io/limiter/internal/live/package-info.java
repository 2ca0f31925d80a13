/** Limits that are changed while the fleet runs: the copy of this instance, its polls, and its reports. */
@NullMarked
package io.limiter.internal.live;

import org.jspecify.annotations.NullMarked;
