package io.limiter.spring.internal.metrics;

import io.limiter.FailurePolicy;
import io.limiter.LimiterFactory;
import io.limiter.LimiterStatistics;
import io.limiter.LimiterTotals;
import io.limiter.internal.resilience.Guard;
import io.limiter.internal.statistics.EngineObserver;
import io.limiter.redis.RedisRateLimiterFactory;
import io.limiter.spring.internal.actuate.LimitLookup;
import io.limiter.spring.metrics.LimiterWaitContext;
import io.limiter.spring.metrics.LimiterWaitConvention;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * The meters of a factory's limiters; see {@link LimiterMeters}. No tag has a key. The limits that are built first have meters of
 * their own, and the others share those of {@value LimiterMeters#OTHER}.
 *
 * <p>If the {@link ObservationRegistry} has a handler, waits are observations, so that traces show them, and the handler records
 * the timer. A {@link LimiterWaitConvention} names them. Otherwise this class records it.
 */
public final class LimiterMetrics implements MeterBinder, EngineObserver {

    private static final LimiterWaitConvention DEFAULT_CONVENTION = new LimiterWaitConvention();
    private static final Duration SHORTEST_CALL = Duration.ofNanos(100_000);
    private static final Duration LONGEST_CALL = Duration.ofSeconds(5);

    private final Supplier<@Nullable LimiterFactory> factory;
    private final Supplier<@Nullable CallCounts> calls;
    private final Supplier<@Nullable ObservationRegistry> observations;
    private final Supplier<@Nullable LimiterWaitConvention> convention;
    private final int maxLimits;
    private final Map<String, MeteredLimit> byName = new ConcurrentHashMap<>();
    private final Map<String, MeteredLimit> metered = new ConcurrentHashMap<>();
    private final List<Bound> bound = new CopyOnWriteArrayList<>();

    /**
     * @param factory called when meters are registered; may return {@code null}
     * @param calls the counts of limited methods, which meters read; {@code null} until there are any
     * @param observations {@code null} until there is a registry; must be fast and not throw, because decisions call it
     * @param convention of waits; {@code null} for the default; must be fast and not throw
     * @param maxLimits how many limit names have meters of their own
     */
    public LimiterMetrics(
            Supplier<@Nullable LimiterFactory> factory,
            Supplier<@Nullable CallCounts> calls,
            Supplier<@Nullable ObservationRegistry> observations,
            Supplier<@Nullable LimiterWaitConvention> convention,
            int maxLimits) {
        this.factory = factory;
        this.calls = calls;
        this.observations = observations;
        this.convention = convention;
        this.maxLimits = maxLimits;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        LimiterFactory measured = factory.get();
        if (measured == null || measured.statistics() == LimiterStatistics.NONE) {
            return;
        }
        Bound added = new Bound(registry, LimitLookup.isLocal(measured), measured.statistics());
        if (measured instanceof RedisRateLimiterFactory redis && !redis.isLocal()) {
            added.gauge(
                    LimiterMeters.BACKEND,
                    "1 while Redis decides, 0 while the failure policy does, and in a Cluster the share of masters that decide",
                    redis,
                    backend -> backend.backendState().availability());
            added.gauge(
                    LimiterMeters.INSTANCES,
                    "Instances that this one has counted, including itself",
                    redis,
                    RedisRateLimiterFactory::instances);
            added.gauge(
                    LimiterMeters.SHARE,
                    "The share of each limit under which this instance decides alone, if the default failure policy is LOCAL",
                    redis,
                    LimiterMetrics::share);
            added.gauge(
                    LimiterMeters.FAILING,
                    "Limiters with a permanent failure",
                    redis,
                    backend -> backend.backendState().failing().size());
            // Registered now, so that it is there with the value 0.
            added.failure(Guard.TIMEOUT);
        }
        synchronized (this) {
            bound.add(added);
            metered.values().forEach(limit -> limit.register(registry, added.local));
        }
        CallCounts counts = calls.get();
        if (counts != null) {
            counts.forEachName(name -> registerCalls(name, counts, added));
        }
    }

    private static double share(RedisRateLimiterFactory limiters) {
        FailurePolicy policy = limiters.failurePolicy();
        return policy.action() == FailurePolicy.Action.LOCAL ? policy.share(limiters.instances()) : Double.NaN;
    }

    private void registerCalls(String name, CallCounts counts, Bound in) {
        MeteredLimit limit = byName.get(name);
        if (limit != null && counts.hasSkips(name)) {
            limit.registerSkips(in.registry);
        }
        if (limit != null && counts.hasUnsettled(name)) {
            limit.registerUnsettled(in.registry);
        }
    }

    @Override
    public synchronized void limiterAdded(LimiterTotals totals) {
        MeteredLimit limit = byName.computeIfAbsent(totals.name(), this::metered);
        limit.add(totals);
        // Registering a meter again has no effect.
        bound.forEach(each -> limit.register(each.registry, each.local));
    }

    private MeteredLimit metered(String name) {
        String shown = metered.size() < maxLimits ? name : LimiterMeters.OTHER;
        return metered.computeIfAbsent(shown, added -> new MeteredLimit(added, calls));
    }

    private String shown(LimiterTotals limiter) {
        MeteredLimit limit = byName.get(limiter.name());
        return limit == null ? LimiterMeters.OTHER : limit.name();
    }

    @Override
    public void called(long nanos, boolean failed) {
        for (Bound each : bound) {
            (failed ? each.failed : each.answered).record(nanos, TimeUnit.NANOSECONDS);
        }
    }

    @Override
    public void failed(String problem) {
        for (Bound each : bound) {
            each.failure(problem).increment();
        }
    }

    @Override
    public void sent(int keys, int requests) {
        for (Bound each : bound) {
            each.batch.record(requests);
        }
    }

    @Override
    public MayWait mayWait() {
        ObservationRegistry registry = observations.get();
        if (registry == null || registry.isNoop()) {
            return this::timed;
        }
        Observation parent = registry.getCurrentObservation();
        return limiter -> Observation.createNotStarted(
                        convention.get(), DEFAULT_CONVENTION, () -> new LimiterWaitContext(shown(limiter)), registry)
                .parentObservation(parent)
                .start()::stop;
    }

    private Runnable timed(LimiterTotals limiter) {
        long startNanos = System.nanoTime();
        return () -> {
            long nanos = System.nanoTime() - startNanos;
            for (Bound each : bound) {
                Timer.builder(LimiterMeters.WAIT)
                        .description("How long callers waited for permits")
                        .tag(LimiterMeters.LIMIT, shown(limiter))
                        .register(each.registry)
                        .record(nanos, TimeUnit.NANOSECONDS);
            }
        };
    }

    /** The meters in one registry. */
    private static final class Bound {

        private final MeterRegistry registry;
        private final boolean local;
        private final Timer answered;
        private final Timer failed;
        private final DistributionSummary batch;

        Bound(MeterRegistry registry, boolean local, LimiterStatistics statistics) {
            this.registry = registry;
            this.local = local;
            this.answered = timer(registry, "answered");
            this.failed = timer(registry, "failed");
            this.batch = DistributionSummary.builder(LimiterMeters.BATCH)
                    .description("Requests that went to Redis in one call")
                    .baseUnit("requests")
                    .register(registry);
            gauge(
                    LimiterMeters.REJECTION_CACHE,
                    "Cached rejections that are still valid",
                    statistics,
                    LimiterStatistics::cachedRejections);
            gauge(
                    LimiterMeters.LEASES,
                    "Leases of concurrency limits that this instance holds",
                    statistics,
                    LimiterStatistics::liveLeases);
            gauge(LimiterMeters.QUEUE, "Requests that wait to be sent", statistics, LimiterStatistics::queuedRequests);
        }

        Counter failure(String problem) {
            return Counter.builder(LimiterMeters.FAILURES)
                    .description("Requests, or requests for one key in a call, that Redis did not decide")
                    .tag(LimiterMeters.PROBLEM, problem)
                    .register(registry);
        }

        private static Timer timer(MeterRegistry registry, String outcome) {
            return Timer.builder(LimiterMeters.REDIS)
                    .description("How long calls to Redis took")
                    .tag(LimiterMeters.OUTCOME, outcome)
                    .publishPercentileHistogram()
                    .minimumExpectedValue(SHORTEST_CALL)
                    .maximumExpectedValue(LONGEST_CALL)
                    .register(registry);
        }

        <T> void gauge(String name, String description, T of, ToDoubleFunction<T> value) {
            Gauge.builder(name, of, value)
                    .description(description)
                    .strongReference(true)
                    .register(registry);
        }
    }
}
