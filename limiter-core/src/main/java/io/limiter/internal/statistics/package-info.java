/** Statistics: totals and hottest keys. Listeners are notified from here. */
@NullMarked
package io.limiter.internal.statistics;

import org.jspecify.annotations.NullMarked;
