package io.limiter.internal.redis.lock;

import com.google.common.base.Ticker;
import io.limiter.LimiterBackendException;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.Request;
import io.limiter.algorithm.Step;
import io.limiter.internal.cache.KnownRejections;
import io.limiter.internal.key.KeySpace;
import io.limiter.internal.redis.client.LuaScript;
import io.limiter.internal.redis.client.RedisCalls;
import io.limiter.internal.redis.client.RedisErrors;
import io.limiter.internal.redis.script.StateCodec;
import io.limiter.internal.time.BlockingCalls;
import io.limiter.spi.Answer;
import io.limiter.spi.DistributedLock;
import io.limiter.spi.Engine;
import io.limiter.spi.KeyRequests;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides in Java: loads the state under a distributed lock, takes the step, and saves. Four calls to Redis where the
 * script engine makes one, but it can decide any {@link Limit}, with no script for it.
 *
 * <p>A save replaces only the very value that was loaded. So a holder that was paused until its lock ran out cannot
 * overwrite what others have decided since; it starts over. A save whose answer is lost must not be sent again, or it
 * would find its own value and start over. For the same reason this engine and the script engine can
 * work on one key at the same time, as they do while a fleet is switched from one to the other.
 *
 * <p>Waiting for the lock counts against the caller's timeout. A caller with less patience than
 * {@link #DEFAULT_LOCK_WAIT} still waits that long for the lock, because whether permits are there is not known before.
 */
public final class LockEngine implements Engine {

    /** How long to wait for the lock if the caller's timeout is shorter. */
    public static final Duration DEFAULT_LOCK_WAIT = Duration.ofSeconds(1);

    private static final byte[][] NO_ARGUMENTS = {};

    private final RedisCalls redis;
    private final DistributedLock lock;
    private final Duration lockWait;
    private final Duration longestWait;
    private final Ticker ticker;
    private final KnownRejections denials;
    private final Executor blockingCalls;
    private final StateCodec codec = new StateCodec();
    private final LuaScript load;
    private final LuaScript save = LuaScript.of(LuaScript.resource(LockEngine.class, "save.lua"));
    private volatile boolean closed;

    /**
     * @param lockWait how long to wait for the lock if the caller's timeout is shorter
     * @param longestWait how long to wait for it at most
     * @param clock the part of the scripts that tells the time
     * @param ticker measures how long the lock was waited for
     * @param denials is told what was decided
     * @param blockingCalls runs the calls of those who do not want to wait
     */
    public LockEngine(
            RedisCalls redis,
            DistributedLock lock,
            Duration lockWait,
            Duration longestWait,
            String clock,
            Ticker ticker,
            KnownRejections denials,
            Executor blockingCalls) {
        this.redis = redis;
        this.lock = lock;
        this.lockWait = lockWait;
        this.longestWait = longestWait;
        this.ticker = ticker;
        this.denials = denials;
        this.blockingCalls = blockingCalls;
        this.load = LuaScript.of(clock, LuaScript.resource(LockEngine.class, "load.lua"));
    }

    @Override
    public List<Answer> decide(List<KeyRequests<?>> batch) {
        if (closed) {
            return RedisErrors.closed(batch);
        }
        List<Answer> answers = new ArrayList<>(batch.size());
        for (KeyRequests<?> asked : batch) {
            answers.add(answer(asked, () -> true));
        }
        return answers;
    }

    /** On a thread that may block; withdrawn until the lock is had. */
    @Override
    public CompletableFuture<Decision> decideAsync(String key, Limit<?> limit, Request request) {
        KeyRequests<?> asked = new KeyRequests<>(key, limit, List.of(request));
        return BlockingCalls.decideIfSent(blockingCalls, key, pending -> {
            if (closed) {
                throw LimiterBackendException.closed(key);
            }
            return answer(asked, pending::send).decisions().get(0);
        });
    }

    private Answer answer(KeyRequests<?> asked, BooleanSupplier mayGoOn) {
        try {
            return Answer.of(decide(asked, mayGoOn));
        } catch (LimitFailure e) {
            return Answer.failed(RedisErrors.limitFailed(asked, e.cause, e.decided));
        } catch (RuntimeException e) {
            return Answer.failed(RedisErrors.of(asked.key(), e));
        }
    }

    /** Needs no lock: whoever has loaded it meanwhile cannot save it, and starts over. */
    @Override
    public void reset(String key) {
        try {
            redis.delete(utf8(key));
        } catch (RuntimeException e) {
            throw RedisErrors.of(key, e);
        }
    }

    /** Fails whatever comes later; what has begun is still answered. */
    @Override
    public void close() {
        closed = true;
    }

    /**
     * @param mayGoOn asked once, as soon as the lock is had
     */
    private <S> List<Decision> decide(KeyRequests<S> asked, BooleanSupplier mayGoOn) {
        boolean goesOn = false;
        long startNanos = ticker.read();
        long patienceNanos = patienceNanos(asked.requests());
        while (true) {
            long waitedNanos = ticker.read() - startNanos;
            long leftNanos = Math.max(0, patienceNanos - waitedNanos);
            try (DistributedLock.Held held = lock.tryLock(asked.key() + KeySpace.LOCK, Duration.ofNanos(leftNanos))) {
                if (held == null) {
                    throw new LimiterBackendException(
                            asked.key(), "its lock was not to be had within " + Duration.ofNanos(patienceNanos));
                }
                goesOn = goesOn || mayGoOn.getAsBoolean();
                if (!goesOn) {
                    throw new LimiterBackendException(asked.key(), "it was withdrawn");
                }
                long lockedMicros = (ticker.read() - startNanos) / 1000;
                List<Decision> decisions = stepAndSave(asked, lockedMicros);
                if (decisions != null) {
                    return decisions;
                }
            }
            if (leftNanos == 0) {
                throw new LimiterBackendException(
                        asked.key(),
                        "others changed it faster than it could be saved, for " + Duration.ofNanos(waitedNanos));
            }
        }
    }

    private long patienceNanos(List<Request> requests) {
        long patience = lockWait.toNanos();
        for (Request request : requests) {
            long timeoutMicros = Math.min(request.timeoutMicros(), Long.MAX_VALUE / 1000);
            patience = Math.max(patience, timeoutMicros * 1000);
        }
        return Math.min(patience, longestWait.toNanos());
    }

    /** The decisions, or {@code null} if somebody else changed the state meanwhile. */
    private <S> @Nullable List<Decision> stepAndSave(KeyRequests<S> asked, long lockedMicros) {
        Limit<S> limit = asked.limit();
        long sentNanos = denials.readNanos();
        Loaded<S> loaded = load(asked);
        List<Request> requests = asked.requests().stream()
                .map(request -> request.waited(lockedMicros))
                .toList();
        List<Decision> decisions = new ArrayList<>(requests.size());
        S state = loaded.state;
        boolean onlyPeeks = true;
        for (Request request : requests) {
            Step<S> step = step(limit, state, loaded.nowMicros, request);
            decisions.add(step.decision());
            state = step.state();
            onlyPeeks &= request.peek();
        }
        boolean changed = state != loaded.state || (loaded.withoutTtl() && !onlyPeeks);
        if (changed && state != null && !save(asked, loaded, state)) {
            return null;
        }
        try {
            denials.decided(
                    new KeyRequests<>(asked.key(), limit, requests), decisions, state, loaded.nowMicros, sentNanos);
        } catch (RuntimeException e) {
            throw new LimitFailure(e, true);
        }
        return decisions;
    }

    private static <S> Step<S> step(Limit<S> limit, @Nullable S state, long nowMicros, Request request) {
        try {
            return limit.step(state, nowMicros, request);
        } catch (RuntimeException e) {
            throw new LimitFailure(e, false);
        }
    }

    private <S> byte[] write(S state) {
        try {
            return codec.write(state);
        } catch (RuntimeException e) {
            throw new LimitFailure(e, false);
        }
    }

    private static <S> long lifetimeMillis(Limit<S> limit, S state, long nowMicros) {
        try {
            return limit.lifetimeMillis(state, nowMicros);
        } catch (RuntimeException e) {
            throw new LimitFailure(e, false);
        }
    }

    private <S> Loaded<S> load(KeyRequests<S> asked) {
        List<Object> reply = redis.call(load, utf8(asked.key()));
        long nowMicros = (Long) reply.get(0);
        long ttlMillis = (Long) reply.get(1);
        byte[] value = reply.size() < 3 ? null : (byte[]) reply.get(2);
        S state = value == null ? null : codec.read(asked.key(), value, asked.limit(), nowMicros, ttlMillis);
        return new Loaded<>(nowMicros, ttlMillis, value, state);
    }

    private <S> boolean save(KeyRequests<S> asked, Loaded<S> loaded, S state) {
        // What was stored under other numbers may have to be kept longer than these need.
        long lifetimeMillis = Math.max(lifetimeMillis(asked.limit(), state, loaded.nowMicros), loaded.ttlMillis);
        List<byte[]> arguments = new ArrayList<>(3);
        arguments.add(write(state));
        arguments.add(utf8(Long.toString(lifetimeMillis)));
        if (loaded.value != null) {
            arguments.add(loaded.value);
        }
        List<Object> reply = redis.call(save, utf8(asked.key()), arguments.toArray(NO_ARGUMENTS));
        return (Long) reply.get(0) == 1;
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** A limit of somebody's own that throws, which is not Redis' doing. */
    private static final class LimitFailure extends RuntimeException {

        private static final long serialVersionUID = 1;

        private final RuntimeException cause;
        private final boolean decided;

        /**
         * @param decided whether the decision was saved already
         */
        LimitFailure(RuntimeException cause, boolean decided) {
            super(cause);
            this.cause = cause;
            this.decided = decided;
        }
    }

    private static final class Loaded<S> {

        private final long nowMicros;
        private final long ttlMillis;
        private final byte @Nullable [] value;
        private final @Nullable S state;

        Loaded(long nowMicros, long ttlMillis, byte @Nullable [] value, @Nullable S state) {
            this.nowMicros = nowMicros;
            this.ttlMillis = ttlMillis;
            this.value = value;
            this.state = state;
        }

        boolean withoutTtl() {
            return ttlMillis == -1;
        }
    }
}
