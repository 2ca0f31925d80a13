package io.limiter.internal.live;

import com.google.common.base.Ticker;
import io.limiter.LimiterBackendException;
import io.limiter.internal.key.SipHash;
import io.limiter.internal.live.store.Fields;
import io.limiter.internal.live.store.LiveStore;
import io.limiter.internal.live.store.Micros;
import io.limiter.internal.live.store.StoredChange;
import io.limiter.internal.live.store.StoredLimit;
import io.limiter.internal.log.AsyncLog;
import io.limiter.internal.named.NamedLimits;
import io.limiter.live.LiveChange;
import io.limiter.live.LiveKey;
import io.limiter.live.LiveLimit;
import io.limiter.live.LiveLimits;
import io.limiter.live.LiveSettings;
import io.limiter.step.Verdict;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The copy of the live limits in Redis that a factory has, which each {@link #poll} renews, and its application to the limiters.
 *
 * <p>Only a poll changes the copy; a write to Redis is followed by one. So changes are applied in their order, whoever
 * made them.
 */
final class LiveCopy {

    private static final AsyncLog log = AsyncLog.of(LiveCopy.class);

    /** Another instance may have removed what expires by then. */
    private static final long EXPIRES_SOON_MICROS = 1_000_000;

    private final LiveStore store;
    private final NamedLimits named;
    private final FleetReports fleet;
    private final InstanceCount instances;
    private final ChangeListeners listeners;
    private final Ticker ticker;
    private final boolean restores;
    private final LostLimits lost;
    private final ExpiryTimer expiry = new ExpiryTimer(this::expire);
    // Held by a poll, also while it waits for Redis, so that polls follow each other. The monitor of this is not held
    // then,
    // because live limits end in that time.
    private final Object polling = new Object();
    // Changed under the monitor of this.
    private final UnreadableLog unreadable = new UnreadableLog();
    private volatile Copy copy = Copy.EMPTY;
    // Server time less the ticker's, in microseconds.
    private volatile long offsetMicros;
    // Guarded by the monitor of this.
    private long newestVersion;
    private volatile String secret = "";
    // Guarded by the monitor of this.
    private final List<String> expiredFields = new ArrayList<>();

    /**
     * @param ticker measures the time between polls
     * @param restores whether what Redis has lost is written back
     */
    LiveCopy(
            LiveStore store,
            NamedLimits named,
            FleetReports fleet,
            InstanceCount instances,
            ChangeListeners listeners,
            Ticker ticker,
            boolean restores) {
        this.store = store;
        this.named = named;
        this.fleet = fleet;
        this.instances = instances;
        this.listeners = listeners;
        this.ticker = ticker;
        this.restores = restores;
        this.lost = new LostLimits(store);
        this.offsetMicros = System.currentTimeMillis() * 1000 - ticker.read() / 1000;
    }

    /**
     * What this instance has applied.
     *
     * @param limits by field, also removed ones and those that cannot be read
     */
    private record Copy(long version, String stamp, Map<String, StoredLimit> limits) {

        /** No store has this stamp, so the first poll reads all that is there. */
        static final Copy EMPTY = new Copy(0, "none", Map.of());
    }

    /** By field, also removed ones and those that cannot be read. */
    Map<String, StoredLimit> limits() {
        return copy.limits;
    }

    /** See {@link LiveLimits#version}. */
    long version() {
        return copy.version;
    }

    /** Of the changes in Redis that were ever seen here. */
    synchronized long newestVersion() {
        return newestVersion;
    }

    /** What instances hash keys with; empty before it is needed. */
    String secret() {
        return secret;
    }

    /** Server time, in microseconds since the epoch. */
    long serverMicros() {
        return offsetMicros + ticker.read() / 1000;
    }

    /** How long until the next live limit expires, in microseconds; {@link Long#MAX_VALUE} if none does. */
    long untilExpiryMicros() {
        return copy.limits.values().stream()
                .mapToLong(StoredLimit::expiresMicros)
                .filter(expires -> expires != 0)
                .map(expires -> expires - serverMicros())
                .min()
                .orElse(Long.MAX_VALUE);
    }

    /**
     * Reads what has changed and applies it.
     *
     * @return whether reports are wanted
     * @throws LimiterBackendException if Redis fails; the copy stays
     */
    boolean poll() {
        try {
            synchronized (polling) {
                return applyNew();
            }
        } finally {
            expiry.in(untilExpiryMicros());
            listeners.publish();
        }
    }

    private boolean applyNew() {
        LiveStore.Read read = read(copy);
        List<StoredChange> changes = List.of();
        try {
            changes = read.changes().stream().map(StoredChange::parse).toList();
        } catch (IllegalArgumentException e) {
            log.warn("The history of live limits has a change that cannot be read: {}", e.getMessage());
            read = read(Copy.EMPTY);
        }
        if (read.complete() && hasOtherSecret(read)) {
            read = read(Copy.EMPTY);
        }
        if (!read.complete()) {
            read = settled(read);
        }
        if (!read.secret().isEmpty() && !read.secret().equals(secret)) {
            secret = read.secret();
            named.hash(new SipHash(secret));
        }
        synchronized (this) {
            boolean sameVersion = read.version() == copy.version && read.stamp().equals(copy.stamp);
            if (!sameVersion || !read.complete()) {
                apply(read, changes);
            }
            endExpired();
        }
        keepRates();
        instances.count(read.nowMicros(), read.instances());
        if (read.watched()) {
            report(read);
        }
        return read.watched();
    }

    /** Redis may fail to store the report and still have the live limits, for example without memory. */
    private void report(LiveStore.Read read) {
        try {
            if (read.secret().isEmpty()) {
                // Redis has lost it since then.
                store.makeSecret();
            }
            // Hashes without one would show keys.
            if (!secret.isEmpty()) {
                fleet.report(read.nowMicros(), copy.version, secret, this::problem);
            }
        } catch (RuntimeException e) {
            log.debug("What this instance decides could not be reported.", e);
        }
    }

    /** What Redis has, with what it has lost of the copy if that is restored; otherwise with a warning. */
    private LiveStore.Read settled(LiveStore.Read read) {
        boolean hasOthers = hasOtherSecret(read);
        if (!restores) {
            lost.warn(read, copy.version, copy.stamp, hasOthers);
            return read;
        }
        if (read.behind() && !hasOthers) {
            // Redis has lost nothing: what it does not have any more has ended, and must not come back.
            return read;
        }
        lost.restore(copy.version, secret, copy.limits, serverMicros() + EXPIRES_SOON_MICROS);
        // Another instance may have restored the same in between. All limits are read, because the changes of the read
        // before are not those up to this one.
        LiveStore.Read restored = read(Copy.EMPTY);
        if (hasOtherSecret(restored)) {
            lost.warnOfHashes(copy.limits, serverMicros());
        }
        return restored;
    }

    /** Redis has lost all limits with the secret that is known here, and has others since. */
    private boolean hasOtherSecret(LiveStore.Read read) {
        return !secret.isEmpty() && !read.secret().isEmpty() && !read.secret().equals(secret);
    }

    private LiveStore.Read read(Copy known) {
        long before = ticker.read();
        long soon = serverMicros() + EXPIRES_SOON_MICROS;
        boolean hasLimits = copy.limits.values().stream().anyMatch(each -> !each.isExpired(soon));
        List<String> expired;
        synchronized (this) {
            expired = List.copyOf(expiredFields);
        }
        LiveStore.Read read = store.read(known.version, known.stamp, hasLimits, expired);
        offsetMicros = read.nowMicros() - (before + (ticker.read() - before) / 2) / 1000;
        synchronized (this) {
            // More may have expired since then, after these.
            expiredFields.subList(0, expired.size()).clear();
        }
        return read;
    }

    /** Under the monitor of this. */
    private void apply(LiveStore.Read read, List<StoredChange> newestFirst) {
        Map<String, StoredLimit> before = copy.limits;
        Map<String, StoredLimit> limits = new TreeMap<>();
        if (read.complete()) {
            limits.putAll(before);
            for (int i = newestFirst.size() - 1; i >= 0; i--) {
                StoredChange stored = newestFirst.get(i);
                limits.put(Fields.of(stored.change().name(), stored.change().key()), stored.after());
                listeners.applied(stored.change());
            }
        } else {
            read.limits().forEach((field, value) -> {
                StoredLimit known = before.get(field);
                limits.put(
                        field,
                        known != null && known.stored().equals(value)
                                ? known
                                : StoredLimit.ofField(store.limits, field, value));
            });
        }
        long now = serverMicros();
        copy = new Copy(read.version(), read.stamp(), limits);
        newestVersion = Math.max(newestVersion, read.version());
        Set<String> fields = new TreeSet<>(limits.keySet());
        if (read.complete()) {
            // One change costs no look at ten thousand others.
            fields = newestFirst.stream()
                    .map(each -> each.after().field())
                    .collect(Collectors.toCollection(TreeSet::new));
        } else {
            fields.addAll(before.keySet());
        }
        List<LiveChange> differences = new ArrayList<>();
        for (String field : fields) {
            StoredLimit was = before.get(field);
            StoredLimit is = limits.get(field);
            if (was != is) {
                override(field, Objects.requireNonNull(is == null ? was : is).limit(), is, now);
                difference(was, is, read).ifPresent(differences::add);
            }
        }
        if (!read.complete()) {
            differences.sort(Comparator.comparingLong(LiveChange::version));
            differences.forEach(listeners::applied);
        }
    }

    /** Applies the live limit of a name or a key to the limiters. One that has expired follows in endExpired(). */
    private void override(String field, LiveLimit of, @Nullable StoredLimit limit, long now) {
        if (limit != null && !limit.problem().isEmpty()) {
            unreadable.warn(of.name(), limit);
        }
        if (Fields.of(of.name(), of.key()).equals(field)) {
            override(of, limit != null && limit.isInEffect(now) ? limit.limit().settings() : LiveSettings.NONE);
        }
    }

    private void override(LiveLimit of, LiveSettings settings) {
        LiveKey key = of.key().orElse(null);
        if (key == null) {
            named.of(of.name()).live(LiveLimitChange.of(settings));
        } else {
            long ends = of.expiresAt().map(Micros::of).orElse(Verdict.NEVER_MICROS);
            named.of(of.name())
                    .liveOfKey(
                            key.value(),
                            key.hashed(),
                            LiveLimitChange.of(settings),
                            () -> ends == Verdict.NEVER_MICROS ? ends : ends - serverMicros());
        }
    }

    private static Optional<LiveChange> difference(
            @Nullable StoredLimit was, @Nullable StoredLimit is, LiveStore.Read read) {
        Optional<LiveLimit> before =
                Optional.ofNullable(was).filter(StoredLimit::isSet).map(StoredLimit::limit);
        Optional<LiveLimit> after =
                Optional.ofNullable(is).filter(StoredLimit::isSet).map(StoredLimit::limit);
        if (is != null && is.problem().isEmpty() && (before.isPresent() || after.isPresent())) {
            LiveLimit by = is.limit();
            return Optional.of(
                    LiveChange.of(by.version(), by.name(), by.key(), before, after, by.since(), by.who(), by.why()));
        }
        String why = is == null ? "Redis does not have it any more" : "what Redis has cannot be read";
        return before.map(limit -> ended(limit, read.version(), Micros.toInstant(read.nowMicros()), "", why));
    }

    private static LiveChange ended(LiveLimit limit, long version, Instant at, String who, String why) {
        return LiveChange.of(version, limit.name(), limit.key(), Optional.of(limit), Optional.empty(), at, who, why);
    }

    /** Ends live limits whose time is over, also while Redis is unavailable, or a poll waits for it. */
    void expire() {
        try {
            endExpired();
            keepRates();
        } finally {
            expiry.in(untilExpiryMicros());
            listeners.publish();
        }
    }

    /** Live limits end only with a poll from now on, until the next poll. */
    void pause() {
        expiry.stop();
    }

    /** Live limits do not end any more. */
    void close() {
        expiry.close();
    }

    private void keepRates() {
        // Before the first poll, the server time is unknown.
        if (copy != Copy.EMPTY) {
            fleet.keepRates(serverMicros());
        }
    }

    private synchronized void endExpired() {
        long now = serverMicros();
        List<StoredLimit> expired = copy.limits.values().stream()
                .filter(each -> each.isExpired(now))
                .toList();
        if (expired.isEmpty()) {
            return;
        }
        Map<String, StoredLimit> limits = new TreeMap<>(copy.limits);
        // Not removeAll(): it would compare each of ten thousand with all that have expired.
        limits.values().removeIf(each -> each.isExpired(now));
        copy = new Copy(copy.version, copy.stamp, limits);
        for (StoredLimit each : expired) {
            LiveLimit limit = each.limit();
            expiredFields.add(each.field());
            if (each.isSet()) {
                override(limit, LiveSettings.NONE);
                listeners.applied(ended(
                        limit,
                        limit.version(),
                        limit.expiresAt().orElseThrow(),
                        limit.who(),
                        "expired: " + limit.why()));
            }
        }
    }

    /** Why the live limit could not be applied to the limiters of a prefix and name; empty if it was. */
    private String problem(String prefix, String name) {
        StoredLimit stored = copy.limits.get(Fields.of(name));
        return stored == null || stored.problem().isEmpty() ? named.of(name).notApplied(prefix) : stored.problem();
    }
}
