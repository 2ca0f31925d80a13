package io.limiter.internal.redis.lock;

import com.google.common.base.Ticker;
import io.limiter.algorithm.Limit;
import io.limiter.internal.backend.Answer;
import io.limiter.internal.backend.AsyncFailures;
import io.limiter.internal.backend.BackendFailures;
import io.limiter.internal.backend.Call;
import io.limiter.internal.backend.SequentialSet;
import io.limiter.internal.cache.KnownRejections;
import io.limiter.internal.engine.KeyRequests;
import io.limiter.internal.key.KeySpace;
import io.limiter.internal.redis.client.LuaScript;
import io.limiter.internal.redis.client.RedisBackend;
import io.limiter.internal.redis.client.RedisCalls;
import io.limiter.internal.redis.client.RedisErrors;
import io.limiter.internal.redis.script.StateCodec;
import io.limiter.internal.step.Steps;
import io.limiter.internal.time.ServerTime;
import io.limiter.spi.DistributedLock;
import io.limiter.step.LimitStep;
import io.limiter.step.Request;
import io.limiter.step.Verdict;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Decides in Java: loads the state under a distributed lock, takes the step, and saves. Four calls to Redis where the
 * script engine makes one, but it can decide any {@link Limit}, with no script for it.
 *
 * <p>A save replaces only the value that was loaded. So a holder that was paused until its lock expired cannot
 * overwrite later decisions; it starts over. A save whose reply was lost must not be sent again, or it would find its
 * own value and start over. For the same reason this engine and the script engine can work on one key at the same time,
 * for example while a fleet is switched from one to the other.
 *
 * <p>Waiting for the lock counts against the caller's timeout. A caller with a shorter timeout than {@link
 * #DEFAULT_LOCK_WAIT} still waits that long for the lock, because without it nothing can be decided.
 */
public final class LockBackend extends RedisBackend {

    /** Minimum time to wait for the lock, even if the caller's timeout is shorter. */
    public static final Duration DEFAULT_LOCK_WAIT = Duration.ofSeconds(1);

    /** For peeks, which save nothing. */
    private static final DistributedLock.Held NO_LOCK = () -> {};

    private final DistributedLock lock;
    private final Duration lockWait;
    private final Duration decisionTimeout;
    private final Ticker ticker;
    private final ServerTime time;
    private final KnownRejections rejections;
    private final StateCodec codec = new StateCodec();
    private final LuaScript load;
    private final LuaScript save = LuaScript.of(LuaScript.resource(LockBackend.class, "save.lua"));

    /**
     * @param lockWait how long to wait for the lock if the caller's timeout is shorter
     * @param decisionTimeout how long to wait for it, and for each answer, at most
     * @param clock the part of the scripts that reads the clock
     * @param time what Redis's clock shows, which each reply tells
     * @param ticker measures the wait for the lock
     * @param rejections records the decisions
     */
    public LockBackend(
            RedisCalls redis,
            DistributedLock lock,
            Duration lockWait,
            Duration decisionTimeout,
            String clock,
            ServerTime time,
            Ticker ticker,
            KnownRejections rejections) {
        super(redis);
        this.lock = lock;
        this.lockWait = lockWait;
        this.decisionTimeout = decisionTimeout;
        this.time = time;
        this.ticker = ticker;
        this.rejections = rejections;
        this.load = LuaScript.of(clock, LuaScript.resource(LockBackend.class, "load.lua"));
    }

    /** Decides one key after the other. The call can be withdrawn until the first lock is acquired. */
    @Override
    public void start(Call call) {
        if (isClosed()) {
            call.failed(BackendFailures::closed);
            return;
        }
        if (call.allOrNothing()) {
            SequentialSet.decide(this, call);
            return;
        }
        List<Answer> answers = new ArrayList<>(call.keys().size());
        for (KeyRequests<?> keyRequests : call.keys()) {
            answers.add(answer(keyRequests, answers.isEmpty() ? call.send() : () -> true));
        }
        call.answered().accept(answers);
    }

    @Override
    public boolean blocks() {
        return true;
    }

    private Answer answer(KeyRequests<?> keyRequests, BooleanSupplier send) {
        try {
            return Answer.of(decide(keyRequests, send));
        } catch (RuntimeException e) {
            return Answer.failed(RedisErrors.of(keyRequests.key(), e));
        }
    }

    /**
     * @param send called once, as soon as the lock is acquired
     */
    private <S> List<Verdict> decide(KeyRequests<S> keyRequests, BooleanSupplier send) {
        boolean sent = false;
        long startNanos = ticker.read();
        long lockWaitNanos = lockWaitNanos(keyRequests.requests());
        boolean onlyPeeks = keyRequests.requests().stream().allMatch(Request::isPeek);
        while (true) {
            long waitedNanos = ticker.read() - startNanos;
            long leftNanos = Math.max(0, lockWaitNanos - waitedNanos);
            try (DistributedLock.Held held = onlyPeeks ? NO_LOCK : tryLock(keyRequests.key(), leftNanos)) {
                if (held == null) {
                    throw BackendFailures.notExecuted(
                            keyRequests.key(),
                            "its lock could not be acquired within " + Duration.ofNanos(lockWaitNanos));
                }
                sent = sent || send.getAsBoolean();
                if (!sent) {
                    throw BackendFailures.withdrawn(keyRequests.key());
                }
                long lockedMicros = (ticker.read() - startNanos) / 1000;
                List<Verdict> decisions = stepAndSave(keyRequests, lockedMicros, onlyPeeks);
                if (decisions != null) {
                    return decisions;
                }
            }
            if (leftNanos == 0) {
                throw BackendFailures.notExecuted(
                        keyRequests.key(),
                        "others changed it faster than it could be saved, for " + Duration.ofNanos(waitedNanos));
            }
        }
    }

    private DistributedLock.@Nullable Held tryLock(String key, long waitNanos) {
        try {
            return lock.tryLock(key + KeySpace.LOCK, Duration.ofNanos(waitNanos));
        } catch (RuntimeException e) {
            throw RedisErrors.undecided(key, e);
        }
    }

    private long lockWaitNanos(List<Request> requests) {
        long waitNanos = lockWait.toNanos();
        for (Request request : requests) {
            long timeoutMicros = waits(request) ? Math.min(request.timeoutMicros(), Long.MAX_VALUE / 1000) : 0;
            waitNanos = Math.max(waitNanos, timeoutMicros * 1000);
        }
        return Math.min(waitNanos, decisionTimeout.toNanos());
    }

    /** The timeout of a prefetch is its prefetch time. */
    private static boolean waits(Request request) {
        return request.action() != Request.Action.PREFETCH;
    }

    /** The decisions, or {@code null} if the state was changed concurrently. */
    private <S> @Nullable List<Verdict> stepAndSave(KeyRequests<S> keyRequests, long lockedMicros, boolean onlyPeeks) {
        long sentNanos = rejections.readNanos();
        Loaded<S> loaded = load(keyRequests);
        List<Request> requests = keyRequests.requests().stream()
                .map(request -> waits(request)
                        ? request.withTimeoutMicros(Math.max(0, request.timeoutMicros() - lockedMicros))
                        : request)
                .toList();
        Steps<S> steps = new Steps<>(keyRequests.limit(), loaded.state, loaded.nowMicros);
        List<Verdict> decisions = ofLimit(keyRequests, limit -> steps.next(requests));
        S state = steps.state();
        boolean changed = state != loaded.state || (loaded.withoutTtl() && !onlyPeeks);
        if (changed && state != null && !save(keyRequests, loaded, state)) {
            return null;
        }
        try {
            rejections.decided(
                    new KeyRequests<>(keyRequests.key(), keyRequests.limit(), requests),
                    decisions,
                    state,
                    loaded.nowMicros,
                    sentNanos);
        } catch (RuntimeException e) {
            throw BackendFailures.ofLimit(keyRequests.key(), keyRequests.limit(), e, true);
        }
        return decisions;
    }

    /** Calls code of the limit, whose exceptions are not Redis's. */
    private static <S, T> T ofLimit(KeyRequests<S> keyRequests, Function<LimitStep<S>, T> code) {
        try {
            return code.apply(keyRequests.limit());
        } catch (RuntimeException e) {
            throw BackendFailures.ofLimit(keyRequests.key(), keyRequests.limit(), e, false);
        }
    }

    private <S> Loaded<S> load(KeyRequests<S> keyRequests) {
        List<Object> reply;
        try {
            reply = call(load, keyRequests.key());
        } catch (RuntimeException e) {
            throw RedisErrors.undecided(keyRequests.key(), e);
        }
        long nowMicros = (Long) reply.get(0);
        time.replied(nowMicros);
        long ttlMillis = (Long) reply.get(1);
        byte[] value = reply.size() < 3 ? null : (byte[]) reply.get(2);
        S state = codec.read(keyRequests.key(), value, keyRequests.limit(), nowMicros, ttlMillis);
        return new Loaded<>(nowMicros, ttlMillis, value, state);
    }

    private <S> boolean save(KeyRequests<S> keyRequests, Loaded<S> loaded, S state) {
        // A state stored under another definition may have to be kept longer than this one needs.
        long lifetimeMillis = Math.max(
                ofLimit(keyRequests, limit -> limit.lifetimeMillis(state, loaded.nowMicros)), loaded.ttlMillis);
        byte[] written = ofLimit(keyRequests, limit -> codec.write(state));
        byte[] lifetime = utf8(Long.toString(lifetimeMillis));
        List<Object> reply = loaded.value == null
                ? call(save, keyRequests.key(), written, lifetime)
                : call(save, keyRequests.key(), written, lifetime, loaded.value);
        return (Long) reply.get(0) == 1;
    }

    private List<Object> call(LuaScript script, String key, byte[]... arguments) {
        byte[][] keys = {utf8(key)};
        return observed(() -> AsyncFailures.join(redis.start(script, decisionTimeout, keys, arguments)));
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
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
