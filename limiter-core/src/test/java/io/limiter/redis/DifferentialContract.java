package io.limiter.redis;

import static io.limiter.testing.Decisions.decideIn;
import static io.limiter.testing.Decisions.startSetsIn;
import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.GetExArgs;
import io.limiter.algorithm.Ban;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.SlidingCounter;
import io.limiter.algorithm.SlidingLog;
import io.limiter.algorithm.TokenBucket;
import io.limiter.algorithm.WarmUp;
import io.limiter.algorithm.WhoWaits;
import io.limiter.internal.arithmetic.Ranges;
import io.limiter.internal.backend.Answer;
import io.limiter.internal.backend.AsyncFailures;
import io.limiter.internal.backend.Backend;
import io.limiter.internal.engine.KeyRequests;
import io.limiter.internal.redis.script.StateCodec;
import io.limiter.step.LimitStep;
import io.limiter.step.Request;
import io.limiter.step.Step;
import io.limiter.step.Verdict;
import io.limiter.testing.Seed;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Java's steps and a backend on a real Redis, side by side through the same random calls: decisions and stored states are equal
 * to the last bit. A failure names the seed, the call and the states before it.
 */
abstract class DifferentialContract {

    /** Definitions of each kind of limit, which keys of that kind change between. */
    private static final List<List<? extends LimitStep<?>>> KINDS = List.of(
            List.of(
                    TokenBucket.of(10, 10),
                    TokenBucket.of(10, 100),
                    TokenBucket.of(1.0 / 3, 31.4),
                    TokenBucket.of(1e6, 0.001),
                    TokenBucket.of(7, 2).withWhoWaits(WhoWaits.NEXT_CALLER),
                    TokenBucket.of(7, 20).withWhoWaits(WhoWaits.NEXT_CALLER),
                    TokenBucket.of(0.7, 9).withStartsFull(false).withMaxWait(Duration.ofSeconds(20)),
                    TokenBucket.perSecond(50).withWarmUp(WarmUp.of(Duration.ofSeconds(3)))),
            List.of(
                    FixedWindow.of(1, Duration.ofSeconds(1)),
                    FixedWindow.of(3, Duration.ofSeconds(1)),
                    FixedWindow.of(50, Duration.ofSeconds(60)),
                    FixedWindow.of(500, Duration.ofSeconds(60)),
                    FixedWindow.of(400, Duration.ofMinutes(10)).withWarnAt(20),
                    FixedWindow.of(100_000, Duration.ofMinutes(10)).withWarnAt(300)),
            List.of(
                    SlidingLog.of(1, Duration.ofSeconds(1)),
                    SlidingLog.of(5, Duration.ofMillis(4_500)),
                    SlidingLog.of(70, Duration.ofSeconds(30)),
                    SlidingLog.of(400, Duration.ofMinutes(10)),
                    SlidingLog.of(2_000, Duration.ofMinutes(3))),
            List.of(
                    SlidingCounter.of(1, Duration.ofSeconds(1)),
                    SlidingCounter.of(3, Duration.ofSeconds(1)),
                    SlidingCounter.of(50, Duration.ofSeconds(60)),
                    SlidingCounter.of(500, Duration.ofSeconds(60)),
                    SlidingCounter.of(400, Duration.ofMinutes(10)),
                    SlidingCounter.of(100_000, Duration.ofMinutes(10))),
            List.of(
                    Ban.after(1),
                    Ban.after(3, Duration.ofSeconds(20)).withLengths(Duration.ofSeconds(1), Duration.ofSeconds(9)),
                    Ban.after(40, Duration.ofSeconds(60)).withLengths(Duration.ofSeconds(7), Duration.ofMinutes(5)),
                    Ban.after(100, Duration.ofHours(1))));

    /** States that are kept for less than this may expire before they are compared, on a machine that stalls. */
    private static final int SHORT_LIFETIME_MILLIS = 60_000;

    private static final int MOST_EXPIRED = 20;

    @RegisterExtension
    final RedisFixture redis = new RedisFixture();

    final Random random = Seed.random();

    /** What Java has, by key. */
    private final Map<String, Object> states = new HashMap<>();

    private final StateCodec codec = new StateCodec();
    private final List<Verdict> reservations = new ArrayList<>();
    private long lastRetryMicros;
    private int calls;
    private int expired;

    @AfterEach
    void few_states_have_expired() {
        assertThat(expired).as("states lost to stalls").isLessThan(MOST_EXPIRED);
    }

    /** Decides all requests of all keys in one call, and in Java. */
    final List<List<Verdict>> decide(Backend backend, List<KeyRequests<?>> batch) {
        Supplier<String> what = describe(batch);
        List<List<Verdict>> expected = new ArrayList<>();
        batch.forEach(part -> expected.add(stepAll(part)));
        assertThat(decideIn(backend, batch))
                .as(what)
                .extracting(Answer::verdicts)
                .isEqualTo(expected);
        batch.forEach(part -> compareStored(part, what));
        return expected;
    }

    /** Decides a set, all or nothing, in one call and in Java. */
    final List<Verdict> decideSet(Backend backend, List<KeyRequests<?>> parts) {
        return decideSets(backend, List.of(parts)).get(0);
    }

    /** Decides sets one after the other, each all or nothing, in one call and in Java. */
    final List<List<Verdict>> decideSets(Backend backend, List<List<KeyRequests<?>>> sets) {
        List<KeyRequests<?>> all = sets.stream().flatMap(List::stream).toList();
        Supplier<String> what = describe(all);
        List<List<Verdict>> expected = sets.stream().map(this::stepSet).toList();
        assertThat(startSetsIn(backend, sets))
                .as(() -> sets.size() + " sets, " + what.get())
                .extracting(AsyncFailures::join)
                .isEqualTo(expected);
        all.forEach(part -> compareStored(part, what));
        return expected;
    }

    private Supplier<String> describe(List<KeyRequests<?>> parts) {
        String call = "call " + ++calls + " at " + redis.clock().micros();
        Map<String, Object> before = new HashMap<>();
        parts.forEach(part -> before.put(part.key(), states.get(part.key())));
        return () -> call + ": " + parts + " on " + before + "; " + Seed.hint();
    }

    private <S> List<Verdict> stepAll(KeyRequests<S> part) {
        List<Verdict> decisions = new ArrayList<>();
        for (Request request : part.requests()) {
            Step<S> step = step(part, request);
            Verdict decision = step.verdict();
            states.put(part.key(), step.state());
            decisions.add(decision);
            if (decision.ticketMicros() != 0) {
                reservations.add(decision);
            }
            long retryMicros = decision.retryAfterMicros();
            lastRetryMicros = retryMicros > 0 && retryMicros < 86_400_000_000L ? retryMicros : lastRetryMicros;
        }
        return decisions;
    }

    private List<Verdict> stepSet(List<KeyRequests<?>> parts) {
        boolean all = parts.stream()
                .allMatch(part -> step(part, part.request()).verdict().isGranted());
        List<Verdict> decisions = new ArrayList<>();
        for (KeyRequests<?> part : parts) {
            Step<?> taken = step(part, part.request());
            if (all || !taken.verdict().isGranted()) {
                states.put(part.key(), taken.state());
                decisions.add(taken.verdict());
            } else {
                decisions.add(step(part, part.peek().request()).verdict());
            }
        }
        return decisions;
    }

    private <S> Step<S> step(KeyRequests<S> part, Request request) {
        return part.limit().step(state(part.key(), part.limit()), redis.clock().micros(), request);
    }

    /** What Java has. */
    final <S> @Nullable S state(String key, LimitStep<S> limit) {
        return limit.stateType().cast(states.get(key));
    }

    /** What Redis has, which is kept from expiring while simulated time goes its own way. */
    private <S> void compareStored(KeyRequests<S> part, Supplier<String> what) {
        S expected = state(part.key(), part.limit());
        byte[] value = RedisFixture.commands().getex(part.key(), GetExArgs.Builder.ex(3600));
        if (value == null && expected != null && isShortLived(part, expected)) {
            expired++;
            states.remove(part.key());
        } else {
            assertThat(value == null ? null : codec.read(part.key(), value, part.limit(), 0, 1))
                    .as(what)
                    .isEqualTo(expected);
        }
    }

    private <S> boolean isShortLived(KeyRequests<S> part, S state) {
        return part.limit().lifetimeMillis(state, redis.clock().micros()) < SHORT_LIFETIME_MILLIS;
    }

    /** Has both begin with this state, in JSON in Redis, as the lock engine stores it. */
    final void store(String key, Object state) {
        states.put(key, state);
        RedisFixture.commands().setex(key, 3600, codec.write(state));
    }

    /** Mostly one that warns, and sometimes one that forgets it. */
    final FixedWindow warning(FixedWindow limit) {
        FixedWindow warning = limit.withWarnAt(1 + random.nextLong(limit.limit()));
        return switch (random.nextInt(4)) {
            case 0 -> limit;
            case 1 -> warning.withWarningForgotten(Verdict.granted(1, 1, 0).withWarning(1));
            default -> warning;
        };
    }

    /** As {@code INCR} stores a count, without a TTL: its window starts when it is found, so it must be found now. */
    final void storeCounter(String key, long count, FixedWindow limit) {
        RedisFixture.commands().set(key, Long.toString(count).getBytes(StandardCharsets.US_ASCII));
        states.put(key, new FixedWindow.State(0, count, redis.clock().micros() + limit.periodMicros()));
    }

    final void delete(String key) {
        states.remove(key);
        RedisFixture.commands().del(key);
    }

    /** Leaves the state of a key as the lock engine, an eviction or an {@code INCR} without a TTL would. */
    final void changeBehindTheScript(Backend script, String key) {
        Object state = states.get(key);
        if (!(state instanceof FixedWindow.State window)) {
            if (state != null) {
                store(key, state);
            }
            return;
        }
        switch (random.nextInt(4)) {
            case 0 -> delete(key);
            case 1 -> {
                FixedWindow limit = FixedWindow.of(500, Duration.ofSeconds(60));
                storeCounter(key, (long) window.count(), limit);
                decide(script, List.of(new KeyRequests<>(key, limit, Collections.nCopies(3, Request.take(1, 0)))));
            }
            default -> store(key, state);
        }
    }

    /** Keys of all kinds of limits in turn. */
    final List<String> keys(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> redis.prefix() + "{" + i % KINDS.size() + ":" + i + "}"
                        + KINDS.get(i % KINDS.size()).get(0).keySuffix())
                .toList();
    }

    /** Some of them. */
    final List<String> some(List<String> keys, int most) {
        List<String> shuffled = new ArrayList<>(keys);
        Collections.shuffle(shuffled, random);
        return shuffled.subList(0, 1 + random.nextInt(most));
    }

    /** Mostly the definition that this key has, and sometimes another one of its kind than wrote the state. */
    final LimitStep<?> limitOf(String key) {
        List<? extends LimitStep<?>> limits = KINDS.get(key.charAt(key.indexOf('{') + 1) - '0');
        int own = Math.floorMod(key.substring(key.indexOf('{')).hashCode(), limits.size());
        return limits.get(random.nextInt(10) == 0 ? random.nextInt(limits.size()) : own);
    }

    /**
     * Requests of all kinds, in runs, which the scripts decide together.
     *
     * @param cancellations in twenty runs
     */
    final List<Request> requests(double intervalMicros, long mostPermits, int longestRun, int cancellations) {
        List<Request> requests = new ArrayList<>();
        do {
            long permits = 1 + random.nextInt(5);
            if (random.nextInt(mostPermits > Integer.MAX_VALUE ? 2 : 8) == 0) {
                permits = mostPermits > Integer.MAX_VALUE ? large(mostPermits) : 1 + random.nextInt((int) mostPermits);
            }
            long timeout = switch (random.nextInt(5)) {
                case 0, 1 -> 0L;
                case 2 -> (long) (random.nextDouble() * 10 * intervalMicros);
                case 3 -> Math.round(intervalMicros);
                default ->
                    random.nextInt(10) == 0 ? Long.MAX_VALUE : (long) (random.nextDouble() * 3600 * intervalMicros);
            };
            int kind = random.nextInt(20);
            Request request = kind < cancellations
                    ? cancellation(permits)
                    : switch (kind) {
                        case 18 -> Request.refund(permits);
                        case 19 -> Request.charge(permits);
                        default -> {
                            Request whole = random.nextInt(8) == 0
                                    ? Request.peek(permits, timeout)
                                    : Request.take(permits, timeout);
                            yield random.nextInt(4) == 0 ? notPlain(whole, mostPermits) : whole;
                        }
                    };
            requests.addAll(Collections.nCopies(random.nextInt(4) == 0 ? 1 + random.nextInt(longestRun) : 1, request));
        } while (random.nextInt(3) > 0);
        return requests;
    }

    /** The same for fewer permits, too, and mostly one that leaves some. */
    final Request notPlain(Request request, long mostPermits) {
        long permits = request.permits();
        long least = random.nextInt(3) == 0 ? 1 : Math.max(1, permits - random.nextInt(5));
        long leave = switch (random.nextInt(6)) {
            case 0, 1 -> 0;
            case 2 -> mostPermits > Integer.MAX_VALUE ? large(mostPermits) : 1 + random.nextInt((int) mostPermits);
            default -> random.nextInt(8);
        };
        return request.withTimeoutMicros(0)
                .withLeast(random.nextBoolean() ? permits : least)
                .withLeave(leave);
    }

    /** Requests as a limit supports them. */
    static <S> KeyRequests<S> supported(String key, LimitStep<S> limit, List<Request> requests) {
        return new KeyRequests<>(
                key,
                limit,
                requests.stream()
                        .map(request -> limit.takesFewer() ? request : request.withLeast(request.permits()))
                        .map(request -> limit.leavesPermits() ? request : request.withLeave(0))
                        .toList());
    }

    /** From 1 to a bound, mostly near those of counts in 32 bits, of the largest bucket and of doubles, or near a part of them. */
    final long large(long most) {
        long near = switch (random.nextInt(5)) {
            case 0 -> 1L << 31;
            case 1 -> 1L << 32;
            case 2 -> TokenBucket.MAX_CAPACITY;
            case 3 -> Ranges.MAX_PERMITS;
            default -> (long) (Ranges.MAX_PERMITS * Math.pow(random.nextDouble(), 8));
        };
        return Math.max(1, Math.min(most, near / (1 + random.nextInt(3)) + random.nextInt(7) - 3));
    }

    /** Cancels mostly one of the last reservations of any key, and sometimes the current one or one that was never made. */
    private Request cancellation(long permits) {
        if (reservations.isEmpty() || random.nextInt(10) == 0) {
            long ticket = redis.clock().micros() + (random.nextBoolean() ? 0 : random.nextInt(20_000_000) - 10_000_000);
            return Request.of(Request.Action.REFUND, permits, 0, ticket);
        }
        int back = random.nextInt(random.nextBoolean() ? 3 : Math.min(1000, reservations.size()));
        Verdict reserved = reservations.get(Math.max(0, reservations.size() - 1 - back));
        return Request.cancel(random.nextBoolean() ? 1 : permits, reserved);
    }

    /** Stalls, goes on by all kinds of amounts, often to when a rejection ends, leaps ahead, and steps back. */
    final void moveClock(double scaleMicros) {
        moveClockBy(
                switch (random.nextInt(14)) {
                    case 0, 1, 2 -> 0;
                    case 3 -> 1;
                    case 4, 5, 6, 7 -> random.nextDouble() * 2 * scaleMicros;
                    case 8 -> Math.rint(scaleMicros);
                    case 9 -> random.nextDouble() * 1000 * scaleMicros;
                    case 10 -> random.nextDouble() * (random.nextInt(5) == 0 ? 200 * 86_400e6 : 86_400e6);
                    case 11 -> lastRetryMicros;
                    case 12 -> lastRetryMicros - 1;
                    default -> -random.nextDouble() * (random.nextBoolean() ? scaleMicros : 86_400e6);
                });
    }

    /** As {@link #moveClock}, but seldom so far that states are full again. */
    final void moveClockALittle(double scaleMicros) {
        moveClockBy(
                switch (random.nextInt(20)) {
                    case 0 -> -random.nextDouble() * (random.nextBoolean() ? scaleMicros : 3600e6);
                    case 1 -> random.nextDouble() * 300 * scaleMicros;
                    case 2 -> 1;
                    case 3, 4, 5, 6, 7, 8 -> 0;
                    default -> random.nextDouble() * scaleMicros;
                });
    }

    final void moveClockBy(double micros) {
        redis.clock().set(redis.clock().micros() + (long) micros);
    }
}
