package io.limiter.internal.redis.script;

import io.limiter.LimiterBackendException;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.Request;
import io.limiter.internal.backend.Answer;
import io.limiter.internal.backend.BackendFailures;
import io.limiter.internal.backend.Call;
import io.limiter.internal.cache.KnownRejections;
import io.limiter.internal.engine.KeyRequests;
import io.limiter.internal.redis.client.RedisErrors;
import io.limiter.internal.step.Steps;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One call of a limit's script: encodes its arguments and decodes its reply. Java twin of {@code batch.lua}, which
 * describes both.
 *
 * <p>To keep calls small, keys with equal requests share a section, and equal requests in a row are one run. The
 * reply contains states instead of decisions, and only where they are needed; {@link Limit#step} computes the decisions
 * here, bit by bit as in Lua.
 */
public class ScriptCall {

    private static final String ANOTHER_TIME = "TIME";

    static final StateCodec CODEC = new StateCodec();

    private final Call call;
    private final int kind;
    private final long sentNanos;
    private final long estimatedMicros;
    private final List<Integer> atAnotherTime = new ArrayList<>(0);

    /**
     * @param kind of the limits of all keys
     * @param sentNanos by the clock of the rejection cache
     * @param estimatedMicros estimated server time
     */
    public ScriptCall(Call call, int kind, long sentNanos, long estimatedMicros) {
        this.call = call;
        this.kind = kind;
        this.sentNanos = sentNanos;
        this.estimatedMicros = estimatedMicros;
    }

    final Call call() {
        return call;
    }

    final int kind() {
        return kind;
    }

    final long sentNanos() {
        return sentNanos;
    }

    final ScriptArgument newArgument() {
        return new ScriptArgument(estimatedMicros);
    }

    /** The same for some of the keys, to be sent now. */
    ScriptCall with(Call part, long newSentNanos, long newEstimatedMicros) {
        return new ScriptCall(part, kind, newSentNanos, newEstimatedMicros);
    }

    /** The server time of a reply. */
    static long nowMicros(List<Object> reply) {
        return (Long) reply.get(0);
    }

    /** Indexes of the keys that were not decided because the server time was not the expected one. */
    final List<Integer> atAnotherTime() {
        return atAnotherTime;
    }

    final byte[][] keys() {
        List<KeyRequests<?>> batch = call.keys();
        byte[][] keys = new byte[batch.size()][];
        for (int i = 0; i < keys.length; i++) {
            keys[i] = batch.get(i).key().getBytes(StandardCharsets.UTF_8);
        }
        return keys;
    }

    byte[] argument() {
        List<KeyRequests<?>> batch = call.keys();
        ScriptArgument argument = newArgument();
        for (int first = 0; first < batch.size(); ) {
            int end = first + 1;
            while (end < batch.size() && equalRequests(batch.get(first), batch.get(end))) {
                end++;
            }
            argument.addSection(end - first, batch.get(first), kind);
            first = end;
        }
        return argument.toBytes();
    }

    private static boolean equalRequests(KeyRequests<?> one, KeyRequests<?> other) {
        List<Request> requests = one.requests();
        if (requests.size() != other.requests().size() || !one.limit().equals(other.limit())) {
            return false;
        }
        for (int i = 0; i < requests.size(); i++) {
            if (!requests.get(i).equals(other.requests().get(i))) {
                return false;
            }
        }
        return true;
    }

    /** The answers, in the order of the batch. */
    public List<Answer> answers(List<Object> reply, KnownRejections rejections) {
        List<KeyRequests<?>> batch = call.keys();
        long now = nowMicros(reply);
        long granted = 0;
        boolean complete = true;
        byte[] @Nullable [] values = values(reply);
        List<Answer> answers = new ArrayList<>(batch.size());
        for (int i = 0; i < batch.size(); i++) {
            KeyRequests<?> keyRequests = batch.get(i);
            byte[] value = values[i];
            if (isProblem(value)) {
                if (isAnotherTime(value)) {
                    atAnotherTime.add(i);
                }
                answers.add(Answer.failed(problem(keyRequests.key(), value)));
                continue;
            }
            try {
                Answer answer = answer(keyRequests, value, now, rejections);
                granted += grants(keyRequests.requests(), answer.decisions());
                answers.add(answer);
            } catch (RuntimeException e) {
                answers.add(Answer.failed(BackendFailures.ofLimit(keyRequests.key(), keyRequests.limit(), e, true)));
                complete = false;
            }
        }
        long grantedByScript = (Long) reply.get(1);
        if (complete && granted != grantedByScript) {
            atAnotherTime.clear();
            return notUnderstood("its script granted " + grantedByScript
                    + " requests of a call where the same arithmetic in this JVM grants " + granted);
        }
        return answers;
    }

    /** The values of a reply by key; {@code null} for the keys that it leaves out. */
    private byte[] @Nullable [] values(List<Object> reply) {
        byte[][] values = new byte[call.keys().size()][];
        int key = 0;
        for (int i = 2; i < reply.size(); i++) {
            if (reply.get(i) instanceof Long number) {
                key = number.intValue() - 1;
            } else {
                values[key++] = (byte[]) reply.get(i);
            }
        }
        return values;
    }

    /** Whether the reply for a key is a problem instead of a state. */
    static boolean isProblem(byte @Nullable [] value) {
        return value != null && value.length > 0 && value[0] == '!';
    }

    private <S> Answer answer(
            KeyRequests<S> keyRequests, byte @Nullable [] value, long now, KnownRejections rejections) {
        Limit<S> limit = keyRequests.limit();
        S state = CODEC.read(keyRequests.key(), value, limit, LimitScripts.ofKind(kind), now, -1);
        Steps<S> steps = new Steps<>(limit, state, now);
        List<Decision> decisions = steps.next(keyRequests.requests());
        rejections.decided(keyRequests, decisions, steps.state(), now, sentNanos);
        return Answer.of(decisions);
    }

    private static long grants(List<Request> requests, List<Decision> decisions) {
        long grants = 0;
        for (int i = 0; i < decisions.size(); i++) {
            Request.Action action = requests.get(i).action();
            if (action == Request.Action.PREFETCH) {
                grants += decisions.get(i).limit();
            } else if (decisions.get(i).granted() && action == Request.Action.TAKE) {
                grants++;
            }
        }
        return grants;
    }

    static LimiterBackendException problem(String key, byte[] reply) {
        String problem = problemOf(reply);
        return problem.equals("UNREADABLE") ? RedisErrors.unreadable(key) : RedisErrors.refused(key, problem);
    }

    /** Whether it was not decided because the server time was not the expected one. */
    static boolean isAnotherTime(byte[] reply) {
        return problemOf(reply).equals(ANOTHER_TIME);
    }

    private static String problemOf(byte[] reply) {
        return new String(reply, 1, reply.length - 1, StandardCharsets.UTF_8);
    }

    /** It was decided, and the reply makes no sense. */
    final List<Answer> notUnderstood(String problem) {
        IllegalStateException error = new IllegalStateException(problem);
        return call.failures(key -> RedisErrors.notUnderstood(key, error));
    }
}
