package io.limiter.internal.redis.script;

import io.limiter.internal.backend.Answer;
import io.limiter.internal.backend.Call;
import io.limiter.internal.backend.SequentialSet;
import io.limiter.internal.cache.KnownRejections;
import io.limiter.internal.engine.KeyRequests;
import io.limiter.internal.redis.client.LuaScript;
import io.limiter.internal.redis.client.RedisBackend;
import io.limiter.internal.redis.client.RedisCalls;
import io.limiter.internal.redis.client.RedisErrors;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * Decides inside Redis: one {@code EVALSHA} for a batch of one kind of limit, in a Cluster one for each slot, and one for a
 * set whose keys are in one slot. The script reads the server's clock once, and writes each key once as the last step for
 * it, so no decision is half done.
 *
 * <p>Redis replies the time and the states that it found, from which {@link ScriptCall} computes the decisions by the
 * same steps.
 */
public final class ScriptBackend extends RedisBackend {

    private final KnownRejections rejections;
    // By kind of limit.
    private final List<LuaScript> batchScripts;
    private final SetScripts setScripts;
    // Estimated server time: Redis's at the last reply, or this machine's before there was one.
    private volatile long estimatedMicros = System.currentTimeMillis() * 1000;

    /**
     * @param clock the part of the scripts that reads the clock
     * @param rejections records the decisions
     */
    public ScriptBackend(RedisCalls redis, String clock, KnownRejections rejections) {
        super(redis);
        this.rejections = rejections;
        this.setScripts = new SetScripts(clock);
        String batch = LuaScript.resource(ScriptBackend.class, "batch.lua");
        this.batchScripts = LimitScripts.all().stream()
                .map(limit -> LuaScript.of(clock, LuaScript.fill(batch, limit.script())))
                .toList();
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
        List<KeyRequests<?>> keys = call.keys();
        if (isClosed()) {
            call.answered().accept(RedisErrors.closed(keys));
            return;
        }
        int[] kinds;
        boolean fitsOneCall;
        try {
            kinds = kinds(keys);
            fitsOneCall = (call.allOrNothing() || areEqual(kinds)) && isInOneLane(keys);
        } catch (RuntimeException e) {
            call.answered().accept(RedisErrors.notExecuted(keys, e));
            return;
        }
        if (call.allOrNothing() && !fitsOneCall) {
            SequentialSet.decide(this, call);
        } else if (!call.send().getAsBoolean()) {
            call.answered().accept(RedisErrors.withdrawn(keys));
        } else if (call.allOrNothing()) {
            SetCall set = new SetCall(keys, kinds, rejections.readNanos(), estimatedMicros);
            send(setScripts.of(kinds), set, false, call.answered());
        } else if (fitsOneCall) {
            decide(kinds[0], keys, call.answered());
        } else {
            decideParts(keys, kinds, call.answered());
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

    private boolean isInOneLane(List<KeyRequests<?>> keys) {
        if (keys.size() == 1 || lanes() == 1) {
            return true;
        }
        int lane = laneOf(keys.get(0).key());
        for (KeyRequests<?> each : keys) {
            if (laneOf(each.key()) != lane) {
                return false;
            }
        }
        return true;
    }

    /** One call for each kind of limit, and in a Cluster for each slot. */
    private void decideParts(List<KeyRequests<?>> keys, int[] kinds, Consumer<List<Answer>> answered) {
        Map<LaneAndKind, List<Integer>> calls = new LinkedHashMap<>();
        for (int i = 0; i < kinds.length; i++) {
            LaneAndKind call = new LaneAndKind(laneOf(keys.get(i).key()), kinds[i]);
            calls.computeIfAbsent(call, same -> new ArrayList<>()).add(i);
        }
        Parts parts = new Parts(kinds.length, calls.size(), answered);
        calls.forEach((call, places) -> decide(
                call.kind(), places.stream().<KeyRequests<?>>map(keys::get).toList(), parts.at(places)));
    }

    private void decide(int kind, List<KeyRequests<?>> batch, Consumer<List<Answer>> answered) {
        ScriptCall call = new ScriptCall(batch, kind, rejections.readNanos(), estimatedMicros);
        send(batchScripts.get(kind), call, false, answered);
    }

    /**
     * @param again whether it was sent before, with another time than Redis's; that does not happen twice, because parameters
     *     are valid for days
     */
    private void send(LuaScript script, ScriptCall call, boolean again, Consumer<List<Answer>> answered) {
        List<KeyRequests<?>> batch = call.batch();
        byte[] argument;
        try {
            argument = call.argument();
        } catch (RuntimeException e) {
            if (!call.isSet() && batch.size() > 1) {
                decideHalves(call, answered);
            } else {
                answered.accept(call.notWritten(e));
            }
            return;
        }
        try {
            if (!again) {
                redis.sends(batch.size(), requests(batch));
            }
            redis.send(script, call.keys(), new byte[][] {argument}, (reply, error) -> {
                if (reply != null) {
                    answered(script, call, reply, again, answered);
                } else if (batch.size() > 1 && error != null && RedisErrors.forbidsKey(error)) {
                    forbidden(call, error, answered);
                } else {
                    answered.accept(call.failed(error));
                }
            });
        } catch (RuntimeException | Error e) {
            // Nothing else would end the call if it is sent again, or is a part of another.
            answered.accept(call.failed(e));
        }
    }

    private static int requests(List<KeyRequests<?>> batch) {
        int requests = 0;
        for (KeyRequests<?> keyRequests : batch) {
            requests += keyRequests.requests().size();
        }
        return requests;
    }

    private void answered(
            LuaScript script, ScriptCall call, List<Object> reply, boolean again, Consumer<List<Answer>> answered) {
        List<Answer> answers;
        List<Integer> places = call.atAnotherTime();
        ScriptCall late;
        try {
            estimatedMicros = ScriptCall.nowMicros(reply);
            answers = call.answers(reply, rejections);
            late = again || places.isEmpty() ? null : call.at(places, rejections.readNanos(), estimatedMicros);
        } catch (RuntimeException | Error e) {
            // Errors too: nothing else would end the call.
            answered.accept(call.notUnderstood(e));
            return;
        }
        if (late == null) {
            answered.accept(answers);
            return;
        }
        send(script, late, true, decided -> {
            for (int i = 0; i < places.size(); i++) {
                answers.set(places.get(i), decided.get(i));
            }
            answered.accept(answers);
        });
    }

    /** Redis does not say which key is forbidden: a set peeks at each one, and a batch is split. */
    private void forbidden(ScriptCall call, Throwable error, Consumer<List<Answer>> answered) {
        if (!call.isSet()) {
            decideHalves(call, answered);
            return;
        }
        List<KeyRequests<?>> peeks = new ArrayList<>();
        call.batch().forEach(part -> peeks.add(part.peek()));
        start(new Call(
                peeks,
                false,
                () -> true,
                peeked -> answered.accept(peeked.stream()
                        .filter(peek -> peek.failure() != null)
                        .findFirst()
                        .map(call::allAs)
                        .orElseGet(() -> call.failed(error)))));
    }

    /** Splits a batch of which nothing was executed because of a few keys, so that the others do not fail too. */
    private void decideHalves(ScriptCall call, Consumer<List<Answer>> answered) {
        List<KeyRequests<?>> batch = call.batch();
        int half = batch.size() / 2;
        Parts parts = new Parts(batch.size(), 2, answered);
        decide(call.kind(), batch.subList(0, half), parts.at(range(0, half)));
        decide(call.kind(), batch.subList(half, batch.size()), parts.at(range(half, batch.size())));
    }

    private static List<Integer> range(int from, int to) {
        return IntStream.range(from, to).boxed().toList();
    }

    private record LaneAndKind(int lane, int kind) {}

    /** Collects the answers of several calls. */
    private static final class Parts {

        private final Answer[] answers;
        private final AtomicInteger missing;
        private final Consumer<List<Answer>> answered;

        Parts(int keys, int calls, Consumer<List<Answer>> answered) {
            this.answers = new Answer[keys];
            this.missing = new AtomicInteger(calls);
            this.answered = answered;
        }

        /** Takes the answers for the keys at these places. */
        Consumer<List<Answer>> at(List<Integer> places) {
            return some -> {
                for (int i = 0; i < places.size(); i++) {
                    answers[places.get(i)] = some.get(i);
                }
                if (missing.decrementAndGet() == 0) {
                    answered.accept(Arrays.asList(answers));
                }
            };
        }
    }
}
