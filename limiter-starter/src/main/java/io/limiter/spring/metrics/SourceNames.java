package io.limiter.spring.metrics;

import io.limiter.algorithm.Decision;

/** What meters and the endpoint call the sources of decisions. */
public final class SourceNames {

    private SourceNames() {}

    /**
     * @param local whether the backend is this process
     */
    public static String of(Decision.Source source, boolean local) {
        return switch (source) {
            case BACKEND -> local ? "local" : "redis";
            case DENY_CACHE -> "deny-cache";
            case LEASE -> "lease";
            case LOCAL -> "local";
            case POLICY -> "policy";
        };
    }
}
