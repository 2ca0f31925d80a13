package io.limiter.internal.resilience;

import com.google.common.base.Ticker;
import io.limiter.BackendState;
import io.limiter.Decision.Source;
import io.limiter.LimiterBackendException;
import io.limiter.LimiterBackendException.Kind;
import io.limiter.LimiterTotals;
import io.limiter.internal.log.AsyncLog;
import io.limiter.internal.log.LogThrottle;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reports what failure policies decide instead of the backend: each problem in the log, once a minute and with its remedy, and
 * the share of the decisions of the last minute. Decisions of the backend cost nothing here.
 *
 * <p>The share needs the counts of a minute ago. They are sampled when it is read and before a policy decides, at most each
 * {@value #SAMPLE_SECONDS} s. Between two samples that are further apart no policy has decided, except in the first of these
 * seconds, so the counts in between are interpolated.
 */
public final class PolicyReport {

    /** Reports nothing, for limiters without a factory. */
    public static final PolicyReport NONE = new PolicyReport(List::of, Ticker.systemTicker(), AsyncLog.NONE);

    static final int SAMPLE_SECONDS = 5;

    private static final long WINDOW_NANOS = Duration.ofMinutes(1).toNanos();
    private static final long SAMPLE_NANOS = Duration.ofSeconds(SAMPLE_SECONDS).toNanos();
    // Servers may be extended by modules with error codes of their own.
    private static final int MAX_PROBLEMS = 100;
    private static final String OTHER = "other";

    private static final String UNAVAILABLE = "Check that Redis runs, and its address, password and network.";
    private static final Map<String, String> REMEDIES = Map.of(
            Guard.TIMEOUT,
            "If Redis is only slow, raise limiter.failure.decision-timeout.",
            "unavailable",
            UNAVAILABLE,
            "connection",
            UNAVAILABLE,
            "READONLY",
            "Connect to the primary, or to a name that follows it.");
    private static final String NO_REMEDY =
            "If this lasts, remove the cause, because the instances share no limit until then.";

    private final Supplier<? extends Collection<LimiterTotals>> totals;
    private final Ticker ticker;
    private final AsyncLog log;
    private final Map<String, LogThrottle> logged = new ConcurrentHashMap<>();
    private final LogThrottle unsettled;
    private final AtomicLong sampleDueNanos;
    // Guarded by this object's monitor. The oldest one first: of those older than a minute, the last.
    private final Deque<Sample> samples = new ArrayDeque<>();
    private volatile @Nullable LimiterBackendException last;

    /** @param totals of all limiters of a factory */
    public PolicyReport(Supplier<? extends Collection<LimiterTotals>> totals, Ticker ticker) {
        this(totals, ticker, AsyncLog.of(PolicyReport.class));
    }

    private PolicyReport(Supplier<? extends Collection<LimiterTotals>> totals, Ticker ticker, AsyncLog log) {
        this.totals = totals;
        this.ticker = ticker;
        this.log = log;
        this.unsettled = new LogThrottle(ticker);
        long now = ticker.read();
        this.sampleDueNanos = new AtomicLong(now);
        samples.add(new Sample(now, 0, 0));
    }

    /** A failure policy is about to decide. */
    void decides(LimiterBackendException failure) {
        last = failure;
        sampleIfDue(ticker.read());
        // Permanent failures are reported for each limiter.
        if (failure.kind() != Kind.PERMANENT) {
            log.warn(
                    throttle(failure.problem()),
                    "A failure policy decides instead of Redis ({}): {}. {}",
                    failure.problem(),
                    new Message(failure),
                    failure.remedy().orElse(REMEDIES.getOrDefault(failure.problem(), NO_REMEDY)),
                    failure.getCause());
        }
    }

    /** A policy has decided that a reservation stays as it is, because it could be neither cancelled nor settled. */
    void staysReserved(LimiterBackendException failure) {
        log.warn(
                unsettled,
                "Permits could not be returned or charged after a reservation: {}. They stay as they were reserved.",
                new Message(failure));
    }

    private LogThrottle throttle(String problem) {
        String known = logged.size() < MAX_PROBLEMS || logged.containsKey(problem) ? problem : OTHER;
        return logged.computeIfAbsent(known, added -> new LogThrottle(ticker));
    }

    /** The state with what policies have decided. */
    public BackendState withUndecided(BackendState state) {
        return state.withUndecided(share(), last);
    }

    /** The last failure that made a failure policy decide; {@code null} if there was none. */
    @Nullable
    LimiterBackendException last() {
        return last;
    }

    /**
     * The share of the decisions of the last minute that the backend did not make, from 0 to 1: those of failure policies, and
     * failures that callers got. Bans and exemptions are decisions of neither.
     */
    double share() {
        long now = ticker.read();
        Sample current = sample(now);
        sampleIfDue(now);
        long start = now - WINDOW_NANOS;
        Sample before = null;
        synchronized (this) {
            for (Sample each : samples) {
                if (each.nanos - start > 0) {
                    before = before == null ? each : before.at(start, each);
                    break;
                }
                before = each;
            }
        }
        if (before == null) {
            return 0;
        }
        if (before.nanos - start < 0) {
            before = before.at(start, current);
        }
        double all = current.all - before.all;
        return all <= 0 ? 0 : Math.min(1, Math.max(0, (current.undecided - before.undecided) / all));
    }

    private void sampleIfDue(long now) {
        long due = sampleDueNanos.get();
        if (now - due < 0 || !sampleDueNanos.compareAndSet(due, now + SAMPLE_NANOS)) {
            return;
        }
        Sample taken = sample(now);
        synchronized (this) {
            samples.add(taken);
            // The last one from before the minute stays, so that its start can be interpolated.
            while (samples.size() > 1) {
                Sample oldest = samples.remove();
                if (now - samples.element().nanos < WINDOW_NANOS) {
                    samples.addFirst(oldest);
                    return;
                }
            }
        }
    }

    private Sample sample(long now) {
        long undecided = 0;
        long all = 0;
        for (LimiterTotals each : totals.get()) {
            long failed = each.errors();
            long byPolicy = decided(each, Source.LOCAL) + decided(each, Source.POLICY);
            undecided += byPolicy + failed;
            all += each.granted() + each.rejected() - decided(each, Source.OVERRIDE) + failed;
        }
        return new Sample(now, undecided, all);
    }

    private static long decided(LimiterTotals limiter, Source source) {
        return limiter.granted(source) + limiter.rejected(source);
    }

    /** The counts at a time. */
    private record Sample(long nanos, double undecided, double all) {

        /** What the counts were in between. */
        Sample at(long time, Sample later) {
            double part = (time - nanos) / (double) Math.max(1, later.nanos - nanos);
            return new Sample(time, undecided + part * (later.undecided - undecided), all + part * (later.all - all));
        }
    }

    /** Composed by the thread that logs. */
    private record Message(LimiterBackendException failure) {

        @Override
        public String toString() {
            return String.valueOf(failure.getMessage());
        }
    }
}
