/**
 * What a call of a limited bean costs before it leaves the process: the interceptor and the key.
 * Run with {@code -prof gc}, which also shows what is allocated.
 */
@NullMarked
package io.limiter.benchmark.inprocess;

import org.jspecify.annotations.NullMarked;
