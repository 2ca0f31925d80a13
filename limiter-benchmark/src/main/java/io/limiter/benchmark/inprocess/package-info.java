/**
 * What a decision costs before it leaves the process: keys, the local engine, the factory's look-up, the interceptor.
 * Run with {@code -prof gc}, which also shows what is allocated.
 */
@NullMarked
package io.limiter.benchmark.inprocess;

import org.jspecify.annotations.NullMarked;
