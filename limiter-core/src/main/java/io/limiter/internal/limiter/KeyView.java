package io.limiter.internal.limiter;

import io.limiter.Decision;
import io.limiter.RateLimitExceededException;
import io.limiter.internal.key.KeyPath;
import io.limiter.internal.named.ChangeableLimit;
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

    /** The limit that it shares with its views. */
    public final ChangeableLimit<?> bound() {
        return bound;
    }

    public final String name() {
        return bound.name();
    }

    public final List<String> keys() {
        return path.keys();
    }

    /** The key that the backend has its permits under. */
    public final String storedKey() {
        return path.storedKey();
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
