package io.limiter.spring.event;

import java.time.Duration;

/**
 * Redis has recovered, or one master of a Redis Cluster; see {@link io.limiter.LimiterListener#backendUp}.
 *
 * @param node in a Redis Cluster, the master as {@code host:port}; otherwise {@link io.limiter.BackendState#ONLY_NODE}
 * @param downtime how long it was unavailable
 */
public record LimiterBackendUpEvent(String node, Duration downtime) {}
