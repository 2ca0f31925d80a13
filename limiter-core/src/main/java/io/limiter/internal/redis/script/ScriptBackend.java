package io.limiter.internal.redis.script;

import io.limiter.internal.backend.Answer;
import io.limiter.internal.backend.AsyncFailures;
import io.limiter.internal.backend.BackendFailures;
import io.limiter.internal.backend.Call;
import io.limiter.internal.backend.SequentialSet;
import io.limiter.internal.cache.KnownRejections;
import io.limiter.internal.engine.KeyRequests;
import io.limiter.internal.log.AsyncLog;
import io.limiter.internal.redis.client.LuaScript;
import io.limiter.internal.redis.client.RedisBackend;
import io.limiter.internal.redis.client.RedisCalls;
import io.limiter.internal.redis.client.RedisErrors;
import io.limiter.spi.EngineObserver;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Decides inside Redis: one {@code EVALSHA} for a batch of one kind of limit, in a Cluster one for each slot, and one for a
 * set whose keys are in one slot. The script reads the server's clock once, and writes each key once as the last step for
 * it, so no decision is half done.
 *
 * <p>Redis replies the time and the states that it found, from which {@link ScriptCall} computes the decisions by the
 * same steps.
 */
public final class ScriptBackend extends RedisBackend {

    private static final AsyncLog log = AsyncLog.of(ScriptBackend.class);

    private final KnownRejections rejections;
    private final ClockScripts scripts;
    // Whether Redis has refused keys of several slots in one call, although the client does not know of a Cluster.
    private volatile boolean splitsBySlot;
    // Estimated server time: Redis's at the last reply, or this machine's before there was one.
    private volatile long estimatedMicros = System.currentTimeMillis() * 1000;

    /**
     * @param clock the part of the scripts that reads the clock
     * @param rejections records the decisions
     */
    public ScriptBackend(RedisCalls redis, String clock, KnownRejections rejections) {
        super(redis);
        this.rejections = rejections;
        this.scripts = ClockScripts.of(clock);
    }

    @Override
    public boolean blocks() {
        return redis.blocks();
    }

    @Override
    public int lanes() {
        return redis.slots();
    }

    @Override
    public int laneOf(String key) {
        return redis.slotOf(key);
    }

    @Override
    public void start(Call call) {
        if (isClosed()) {
            call.failed(BackendFailures::closed);
            return;
        }
        int[] kinds;
        boolean fitsOneCall;
        try {
            kinds = kinds(call.keys());
            fitsOneCall = (call.allOrNothing() || areEqual(kinds)) && isInOneCall(call.keys());
        } catch (RuntimeException e) {
            call.failed(key -> RedisErrors.notMade(key, e));
            return;
        }
        if (call.allOrNothing() && !fitsOneCall) {
            SequentialSet.decide(this, call);
        } else if (!call.send().getAsBoolean()) {
            call.failed(BackendFailures::withdrawn);
        } else if (call.allOrNothing()) {
            send(scripts.sets().of(kinds), new SetCall(call, kinds, rejections.readNanos(), estimatedMicros), false);
        } else if (fitsOneCall) {
            decide(kinds[0], call);
        } else {
            decideParts(call, kinds);
        }
    }

    private static int[] kinds(List<KeyRequests<?>> keys) {
        int[] kinds = new int[keys.size()];
        for (int i = 0; i < kinds.length; i++) {
            kinds[i] = LimitScripts.kindOf(keys.get(i).limit());
        }
        return kinds;
    }

    private static boolean areEqual(int[] kinds) {
        for (int kind : kinds) {
            if (kind != kinds[0]) {
                return false;
            }
        }
        return true;
    }

    private boolean isInOneCall(List<KeyRequests<?>> keys) {
        if (keys.size() == 1 || (lanes() == 1 && !splitsBySlot)) {
            return true;
        }
        int slot = slotOf(keys.get(0).key());
        for (KeyRequests<?> each : keys) {
            if (slotOf(each.key()) != slot) {
                return false;
            }
        }
        return true;
    }

    private int slotOf(String key) {
        return splitsBySlot ? RedisCalls.slotInCluster(key) : laneOf(key);
    }

    /** One call for each kind of limit, and in a Cluster for each slot. */
    private void decideParts(Call call, int[] kinds) {
        Map<SlotAndKind, List<Integer>> calls = new LinkedHashMap<>();
        for (int i = 0; i < kinds.length; i++) {
            SlotAndKind one = new SlotAndKind(slotOf(call.keys().get(i).key()), kinds[i]);
            calls.computeIfAbsent(one, same -> new ArrayList<>()).add(i);
        }
        Parts parts = new Parts(call, calls.size());
        calls.forEach((one, places) -> decide(one.kind(), parts.at(places)));
    }

    private void decide(int kind, Call call) {
        send(scripts.batches().get(kind), new ScriptCall(call, kind, rejections.readNanos(), estimatedMicros), false);
    }

    /**
     * @param again whether it was sent before, with another time than Redis's; that does not happen twice, because parameters
     *     are valid for days
     */
    private void send(LuaScript script, ScriptCall sent, boolean again) {
        Call call = sent.call();
        List<KeyRequests<?>> batch = call.keys();
        byte[] argument;
        try {
            argument = sent.argument();
        } catch (RuntimeException e) {
            if (call.allOrNothing()) {
                call.failed(key -> RedisErrors.notMade(key, e));
            } else if (batch.size() > 1) {
                decideHalves(sent);
            } else {
                call.failed(key -> BackendFailures.ofLimit(key, batch.get(0).limit(), e, false));
            }
            return;
        }
        EngineObserver observer = redis.observer();
        try {
            if (!again) {
                observer.sent(batch.size(), requests(batch));
            }
            long startNanos = System.nanoTime();
            redis.send(script, sent.keys(), new byte[][] {argument}, (reply, error) -> {
                observer.called(System.nanoTime() - startNanos, error != null);
                if (reply != null) {
                    answered(script, sent, reply, again);
                } else if (batch.size() > 1 && error != null && RedisErrors.areInSeveralSlots(error)) {
                    decideSlots(sent);
                } else if (batch.size() > 1 && error != null && RedisErrors.isMovingKeys(error)) {
                    decideEach(sent);
                } else if (batch.size() > 1 && error != null && RedisErrors.forbidsKey(error)) {
                    forbidden(sent, error);
                } else {
                    failed(call, error);
                }
            });
        } catch (RuntimeException | Error e) {
            // Nothing else would end the call if it is sent again, or is a part of another.
            failed(call, e);
        }
    }

    private static int requests(List<KeyRequests<?>> batch) {
        int requests = 0;
        for (KeyRequests<?> keyRequests : batch) {
            requests += keyRequests.requests().size();
        }
        return requests;
    }

    private static void failed(Call call, @Nullable Throwable error) {
        Throwable cause = error == null ? new IllegalStateException("no reply") : AsyncFailures.cause(error);
        call.failed(key -> RedisErrors.of(key, cause));
    }

    private void answered(LuaScript script, ScriptCall sent, List<Object> reply, boolean again) {
        Call call = sent.call();
        List<Answer> answers;
        ScriptCall late;
        try {
            estimatedMicros = ScriptCall.nowMicros(reply);
            answers = sent.answers(reply, rejections);
            List<Integer> places = sent.atAnotherTime();
            late = again || places.isEmpty()
                    ? null
                    : sent.with(new Parts(call, 1, answers).at(places), rejections.readNanos(), estimatedMicros);
        } catch (RuntimeException | Error e) {
            // Errors too: nothing else would end the call.
            call.failed(key -> RedisErrors.notUnderstood(key, e));
            return;
        }
        if (late == null) {
            call.answered().accept(answers);
        } else {
            send(script, late, true);
        }
    }

    /** Redis does not say which key is forbidden: a set peeks at each one, and a batch is split. */
    private void forbidden(ScriptCall sent, Throwable error) {
        Call call = sent.call();
        if (!call.allOrNothing()) {
            decideHalves(sent);
            return;
        }
        List<KeyRequests<?>> peeks = new ArrayList<>();
        call.keys().forEach(part -> peeks.add(part.peek()));
        start(new Call(
                peeks,
                false,
                () -> true,
                peeked -> peeked.stream()
                        .map(Answer::failure)
                        .filter(Objects::nonNull)
                        .findFirst()
                        .ifPresentOrElse(failure -> call.failed(key -> failure), () -> failed(call, error))));
    }

    /** While their slot is moved to another node, each key is on one of both, where the client finds it. Nothing was executed. */
    private void decideEach(ScriptCall sent) {
        Call call = sent.call();
        if (call.allOrNothing()) {
            SequentialSet.decide(this, new Call(call.keys(), true, () -> true, call.answered()));
            return;
        }
        int size = call.keys().size();
        Parts parts = new Parts(call, size);
        for (int i = 0; i < size; i++) {
            decide(sent.kind(), parts.at(List.of(i)));
        }
    }

    /** Nothing was executed: Redis is a node of a Cluster, or behaves as one, and the client takes it for a standalone Redis. */
    private void decideSlots(ScriptCall sent) {
        if (!splitsBySlot) {
            splitsBySlot = true;
            log.warn(
                    "Redis rejects calls with keys of several hash slots, as a Cluster does, and the client does not know that it"
                            + " is one. So each slot has a call of its own, and a set is decided in several. Set"
                            + " spring.data.redis.cluster.nodes, so that keys share slots and calls.");
        }
        Call call = sent.call();
        if (call.allOrNothing()) {
            SequentialSet.decide(this, new Call(call.keys(), true, () -> true, call.answered()));
        } else {
            decideParts(call, kinds(call.keys()));
        }
    }

    /** Splits a batch of which nothing was executed because of a few keys, so that the others do not fail too. */
    private void decideHalves(ScriptCall sent) {
        int size = sent.call().keys().size();
        Parts parts = new Parts(sent.call(), 2);
        decide(sent.kind(), parts.at(range(0, size / 2)));
        decide(sent.kind(), parts.at(range(size / 2, size)));
    }

    private static List<Integer> range(int from, int to) {
        return IntStream.range(from, to).boxed().toList();
    }

    private record SlotAndKind(int slot, int kind) {}

    /** The calls that a call is split into; answers it when all of them are answered. */
    private static final class Parts {

        private final Call whole;
        private final AtomicInteger missing;
        private final List<Answer> answers;

        Parts(Call whole, int calls) {
            this(whole, calls, Arrays.asList(new Answer[whole.keys().size()]));
        }

        /**
         * @param answers those that are known, by key
         */
        Parts(Call whole, int calls, List<Answer> answers) {
            this.whole = whole;
            this.missing = new AtomicInteger(calls);
            this.answers = answers;
        }

        /** The call for the keys at these places. */
        Call at(List<Integer> places) {
            List<KeyRequests<?>> keys = new ArrayList<>(places.size());
            places.forEach(place -> keys.add(whole.keys().get(place)));
            return new Call(keys, whole.allOrNothing(), whole.send(), some -> {
                for (int i = 0; i < places.size(); i++) {
                    answers.set(places.get(i), some.get(i));
                }
                if (missing.decrementAndGet() == 0) {
                    whole.answered().accept(answers);
                }
            });
        }
    }
}
