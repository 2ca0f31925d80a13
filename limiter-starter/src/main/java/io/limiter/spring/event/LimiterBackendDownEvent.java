package io.limiter.spring.event;

import io.limiter.LimiterBackendException;

/**
 * Redis is unavailable, or one master of a Redis Cluster; see {@link io.limiter.LimiterListener#backendDown}.
 *
 * @param node in a Redis Cluster, the master as {@code host:port}; otherwise {@link io.limiter.BackendState#ONLY_NODE}
 * @param cause the last failure
 */
public record LimiterBackendDownEvent(String node, LimiterBackendException cause) {}
