package io.limiter.spring.metrics;

/** The names of all meters and their tags, as the documentation lists them. */
public final class LimiterMeters {

    /** Counter: what became of requests, by {@link #LIMIT}, {@link #OUTCOME} and {@link #SOURCE}. */
    public static final String DECISIONS = "limiter.decisions";

    /** Timer: how long callers waited for permits that were granted later than now, by {@link #LIMIT}. */
    public static final String WAIT = "limiter.wait";

    /** Timer: how long calls to Redis took, by {@link #OUTCOME}. */
    public static final String REDIS = "limiter.redis";

    /** Summary: how many requests went to Redis in one call. */
    public static final String BATCH = "limiter.batch";

    /** Gauge: how many refusals are known that still hold. */
    public static final String DENY_CACHE = "limiter.deny.cache.size";

    /** Gauge: how many leases of concurrency limits are held. */
    public static final String LEASES = "limiter.leases";

    /** Gauge: how many requests wait to be sent to Redis. */
    public static final String QUEUE = "limiter.queue";

    /** Gauge: 1 while Redis decides, 0 while the failure policy does. */
    public static final String BACKEND = "limiter.backend.up";

    /** Gauge: how many limiters fail although Redis is there. */
    public static final String FAILING = "limiter.failing";

    /** Counter: what Redis has not decided, by {@link #PROBLEM}. */
    public static final String FAILURES = "limiter.failures";

    /** Why it was not decided. */
    public static final String PROBLEM = "problem";

    /** The name of a limit, or {@code other} beyond 10,000 names. */
    public static final String LIMIT = "limit";

    /** What became of it. */
    public static final String OUTCOME = "outcome";

    /** What decided. */
    public static final String SOURCE = "source";

    private LimiterMeters() {}
}
