package io.limiter.internal.live;

import io.limiter.LimiterTotals;
import io.limiter.internal.key.SipHash;
import io.limiter.internal.live.store.Fields;
import io.limiter.internal.live.store.StoredLimit;
import io.limiter.live.LiveKey;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;

/** Under which name, and by itself or by its hash, a key has its live limit. */
final class LiveKeys {

    private final LiveCopy copy;
    private final Supplier<List<LimiterTotals>> totals;
    private final boolean showKeys;

    /** @param showKeys whether keys without a live limit are stored by themselves */
    LiveKeys(LiveCopy copy, Supplier<List<LimiterTotals>> totals, boolean showKeys) {
        this.copy = copy;
        this.totals = totals;
        this.showKeys = showKeys;
    }

    /** Whatever its plan, a key is that of the limit. */
    String limiterOf(String name) {
        return LimiterTotals.limiterOf(name, totals.get());
    }

    /**
     * {@link #limiterOf}, to store a live limit.
     *
     * @throws IllegalArgumentException if the name may be that of a plan that was not built here: no limiter finds a key under it
     */
    String limiterToPut(String name) {
        List<LimiterTotals> known = totals.get();
        // Where another instance has stored one, it has built the limiter.
        if (known.stream().noneMatch(each -> each.name().equals(name)) && !hasKeys(name)) {
            known.stream()
                    .map(LimiterTotals::limiter)
                    .filter(limiter -> name.startsWith(limiter + "."))
                    .max(Comparator.comparingInt(String::length))
                    .ifPresent(limiter -> {
                        throw new IllegalArgumentException("this instance has built no limiter '" + name + "': if '"
                                + name.substring(limiter.length() + 1) + "' is a plan of '" + limiter
                                + "', put the live limit of the key under '" + limiter
                                + "', and otherwise on an instance that has built the limiter");
                    });
        }
        return LimiterTotals.limiterOf(name, known);
    }

    boolean isSame(LiveKey one, LiveKey other) {
        Objects.requireNonNull(one, "one");
        Objects.requireNonNull(other, "other");
        SipHash hash = new SipHash(copy.secret());
        return hashed(one, hash).equals(hashed(other, hash));
    }

    private static LiveKey hashed(LiveKey key, SipHash hash) {
        return key.hashed() ? key : LiveKey.hashed(hash.text(key.value()));
    }

    /** Whether instances are to hash a key to store it, and have no secret for that yet. */
    boolean needsSecret(LiveKey key) {
        return !key.hashed() && !showKeys && copy.secret().isEmpty();
    }

    /**
     * As it has a live limit, by the key or its hash, also one that cannot be read, which is replaced and removed in the same way;
     * without one, hashed unless keys are shown.
     *
     * @param secret with which keys are hashed
     */
    LiveKey stored(String limiter, LiveKey key, String secret) {
        SipHash hash = new SipHash(secret);
        long now = copy.serverMicros();
        if (Objects.requireNonNull(key, "key").hashed()) {
            return copy.limits().values().stream()
                    .filter(each -> each.isStored(now) && each.limit().name().equals(limiter))
                    .flatMap(each -> each.limit().key().stream())
                    .filter(each -> !each.hashed() && hashed(each, hash).equals(key))
                    .findFirst()
                    .orElse(key);
        }
        LiveKey hashed = hashed(key, hash);
        boolean isShown = isStored(limiter, key, now) || showKeys && !isStored(limiter, hashed, now);
        return isShown ? key : hashed;
    }

    private boolean hasKeys(String limiter) {
        long now = copy.serverMicros();
        return copy.limits().values().stream()
                .filter(each -> each.isInEffect(now))
                .map(StoredLimit::limit)
                .anyMatch(each -> each.name().equals(limiter) && each.key().isPresent());
    }

    private boolean isStored(String limiter, LiveKey key, long nowMicros) {
        StoredLimit found = copy.limits().get(Fields.of(limiter, Optional.of(key)));
        return found != null && found.isStored(nowMicros);
    }
}
