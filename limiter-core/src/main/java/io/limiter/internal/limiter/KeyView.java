package io.limiter.internal.limiter;

import io.limiter.Decision;
import io.limiter.RateLimitExceededException;
import io.limiter.internal.key.KeyPath;
import io.limiter.internal.override.ChangeableLimit;
import io.limiter.internal.override.KeyOverrides;
import io.limiter.internal.override.Overrides;
import io.limiter.internal.statistics.LimiterCounters;
import java.util.List;

/**
 * A limiter, or a view of one of its keys.
 *
 * @param <B> the limit that it shares with its views
 */
public abstract class KeyView<B extends ChangeableLimit<?>> {

    final B bound;
    final KeyPath path;

    KeyView(B bound, KeyPath path) {
        this.bound = bound;
        this.path = path;
    }

    /** Sets the counters of its decisions. To be called before any other thread sees this limiter. */
    public final void countIn(LimiterCounters counters) {
        bound.countIn(counters);
    }

    /** See {@link ChangeableLimit#knownAs}. */
    public final void knownAs(String name) {
        bound.knownAs(name);
    }

    /** See {@link ChangeableLimit#overriddenBy}. */
    public final void overriddenBy(Overrides overrides, KeyOverrides keyOverrides, boolean live) {
        bound.overriddenBy(overrides, keyOverrides, live);
    }

    /** See {@link ChangeableLimit#rebuilt}. */
    public final void rebuilt() {
        bound.rebuilt();
    }

    public final String name() {
        return bound.name();
    }

    public final List<String> keys() {
        return path.keys();
    }

    /** The key that the backend has its permits under. */
    public final String backendKey() {
        return path.backendKey();
    }

    final RateLimitExceededException exceeded(Decision rejection) {
        return new RateLimitExceededException(name(), keys(), rejection);
    }

    /** The name of its interface. */
    abstract String kind();

    @Override
    public String toString() {
        return kind() + "[" + name() + (path.isOfKey() ? ":" + path.text() : "") + ", " + bound.limit() + "]";
    }
}
