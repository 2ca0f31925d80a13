package io.limiter.internal.limiter;

import io.limiter.LimitPart;
import io.limiter.LimitSet;
import io.limiter.Limiter;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Request;
import io.limiter.internal.key.KeySpace;
import io.limiter.spi.KeyRequests;
import io.limiter.spi.SetPart;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A {@link LimitPart} on an engine. */
final class EnginePart implements LimitPart {

    private final EngineLimiter<?> limiter;
    private final @Nullable String key;
    private final String backendKey;
    private final int permits;

    /**
     * @param key as callers name it; {@code null} for the limiter's own permits
     */
    EnginePart(EngineLimiter<?> limiter, @Nullable String key, String backendKey) {
        this(limiter, key, backendKey, 1);
    }

    private EnginePart(EngineLimiter<?> limiter, @Nullable String key, String backendKey, int permits) {
        if (permits < 1) {
            throw new IllegalArgumentException("permits must be at least 1, was " + permits);
        }
        this.limiter = limiter;
        this.key = key;
        this.backendKey = backendKey;
        this.permits = permits;
    }

    @Override
    public Limiter limiter() {
        return limiter;
    }

    @Override
    public Optional<String> key() {
        return Optional.ofNullable(key);
    }

    @Override
    public LimitPart inSlot(String slot) {
        limiter.tally().usesSlot();
        KeySpace keys = limiter.keys();
        return new EnginePart(limiter, key, keys.inSlot(slot, key == null ? keys.own() : keys.of(key)), permits);
    }

    @Override
    public LimitPart permits(int newPermits) {
        return new EnginePart(limiter, key, backendKey, newPermits);
    }

    @Override
    public void reset() {
        limiter.engine().reset(backendKey);
    }

    /** How many this part takes if the set is asked for so many. */
    int permitsFor(int asked) {
        if (asked > Integer.MAX_VALUE / permits) {
            throw new IllegalArgumentException("permits must be at most " + Integer.MAX_VALUE / permits + " where "
                    + this + " takes " + permits + " for each, was " + asked);
        }
        return asked * permits;
    }

    @Override
    public LimitSet with(List<LimitPart> others) {
        List<EnginePart> parts = new ArrayList<>();
        parts.add(this);
        for (LimitPart other : others) {
            if (!(other instanceof EnginePart part)
                    || part.limiter.engine().engine() != limiter.engine().engine()) {
                throw new IllegalArgumentException("all limiters of a set must be built by one factory, but "
                        + limiter.name() + " and " + other.limiter().name() + " were not");
            }
            parts.add(part);
        }
        return new EngineLimitSet(parts);
    }

    /** Counts what this part answered; permits that were not taken because another part refuses are not granted. */
    void decided(boolean setGranted, Decision decision) {
        if (setGranted || !decision.granted()) {
            limiter.tally().decided(limiter.name(), key, decision);
        }
    }

    /** How long a call that names no timeout waits. */
    long timeoutMicros() {
        return limiter.timeoutMicros();
    }

    SetPart<?> asked(Request request) {
        return new SetPart<>(backendKey, limiter.limit(), request);
    }

    KeyRequests<?> keyRequests(Request request) {
        return new KeyRequests<>(backendKey, limiter.limit(), List.of(request));
    }

    EngineLimiter<?> engineLimiter() {
        return limiter;
    }

    /** The whole key. */
    String backendKey() {
        return backendKey;
    }

    @Override
    public String toString() {
        return limiter.name() + (key == null ? "" : ":" + key);
    }
}
