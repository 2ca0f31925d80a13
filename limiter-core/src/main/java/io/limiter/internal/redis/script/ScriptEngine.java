package io.limiter.internal.redis.script;

import io.limiter.LimiterBackendException;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.Request;
import io.limiter.internal.cache.KnownRejections;
import io.limiter.internal.redis.client.LuaScript;
import io.limiter.internal.redis.client.RedisCalls;
import io.limiter.internal.redis.client.RedisErrors;
import io.limiter.internal.time.BlockingCalls;
import io.limiter.spi.Answer;
import io.limiter.spi.BatchEngine;
import io.limiter.spi.KeyRequests;
import io.limiter.spi.LimitScript;
import io.limiter.spi.SetPart;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Decides inside Redis: one {@code EVALSHA} for a batch of one kind of limit, or in a Cluster, where a script sees the
 * keys of one slot only, one for each slot. The script reads the server's clock once and writes each key once, as the
 * last thing it does for it, so nothing can be half done.
 *
 * <p>What Redis sends back is the state it found, and the time; the answers are worked out from these here, by the same
 * steps. See {@link ScriptCall}.
 */
public final class ScriptEngine implements BatchEngine {

    private final RedisCalls redis;
    private final KnownRejections denials;
    private final Executor blockingCalls;
    private final Map<LimitScript<?, ?>, LuaScript> scripts = new HashMap<>();
    // What Redis' clock showed last; before that, this machine's.
    private volatile long aboutMicros = System.currentTimeMillis() * 1000;
    private final SetScripts together;
    private volatile boolean closed;

    /**
     * @param clock the part of the scripts that tells the time
     * @param denials is told what was decided
     * @param blockingCalls makes the calls of those who do not want to wait, where the client would block them
     */
    public ScriptEngine(RedisCalls redis, String clock, KnownRejections denials, Executor blockingCalls) {
        this.redis = redis;
        this.denials = denials;
        this.blockingCalls = blockingCalls;
        this.together = new SetScripts(clock);
        String batch = LuaScript.resource(ScriptEngine.class, "batch.lua");
        for (LimitScript<?, ?> limit : LimitScripts.all()) {
            scripts.put(limit, LuaScript.of(clock, LuaScript.fill(batch, limit.script())));
        }
    }

    @Override
    public boolean blocks() {
        return redis.blocks();
    }

    @Override
    public void connect() {
        redis.connect();
    }

    @Override
    public LimiterBackendException notConnected(String key, RuntimeException thrown) {
        return RedisErrors.of(key, thrown);
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
    public List<Answer> decide(List<KeyRequests<?>> batch) {
        return start(batch).join();
    }

    @Override
    public CompletableFuture<Decision> decideAsync(String key, Limit<?> limit, Request request) {
        if (blocks()) {
            return BlockingCalls.decide(blockingCalls, key, () -> decide(key, limit, request));
        }
        return start(List.of(new KeyRequests<>(key, limit, List.of(request))))
                .thenApply(answers -> answers.get(0).decisions().get(0));
    }

    /** In one call where the keys can share one, that is but in a Cluster whose slots differ. */
    @Override
    public List<@Nullable Decision> decideTogether(List<SetPart<?>> parts) {
        return shareCall(parts)
                ? List.copyOf(startTogether(parts).join().decisions())
                : BatchEngine.super.decideTogether(parts);
    }

    /** As {@link #decideTogether}. */
    @Override
    public CompletableFuture<List<@Nullable Decision>> decideTogetherAsync(List<SetPart<?>> parts) {
        if (blocks()) {
            return BlockingCalls.decide(blockingCalls, parts.get(0).key(), () -> decideTogether(parts));
        }
        boolean shareCall;
        try {
            shareCall = shareCall(parts);
        } catch (LimiterBackendException e) {
            return CompletableFuture.failedFuture(e);
        }
        return shareCall
                ? startTogether(parts).thenApply(answer -> List.copyOf(answer.decisions()))
                : BatchEngine.super.decideTogetherAsync(parts);
    }

    private boolean shareCall(List<SetPart<?>> parts) {
        try {
            int lane = laneOf(parts.get(0).key());
            return parts.stream().allMatch(part -> laneOf(part.key()) == lane);
        } catch (RuntimeException e) {
            throw RedisErrors.notAsked(parts.get(0).key(), e);
        }
    }

    /** Never completed exceptionally. */
    private CompletableFuture<Answer> startTogether(List<SetPart<?>> parts) {
        return closed
                ? CompletableFuture.completedFuture(
                        RedisErrors.closed(List.of(parts.get(0).toKeyRequests()))
                                .get(0))
                : startTogether(parts, aboutMicros, true);
    }

    /** @param again whether to call once more if Redis' clock shows something else than was expected */
    private CompletableFuture<Answer> startTogether(List<SetPart<?>> parts, long expectedMicros, boolean again) {
        SetCall call = new SetCall(parts, denials.readNanos(), expectedMicros);
        try {
            LuaScript script = together.of(parts);
            redis.sends(parts.size(), parts.size());
            return redis.start(script, call.keys(), call.argument())
                    .handle((reply, error) ->
                            error == null ? answered(call, parts, reply, again) : failed(call, parts, error))
                    .thenCompose(answered -> answered);
        } catch (RuntimeException e) {
            return CompletableFuture.completedFuture(call.notAsked(e));
        }
    }

    /** Of a key that is forbidden, Redis does not say which it is: so each is looked at. */
    private CompletableFuture<Answer> failed(SetCall call, List<SetPart<?>> parts, Throwable error) {
        Answer failed = call.failed(error);
        if (!RedisErrors.forbidsKey(error)) {
            return CompletableFuture.completedFuture(failed);
        }
        return start(parts.stream().<KeyRequests<?>>map(SetPart::toPeek).toList())
                .thenApply(looks -> looks.stream()
                        .filter(look -> look.failure() != null)
                        .findFirst()
                        .orElse(failed));
    }

    private CompletableFuture<Answer> answered(
            SetCall call, List<SetPart<?>> parts, List<Object> reply, boolean again) {
        try {
            long nowMicros = ScriptCall.nowMicros(reply);
            aboutMicros = nowMicros;
            return again && call.isAnotherTime(reply)
                    ? startTogether(parts, nowMicros, false)
                    : CompletableFuture.completedFuture(call.answer(reply, denials));
        } catch (RuntimeException e) {
            return CompletableFuture.completedFuture(call.notUnderstood(e));
        }
    }

    @Override
    public void reset(String key) {
        try {
            redis.delete(key.getBytes(StandardCharsets.UTF_8));
        } catch (RuntimeException e) {
            throw RedisErrors.of(key, e);
        }
    }

    /** Fails whatever comes later; what was sent is still answered. */
    @Override
    public void close() {
        closed = true;
    }

    @Override
    public CompletableFuture<List<Answer>> start(List<KeyRequests<?>> batch) {
        if (closed) {
            return CompletableFuture.completedFuture(RedisErrors.closed(batch));
        }
        List<List<Integer>> calls;
        try {
            if (batch.size() == 1 || fitsOneCall(batch)) {
                return call(scriptOf(batch.get(0)), batch);
            }
            calls = calls(batch);
        } catch (RuntimeException e) {
            return CompletableFuture.completedFuture(RedisErrors.notAsked(batch, e));
        }
        Answer[] answers = new Answer[batch.size()];
        CompletableFuture<?>[] started = new CompletableFuture<?>[calls.size()];
        for (int i = 0; i < started.length; i++) {
            started[i] = startPart(batch, calls.get(i), answers);
        }
        return CompletableFuture.allOf(started).thenApply(done -> Arrays.asList(answers));
    }

    /** As nearly all do. */
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

    /** Which places of the batch go together: those of one kind, and in a Cluster of one slot. */
    private List<List<Integer>> calls(List<KeyRequests<?>> batch) {
        Map<Object, List<Integer>> calls = new LinkedHashMap<>();
        for (int i = 0; i < batch.size(); i++) {
            KeyRequests<?> asked = batch.get(i);
            Object call = lanes() == 1
                    ? scriptOf(asked).sha1()
                    : new LaneAndScript(laneOf(asked.key()), scriptOf(asked).sha1());
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
        ScriptCall call = new ScriptCall(batch, denials.readNanos(), aboutMicros);
        return send(script, call, batch)
                .thenCompose(answers -> call.atAnotherTime().isEmpty()
                        ? CompletableFuture.completedFuture(answers)
                        : again(script, batch, answers, call.atAnotherTime()));
    }

    private static int requests(List<KeyRequests<?>> batch) {
        int requests = 0;
        for (KeyRequests<?> asked : batch) {
            requests += asked.requests().size();
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

    /** Nothing of the batch was executed because of one key or a few: the others are not to fail with these. */
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
            aboutMicros = ScriptCall.nowMicros(reply);
            return call.answers(reply, denials);
        } catch (RuntimeException e) {
            call.atAnotherTime().clear();
            return ScriptCall.notUnderstood(batch, e);
        }
    }

    /** Now that the time is known. It does not happen twice: what holds at a time holds for days. */
    private CompletableFuture<List<Answer>> again(
            LuaScript script, List<KeyRequests<?>> batch, List<Answer> answers, List<Integer> places) {
        List<KeyRequests<?>> part =
                places.stream().<KeyRequests<?>>map(batch::get).toList();
        ScriptCall call = new ScriptCall(part, denials.readNanos(), aboutMicros);
        return send(script, call, part).thenApply(late -> {
            for (int i = 0; i < places.size(); i++) {
                answers.set(places.get(i), late.get(i));
            }
            return answers;
        });
    }

    private LuaScript scriptOf(KeyRequests<?> asked) {
        return Objects.requireNonNull(scripts.get(LimitScripts.of(asked.limit())));
    }

    private record LaneAndScript(int lane, String sha1) {}
}
