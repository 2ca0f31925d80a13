package io.limiter.internal.live;

import io.limiter.FailurePolicy;
import io.limiter.algorithm.AnyLimit;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.LeakyBucket;
import io.limiter.algorithm.LimitKind;
import io.limiter.algorithm.SlidingCounter;
import io.limiter.algorithm.SlidingLog;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.engine.ImmediateEngine.Known;
import io.limiter.internal.named.LimitChange;
import io.limiter.internal.parameters.LimitParameters;
import io.limiter.internal.parameters.Per;
import io.limiter.live.LiveSettings;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The settings of a live limit as a change of limiters. The kind stays: state of one kind means nothing to another. */
record LiveLimitChange(LiveSettings settings) implements LimitChange {

    private static final List<String> PARAMETERS = List.of("rate", "capacity", "burst", "limit", "period");

    private static final Duration SECOND = Duration.ofSeconds(1);

    /** @return {@code null} if they override nothing */
    static @Nullable LiveLimitChange of(LiveSettings settings) {
        return settings.isEmpty() ? null : new LiveLimitChange(settings);
    }

    /** A limit as a live limit would set it. */
    static LiveSettings settingsOf(AnyLimit limit) {
        LimitParameters parameters = LimitParameters.of(limit);
        Map<String, @Nullable Object> values = new LinkedHashMap<>(parameters.values());
        values.put("period", values.get("per") instanceof Per per ? per.length() : null);
        values.keySet().retainAll(PARAMETERS);
        values.put("kind", parameters.kind());
        return LiveSettings.of(values);
    }

    private static LimitParameters parameters(LiveSettings settings) {
        return LimitParameters.of(settings.kind())
                .with("rate", settings.rate())
                .with("capacity", settings.capacity())
                .with("burst", settings.burst())
                .with("limit", settings.limit())
                .with("per", settings.period() == null ? null : Per.of(settings.period()));
    }

    @Override
    public boolean concerns(AnyLimit own) {
        return settings.kind() == null || settings.kind() == LimitKind.of(own).orElse(null);
    }

    @Override
    public <L extends AnyLimit> L applied(L own) {
        LimitKind kind = settings.kind();
        LimitKind ownKind = LimitKind.of(own).orElse(null);
        if (kind != null && kind != ownKind && (ownKind != null || !settings.hasParameters())) {
            throw new IllegalArgumentException("kind " + kind + " cannot be applied to " + own
                    + ": a kind cannot be changed live, because the state of one means nothing to another; "
                    + (ownKind == null ? "leave the kind out" : "use kind " + ownKind));
        }
        if (!settings.hasParameters()) {
            return own;
        }
        if (ownKind == null) {
            throw new IllegalArgumentException("the parameters of a limit of the application's own (" + own
                    + ") cannot be changed live; only enforce, timeout and onFailure can");
        }
        checkParameters(ownKind);
        return parameters(settings).appliedTo(own);
    }

    @Override
    public boolean hasParameters() {
        return settings.hasParameters();
    }

    private void checkParameters(LimitKind kind) {
        Set<String> known = LimitParameters.namesOf(kind);
        // A live rate is per second.
        boolean hasPeriod = known.contains("limit") && known.contains("per");
        List<String> allowed = PARAMETERS.stream()
                .filter(name -> name.equals("period") ? hasPeriod : known.contains(name))
                .toList();
        for (String name : PARAMETERS) {
            Object value = settings.values().get(name);
            if (value != null && !allowed.contains(name)) {
                throw new IllegalArgumentException(name + " " + value + " has no effect on kind " + kind
                        + ", which has " + String.join(", ", allowed));
            }
        }
    }

    /**
     * Checks the settings for a name without limiters here.
     *
     * @throws IllegalArgumentException if they are out of range, or have parameters without a kind
     */
    void checkWithoutLimiter(String name) {
        LimitKind kind = settings.kind();
        if (kind == null) {
            if (settings.hasParameters()) {
                throw new IllegalArgumentException("kind must be set for the parameters of '" + name
                        + "', which has no limiter in this instance yet");
            }
            return;
        }
        try {
            applied(prototype(kind));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "the live limit of '" + name + "' is not possible: " + e.getMessage(), e);
        }
    }

    /** A limit whose own parameters fit any settings that are possible. */
    private AnyLimit prototype(LimitKind kind) {
        return switch (kind) {
            case TOKEN_BUCKET -> TokenBucket.perSecond(fittingRate());
            case LEAKY_BUCKET -> LeakyBucket.meter(fittingRate(), 1);
            case LEAKY_QUEUE -> LeakyBucket.queue(fittingRate(), 1);
            case FIXED_WINDOW -> FixedWindow.of(1, SECOND);
            case SLIDING_LOG -> SlidingLog.of(1, SECOND);
            case SLIDING_COUNTER -> SlidingCounter.of(1, SECOND);
            case CONCURRENT -> ConcurrencyLimit.of(1);
        };
    }

    /** High enough that a short burst has a permit, and that a large capacity fills in time. */
    private double fittingRate() {
        Duration burst = settings.burst();
        double rate = burst == null || burst.isNegative() || burst.isZero()
                ? 1
                : 1 / (burst.toSeconds() + burst.getNano() / 1e9);
        double capacity = Objects.requireNonNullElse(settings.capacity(), 1.0);
        double permits = (Double.isNaN(capacity) ? 1 : capacity) + Objects.requireNonNullElse(settings.limit(), 1L);
        return Math.min(1e9, Math.max(1, Math.max(rate, permits / 1e6)));
    }

    @Override
    public @Nullable FailurePolicy failurePolicy() {
        return settings.failurePolicy();
    }

    @Override
    public @Nullable Known access() {
        return settings.access() == null
                ? null
                : switch (settings.access()) {
                    case EXEMPT -> Known.EXEMPT;
                    case BANNED -> Known.BANNED;
                };
    }
}
