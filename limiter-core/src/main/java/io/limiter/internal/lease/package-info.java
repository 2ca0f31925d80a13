/** Concurrency leases held by this JVM: their renewal, and the callers that wait for one. */
@NullMarked
package io.limiter.internal.lease;

import org.jspecify.annotations.NullMarked;
