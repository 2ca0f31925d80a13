package io.limiter.internal.redis.script;

import com.google.common.collect.ObjectArrays;
import io.limiter.internal.backend.Answer;
import io.limiter.internal.backend.AsyncFailures;
import io.limiter.internal.backend.BackendFailures;
import io.limiter.internal.backend.Call;
import io.limiter.internal.backend.SequentialSet;
import io.limiter.internal.cache.KnownRejections;
import io.limiter.internal.engine.KeyRequests;
import io.limiter.internal.key.KeySpace;
import io.limiter.internal.log.AsyncLog;
import io.limiter.internal.redis.client.RedisBackend;
import io.limiter.internal.redis.client.RedisCalls;
import io.limiter.internal.redis.client.RedisErrors;
import io.limiter.internal.statistics.EngineObserver;
import io.limiter.internal.time.ServerTime;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Decides inside Redis: one {@code EVALSHA} for a batch of one kind of limit, in a Cluster one for each slot, and one for
 * sets whose keys are in one slot. The script reads the server's clock once, and writes each key once as the last step for
 * it, so no decision is half done.
 *
 * <p>Redis replies the time and the states that it found, from which a {@link ScriptCall} computes the decisions by the
 * same steps.
 */
public final class ScriptBackend extends RedisBackend {

    private static final AsyncLog log = AsyncLog.of(ScriptBackend.class);

    /** For how long a call that returns permits is not executed again; clients try for as long as they reconnect. */
    private static final byte[] REMEMBERED_MILLIS =
            Long.toString(Duration.ofMinutes(5).toMillis()).getBytes(StandardCharsets.US_ASCII);

    private final KnownRejections rejections;
    private final ServerTime time;
    private final ClockScripts scripts;
    // Whether Redis has refused keys of several slots in one call, although the client does not know of a Cluster.
    private volatile boolean splitsBySlot;

    /**
     * @param clock the part of the scripts that reads the clock
     * @param time what Redis's clock shows, which each reply tells
     * @param rejections records the decisions
     */
    public ScriptBackend(RedisCalls redis, String clock, ServerTime time, KnownRejections rejections) {
        super(redis);
        this.rejections = rejections;
        this.time = time;
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
        if (call.allOrNothing()) {
            startSets(List.of(call));
            return;
        }
        if (isClosed()) {
            call.failed(BackendFailures::closed);
            return;
        }
        int[] kinds;
        boolean fitsOneCall;
        try {
            kinds = kinds(call.keys());
            fitsOneCall = areEqual(kinds) && isInOneCall(call.keys());
        } catch (RuntimeException e) {
            call.failed(key -> RedisErrors.notMade(key, e));
            return;
        }
        if (!call.send().getAsBoolean()) {
            call.failed(BackendFailures::withdrawn);
        } else if (fitsOneCall) {
            decide(kinds[0], call);
        } else {
            decideParts(call, kinds);
        }
    }

    @Override
    public void startSets(List<Call> sets) {
        List<Call> together = new ArrayList<>(sets.size());
        for (Call set : sets) {
            if (isClosed()) {
                set.failed(BackendFailures::closed);
                continue;
            }
            boolean fitsOneCall;
            try {
                fitsOneCall = isInOneCall(set.keys());
            } catch (RuntimeException e) {
                set.failed(key -> RedisErrors.notMade(key, e));
                continue;
            }
            if (!fitsOneCall) {
                SequentialSet.decideBySlot(this, set, this::slotOf);
            } else if (!set.send().getAsBoolean()) {
                set.failed(BackendFailures::withdrawn);
            } else if (splitsBySlot) {
                decideSets(List.of(set));
            } else {
                together.add(set);
            }
        }
        if (!together.isEmpty()) {
            decideSets(together);
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
        send(new BatchCall(call, kind, rejections.readNanos(), time.nowMicros()), false);
    }

    private void decideSets(List<Call> sets) {
        send(new SetCall(sets, rejections.readNanos(), time.nowMicros()), false);
    }

    /**
     * @param again see {@link ScriptCall#answered}
     */
    private void send(ScriptCall sent, boolean again) {
        send(sent, again, redis.repeats() && sent.returnsPermits());
    }

    /** @param remembered whether Redis is to remember that it has executed the call, which the client may repeat */
    private void send(ScriptCall sent, boolean again, boolean remembered) {
        byte[] argument;
        try {
            argument = sent.argument();
        } catch (RuntimeException e) {
            List<? extends ScriptCall> halves = sent.halves();
            if (halves.isEmpty()) {
                sent.notMade(e);
            } else {
                sendAll(halves);
            }
            return;
        }
        EngineObserver observer = redis.observer();
        try {
            int size = sent.size();
            if (!again) {
                observer.sent(size, sent.requests());
            }
            long startNanos = System.nanoTime();
            byte[][] keys = sent.keys();
            byte[][] arguments = {argument};
            if (remembered) {
                String key = KeySpace.ofCall(new String(keys[0], StandardCharsets.UTF_8));
                keys = ObjectArrays.concat(keys, key.getBytes(StandardCharsets.UTF_8));
                arguments = ObjectArrays.concat(arguments, REMEMBERED_MILLIS);
            }
            redis.send(sent.script(scripts), keys, arguments, (reply, error) -> {
                observer.called(System.nanoTime() - startNanos, error != null);
                if (reply != null) {
                    answered(sent, reply, again);
                    return;
                }
                // What moves is not the only key then.
                boolean hasOthers = size > 1 || remembered && error != null && RedisErrors.isMovingKeys(error);
                if (!hasOthers || error == null || !isDecidedOtherwise(sent, error)) {
                    failed(sent, error);
                }
            });
        } catch (RuntimeException | Error e) {
            // Nothing else would end the call if it is sent again, or is a part of another.
            failed(sent, e);
        }
    }

    private void sendAll(List<? extends ScriptCall> calls) {
        calls.forEach(call -> send(call, false));
    }

    private static void failed(ScriptCall sent, @Nullable Throwable error) {
        Throwable cause = error == null ? new IllegalStateException("no reply") : AsyncFailures.cause(error);
        sent.failed(key -> RedisErrors.of(key, cause));
    }

    private void answered(ScriptCall sent, List<Object> reply, boolean again) {
        ScriptCall late;
        try {
            time.replied(ScriptCall.nowMicros(reply));
            late = sent.answered(reply, rejections, again);
        } catch (RuntimeException | Error e) {
            // Errors too: nothing else would end the call.
            sent.failed(key -> RedisErrors.notUnderstood(key, e));
            return;
        }
        if (late != null) {
            send(late, true);
        }
    }

    /** Decides in other calls what Redis has executed nothing of, because of some of the keys. */
    private boolean isDecidedOtherwise(ScriptCall sent, Throwable error) {
        Call set = sent instanceof SetCall call && call.sets().size() == 1
                ? call.sets().get(0).sent()
                : null;
        if (RedisErrors.areInSeveralSlots(error)) {
            splitBySlot();
            if (sent instanceof SetCall call) {
                startSets(call.sets().stream().map(Call::sent).toList());
            } else if (sent instanceof BatchCall batch) {
                decideParts(batch.call(), kinds(batch.call().keys()));
            }
        } else if (RedisErrors.isMovingKeys(error)) {
            // While their slot is moved to another node, each key is on one of both, where the client finds it. A call
            // that
            // is remembered would have a second key, which is on neither yet.
            if (set == null) {
                sent.singles().forEach(single -> send(single, false, false));
            } else {
                SequentialSet.decide(this, set);
            }
        } else if (RedisErrors.forbidsKey(error)) {
            // Redis does not say which key is forbidden.
            if (set == null) {
                sendAll(sent.halves());
            } else {
                findForbidden(set, error);
            }
        } else {
            return false;
        }
        return true;
    }

    /** Redis is a node of a Cluster, or behaves as one, and the client takes it for a standalone Redis. */
    private void splitBySlot() {
        if (!splitsBySlot) {
            splitsBySlot = true;
            log.warn(
                    "Redis rejects calls with keys of several hash slots, as a Cluster does, and the client does not know that it"
                            + " is one. So each slot has a call of its own, and a set is decided in several. Set"
                            + " spring.data.redis.cluster.nodes, so that keys share slots and calls.");
        }
    }

    /** Peeks at each key of a set, and fails it by the one that fails. */
    private void findForbidden(Call set, Throwable error) {
        List<KeyRequests<?>> peeks = new ArrayList<>();
        set.keys().forEach(part -> peeks.add(part.peek()));
        start(new Call(
                peeks,
                false,
                () -> true,
                peeked -> peeked.stream()
                        .map(Answer::failure)
                        .filter(Objects::nonNull)
                        .findFirst()
                        .ifPresentOrElse(
                                failure -> set.failed(key -> failure),
                                () -> set.failed(key -> RedisErrors.of(key, AsyncFailures.cause(error))))));
    }

    private record SlotAndKind(int slot, int kind) {}
}
