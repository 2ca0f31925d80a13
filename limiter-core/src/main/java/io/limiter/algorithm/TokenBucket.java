package io.limiter.algorithm;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A token bucket: permits come into being at an even rate, and the bucket keeps those that nobody took, up to a burst.
 *
 * <h2>How it works</h2>
 *
 * The naive limiter keeps a counter and a timer that adds to it. It needs a timer for every key, and its rate is as
 * coarse as the timer. A better one needs neither: it remembers <em>when</em> the next permit is free, as Guava's
 * {@code SmoothRateLimiter} does. Two variables are enough:
 *
 * <ul>
 *   <li>{@code storedPermits}: permits that came into being and were not taken, at most {@code maxPermits};
 *   <li>{@code nextFreeTicket}: the moment up to which time has been accounted for. In the past, it says since when
 *       permits have been piling up unseen; in the future, that permits were given out which do not exist yet
 *       (<em>pre-consumption</em>), and when they are all paid for.
 * </ul>
 *
 * A request does three things, each a method of {@link RedisPermits}:
 *
 * <pre>
 *   resync   if now &gt; nextFreeTicket:   storedPermits  += (now - nextFreeTicket) / interval, at most maxPermits
 *                                       nextFreeTicket  = now
 *   reserve     taken           = min(permits, storedPermits)
 *            storedPermits  -= taken
 *            nextFreeTicket += (permits - taken) * interval
 *   judge    wait = nextFreeTicket - now;  granted if wait &lt;= timeout, otherwise nothing of this happened
 * </pre>
 *
 * Say 1 permit/s and a burst of 10 s. A full bucket gives out 10 permits at once, and the 11th to a caller who is ready
 * to wait 1 s: {@code nextFreeTicket} is then 1 s ahead. A caller 0.4 s later who wants one more has to wait
 * 0.6 s + 1 s. Note that the wait counts from now up to the reserved moment, with all that others have reserved before; a
 * wait for the own permits only would let everybody wake together.
 *
 * <h2>Who waits</h2>
 *
 * {@link WhoWaits#CALLER} is the above. With {@link WhoWaits#NEXT_CALLER}, Guava's way, the wait is judged by
 * {@code nextFreeTicket} as it was <em>before</em> the reservation: the caller goes at once and the next one pays. A
 * {@linkplain WarmUp warm-up} always works like that, because there stored permits cost time too and even an idle
 * limiter would send its first caller away.
 *
 * <p>At 1 permit per minute with a burst of one minute, timeout 0 (G granted, D denied):
 *
 * <pre>
 *   t (s)                      0  0  30  60  61
 *   CALLER                     G  D  D   G   D
 *   NEXT_CALLER, started full  G  G  D   G   D
 * </pre>
 *
 * <h2>What it guarantees</h2>
 *
 * <ul>
 *   <li>Never too many: where the caller waits, at most {@code maxPermits + rate * t} permits come due in any
 *       {@code t} seconds, and where the next one does, one request more; with a warm-up that is one request more than
 *       {@code rate * t}, since no permit takes less than the stable interval. A request for more than {@code maxPermits}
 *       is due at once. A clock that steps back stops the refill until it has caught up, for an hour at most (or as long as
 *       the furthest reservation), and leaves what is stored. What is refunded comes on top.
 *   <li>Never too few: with enough demand, and a burst (or a timeout) that has room for what comes into being between
 *       two calls, the admitted rate is the configured one, from 0.001/s to 1,000,000/s.
 *   <li>No runaway debt: nobody reserves further ahead than {@code maxWait} (or one permit, where that takes longer).
 *   <li>A change of rate keeps what was earned and owed: the past is settled at the old rate, then stored permits are
 *       scaled to the new one. Limiters that share a bucket should agree on its numbers but while a new version is
 *       rolled out: each call under other numbers is a change.
 *   <li>A reservation that is cancelled leaves no trace, but for what others reserved after it, whose times stay. The bounds
 *       above hold for what is not cancelled; only where the caller waits does a cancelled request for more than
 *       {@code maxPermits} count as if it were due. A warm-up gets its stored permits back only while some are left;
 *       otherwise what they cost above the stable interval stays reserved.
 * </ul>
 *
 * <h2>How it is defined</h2>
 *
 * <pre>{@code
 * TokenBucket.perSecond(50)                              // keeps up to one second's permits
 * TokenBucket.perSecond(50).burst(Duration.ofSeconds(2)) // 100; after a change of the rate still those of 2 s
 * TokenBucket.perSecond(50).capacity(100)                // 100, whatever the rate
 * TokenBucket.per(1, Duration.ofMinutes(1))              // keeps one permit, because a second's would be less
 * }</pre>
 *
 * @param permitsPerSecond the rate, from 0.00000001 to 1,000,000,000
 * @param burstSeconds the permits of how many seconds the bucket can keep, from 0 to 86,400,000; without meaning if there
 *     is a warm-up, whose period sets the capacity
 * @param minCapacity how many permits the bucket can keep at any rate, from 0; the capacity is the larger of the two, and at
 *     most 1,000,000,000,000 permits
 * @param warmUp {@code null} for a bursty bucket
 * @param whoWaits who pays for permits that do not exist yet
 * @param startsFull whether a bucket holds all its permits when it comes into being; always so with a warm-up, where
 *     full means cold
 * @param maxWait how far ahead permits can be reserved, whatever the timeout; from 0 to 1,000 days
 * @param expire how long an unused bucket is kept at the least; from 1 ms to 1,000 days. It is kept longer where
 *     forgetting it sooner would hand out permits. A bucket that starts empty starts so again when it was forgotten
 * @param prefetch how an instance may prefetch permits; {@code null} if it may not
 */
public record TokenBucket(
        double permitsPerSecond,
        double burstSeconds,
        double minCapacity,
        @Nullable WarmUp warmUp,
        WhoWaits whoWaits,
        boolean startsFull,
        Duration maxWait,
        Duration expire,
        @Nullable PrefetchTerms prefetch)
        implements Limit<RedisPermits> {

    public static final Duration DEFAULT_MAX_WAIT = Duration.ofHours(1);
    public static final Duration DEFAULT_EXPIRE = Duration.ofSeconds(60);

    private static final double MIN_RATE = 1e-8;
    private static final double MAX_RATE = 1e9;
    private static final double MIN_BURST = 1e-9;
    private static final double MAX_BURST = Check.MAX_DURATION.toSeconds();
    private static final double MAX_PERMITS = 1e12;
    private static final long EXPIRE_MARGIN_MILLIS = 1000;

    /** Beyond this many microseconds doubles cannot tell each from the next; no such wait ever ends. */
    private static final double NEVER = 0x1p53;

    public TokenBucket {
        Check.range("rate (permits per second)", permitsPerSecond, MIN_RATE, MAX_RATE);
        Check.range("capacity (permits)", minCapacity, 0, MAX_PERMITS);
        Check.range("burst (seconds)", burstSeconds, minCapacity > 0 ? 0 : MIN_BURST, MAX_BURST);
        double permits = warmUp == null
                ? Math.max(permitsPerSecond * burstSeconds, minCapacity)
                : warmUp.maxPermits(1000.0 / permitsPerSecond * 1000.0);
        // A product of two numbers that were rounded.
        if (Math.rint(permits) > MAX_PERMITS) {
            throw new IllegalArgumentException("rate " + permitsPerSecond + "/s with "
                    + (warmUp == null ? "a burst of " + burstSeconds + " s" : warmUp) + " is " + permits
                    + " permits, must be at most " + MAX_PERMITS + ": choose a shorter one");
        }
        if (warmUp == null && minCapacity / permitsPerSecond > MAX_BURST) {
            throw new IllegalArgumentException("a capacity of " + minCapacity + " permits at " + permitsPerSecond
                    + "/s takes " + minCapacity / permitsPerSecond + " s to fill, must be at most " + MAX_BURST
                    + " s: choose a higher rate, or a smaller capacity");
        }
        Check.duration("maxWait", maxWait, Duration.ZERO);
        Check.duration("expire", expire, Duration.ofMillis(1));
        Objects.requireNonNull(whoWaits, "whoWaits");
        if (warmUp != null && whoWaits != WhoWaits.NEXT_CALLER) {
            throw new IllegalArgumentException("a warm-up works only with whoWaits NEXT_CALLER, was " + whoWaits
                    + ": stored permits cost time there, so a caller who waits for its own would never be first");
        }
        if (warmUp != null && !startsFull) {
            throw new IllegalArgumentException("a warm-up starts cold, that is full: startsFull must be true");
        }
        if (prefetch != null && whoWaits != WhoWaits.CALLER) {
            throw new IllegalArgumentException("prefetch works only with whoWaits CALLER, was " + whoWaits
                    + ": permits that are prefetched would make the next caller wait for all of them");
        }
        if (warmUp == null && whoWaits == WhoWaits.CALLER) {
            double wait = waitOfFullBucket(permitsPerSecond, permits);
            if (wait > Check.micros(maxWait)) {
                throw new IllegalArgumentException(
                        holdsTooFew(permitsPerSecond, burstSeconds, permits) + "with a maxWait of " + maxWait
                                + ": burst must be at least " + 1.0 / permitsPerSecond + " s, or maxWait at least "
                                + wait / 1e6 + " s");
            }
        }
    }

    /**
     * So many permits per second. The bucket keeps those of one second, or one permit, whichever is more; it starts full,
     * and callers wait for their own permits.
     */
    public static TokenBucket perSecond(double permitsPerSecond) {
        return new TokenBucket(
                permitsPerSecond, 1, 1, null, WhoWaits.CALLER, true, DEFAULT_MAX_WAIT, DEFAULT_EXPIRE, null);
    }

    /** So many permits in each period, at an even rate; otherwise as {@link #perSecond}. */
    public static TokenBucket per(double permits, Duration period) {
        Check.duration("period", period, Duration.ofNanos(1));
        return perSecond(permits / (period.toNanos() / 1e9));
    }

    /** {@link #perSecond} with a burst in seconds that need not be whole, as in the annotations. */
    public static TokenBucket of(double permitsPerSecond, double burstSeconds) {
        return new TokenBucket(
                        permitsPerSecond,
                        burstSeconds,
                        0,
                        null,
                        WhoWaits.CALLER,
                        true,
                        DEFAULT_MAX_WAIT,
                        DEFAULT_EXPIRE,
                        null)
                .grantingWithoutWait();
    }

    /** What {@code RateLimiter.create(permitsPerSecond)} is in Guava: a burst of one second, empty at first. */
    public static TokenBucket guava(double permitsPerSecond) {
        return new TokenBucket(
                permitsPerSecond, 1, 0, null, WhoWaits.NEXT_CALLER, false, DEFAULT_MAX_WAIT, DEFAULT_EXPIRE, null);
    }

    /** What {@code RateLimiter.create(permitsPerSecond, warmupPeriod)} is in Guava: cold at first. */
    public static TokenBucket guava(double permitsPerSecond, Duration warmupPeriod) {
        return new TokenBucket(
                permitsPerSecond,
                1,
                0,
                new WarmUp(warmupPeriod),
                WhoWaits.NEXT_CALLER,
                true,
                DEFAULT_MAX_WAIT,
                DEFAULT_EXPIRE,
                null);
    }

    /**
     * The same at another rate. A {@link #burst} is then other permits, a {@link #capacity(double)} the same.
     *
     * @throws IllegalArgumentException if the rate is out of range, or so low for the burst that not one call would be
     *     granted without waiting, unless that was so before
     */
    public TokenBucket withRate(double newPermitsPerSecond) {
        TokenBucket changed = new TokenBucket(
                newPermitsPerSecond,
                burstSeconds,
                minCapacity,
                warmUp,
                whoWaits,
                startsFull,
                maxWait,
                expire,
                prefetch);
        return isGrantingWithoutWait() ? changed.grantingWithoutWait() : changed;
    }

    /** The same that can keep the permits of this time, however many they are after a change of the rate. */
    public TokenBucket burst(Duration newBurst) {
        double seconds = newBurst.toSeconds() + newBurst.getNano() / 1e9;
        return new TokenBucket(permitsPerSecond, seconds, 0, warmUp, whoWaits, startsFull, maxWait, expire, prefetch)
                .grantingWithoutWait();
    }

    /** The same that can keep as many permits, also after a change of the rate. */
    public TokenBucket capacity(double permits) {
        Check.moreThan("capacity (permits)", permits, 0, MAX_PERMITS);
        return new TokenBucket(permitsPerSecond, 0, permits, warmUp, whoWaits, startsFull, maxWait, expire, prefetch)
                .grantingWithoutWait();
    }

    /** The same that is cold at first and after a pause; then always the next caller waits. */
    public TokenBucket warmUp(Duration period) {
        return warmUp(new WarmUp(period));
    }

    /** The same that is cold at first and after a pause; then always the next caller waits. */
    public TokenBucket warmUp(WarmUp newWarmUp) {
        return new TokenBucket(
                permitsPerSecond,
                burstSeconds,
                minCapacity,
                newWarmUp,
                WhoWaits.NEXT_CALLER,
                true,
                maxWait,
                expire,
                prefetch);
    }

    /** The same with another who pays for permits that do not exist yet. Default: the caller. */
    public TokenBucket whoWaits(WhoWaits newWhoWaits) {
        return new TokenBucket(
                        permitsPerSecond,
                        burstSeconds,
                        minCapacity,
                        warmUp,
                        newWhoWaits,
                        startsFull,
                        maxWait,
                        expire,
                        prefetch)
                .grantingWithoutWait();
    }

    /** The same that holds all its permits when it comes into being, or none. Default: all. */
    public TokenBucket startsFull(boolean newStartsFull) {
        return new TokenBucket(
                permitsPerSecond,
                burstSeconds,
                minCapacity,
                warmUp,
                whoWaits,
                newStartsFull,
                maxWait,
                expire,
                prefetch);
    }

    /** The same whose permits can be reserved so far ahead. Default: 1 h. */
    public TokenBucket maxWait(Duration newMaxWait) {
        return new TokenBucket(
                permitsPerSecond,
                burstSeconds,
                minCapacity,
                warmUp,
                whoWaits,
                startsFull,
                newMaxWait,
                expire,
                prefetch);
    }

    /** The same that is kept so long at the least while it is unused. Default: 60 s. */
    public TokenBucket expire(Duration newExpire) {
        return new TokenBucket(
                permitsPerSecond,
                burstSeconds,
                minCapacity,
                warmUp,
                whoWaits,
                startsFull,
                maxWait,
                newExpire,
                prefetch);
    }

    /**
     * The same whose permits every instance may prefetch and give out without a call to Redis, while a key is hot. That is
     * fast and a little less exact: over any length of time, the fleet admits at most one prefetch size for each instance more
     * than without. Default: none are. Only where the caller waits for its own permits.
     *
     * @param permits how many permits of one key an instance holds at most, at least 1
     * @param time how long it holds them at most, from 1 ms to 1 h; what is unused then goes back
     */
    public TokenBucket prefetch(int permits, Duration time) {
        return new TokenBucket(
                permitsPerSecond,
                burstSeconds,
                minCapacity,
                warmUp,
                whoWaits,
                startsFull,
                maxWait,
                expire,
                new PrefetchTerms(permits, time));
    }

    /** At a share of the rate, keeping permits for as many seconds as before, or for as many as one takes. */
    @Override
    public TokenBucket scaled(double share) {
        if (share == 1.0) {
            return this;
        }
        // One permit must fit into the longest burst, unless it did not before.
        double rate = Math.max(permitsPerSecond * share, Math.min(permitsPerSecond, 1.0 / MAX_BURST));
        boolean hasCapacity = minCapacity > 0;
        double burst = hasCapacity ? burstSeconds : Math.min(MAX_BURST, Math.max(burstSeconds, 1.0 / rate));
        double capacity = hasCapacity ? Math.max(1.0, minCapacity * share) : 0;
        return new TokenBucket(rate, burst, capacity, warmUp, whoWaits, startsFull, maxWait, expire, prefetch);
    }

    /** How long the only caller of a full bucket waits for a permit. */
    private static double waitOfFullBucket(double rate, double permits) {
        double intervalMicros = 1000.0 / rate * 1000.0;
        return RedisPermits.wholeMicros(Math.max(0.0, 1.0 - permits) * intervalMicros, intervalMicros);
    }

    private static String holdsTooFew(double rate, double burst, double permits) {
        return "rate " + rate + "/s with a burst of " + burst + " s holds at most " + permits
                + " permits, so not one call would ever be granted ";
    }

    private boolean isGrantingWithoutWait() {
        return warmUp != null || whoWaits != WhoWaits.CALLER || waitOfFullBucket(permitsPerSecond, maxPermits()) == 0.0;
    }

    private TokenBucket grantingWithoutWait() {
        if (!isGrantingWithoutWait()) {
            throw new IllegalArgumentException(holdsTooFew(permitsPerSecond, burstSeconds, maxPermits())
                    + "without waiting: burst must be at least " + 1.0 / permitsPerSecond
                    + " s, or the capacity at least 1");
        }
        return this;
    }

    /** The size of the bucket. */
    public double maxPermits() {
        return warmUp == null
                ? Math.max(permitsPerSecond * burstSeconds, minCapacity)
                : warmUp.maxPermits(intervalMicros());
    }

    /** Milliseconds in which one permit comes into being. */
    public double intervalMillis() {
        return 1000.0 / permitsPerSecond;
    }

    /** Intervals in which one permit is stored. */
    public double coolDownIntervals() {
        return warmUp == null ? 1.0 : warmUp.coolDownIntervals();
    }

    /** How many stored permits cost no more than a fresh one; without a warm-up they are free, and this is 0. */
    public double thresholdPermits() {
        return warmUp == null ? 0.0 : warmUp.thresholdPermits(intervalMicros());
    }

    /** How much the cost of a stored permit grows with each one above the threshold, in microseconds. */
    public double slopeMicros() {
        return warmUp == null ? 0.0 : warmUp.slopeMicros(intervalMicros());
    }

    /** How far ahead anything can be reserved: by {@code maxWait}, or by one permit where that takes longer. */
    public double maxReservedMicros() {
        double costliestPermit = warmUp == null ? intervalMicros() : intervalMicros() * warmUp.coldFactor();
        return Math.max(Check.micros(maxWait), Math.ceil(costliestPermit));
    }

    public long maxWaitMicros() {
        return Check.micros(maxWait);
    }

    /** All but that of a cold limiter that says never: others can warm it up, and permits get cheaper. */
    @Override
    public boolean isCacheable(Decision rejection) {
        return warmUp == null || rejection.retryAfterMicros() != Decision.NEVER_MICROS;
    }

    @Override
    public Class<RedisPermits> stateType() {
        return RedisPermits.class;
    }

    @Override
    public long capacity() {
        return (long) Math.max(1.0, RedisPermits.wholePermits(maxPermits(), intervalMicros()));
    }

    @Override
    public Step<RedisPermits> step(@Nullable RedisPermits state, long nowMicros, Request request) {
        Check.noId(request, this);
        double now = nowMicros;
        int permits = request.permits();
        if (request.action() == Request.Action.REFUND) {
            return state == null ? untouched(now) : giveBack(state, now, request);
        }
        RedisPermits settled = settle(state, now);
        double fromStored = Math.min(permits, settled.storedPermits());
        double cost = storedToMicros(settled.storedPermits(), fromStored) + (permits - fromStored) * intervalMicros();
        RedisPermits reserved = settled.reserve(fromStored, cost);
        // Permits that are stored exist, also if the clock has stepped back, or if others wait for more of them.
        boolean areStored = warmUp == null && permits <= settled.wholePermits();
        if (request.action() == Request.Action.CHARGE) {
            // What others have reserved stays reserved.
            double most = Math.max(maxReservedMicros(), settled.reservedMicros(now));
            RedisPermits after = areStored
                    ? reserved
                    : reserved.boundReservation(now, most).furthest(Math.min(most, reserved.reservedMicros(now)));
            return new Step<>(after, decision(true, after, now, 0.0, 0.0));
        }

        double allowed = Math.min(request.timeoutMicros(), maxWaitMicros());
        double reservedMicros = reserved.reservedMicros(now);
        double wait = areStored ? 0.0 : whoWaits == WhoWaits.CALLER ? reservedMicros : settled.reservedMicros(now);
        boolean granted = areStored || wait <= allowed && reservedMicros <= maxReservedMicros();
        double retry = granted ? 0.0 : retryAfterMicros(permits, wait, reservedMicros, allowed);
        if (request.peek()) {
            return new Step<>(state, decision(granted, settled, now, wait, retry));
        }
        if (granted) {
            RedisPermits after = areStored ? reserved : reserved.furthest(reservedMicros);
            return new Step<>(after, decision(true, after, now, wait, 0.0, (long) after.ticketMicros()));
        }
        boolean save = mustBeSaved(state, now);
        return new Step<>(save ? settled : state, decision(false, settled, now, wait, retry));
    }

    /** Of a bucket that does not exist, nothing was taken that could come back. */
    private Step<RedisPermits> untouched(double now) {
        return new Step<>(null, decision(true, settle(null, now), now, 0.0, 0.0));
    }

    /** Cancels the reservation that the request names, or returns permits that were used. */
    private Step<RedisPermits> giveBack(RedisPermits state, double now, Request request) {
        RedisPermits settled = settle(state, now);
        RedisPermits after = request.id() != 0
                ? cancel(state.boundClockStep(now), settled, now, request)
                : warmUp == null ? settled.refund(request.permits()) : null;
        return after == null
                ? new Step<>(state, decision(true, settled, now, 0.0, 0.0))
                : new Step<>(after, decision(true, after, now, 0.0, 0.0));
    }

    /** {@code null} if there is nothing to restore. */
    private @Nullable RedisPermits cancel(RedisPermits found, RedisPermits settled, double now, Request request) {
        double ticket = request.id();
        double cost = request.permits() * intervalMicros();
        double last = found.lastTicketMicros(intervalMicros());
        if (warmUp != null) {
            if (ticket <= now) {
                return null;
            }
            if (ticket == last && settled.storedPermits() > 0.0) {
                // All its permits were stored ones, for some are left.
                double stored = Math.min(maxPermits(), settled.storedPermits() + request.permits());
                double storedCost = storedToMicros(stored, stored - settled.storedPermits());
                return settled.refund(request.permits())
                        .cancel(now, ticket, storedCost, storedCost, last, coolDownIntervals());
            }
        }
        double restored = found.restorableMicros(cost, overlapMicros(request.permits()), ticket, intervalMicros());
        return restored < 0.0 ? null : settled.cancel(now, ticket, cost, restored, last, coolDownIntervals());
    }

    /**
     * How much of a reservation can be restored when there are others after it, less these: they become due together with what
     * is reserved in its place. Where the caller waits, both are no more than the cancelled request was. Where the next
     * one does, any request can become due on top of them, so they have to fit into the capacity; a warm-up has none.
     */
    private double overlapMicros(int permits) {
        boolean fits = whoWaits == WhoWaits.CALLER
                || warmUp == null && permits <= RedisPermits.wholePermits(maxPermits(), intervalMicros());
        return fits ? permits * intervalMicros() : 0.0;
    }

    /** Until it is full and the last ticket is due: a cancellation that does not know of that could restore too much. */
    @Override
    public long lifetimeMillis(RedisPermits state, long nowMicros) {
        double micros = state.resetMicros(nowMicros, coolDownIntervals());
        if (state.reservations() != null) {
            micros = Math.max(micros, state.reservations().lastTicketMicros() - nowMicros);
        }
        return Math.max(expire.toMillis(), (long) Math.ceil(micros / 1000.0) + EXPIRE_MARGIN_MILLIS);
    }

    private RedisPermits settle(@Nullable RedisPermits state, double now) {
        if (state == null) {
            return RedisPermits.initial(maxPermits(), startsFull ? maxPermits() : 0.0, intervalMillis(), now);
        }
        RedisPermits settled = state.boundClockStep(now).resync(now, coolDownIntervals());
        return hasOtherNumbers(state) ? settled.rescale(maxPermits(), intervalMillis()) : settled;
    }

    /**
     * Whether even a rejection saves: otherwise a new rate, or a clock's step, would take effect only with a grant, and a
     * bucket that starts empty would start anew with every call.
     */
    private boolean mustBeSaved(@Nullable RedisPermits state, double now) {
        if (state == null) {
            return !startsFull;
        }
        return hasOtherNumbers(state) || state.boundClockStep(now) != state;
    }

    private boolean hasOtherNumbers(RedisPermits state) {
        return state.maxPermits() != maxPermits() || state.intervalMillis() != intervalMillis();
    }

    /** What taking stored permits costs: nothing, or with a warm-up the area under its curve. */
    private double storedToMicros(double stored, double taken) {
        if (warmUp == null) {
            return 0.0;
        }
        double above = Math.max(0.0, stored - thresholdPermits());
        double takenAbove = Math.min(above, taken);
        double first = intervalMicros() + above * slopeMicros();
        double last = intervalMicros() + (above - takenAbove) * slopeMicros();
        return takenAbove * (first + last) / 2.0 + (taken - takenAbove) * intervalMicros();
    }

    /**
     * How long until the same request would be granted. While nobody else asks, the wait shrinks as time passes, until
     * the bucket is full (or, with a warm-up, all reservations are paid). If it is too long even then, it always will be.
     */
    private double retryAfterMicros(int permits, double wait, double reservedMicros, double allowed) {
        boolean own = whoWaits == WhoWaits.CALLER;
        double missing = Math.max(0.0, permits - maxPermits());
        double best = warmUp == null
                ? RedisPermits.wholeMicros(missing * intervalMicros(), intervalMicros())
                : reservedMicros - wait;
        if (best > (own ? allowed : maxReservedMicros())) {
            return NEVER;
        }
        return own ? wait - allowed : Math.max(wait - allowed, reservedMicros - maxReservedMicros());
    }

    private Decision decision(boolean granted, RedisPermits state, double now, double wait, double retryAfter) {
        return decision(granted, state, now, wait, retryAfter, 0);
    }

    private Decision decision(
            boolean granted, RedisPermits state, double now, double wait, double retryAfter, long ticketMicros) {
        return new Decision(
                granted,
                capacity(),
                (long) (warmUp != null && state.nextFreeMicros() > now ? 0.0 : state.wholePermits()),
                micros(wait),
                micros(retryAfter),
                micros(state.resetMicros(now, coolDownIntervals())),
                Decision.Source.BACKEND,
                ticketMicros);
    }

    private static long micros(double micros) {
        return micros >= NEVER ? Decision.NEVER_MICROS : (long) micros;
    }

    private double intervalMicros() {
        return intervalMillis() * 1000.0;
    }
}
