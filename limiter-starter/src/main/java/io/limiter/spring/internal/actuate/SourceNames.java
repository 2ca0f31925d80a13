package io.limiter.spring.internal.actuate;

import io.limiter.Decision;

/** The names of decision sources in meters and at the endpoint. */
public final class SourceNames {

    private SourceNames() {}

    /** @param local whether the backend is this process */
    public static String of(Decision.Source source, boolean local) {
        return switch (source) {
            case BACKEND -> local ? "local" : "redis";
            case REJECTION_CACHE -> "rejection-cache";
            case PREFETCH -> "prefetch";
            case LOCAL -> "local";
            case POLICY -> "policy";
            case OVERRIDE -> "override";
        };
    }
}
