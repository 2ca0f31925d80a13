package io.limiter.redis;

import io.limiter.LimiterBackendException;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Request;
import io.limiter.engine.Answer;
import io.limiter.engine.Engine;
import io.limiter.engine.KeyRequests;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Decides inside Redis: one {@code EVALSHA} for a batch of one kind of limit, or in a Cluster, where a script sees the
 * keys of one slot only, one for each key. The script reads the server's clock once and writes each key once, as the
 * last thing it does for it, so nothing can be half done.
 */
final class ScriptEngine implements Engine {

    /** Longer than any wait that is ever granted, and exact as a double. */
    private static final long LONGEST_TIMEOUT = (1L << 53) - 1;

    private final RedisCalls redis;
    private final Map<Class<?>, Kind> kindsByType = new LinkedHashMap<>();

    /**
     * @param clock the part of the scripts that tells the time
     */
    ScriptEngine(RedisCalls redis, String clock) {
        this.redis = redis;
        String replies = LuaScript.resource("replies.lua");
        String batch = LuaScript.resource("batch.lua");
        for (ScriptedLimit<?, ?> limit : ScriptedLimit.ALL) {
            LuaScript script = LuaScript.of(clock, replies, LuaScript.resource(limit.fileName()), batch);
            kindsByType.put(limit.type(), new Kind(limit, script));
        }
    }

    @Override
    public List<Answer> decide(List<KeyRequests<?>> batch) {
        if (batch.size() == 1) {
            return call(kindOf(batch.get(0)), batch);
        }
        List<Kind> kinds = batch.stream().map(this::kindOf).toList();
        boolean together;
        try {
            together = redis.keysShareCalls();
        } catch (RuntimeException e) {
            return allFailed(batch, e);
        }
        Answer[] answers = new Answer[batch.size()];
        for (List<Integer> call : calls(batch, kinds, together)) {
            List<KeyRequests<?>> asked = new ArrayList<>(call.size());
            for (int i : call) {
                asked.add(batch.get(i));
            }
            Iterator<Answer> answered = call(kinds.get(call.get(0)), asked).iterator();
            for (int i : call) {
                answers[i] = answered.next();
            }
        }
        return Arrays.asList(answers);
    }

    /** Which places of the batch go together: those of one kind, or each by itself. */
    private static Iterable<List<Integer>> calls(List<KeyRequests<?>> batch, List<Kind> kinds, boolean together) {
        Map<Object, List<Integer>> calls = new LinkedHashMap<>();
        for (int i = 0; i < batch.size(); i++) {
            Object call = together ? kinds.get(i) : batch.get(i).key();
            calls.computeIfAbsent(call, c -> new ArrayList<>()).add(i);
        }
        return calls.values();
    }

    private static List<Answer> allFailed(List<KeyRequests<?>> batch, RuntimeException cause) {
        return batch.stream()
                .map(asked -> Answer.failed(RedisProblems.of(asked.key(), cause)))
                .toList();
    }

    private Kind kindOf(KeyRequests<?> asked) {
        Kind kind = kindsByType.get(asked.limit().getClass());
        if (kind == null) {
            throw new IllegalArgumentException(
                    "there is no script for " + asked.limit().getClass().getName() + ": the script engine decides "
                            + kindsByType.keySet() + ", the lock engine any limit");
        }
        return kind;
    }

    private List<Answer> call(Kind kind, List<KeyRequests<?>> batch) {
        List<byte[]> keysAndArguments = new ArrayList<>(2 * batch.size());
        for (KeyRequests<?> asked : batch) {
            keysAndArguments.add(asked.key().getBytes(StandardCharsets.UTF_8));
        }
        for (KeyRequests<?> asked : batch) {
            keysAndArguments.add(argument(kind.limit(), asked));
        }
        List<Object> reply;
        try {
            reply = redis.runForList(kind.script(), batch.size(), keysAndArguments);
        } catch (RuntimeException e) {
            return allFailed(batch, e);
        }
        return answers(batch, reply.iterator());
    }

    private static byte[] argument(ScriptedLimit<?, ?> scripted, KeyRequests<?> asked) {
        int doubles = scripted.numbersOf(asked.limit()) + 2 * asked.requests().size();
        ByteBuffer out = ByteBuffer.allocate(doubles * Double.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        scripted.writeNumbersOf(asked.limit(), out);
        for (Request request : asked.requests()) {
            out.putDouble(request.peek() ? -request.permits() : request.permits());
            out.putDouble(Math.min(request.timeoutMicros(), LONGEST_TIMEOUT));
        }
        return out.array();
    }

    private static List<Answer> answers(List<KeyRequests<?>> batch, Iterator<Object> reply) {
        List<Answer> answers = new ArrayList<>(batch.size());
        for (KeyRequests<?> asked : batch) {
            answers.add(answer(asked, reply));
        }
        return answers;
    }

    private static Answer answer(KeyRequests<?> asked, Iterator<Object> reply) {
        List<Decision> decisions = new ArrayList<>(asked.requests().size());
        while (decisions.size() < asked.requests().size()) {
            Object first = reply.next();
            if (first instanceof byte[] problem) {
                return Answer.failed(problem(asked.key(), new String(problem, StandardCharsets.UTF_8)));
            }
            decisions.add(new Decision(
                    number(first) == 1,
                    asked.limit().capacity(),
                    number(reply.next()),
                    micros(reply.next()),
                    micros(reply.next()),
                    micros(reply.next())));
        }
        return Answer.of(decisions);
    }

    private static LimiterBackendException problem(String key, String problem) {
        return problem.equals("UNREADABLE") ? RedisProblems.unreadable(key) : RedisProblems.refused(key, problem);
    }

    private static long number(Object replied) {
        return (Long) replied;
    }

    private static long micros(Object replied) {
        long micros = number(replied);
        return micros < 0 ? Decision.NEVER_MICROS : micros;
    }

    private record Kind(ScriptedLimit<?, ?> limit, LuaScript script) {}
}
