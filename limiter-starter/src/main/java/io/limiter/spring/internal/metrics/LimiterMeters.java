package io.limiter.spring.internal.metrics;

/** The names of all meters and their tags. */
public final class LimiterMeters {

    /** Counter: decisions, by {@link #LIMIT}, {@link #OUTCOME} and {@link #SOURCE}. */
    public static final String DECISIONS = "limiter.decisions";

    /** Counter: bans of keys that were rejected too often, by {@link #LIMIT}. */
    public static final String BANS = "limiter.bans";

    /** Counter: warnings that most of a window is used, by {@link #LIMIT} and {@link #OUTCOME}. */
    public static final String WARNINGS = "limiter.warnings";

    /** Counter: requests whose responses do not say what they have cost, so that they stay charged for their estimate, by {@link #LIMIT}. */
    public static final String UNSETTLED = "limiter.unsettled";

    /** Timer: how long callers waited for granted permits, by {@link #LIMIT}. */
    public static final String WAIT = "limiter.wait";

    /** Timer: how long calls to Redis took, by {@link #OUTCOME}. */
    public static final String REDIS = "limiter.redis";

    /** Summary: how many requests went to Redis in one call. */
    public static final String BATCH = "limiter.batch";

    /** Gauge: how many rejections are cached and still valid. */
    public static final String REJECTION_CACHE = "limiter.rejection.cache.size";

    /** Gauge: how many leases of concurrency limits this instance holds. */
    public static final String LEASES = "limiter.leases";

    /** Gauge: how many requests wait to be sent to Redis. */
    public static final String QUEUE = "limiter.queue";

    /** Gauge: 1 while Redis decides, 0 while the failure policy does. */
    public static final String BACKEND = "limiter.backend.up";

    /** Gauge: how many instances this one has counted, itself included. */
    public static final String INSTANCES = "limiter.instances";

    /** Gauge: the share of limits with the default failure policy that this instance decides under alone. */
    public static final String SHARE = "limiter.failure.share";

    /** Gauge: how many limiters have a permanent failure. */
    public static final String FAILING = "limiter.failing";

    /** Counter: failures of Redis to decide, by {@link #PROBLEM}. */
    public static final String FAILURES = "limiter.failures";

    /** The reason why Redis did not decide. */
    public static final String PROBLEM = "problem";

    /** The name of a limit, or {@link #OTHER}. */
    public static final String LIMIT = "limit";

    /** In place of the names beyond {@code limiter.metrics.max-limits}. */
    public static final String OTHER = "other";

    /** The outcome of a request or a call. */
    public static final String OUTCOME = "outcome";

    /** The source of a decision. */
    public static final String SOURCE = "source";

    private LimiterMeters() {}
}
