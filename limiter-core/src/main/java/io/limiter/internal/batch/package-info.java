/** Group commit: concurrent requests share calls to Redis. */
@NullMarked
package io.limiter.internal.batch;

import org.jspecify.annotations.NullMarked;
