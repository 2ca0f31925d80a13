/** Statistics: totals, hottest keys, and the notification of listeners. */
@NullMarked
package io.limiter.internal.statistics;

import org.jspecify.annotations.NullMarked;
