package io.limiter.internal.named;

import io.limiter.internal.statistics.KnownBans;
import io.limiter.internal.statistics.LimiterCounters;
import io.limiter.step.LimitStep;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A name with a prefix, and what its limiters share: whose permits they take, and of which kind these are, their counters, the known
 * bans, and a rate that was set. The limiters hold it. Safe for use by multiple threads.
 */
final class PrefixedName {

    /** Callers may choose namespaces. */
    static final int MOST_STATE_TYPES = 1_000;

    private final NamedLimit named;
    private final String prefix;
    private final KnownBans bans;
    // Set by NamedLimits, before a limiter has this.
    private volatile @Nullable LimiterCounters counters;
    private volatile boolean hasOwnCounters;
    // Written with the monitor of the named limit.
    private volatile @Nullable Double rate;
    // These are guarded by the monitor of this.
    private @Nullable PrefixedName permits;
    private @Nullable Owner owner;
    private final Map<StoredKey, Class<?>> stateTypes = new LinkedHashMap<>(2, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<StoredKey, Class<?>> eldest) {
            return size() > MOST_STATE_TYPES;
        }
    };

    PrefixedName(NamedLimit named, String prefix, KnownBans bans) {
        this.named = named;
        this.prefix = prefix;
        this.bans = bans;
    }

    /**
     * Who takes the permits.
     *
     * @param hasPlans whether one of the limiters is a plan, so that all must be of one kind
     */
    private record Owner(String limiter, Class<?> stateType, String keySuffix, boolean hasPlans) {

        boolean isOfKindOf(Owner other) {
            return stateType == other.stateType && keySuffix.equals(other.keySuffix);
        }
    }

    private record StoredKey(String namespace, String suffix) {}

    NamedLimit named() {
        return named;
    }

    String prefix() {
        return prefix;
    }

    /** The known bans of its permits, if they are its own. */
    KnownBans bans() {
        return bans;
    }

    @Nullable
    LimiterCounters counters() {
        return counters;
    }

    /** Whether they are not those that many names share. */
    boolean hasOwnCounters() {
        return hasOwnCounters;
    }

    void setCounters(LimiterCounters newCounters, boolean areOwn) {
        hasOwnCounters = areOwn;
        counters = newCounters;
    }

    /** The rate that was set; {@code null} for none. */
    @Nullable
    Double rate() {
        return rate;
    }

    void setRate(double permitsPerSecond) {
        rate = permitsPerSecond;
    }

    /** @param taken whose permits its limiters take: of a plan those of its limit, which are kept with it because of their bans */
    synchronized void take(PrefixedName taken) {
        permits = taken == this ? null : taken;
    }

    /**
     * A limit and its plans take the same permits, and no other limiter is known as one of them.
     *
     * @throws IllegalArgumentException if the limiter is another one, or of another kind
     */
    synchronized void checkOwner(LimiterId id) {
        LimitStep<?> limit = id.limit().asStep();
        Owner other = new Owner(
                id.name(), limit.stateType(), limit.keySuffix(), id.options().plan() != null);
        Owner known = owner;
        if (known == null) {
            owner = other;
            return;
        }
        if (!known.limiter.equals(other.limiter)) {
            throw new IllegalArgumentException(
                    "limiter '" + id.reportedName() + "' cannot take the permits of '" + id.name()
                            + "', because statistics and live limits know those of '" + known.limiter + "' as '"
                            + named.name() + "': give the limiter or its plan another name");
        }
        if ((known.hasPlans || other.hasPlans) && !known.isOfKindOf(other)) {
            throw new IllegalArgumentException("limiter '" + id.reportedName() + "' cannot be a "
                    + id.limit().getClass().getSimpleName() + ": it takes the permits of '" + id.name()
                    + "', which is of another kind, with the state " + known.stateType.getSimpleName()
                    + "; give a plan the kind of its limit, or another name or prefix");
        }
        if (other.hasPlans && !known.hasPlans) {
            owner = other;
        }
    }

    /**
     * Two kinds of limit that read each other's states would fail at each call.
     *
     * @throws IllegalArgumentException if another kind of limit has the key
     */
    synchronized void checkStateType(LimiterId id) {
        LimitStep<?> limit = id.limit().asStep();
        Class<?> other =
                stateTypes.putIfAbsent(new StoredKey(id.options().namespace(), limit.keySuffix()), limit.stateType());
        if (other != null && other != limit.stateType()) {
            throw new IllegalArgumentException("limiter '" + id.name() + "' cannot be a "
                    + limit.getClass().getSimpleName()
                    + ": another kind of limit, whose state is a " + other.getSimpleName() + ", has its key "
                    + id.prefix() + "{" + id.name() + "}" + limit.keySuffix()
                    + "; give it another name or prefix, or its kind a keySuffix of its own");
        }
    }
}
