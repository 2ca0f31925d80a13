package io.limiter.internal.redis.script;

import io.limiter.LimiterBackendException;
import io.limiter.algorithm.Decision;
import io.limiter.internal.backend.Answer;
import io.limiter.internal.backend.KeyRequests;
import io.limiter.internal.cache.KnownRejections;
import io.limiter.internal.engine.SetPart;
import io.limiter.internal.redis.client.LuaScript;
import io.limiter.internal.redis.client.RedisBackend;
import io.limiter.internal.redis.client.RedisCalls;
import io.limiter.internal.redis.client.RedisErrors;
import io.limiter.spi.LimitScript;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides inside Redis: one {@code EVALSHA} for a batch of one kind of limit, in a Cluster one for each slot. The
 * script reads the server's clock once, and writes each key once as the last step for it, so no decision is half done.
 *
 * <p>Redis replies the time and the states that it found, from which {@link ScriptCall} computes the decisions by the
 * same steps.
 */
public final class ScriptBackend extends RedisBackend {

    private final KnownRejections rejections;
    private final Map<LimitScript<?, ?>, LuaScript> scripts = new HashMap<>();
    // Estimated server time: Redis's at the last reply, or this machine's before there was one.
    private volatile long estimatedMicros = System.currentTimeMillis() * 1000;
    private final SetScripts setScripts;

    /**
     * @param clock the part of the scripts that reads the clock
     * @param rejections records the decisions
     */
    public ScriptBackend(RedisCalls redis, String clock, KnownRejections rejections) {
        super(redis);
        this.rejections = rejections;
        this.setScripts = new SetScripts(clock);
        String batch = LuaScript.resource(ScriptBackend.class, "batch.lua");
        for (LimitScript<?, ?> limit : LimitScripts.all()) {
            scripts.put(limit, LuaScript.of(clock, LuaScript.fill(batch, limit.script())));
        }
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

    /** Decides the set in one call, unless its keys are in different slots of a Cluster. */
    @Override
    public CompletableFuture<List<@Nullable Decision>> startSet(List<SetPart<?>> parts, BooleanSupplier send) {
        boolean shareCall;
        try {
            shareCall = shareCall(parts);
        } catch (LimiterBackendException e) {
            return CompletableFuture.failedFuture(e);
        }
        if (!shareCall) {
            return super.startSet(parts, send);
        }
        return send.getAsBoolean()
                ? callSet(parts).thenApply(answer -> List.copyOf(answer.decisions()))
                : CompletableFuture.failedFuture(
                        RedisErrors.withdrawn(parts.get(0).key()));
    }

    private boolean shareCall(List<SetPart<?>> parts) {
        try {
            int lane = laneOf(parts.get(0).key());
            return parts.stream().allMatch(part -> laneOf(part.key()) == lane);
        } catch (RuntimeException e) {
            throw RedisErrors.notExecuted(parts.get(0).key(), e);
        }
    }

    /** Never completed exceptionally. */
    private CompletableFuture<Answer> callSet(List<SetPart<?>> parts) {
        return isClosed()
                ? CompletableFuture.completedFuture(RedisErrors.closed(List.of(KeyRequests.of(parts.get(0))))
                        .get(0))
                : callSet(parts, estimatedMicros, true);
    }

    /**
     * @param again whether to call once more if the server time is not the expected one
     */
    private CompletableFuture<Answer> callSet(List<SetPart<?>> parts, long expectedMicros, boolean again) {
        SetCall call = new SetCall(parts, rejections.readNanos(), expectedMicros);
        try {
            LuaScript script = setScripts.of(parts);
            redis.sends(parts.size(), parts.size());
            return redis.start(script, call.keys(), call.argument())
                    .handle((reply, error) ->
                            error == null ? answered(call, parts, reply, again) : failed(call, parts, error))
                    .thenCompose(answered -> answered);
        } catch (RuntimeException e) {
            return CompletableFuture.completedFuture(call.notExecuted(e));
        }
    }

    /** Redis does not say which key is forbidden, so this peeks at each one. */
    private CompletableFuture<Answer> failed(SetCall call, List<SetPart<?>> parts, Throwable error) {
        Answer failed = call.failed(error);
        if (!RedisErrors.forbidsKey(error)) {
            return CompletableFuture.completedFuture(failed);
        }
        return start(parts.stream().<KeyRequests<?>>map(KeyRequests::peek).toList())
                .thenApply(peeks -> peeks.stream()
                        .filter(peek -> peek.failure() != null)
                        .findFirst()
                        .orElse(failed));
    }

    private CompletableFuture<Answer> answered(
            SetCall call, List<SetPart<?>> parts, List<Object> reply, boolean again) {
        try {
            long nowMicros = ScriptCall.nowMicros(reply);
            estimatedMicros = nowMicros;
            return again && call.isAnotherTime(reply)
                    ? callSet(parts, nowMicros, false)
                    : CompletableFuture.completedFuture(call.answer(reply, rejections));
        } catch (RuntimeException e) {
            return CompletableFuture.completedFuture(call.notUnderstood(e));
        }
    }

    @Override
    public CompletableFuture<List<Answer>> start(List<KeyRequests<?>> batch, BooleanSupplier send) {
        if (isClosed()) {
            return CompletableFuture.completedFuture(RedisErrors.closed(batch));
        }
        if (!send.getAsBoolean()) {
            return CompletableFuture.completedFuture(RedisErrors.withdrawn(batch));
        }
        return start(batch);
    }

    private CompletableFuture<List<Answer>> start(List<KeyRequests<?>> batch) {
        List<List<Integer>> calls;
        try {
            if (batch.size() == 1 || fitsOneCall(batch)) {
                return call(scriptOf(batch.get(0)), batch);
            }
            calls = calls(batch);
        } catch (RuntimeException e) {
            return CompletableFuture.completedFuture(RedisErrors.notExecuted(batch, e));
        }
        Answer[] answers = new Answer[batch.size()];
        CompletableFuture<?>[] started = new CompletableFuture<?>[calls.size()];
        for (int i = 0; i < started.length; i++) {
            started[i] = startPart(batch, calls.get(i), answers);
        }
        return CompletableFuture.allOf(started).thenApply(done -> Arrays.asList(answers));
    }

    /** The common case. */
    private boolean fitsOneCall(List<KeyRequests<?>> batch) {
        LuaScript script = scriptOf(batch.get(0));
        int lane = laneOf(batch.get(0).key());
        for (int i = 1; i < batch.size(); i++) {
            if (scriptOf(batch.get(i)) != script || laneOf(batch.get(i).key()) != lane) {
                return false;
            }
        }
        return true;
    }

    /** The indexes of the batch by call: one for each kind of limit, and in a Cluster for each slot. */
    private List<List<Integer>> calls(List<KeyRequests<?>> batch) {
        Map<Object, List<Integer>> calls = new LinkedHashMap<>();
        for (int i = 0; i < batch.size(); i++) {
            KeyRequests<?> keyRequests = batch.get(i);
            Object call = lanes() == 1
                    ? scriptOf(keyRequests).sha1()
                    : new LaneAndScript(
                            laneOf(keyRequests.key()), scriptOf(keyRequests).sha1());
            calls.computeIfAbsent(call, c -> new ArrayList<>()).add(i);
        }
        return List.copyOf(calls.values());
    }

    private CompletableFuture<Void> startPart(List<KeyRequests<?>> batch, List<Integer> places, Answer[] answers) {
        List<KeyRequests<?>> part = new ArrayList<>(places.size());
        for (int place : places) {
            part.add(batch.get(place));
        }
        return call(scriptOf(part.get(0)), part).thenAccept(answered -> {
            Iterator<Answer> next = answered.iterator();
            for (int place : places) {
                answers[place] = next.next();
            }
        });
    }

    private CompletableFuture<List<Answer>> call(LuaScript script, List<KeyRequests<?>> batch) {
        redis.sends(batch.size(), requests(batch));
        ScriptCall call = new ScriptCall(batch, rejections.readNanos(), estimatedMicros);
        return send(script, call, batch)
                .thenCompose(answers -> call.atAnotherTime().isEmpty()
                        ? CompletableFuture.completedFuture(answers)
                        : again(script, batch, answers, call.atAnotherTime()));
    }

    private static int requests(List<KeyRequests<?>> batch) {
        int requests = 0;
        for (KeyRequests<?> keyRequests : batch) {
            requests += keyRequests.requests().size();
        }
        return requests;
    }

    /** Never completed exceptionally. */
    private CompletableFuture<List<Answer>> send(LuaScript script, ScriptCall call, List<KeyRequests<?>> batch) {
        byte[] argument;
        try {
            argument = call.argument();
        } catch (RuntimeException e) {
            return batch.size() > 1
                    ? inHalves(script, batch)
                    : CompletableFuture.completedFuture(
                            List.of(Answer.failed(RedisErrors.limitFailed(batch.get(0), e, false))));
        }
        return redis.start(script, call.keys(), argument)
                .handle((reply, error) -> {
                    if (error == null) {
                        return CompletableFuture.completedFuture(answers(call, reply, batch));
                    }
                    return batch.size() > 1 && RedisErrors.forbidsKey(error)
                            ? inHalves(script, batch)
                            : CompletableFuture.completedFuture(ScriptCall.allFailed(batch, error));
                })
                .thenCompose(answered -> answered);
    }

    /** Splits a batch of which nothing was executed because of a few keys, so that the others do not fail too. */
    private CompletableFuture<List<Answer>> inHalves(LuaScript script, List<KeyRequests<?>> batch) {
        int half = batch.size() / 2;
        return call(script, batch.subList(0, half))
                .thenCombine(call(script, batch.subList(half, batch.size())), (first, second) -> {
                    List<Answer> all = new ArrayList<>(first);
                    all.addAll(second);
                    return all;
                });
    }

    private List<Answer> answers(ScriptCall call, List<Object> reply, List<KeyRequests<?>> batch) {
        try {
            estimatedMicros = ScriptCall.nowMicros(reply);
            return call.answers(reply, rejections);
        } catch (RuntimeException e) {
            call.atAnotherTime().clear();
            return ScriptCall.notUnderstood(batch, e);
        }
    }

    /** Repeats the call with the server time. Does not happen twice: the parameters are valid for days. */
    private CompletableFuture<List<Answer>> again(
            LuaScript script, List<KeyRequests<?>> batch, List<Answer> answers, List<Integer> places) {
        List<KeyRequests<?>> part =
                places.stream().<KeyRequests<?>>map(batch::get).toList();
        ScriptCall call = new ScriptCall(part, rejections.readNanos(), estimatedMicros);
        return send(script, call, part).thenApply(late -> {
            for (int i = 0; i < places.size(); i++) {
                answers.set(places.get(i), late.get(i));
            }
            return answers;
        });
    }

    private LuaScript scriptOf(KeyRequests<?> keyRequests) {
        return Objects.requireNonNull(scripts.get(LimitScripts.of(keyRequests.limit())));
    }

    private record LaneAndScript(int lane, String sha1) {}
}
