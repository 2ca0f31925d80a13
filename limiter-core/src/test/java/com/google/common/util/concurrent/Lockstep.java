package com.google.common.util.concurrent;

import static java.util.concurrent.TimeUnit.MICROSECONDS;
import static org.assertj.core.api.Assertions.fail;

import io.limiter.algorithm.RedisPermits;
import io.limiter.algorithm.TokenBucket;
import io.limiter.algorithm.WarmUp;
import io.limiter.step.Verdict;
import io.limiter.testing.Seed;
import io.limiter.testing.Timeline;
import io.limiter.testing.TraceLine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Guava's limiter and ours, which get the same requests at the same times.
 *
 * <p>Guava cuts each cost to whole microseconds, so what it reserves falls behind ours, by less than one for each cut. The
 * difference may not grow beyond that. Where it decides between granted and rejected, both continue from Guava's state;
 * and on request, they do each time nothing is reserved, because time that was saved would otherwise come back as
 * permits, and differences could no longer be distinguished from errors.
 */
final class Lockstep {

    private static final Duration UNBOUNDED = Duration.ofDays(1000);

    private final Stopwatch stopwatch = new Stopwatch();
    private final List<String> events = new ArrayList<>();
    private final SmoothRateLimiter guava;
    private final Timeline<RedisPermits> timeline;
    private final int cutsInACall;
    private final boolean realign;
    private TokenBucket bucket;
    private long cuts;
    private boolean rateChanged;
    private String last = "";

    private Lockstep(TokenBucket bucket, int cutsInACall, boolean realign) {
        this.bucket = bucket.withMaxWait(UNBOUNDED);
        this.timeline = new Timeline<>(this.bucket);
        this.cutsInACall = cutsInACall;
        this.realign = realign;
        this.guava = (SmoothRateLimiter) guava();
    }

    static Lockstep bursty(double rate) {
        return new Lockstep(TokenBucket.guava(rate), 1, true);
    }

    static Lockstep burstyNeverRealigned(double rate) {
        return new Lockstep(TokenBucket.guava(rate), 1, false);
    }

    /** For rates and times where there is nothing to cut. */
    static Lockstep burstyToTheMicrosecond(double rate) {
        return new Lockstep(TokenBucket.guava(rate), 0, false);
    }

    /** A limiter that warms up cuts the costs above and below the threshold, and of fresh permits, one by one. */
    static Lockstep warmingUp(double rate, Duration period, double coldFactor) {
        TokenBucket bucket =
                TokenBucket.perSecond(rate).withWarmUp(WarmUp.of(period).withColdFactor(coldFactor));
        return new Lockstep(bucket, 3, true);
    }

    private RateLimiter guava() {
        double rate = bucket.permitsPerSecond();
        WarmUp warmUp = bucket.warmUp();
        return warmUp == null
                ? RateLimiter.create(rate, stopwatch)
                : RateLimiter.create(
                        rate, warmUp.period().toNanos() / 1000, MICROSECONDS, warmUp.coldFactor(), stopwatch);
    }

    double intervalMicros() {
        return guava.stableIntervalMicros;
    }

    void idle(long micros) {
        stopwatch.sleepMicrosUninterruptibly(micros);
    }

    void sleep(double seconds) {
        idle(Math.round(seconds * 1e6));
        events.add(String.format(Locale.ROOT, "U%.2f", seconds));
    }

    void acquire(int... permits) {
        for (int each : permits) {
            acquire(each);
        }
    }

    /** What happened, as short as Guava's documentation writes it: {@code R} the limiter sleeps, {@code U} its user does. */
    String events() {
        return String.join(", ", events);
    }

    void setRate(double rate) {
        beforeTheStep();
        guava.setRate(rate);
        bucket = bucket.withRate(rate);
        timeline.limit(bucket);
        rateChanged = true;
    }

    void acquire(int permits) {
        last = "acquire " + permits;
        beforeTheStep();
        Verdict ours = timeline.take(now(), permits, bucket.maxWaitMicros());
        events.add(event(ours));
        check(ours.isGranted(), "granted");
        compareWaits(ours, Math.round(guava.acquire(permits) * 1e6));
        afterTheGrant();
    }

    void tryAcquire(int permits, long timeoutMicros) {
        last = "tryAcquire " + permits + " within " + timeoutMicros;
        beforeTheStep();
        long guavaWait = Math.max(0, guava.queryEarliestAvailable(now()) - now());
        Verdict ours = timeline.take(now(), permits, timeoutMicros);
        events.add(event(ours));
        boolean granted = guava.tryAcquire(permits, timeoutMicros, MICROSECONDS);
        compareWaits(ours, guavaWait);
        if (ours.isGranted() != granted) {
            check(ours.waitMicros() > timeoutMicros && guavaWait <= timeoutMicros, "off by the cuts");
            continueFromGuavasState();
        } else if (granted) {
            afterTheGrant();
        }
    }

    private static String event(Verdict decision) {
        return decision.isGranted() ? String.format(Locale.ROOT, "R%.2f", decision.waitMicros() / 1e6) : "rejected";
    }

    private void beforeTheStep() {
        boolean nothingReserved = guava.queryEarliestAvailable(now()) <= now();
        if (realign && nothingReserved && !rateChanged && timeline.state() != null) {
            continueFromGuavasState();
        }
    }

    private void continueFromGuavasState() {
        double stored = Math.min(guava.storedPermits, bucket.maxPermits());
        double nextFreeMillis = guava.queryEarliestAvailable(now()) / 1000.0;
        timeline.state(new RedisPermits(bucket.maxPermits(), stored, bucket.intervalMillis(), nextFreeMillis, 0));
        cuts = 0;
    }

    private void compareWaits(Verdict ours, long guavaWait) {
        long difference = ours.waitMicros() - guavaWait;
        check(difference >= 0 && difference <= cuts, "waits " + guavaWait + " us");
        rateChanged = false;
    }

    private void afterTheGrant() {
        cuts += cutsInACall;
        double stored = timeline.state().storedPermits();
        double error = 1e-9 * bucket.maxPermits() + (realign ? 0 : cuts / intervalMicros());
        check(Math.abs(stored - guava.storedPermits) <= error, "stores " + guava.storedPermits);
        double ahead = timeline.state().nextFreeTicketMillis() * 1000 - guava.queryEarliestAvailable(now());
        check(ahead > -1.5 && ahead < cuts + 0.5, "next free " + guava.queryEarliestAvailable(now()));
    }

    private long now() {
        return stopwatch.readMicros();
    }

    private void check(boolean holds, String guavas) {
        if (!holds) {
            fail(Seed.hint() + last + " at " + now() + " of " + bucket + " in " + timeline.state() + "; Guava " + guavas
                    + ", cuts " + cuts);
        }
    }

    /** Guava's clock and sleep, without either. */
    private static final class Stopwatch extends RateLimiter.SleepingStopwatch {

        private long nowMicros = TraceLine.EPOCH_MICROS;

        @Override
        protected long readMicros() {
            return nowMicros;
        }

        @Override
        protected void sleepMicrosUninterruptibly(long micros) {
            nowMicros += micros;
        }
    }
}
