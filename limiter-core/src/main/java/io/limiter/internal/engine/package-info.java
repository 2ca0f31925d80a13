/**
 * The interface of engines, and {@link io.limiter.internal.engine.Ask}: one attempt to get a decision, with its deadline and fallback.
 *
 * <p>The path of one decision through Redis, from {@code io.limiter} to the script and back. {@code tryAcquire} asks 3 and 4 first, as
 * {@link io.limiter.internal.engine.ImmediateEngine}s; what they do not know goes straight to 5.
 *
 * <pre>
 *  1  limiter           internal.limiter     decide("ann")
 *  2  failure policy    internal.resilience  makes the ask
 *  3  prefetch          internal.prefetch    prefetched permits of a hot key?
 *  4  rejection cache   internal.cache       a rejection that still holds?
 *  5  group commit      internal.batch       deadline, circuit breaker
 *  6  lane              internal.batch       queue of requests that share a call
 *  7  batch             internal.batch       the queued requests, by key
 *  8  script engine     internal.redis.script
 *  9  client            internal.redis.client  EVALSHA
 * 10  Redis             token_bucket.lua     the step, atomic
 * 11  reply             internal.redis.script  the same step gives the decision
 * 12  statistics        internal.statistics  totals, listeners
 * </pre>
 */
@NullMarked
package io.limiter.internal.engine;

import org.jspecify.annotations.NullMarked;
