/** Limits that are changed while the fleet runs: their store in Redis, the copy of this instance, and its reports. */
@NullMarked
package io.limiter.internal.live;

import org.jspecify.annotations.NullMarked;
