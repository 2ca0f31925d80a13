package io.limiter.algorithm;

import io.limiter.internal.arithmetic.Ranges;
import io.limiter.internal.arithmetic.Rounding;
import io.limiter.step.LimitStep;
import io.limiter.step.Request;
import io.limiter.step.Step;
import io.limiter.step.Verdict;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A token bucket: permits accrue at an even rate, and the bucket stores unused ones up to its capacity.
 *
 * <p>Like Guava's {@code SmoothRateLimiter}, it has no timer: each request first adds what has accrued since the last one.
 * Permits that do not exist yet can be reserved, and {@link WhoWaits} says who waits for them.
 *
 * <h2>What it guarantees</h2>
 *
 * <ul>
 *   <li>Upper bound: in any {@code t} seconds, at most {@code capacity + rate * t} permits come due, and with
 *       {@code NEXT_CALLER} one more request. With a warm-up, the bound is {@code rate * t} and one request, because no permit
 *       takes less than the stable interval. All permits of one request are due at the same time, even if they are more than
 *       the capacity. If a clock steps back by up to two hours, the refill stops until it catches up, and after a greater step
 *       it stops for an hour. A reservation that is more than an hour ahead prolongs both by the excess. Stored permits stay.
 *       Refunded permits are added to the bound.
 *   <li>Lower bound: with enough demand, the granted rate is the configured one, from 0.001/s to 1,000,000/s, if the burst
 *       or the timeout has room for the permits that accrue between two calls.
 *   <li>Bounded debt: no reservation reaches further ahead than {@code maxWait} (or one permit, if that takes longer).
 *   <li>A changed rate keeps stored permits and debt. Elapsed time counts at the old rate, and then stored permits are scaled to
 *       the new one. Limiters with different definitions of one bucket change it with each call, so they should share it
 *       only while a new version is rolled out.
 *   <li>A cancelled reservation leaves no trace, except that later reservations keep their times. If it is the last one, it is
 *       restored immediately. Otherwise, as much of it is restored as the capacity has room for in addition to the later reservations,
 *       and the rest once all reservations since the first cancelled one are cancelled. The bounds above apply to permits that are not
 *       cancelled, except that with {@code CALLER} a cancelled request for more than the capacity counts as if it came due. A warm-up
 *       restores stored permits only while some are left. Otherwise, their cost above the stable interval stays reserved.
 * </ul>
 *
 * <h2>How it is defined</h2>
 *
 * <pre>{@code
 * TokenBucket.perSecond(50)                                  // stores up to one second's permits
 * TokenBucket.perSecond(50).withCapacity(100)                // 100 at any rate
 * TokenBucket.perSecond(50).withBurst(Duration.ofSeconds(2)) // 100, and at another rate still those of 2 s
 * TokenBucket.per(100, Duration.ofMinutes(1))                // stores up to a minute's 100 permits
 * }</pre>
 */
public final class TokenBucket implements Limit, LimitStep<RedisPermits> {

    public static final Duration DEFAULT_MAX_WAIT = Duration.ofHours(1);
    public static final Duration DEFAULT_EXPIRE = Duration.ofSeconds(60);

    /** The lowest rate in permits per second: at a lower one, no permit would fit into the longest burst. */
    public static final double MIN_RATE = 1.0 / BucketChecks.MAX_BURST;

    /** The highest rate in permits per second. */
    public static final double MAX_RATE = 1e9;

    /** The largest capacity in permits. */
    public static final long MAX_CAPACITY = 1_000_000_000_000L;

    private final double permitsPerSecond;
    private final double burstSeconds;
    private final double minCapacity;
    private final @Nullable WarmUp warmUp;
    private final WhoWaits whoWaits;
    private final boolean startsFull;
    private final Duration maxWait;
    private final Duration expire;
    private final LimitKind kind;

    private TokenBucket(
            double permitsPerSecond,
            double burstSeconds,
            double minCapacity,
            @Nullable WarmUp warmUp,
            WhoWaits whoWaits,
            boolean startsFull,
            Duration maxWait,
            Duration expire,
            LimitKind kind) {
        BucketChecks.check(permitsPerSecond, burstSeconds, minCapacity, warmUp, whoWaits, startsFull, maxWait);
        Ranges.duration("expire", expire, Duration.ofMillis(1));
        this.permitsPerSecond = permitsPerSecond;
        this.burstSeconds = burstSeconds;
        this.minCapacity = minCapacity;
        this.warmUp = warmUp;
        this.whoWaits = whoWaits;
        this.startsFull = startsFull;
        this.maxWait = maxWait;
        this.expire = expire;
        this.kind = Objects.requireNonNull(kind, "kind");
    }

    /** One that is no leaky bucket. */
    TokenBucket(
            double permitsPerSecond,
            double burstSeconds,
            double minCapacity,
            @Nullable WarmUp warmUp,
            WhoWaits whoWaits,
            boolean startsFull,
            Duration maxWait,
            Duration expire) {
        this(
                permitsPerSecond,
                burstSeconds,
                minCapacity,
                warmUp,
                whoWaits,
                startsFull,
                maxWait,
                expire,
                LimitKind.TOKEN_BUCKET);
    }

    /**
     * A bucket with a rate in permits per second. Its capacity is one second's permits or one permit, whichever is more. It
     * starts full, and callers wait for their own permits.
     *
     * @param permitsPerSecond from 1/86,400,000 (one permit in 1,000 days) to 1,000,000,000
     */
    public static TokenBucket perSecond(double permitsPerSecond) {
        return new TokenBucket(permitsPerSecond, 1, 1, null, WhoWaits.CALLER, true, DEFAULT_MAX_WAIT, DEFAULT_EXPIRE);
    }

    /**
     * A bucket with a rate in permits per period, which come at an even rate. Its capacity is one period's permits or one permit, whichever is
     * more. Apart from that, it is the same as {@link #perSecond}.
     *
     * @param permits at most 1,000,000,000,000, and a number whose rate is in the range of {@link #perSecond}
     * @param period from 1 ns to 1,000 days
     */
    public static TokenBucket per(double permits, Duration period) {
        Ranges.duration("period", period, Duration.ofNanos(1));
        double seconds = period.toNanos() / 1e9;
        double rate = permits / seconds;
        // Rounded up, so that a bucket holds all of the last permit.
        double burst = rate * seconds < permits ? Math.min(Math.nextUp(seconds), BucketChecks.MAX_BURST) : seconds;
        return perSecond(rate).with(rate, burst, 1, LimitKind.TOKEN_BUCKET);
    }

    /** {@link #perSecond} with a burst in possibly fractional seconds, as in the annotations. */
    public static TokenBucket of(double permitsPerSecond, double burstSeconds) {
        return perSecond(permitsPerSecond)
                .with(permitsPerSecond, burstSeconds, 0, LimitKind.TOKEN_BUCKET)
                .grantingWithoutWait();
    }

    /**
     * A bucket that may hold less than a permit, for callers that wait for the rest of it.
     *
     * @param burstSeconds the capacity in seconds, more than 0
     * @param maxWait as in {@link #withMaxWait}, and long enough that a full bucket grants a permit within it
     */
    public static TokenBucket forWaiting(double permitsPerSecond, double burstSeconds, Duration maxWait) {
        return new TokenBucket(permitsPerSecond, burstSeconds, 0, null, WhoWaits.CALLER, true, maxWait, DEFAULT_EXPIRE);
    }

    /** The limit of Guava's {@code RateLimiter.create(permitsPerSecond)}: a burst of one second, empty at first. */
    public static TokenBucket guava(double permitsPerSecond) {
        return perSecond(permitsPerSecond)
                .withWhoWaits(WhoWaits.NEXT_CALLER)
                .withStartsFull(false)
                .withBurst(Duration.ofSeconds(1));
    }

    /** The limit of Guava's {@code RateLimiter.create(permitsPerSecond, warmupPeriod)}: cold at first. */
    public static TokenBucket guava(double permitsPerSecond, Duration warmupPeriod) {
        return guava(permitsPerSecond).withWarmUp(warmupPeriod);
    }

    /**
     * This bucket with another rate. A {@link #withBurst} scales with it, a {@link #withCapacity} stays.
     *
     * @throws IllegalArgumentException if the rate is out of range, or so low for the burst that no call would be
     *     granted without waiting, unless that was so before
     */
    public TokenBucket withRate(double newPermitsPerSecond) {
        return stillGranting(with(newPermitsPerSecond, burstSeconds, minCapacity, kind));
    }

    /**
     * This bucket with another rate and a {@link #withCapacity}.
     *
     * @throws IllegalArgumentException as {@link #withRate}
     */
    public TokenBucket withRateAndCapacity(double newPermitsPerSecond, double permits) {
        Ranges.moreThan("capacity (permits)", permits, 0, MAX_CAPACITY);
        return stillGranting(
                with(newPermitsPerSecond, 0, permits, kind == LimitKind.LEAKY_QUEUE ? LimitKind.TOKEN_BUCKET : kind));
    }

    /**
     * This bucket with another rate and {@link #withBurst}.
     *
     * @throws IllegalArgumentException as {@link #withRate}
     */
    public TokenBucket withRateAndBurst(double newPermitsPerSecond, Duration newBurst) {
        return stillGranting(with(newPermitsPerSecond, seconds(newBurst), 0, LimitKind.TOKEN_BUCKET));
    }

    private static double seconds(Duration burst) {
        return Objects.requireNonNull(burst, "burst").toSeconds() + burst.getNano() / 1e9;
    }

    /** This bucket with a capacity in seconds, from 1 ns to 1,000 days, which scales with the rate. */
    public TokenBucket withBurst(Duration newBurst) {
        return with(permitsPerSecond, seconds(newBurst), 0, LimitKind.TOKEN_BUCKET)
                .grantingWithoutWait();
    }

    /** This bucket with a capacity in permits at any rate, more than 0 and at most 1,000,000,000,000. */
    public TokenBucket withCapacity(double permits) {
        Ranges.moreThan("capacity (permits)", permits, 0, MAX_CAPACITY);
        return with(permitsPerSecond, 0, permits, LimitKind.TOKEN_BUCKET).grantingWithoutWait();
    }

    /** This bucket with a warm-up: it is cold at first and after a pause, and always the next caller waits. */
    public TokenBucket withWarmUp(Duration period) {
        return withWarmUp(WarmUp.of(period));
    }

    /** This bucket with a warm-up: it is cold at first and after a pause, and always the next caller waits. */
    public TokenBucket withWarmUp(WarmUp newWarmUp) {
        return with(Objects.requireNonNull(newWarmUp, "warmUp"), WhoWaits.NEXT_CALLER, true, LimitKind.TOKEN_BUCKET);
    }

    /** This bucket with the caller or the next one waiting for permits that do not exist yet. Default: the caller. */
    public TokenBucket withWhoWaits(WhoWaits newWhoWaits) {
        return with(warmUp, newWhoWaits, startsFull, LimitKind.TOKEN_BUCKET).grantingWithoutWait();
    }

    /** This bucket, full or empty when it is created. Default: full. */
    public TokenBucket withStartsFull(boolean newStartsFull) {
        return with(warmUp, whoWaits, newStartsFull, kind);
    }

    /** This bucket with a bound on how far ahead permits can be reserved, from 0 to 1,000 days. Default: 1 h. */
    public TokenBucket withMaxWait(Duration newMaxWait) {
        return with(newMaxWait, expire);
    }

    /** This bucket with a minimum time for which it is kept while unused, from 1 ms to 1,000 days. Default: 60 s. */
    public TokenBucket withExpire(Duration newExpire) {
        return with(maxWait, newExpire);
    }

    /** This bucket, of another kind. */
    TokenBucket withKind(LimitKind newKind) {
        return with(permitsPerSecond, burstSeconds, minCapacity, newKind);
    }

    private TokenBucket with(double rate, double burst, double capacity, LimitKind newKind) {
        return new TokenBucket(rate, burst, capacity, warmUp, whoWaits, startsFull, maxWait, expire, newKind);
    }

    private TokenBucket with(@Nullable WarmUp newWarmUp, WhoWaits who, boolean full, LimitKind newKind) {
        return new TokenBucket(
                permitsPerSecond, burstSeconds, minCapacity, newWarmUp, who, full, maxWait, expire, newKind);
    }

    private TokenBucket with(Duration newMaxWait, Duration newExpire) {
        return new TokenBucket(
                permitsPerSecond, burstSeconds, minCapacity, warmUp, whoWaits, startsFull, newMaxWait, newExpire, kind);
    }

    /** The rate, from 1/86,400,000 (one permit in 1,000 days) to 1,000,000,000. */
    public double permitsPerSecond() {
        return permitsPerSecond;
    }

    /** The capacity in seconds, from 0 to 86,400,000. It is ignored with a warm-up, because its period sets the capacity. */
    public double burstSeconds() {
        return burstSeconds;
    }

    /**
     * The capacity in permits, from 0. The larger of the two capacities applies, but at most 1,000,000,000,000 permits and the permits that
     * accrue in 1,000 days.
     */
    public double minCapacity() {
        return minCapacity;
    }

    /** {@code null} for a bursty bucket. */
    public @Nullable WarmUp warmUp() {
        return warmUp;
    }

    /** Who waits for permits that do not exist yet. */
    public WhoWaits whoWaits() {
        return whoWaits;
    }

    /** Whether a new bucket is full. It is always {@code true} with a warm-up, where full means cold. */
    public boolean startsFull() {
        return startsFull;
    }

    /** How far ahead permits can be reserved, whatever the timeout, from 0 to 1,000 days. */
    public Duration maxWait() {
        return maxWait;
    }

    /**
     * How long an unused bucket is kept at least, from 1 ms to 1,000 days. It is kept longer if expiry would create permits. A
     * bucket that starts empty does so again after it has expired.
     */
    public Duration expire() {
        return expire;
    }

    /** The kind as which it was defined: token bucket, leaky bucket or leaky queue. Decisions do not depend on it. */
    public LimitKind kind() {
        return kind;
    }

    /** This bucket at a share of the rate, with the same burst in seconds, or as many as one permit takes. */
    @Override
    public TokenBucket scaled(double share) {
        if (share == 1.0) {
            return this;
        }
        double rate = Math.max(permitsPerSecond * share, MIN_RATE);
        boolean hasCapacity = minCapacity > 0;
        double burst =
                hasCapacity ? burstSeconds : Math.min(BucketChecks.MAX_BURST, Math.max(burstSeconds, 1.0 / rate));
        double capacity = hasCapacity ? Math.max(1.0, minCapacity * share) : 0;
        return with(rate, burst, capacity, kind);
    }

    private boolean isGrantingWithoutWait() {
        return warmUp != null
                || whoWaits != WhoWaits.CALLER
                || BucketChecks.waitOfFullBucket(permitsPerSecond, maxPermits()) == 0.0;
    }

    private TokenBucket grantingWithoutWait() {
        if (!isGrantingWithoutWait()) {
            throw BucketChecks.tooSmall(permitsPerSecond, maxPermits(), "", "without waiting");
        }
        return this;
    }

    /** A changed bucket, which grants without waiting if this one does. */
    private TokenBucket stillGranting(TokenBucket changed) {
        return isGrantingWithoutWait() ? changed.grantingWithoutWait() : changed;
    }

    /** The capacity, which may be fractional. */
    public double maxPermits() {
        return maxPermits(permitsPerSecond, burstSeconds, minCapacity, warmUp);
    }

    static double maxPermits(double rate, double burst, double minCapacity, @Nullable WarmUp warmUp) {
        return warmUp == null ? Math.max(rate * burst, minCapacity) : warmUp.maxPermits(1000.0 / rate * 1000.0);
    }

    /** Milliseconds per permit. */
    public double intervalMillis() {
        return 1000.0 / permitsPerSecond;
    }

    /** Microseconds per permit. */
    public double intervalMicros() {
        return intervalMillis() * 1000.0;
    }

    /** How far ahead permits can be reserved: {@code maxWait}, or the time for one permit if that is longer. */
    public double maxReservedMicros() {
        double costliestPermit = warmUp == null ? intervalMicros() : intervalMicros() * warmUp.coldFactor();
        return Math.max(Ranges.micros(maxWait), Math.ceil(costliestPermit));
    }

    public long maxWaitMicros() {
        return Ranges.micros(maxWait);
    }

    /** False if a warm-up rejects for ever: when other callers warm it up, its permits become cheaper. */
    @Override
    public boolean isCacheable(Verdict rejection) {
        return warmUp == null || rejection.retryAfterMicros() != Verdict.NEVER_MICROS;
    }

    @Override
    public boolean takesFewer() {
        return true;
    }

    /** Only where the caller waits: another one may take permits that are not there, so none could be left. */
    @Override
    public boolean leavesPermits() {
        return warmUp == null && whoWaits == WhoWaits.CALLER;
    }

    @Override
    public boolean reservesAhead() {
        return true;
    }

    @Override
    public TokenBucket asStep() {
        return this;
    }

    @Override
    public Class<RedisPermits> stateType() {
        return RedisPermits.class;
    }

    @Override
    public long capacity() {
        return (long) Math.max(1.0, Rounding.wholePermits(maxPermits(), intervalMicros()));
    }

    @Override
    public Step<RedisPermits> step(@Nullable RedisPermits state, long nowMicros, Request request) {
        if (request.action() != Request.Action.PREFETCH) {
            request.checkNoId(this);
        }
        return new TokenBucketStep(this, nowMicros).of(state, request);
    }

    /**
     * They are the last ones, as if fewer had been taken; but where the caller had to wait for its own permits, they are the first ones,
     * because those that were used came due with the last one.
     */
    @Override
    public Request cancelSome(long permits, long of, Verdict taken) {
        Request whole = Request.cancel(permits, taken);
        boolean waited = taken.waitMicros() > 0 && whoWaits == WhoWaits.CALLER;
        if (!waited || permits == of || whole.ticketMicros() == 0) {
            return whole;
        }
        long used = (long) Math.ceil((of - permits) * intervalMicros());
        return Request.of(Request.Action.REFUND, permits, 0, Math.max(1, whole.ticketMicros() - used));
    }

    @Override
    public long lifetimeMillis(RedisPermits state, long nowMicros) {
        return lifetimeMillis(new TokenBucketStep(this, nowMicros).neededMicros(state));
    }

    /** The lifetime of a state that is needed for this time. */
    long lifetimeMillis(double neededMicros) {
        return Math.max(expire.toMillis(), Ranges.lifetimeMillis(neededMicros));
    }

    boolean hasOtherDefinition(RedisPermits state) {
        return state.maxPermits() != maxPermits() || state.intervalMillis() != intervalMillis();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other
                || other instanceof TokenBucket that
                        && Double.compare(permitsPerSecond, that.permitsPerSecond) == 0
                        && Double.compare(burstSeconds, that.burstSeconds) == 0
                        && Double.compare(minCapacity, that.minCapacity) == 0
                        && Objects.equals(warmUp, that.warmUp)
                        && whoWaits.equals(that.whoWaits)
                        && startsFull == that.startsFull
                        && maxWait.equals(that.maxWait)
                        && expire.equals(that.expire)
                        && kind.equals(that.kind);
    }

    @Override
    public int hashCode() {
        int hash = Double.hashCode(permitsPerSecond);
        hash = 31 * hash + Double.hashCode(burstSeconds);
        hash = 31 * hash + Double.hashCode(minCapacity);
        hash = 31 * hash + Objects.hashCode(warmUp);
        hash = 31 * hash + whoWaits.hashCode();
        hash = 31 * hash + Boolean.hashCode(startsFull);
        hash = 31 * hash + maxWait.hashCode();
        hash = 31 * hash + expire.hashCode();
        hash = 31 * hash + kind.hashCode();
        return hash;
    }

    @Override
    public String toString() {
        return "TokenBucket[permitsPerSecond=" + permitsPerSecond + ", burstSeconds=" + burstSeconds + ", minCapacity="
                + minCapacity + ", warmUp=" + warmUp + ", whoWaits=" + whoWaits + ", startsFull=" + startsFull
                + ", maxWait=" + maxWait + ", expire=" + expire + ", kind=" + kind.name() + "]";
    }
}
