package io.limiter.internal.statistics;

import com.google.common.base.Ticker;
import io.limiter.Decision;
import io.limiter.FailurePolicy;
import io.limiter.HashTag;
import io.limiter.KeyBannedEvent;
import io.limiter.LimitExceededEvent;
import io.limiter.LimitWarningEvent;
import io.limiter.LimiterTotals;
import io.limiter.Prefetch;
import io.limiter.Share;
import io.limiter.algorithm.AnyLimit;
import io.limiter.algorithm.Ban;
import io.limiter.internal.engine.Outcome;
import io.limiter.internal.key.KeyText;
import io.limiter.internal.log.AsyncLog;
import io.limiter.step.LimitStep;
import io.limiter.step.Verdict;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Counts the decisions of the limiters of one prefix and name, and notifies listeners of rejections. Counting
 * allocates nothing.
 */
public final class LimiterCounters implements LimiterTotals {

    private static final AsyncLog log = AsyncLog.of(LimiterCounters.class);

    private static final int SOURCES = Decision.Source.values().length;

    private final String prefix;
    private final String name;
    private final EngineObserver observer;
    private final ListenerNotifier notifier;
    private final Ticker ticker;
    private final Shared shared;

    /**
     * @param notifier notifies listeners of rejections
     * @param ticker measures waits
     */
    public LimiterCounters(
            String prefix, String name, EngineObserver observer, ListenerNotifier notifier, Ticker ticker) {
        this(prefix, name, observer, notifier, ticker, new Shared());
    }

    private LimiterCounters(
            String prefix,
            String name,
            EngineObserver observer,
            ListenerNotifier notifier,
            Ticker ticker,
            Shared shared) {
        this.prefix = prefix;
        this.name = name;
        this.observer = observer;
        this.notifier = notifier;
        this.ticker = ticker;
        this.shared = shared;
    }

    /** The same counters, without notifying listeners of rejections. */
    public LimiterCounters quiet() {
        return new LimiterCounters(prefix, name, observer, ListenerNotifier.NONE, ticker, shared);
    }

    /** Counters of a limiter that was not built by a factory. */
    public static LimiterCounters unregistered(String prefix, String name) {
        return new LimiterCounters(prefix, name, EngineObserver.NONE, ListenerNotifier.NONE, Ticker.systemTicker());
    }

    /** Shows a limiter, unless it shows one that live limits change, and this is none of these, or one that was built later. */
    public void show(ShownLimit limiter) {
        shared.shown.accumulateAndGet(limiter, (shown, built) -> shown == null || built.hides(shown) ? built : shown);
    }

    /** Records the plan of the limiters; {@code null} for none. */
    public void plan(@Nullable String newPlan) {
        shared.plan = newPlan;
    }

    /** Records how a limiter prefetches; {@code null} if it does not, which changes nothing. */
    public void prefetch(@Nullable Prefetch newPrefetch) {
        if (newPrefetch != null) {
            shared.prefetch = newPrefetch;
        }
    }

    /** Sets the known bans of the limit. */
    public void bans(KnownBans newBans) {
        shared.known = newBans;
    }

    /**
     * A ban has begun.
     *
     * @param limiter as of {@link #decided}
     */
    public void keyBanned(String limiter, List<String> keys, Duration length) {
        shared.bans.increment();
        KeyBannedEvent event = KeyBannedEvent.of(limiter, keys, length);
        notifier.publishIfRoom(listener -> listener.onKeyBanned(event));
    }

    /** Records that {@link io.limiter.RateLimiter#setRate} has set the rate. */
    public void rateSet() {
        shared.rateSet = true;
    }

    @Override
    public boolean isRateSet() {
        return shared.rateSet;
    }

    /** Whether a listener receives rejections. */
    public boolean isListenedTo() {
        return notifier.wantRejections();
    }

    /**
     * @param limiter name of the limiter; it differs from {@link #name()} if too many limiters share these counters
     * @param key the caller's keys as text; {@code null} for the limiter's own permits
     */
    public void decided(String limiter, @Nullable String key, Outcome decision) {
        counted(key, decision.isGranted(), decision.source());
        if (!decision.isGranted() && isListenedTo()) {
            notifier.publishIfRoom(listener -> listener.onLimitExceeded(LimitExceededEvent.of(
                    limiter, key == null ? List.of() : KeyText.keys(key), decision.toDecision())));
        }
    }

    /**
     * As {@link #decided(String, String, Outcome)}, and tells of a warning, and of permits that can never be granted.
     *
     * @param limit that decided
     * @param permits as many as were requested
     * @param leave as many as were to be left
     */
    public void decided(
            String limiter, @Nullable String key, LimitStep<?> limit, long permits, long leave, Outcome decision) {
        decided(limiter, key, decision);
        // If a decision leaves permits to others, its own limit does not include them, so the capacity is passed.
        warned(limiter, key, limit.capacity(), decision);
        if (!decision.isGranted() && decision.retryAfterMicros() == Verdict.NEVER_MICROS) {
            rejected(limit, permits, leave);
        }
    }

    /**
     * Notifies listeners if a decision warns, also one that is not counted, as of a charge.
     *
     * @param limiter as of {@link #decided}
     * @param key as of {@link #decided}
     * @param limit how many permits it grants in a period
     */
    public void warned(String limiter, @Nullable String key, long limit, Outcome decision) {
        Verdict verdict = decision.verdict();
        if (verdict.usedAtWarning() == 0) {
            return;
        }
        LimitWarningEvent event = LimitWarningEvent.of(
                limiter,
                key == null ? List.of() : KeyText.keys(key),
                verdict.usedAtWarning(),
                limit,
                Instant.EPOCH.plus(verdict.periodEndMicros(), ChronoUnit.MICROS));
        (notifier.publish(event) ? shared.warnings : shared.droppedWarnings).increment();
    }

    /** As {@link #decided}, without notifying listeners. */
    public void counted(@Nullable String key, boolean wasGranted, Decision.Source source) {
        (wasGranted ? shared.granted : shared.rejected)[source.ordinal()].increment();
        if (key != null) {
            shared.hotKeys.requested(key);
            if (!wasGranted) {
                shared.rejectedKeys.requested(key);
            }
        }
    }

    /**
     * Warns of the first rejected request for more permits than the limit can grant at most, which is its capacity minus what is left
     * to others. A key that is a number may have been passed as permits.
     *
     * @param permits as many as were requested
     * @param leave as many as were to be left
     */
    public void rejected(LimitStep<?> limit, long permits, long leave) {
        if (permits > 1 && !shared.warnedOfTooMany && permits > limit.capacity() - leave) {
            warnOfTooMany(limit.capacity(), permits, leave);
        }
    }

    private void warnOfTooMany(long capacity, long permits, long leave) {
        // Two threads at the same moment may both log it.
        shared.warnedOfTooMany = true;
        if (permits <= capacity) {
            log.warn(
                    "'{}' was asked for {} permits, and has at most {} for a caller that leaves {} of its {} to others. Requests for"
                            + " so many are always rejected; further ones are not logged.",
                    name,
                    permits,
                    capacity - leave,
                    leave,
                    capacity);
            return;
        }
        log.warn(
                "'{}' was asked for {} of at most {} permits; if {} is a key, write on(\"{}\"). Requests for so many are always"
                        + " rejected; further ones are not logged.",
                name,
                permits,
                capacity,
                permits,
                permits);
    }

    public void failed() {
        shared.errors.increment();
    }

    public EngineObserver.MayWait mayWait() {
        return observer.mayWait();
    }

    /**
     * A caller starts to wait for permits.
     *
     * @param mayWait of these counters, or of others of the same factory
     * @return to be run when the wait ends, which counts it
     */
    public Runnable waitBegins(EngineObserver.MayWait mayWait) {
        Runnable observed = mayWait.begins(this);
        long startNanos = ticker.read();
        return () -> {
            shared.waits.increment();
            shared.waitedNanos.add(ticker.read() - startNanos);
            observed.run();
        };
    }

    @Override
    public String prefix() {
        return prefix;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Optional<String> plan() {
        return Optional.ofNullable(shared.plan);
    }

    @Override
    public Optional<AnyLimit> limit() {
        return Optional.ofNullable(shared.shown.get()).map(ShownLimit::limit);
    }

    @Override
    public Optional<FailurePolicy> failurePolicy() {
        return Optional.ofNullable(shared.shown.get()).map(ShownLimit::policy);
    }

    @Override
    public String namespace() {
        ShownLimit shown = shared.shown.get();
        return shown == null ? "" : shown.namespace;
    }

    @Override
    public HashTag hashTag() {
        ShownLimit shown = shared.shown.get();
        return shown == null ? HashTag.FIRST_KEY : shown.hashTag;
    }

    @Override
    public Optional<Prefetch> prefetch() {
        return Optional.ofNullable(shared.prefetch);
    }

    @Override
    public Optional<Ban> ban() {
        ShownLimit shown = shared.shown.get();
        return Optional.ofNullable(shown == null ? null : shown.ban);
    }

    @Override
    public Optional<Share> warnAt() {
        ShownLimit shown = shared.shown.get();
        return Optional.ofNullable(shown == null ? null : shown.warnAt);
    }

    @Override
    public long bans() {
        return shared.bans.sum();
    }

    @Override
    public long warnings() {
        return shared.warnings.sum();
    }

    @Override
    public long droppedWarnings() {
        return shared.droppedWarnings.sum();
    }

    @Override
    public List<KeyBan> bansInEffect() {
        KnownBans known = shared.known;
        // When a ban ends is not known after it was removed from the limit.
        return known == null || ban().isEmpty() ? List.of() : known.inEffect();
    }

    @Override
    public long granted(Decision.Source source) {
        return shared.granted[Objects.requireNonNull(source, "source").ordinal()].sum();
    }

    @Override
    public long rejected(Decision.Source source) {
        return shared.rejected[Objects.requireNonNull(source, "source").ordinal()].sum();
    }

    @Override
    public long errors() {
        return shared.errors.sum();
    }

    @Override
    public long waits() {
        return shared.waits.sum();
    }

    @Override
    public Duration waited() {
        return Duration.ofNanos(shared.waitedNanos.sum());
    }

    @Override
    public List<HotKey> hottestKeys() {
        return shared.hotKeys.hottest();
    }

    @Override
    public List<RejectedKey> rejectedKeys() {
        return shared.rejectedKeys.rejected();
    }

    @Override
    public String toString() {
        return "LimiterTotals[" + prefix + name + ", granted " + granted() + ", rejected " + rejected() + ", errors "
                + errors() + "]";
    }

    /** The counts, and what is shown of the limiters of this name. */
    private static final class Shared {
        private final LongAdder[] granted = adders();
        private final LongAdder[] rejected = adders();
        private final LongAdder errors = new LongAdder();
        private final LongAdder waits = new LongAdder();
        private final LongAdder waitedNanos = new LongAdder();
        private final LongAdder bans = new LongAdder();
        private final LongAdder warnings = new LongAdder();
        private final LongAdder droppedWarnings = new LongAdder();
        private final HotKeys hotKeys = new HotKeys(Ticker.systemTicker());
        private final HotKeys rejectedKeys = new HotKeys(Ticker.systemTicker());
        private volatile boolean rateSet;
        private volatile boolean warnedOfTooMany;
        private final AtomicReference<@Nullable ShownLimit> shown = new AtomicReference<>();
        private volatile @Nullable String plan;
        private volatile @Nullable Prefetch prefetch;
        private volatile @Nullable KnownBans known;

        private static LongAdder[] adders() {
            return Stream.generate(LongAdder::new).limit(SOURCES).toArray(LongAdder[]::new);
        }
    }
}
