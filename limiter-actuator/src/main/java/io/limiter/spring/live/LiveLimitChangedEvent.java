package io.limiter.spring.live;

import io.limiter.live.LiveChange;

/**
 * This instance has applied a change of a live limit, or a live limit has expired; each instance of the fleet publishes one.
 * A thread of the limiters publishes it, so listeners must be fast, or {@code @Async}.
 *
 * @param change with the live limit before and after, who made it and why
 */
public record LiveLimitChangedEvent(LiveChange change) {}
