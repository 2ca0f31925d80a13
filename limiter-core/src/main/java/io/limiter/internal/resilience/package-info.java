/** Decision timeout, retry, circuit breaker and failure policy: what happens when Redis hangs or fails. */
@NullMarked
package io.limiter.internal.resilience;

import org.jspecify.annotations.NullMarked;
