package com.google.common.util.concurrent;

import static java.util.concurrent.TimeUnit.MICROSECONDS;

import io.limiter.algorithm.Decision;
import io.limiter.algorithm.RedisPermits;
import io.limiter.algorithm.TokenBucket;
import io.limiter.algorithm.WarmUp;
import io.limiter.testing.Timeline;
import io.limiter.testing.TraceLine;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** A limiter that writes down what happens: {@code R} the limiter sleeps, {@code U} its user does, in seconds. */
abstract sealed class EventRecorder {

    /** What a sleep or a wait took, or the answer to a request. */
    record Event(String what, long micros) {

        boolean isSleep() {
            return what.equals("R") || what.equals("U");
        }

        boolean isAlmost(Event other, long toleranceMicros) {
            return what.equals(other.what) && Math.abs(micros - other.micros) <= toleranceMicros;
        }

        @Override
        public String toString() {
            return String.format(Locale.ROOT, "%s%.2f", what, micros / 1e6);
        }
    }

    private final List<Event> events = new ArrayList<>();
    private long nowMicros = TraceLine.EPOCH_MICROS;

    static EventRecorder guava(TokenBucket bucket) {
        return new Guava(bucket);
    }

    static EventRecorder ours(TokenBucket bucket) {
        return new Ours(bucket);
    }

    /** Returns the seconds waited. */
    abstract double acquireAndWait(int permits);

    abstract boolean tryAcquire(int permits, double timeoutSeconds);

    abstract void setRate(double permitsPerSecond);

    final void acquire(int... permits) {
        for (int each : permits) {
            events.add(new Event("=", Math.round(acquireAndWait(each) * 1e6)));
        }
    }

    final void acquireTimes(int times) {
        for (int i = 0; i < times; i++) {
            acquire(1);
        }
    }

    final void ask(int permits, double timeoutSeconds) {
        events.add(new Event(tryAcquire(permits, timeoutSeconds) ? "G" : "D", 0));
    }

    final void sleep(double seconds) {
        pass("U", Math.round(seconds * 1e6));
    }

    final List<Event> events() {
        return events;
    }

    /** The sleeps only, as short as Guava's documentation writes them. */
    final String sleeps() {
        return events.stream().filter(Event::isSleep).map(Event::toString).collect(Collectors.joining(", "));
    }

    final long now() {
        return nowMicros;
    }

    final void pass(String who, long micros) {
        nowMicros += micros;
        events.add(new Event(who, micros));
    }

    private static final class Guava extends EventRecorder {

        private final RateLimiter limiter;

        Guava(TokenBucket bucket) {
            RateLimiter.SleepingStopwatch stopwatch = new RateLimiter.SleepingStopwatch() {
                @Override
                protected long readMicros() {
                    return now();
                }

                @Override
                protected void sleepMicrosUninterruptibly(long micros) {
                    pass("R", micros);
                }
            };
            double rate = bucket.permitsPerSecond();
            WarmUp warmUp = bucket.warmUp();
            this.limiter = warmUp == null
                    ? RateLimiter.create(rate, stopwatch)
                    : RateLimiter.create(
                            rate, warmUp.period().toNanos() / 1000, MICROSECONDS, warmUp.coldFactor(), stopwatch);
        }

        @Override
        double acquireAndWait(int permits) {
            return limiter.acquire(permits);
        }

        @Override
        boolean tryAcquire(int permits, double timeoutSeconds) {
            return limiter.tryAcquire(permits, Math.round(timeoutSeconds * 1e6), MICROSECONDS);
        }

        @Override
        void setRate(double permitsPerSecond) {
            limiter.setRate(permitsPerSecond);
        }
    }

    private static final class Ours extends EventRecorder {

        private final Timeline<RedisPermits> timeline;
        private TokenBucket bucket;

        Ours(TokenBucket bucket) {
            this.bucket = bucket;
            this.timeline = new Timeline<>(bucket);
        }

        @Override
        double acquireAndWait(int permits) {
            Decision decision = timeline.ask(now(), permits, bucket.maxWaitMicros());
            pass("R", decision.waitMicros());
            return decision.waitMicros() / 1e6;
        }

        @Override
        boolean tryAcquire(int permits, double timeoutSeconds) {
            Decision decision = timeline.ask(now(), permits, Math.round(timeoutSeconds * 1e6));
            if (decision.granted()) {
                pass("R", decision.waitMicros());
            }
            return decision.granted();
        }

        @Override
        void setRate(double permitsPerSecond) {
            bucket = bucket.withRate(permitsPerSecond);
            timeline.limit(bucket);
        }
    }
}
