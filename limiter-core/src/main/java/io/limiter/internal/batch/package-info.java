/** Group commit: requests that wait for Redis at the same time share a call. */
@NullMarked
package io.limiter.internal.batch;

import org.jspecify.annotations.NullMarked;
