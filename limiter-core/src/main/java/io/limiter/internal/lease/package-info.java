/** Concurrency leases that this JVM holds: their renewal, and those who wait for one. */
@NullMarked
package io.limiter.internal.lease;

import org.jspecify.annotations.NullMarked;
