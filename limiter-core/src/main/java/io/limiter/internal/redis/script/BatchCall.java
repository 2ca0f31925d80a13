package io.limiter.internal.redis.script;

import io.limiter.LimiterBackendException;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.internal.backend.Answer;
import io.limiter.internal.backend.BackendFailures;
import io.limiter.internal.backend.Call;
import io.limiter.internal.cache.KnownRejections;
import io.limiter.internal.engine.KeyRequests;
import io.limiter.internal.redis.client.LuaScript;
import io.limiter.internal.step.Steps;
import io.limiter.step.LimitStep;
import io.limiter.step.Request;
import io.limiter.step.Verdict;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A batch of requests of one kind of limit. Java twin of {@code batch.lua}, which describes its arguments and its reply.
 *
 * <p>To keep calls small, keys with equal requests share a section, and equal requests in a row are one run. The
 * reply contains states instead of decisions, and only where they are needed; {@link LimitStep#step} computes the decisions
 * here, bit by bit as in Lua.
 */
final class BatchCall extends ScriptCall {

    private final Call call;
    private final int kind;

    /**
     * @param kind of the limits of all keys
     * @param sentNanos by the clock of the rejection cache
     * @param estimatedMicros estimated server time
     */
    BatchCall(Call call, int kind, long sentNanos, long estimatedMicros) {
        super(sentNanos, estimatedMicros);
        this.call = call;
        this.kind = kind;
    }

    Call call() {
        return call;
    }

    @Override
    LuaScript script(ClockScripts scripts) {
        return scripts.batches().get(kind);
    }

    @Override
    int size() {
        return call.keys().size();
    }

    @Override
    int requests() {
        int requests = 0;
        for (KeyRequests<?> keyRequests : call.keys()) {
            requests += keyRequests.requests().size();
        }
        return requests;
    }

    /** The release of a lease can be repeated, because it names the lease. */
    @Override
    boolean returnsPermits() {
        if (call.keys().get(0).limit() instanceof ConcurrencyLimit) {
            return false;
        }
        for (KeyRequests<?> keyRequests : call.keys()) {
            for (Request request : keyRequests.requests()) {
                if (request.action() == Request.Action.REFUND) {
                    return true;
                }
            }
        }
        return false;
    }

    @Override
    List<BatchCall> halves() {
        int half = size() / 2;
        return half == 0 ? List.of() : split(List.of(range(0, half), range(half, size())));
    }

    @Override
    List<BatchCall> singles() {
        return split(IntStream.range(0, size()).mapToObj(List::of).toList());
    }

    private List<BatchCall> split(List<List<Integer>> places) {
        Parts parts = new Parts(call, places.size());
        return places.stream().map(some -> with(parts.at(some))).toList();
    }

    private static List<Integer> range(int from, int to) {
        return IntStream.range(from, to).boxed().toList();
    }

    private BatchCall with(Call part) {
        return new BatchCall(part, kind, sentNanos(), estimatedMicros());
    }

    @Override
    byte[][] keys() {
        List<KeyRequests<?>> batch = call.keys();
        byte[][] keys = new byte[batch.size()][];
        for (int i = 0; i < keys.length; i++) {
            keys[i] = batch.get(i).key().getBytes(StandardCharsets.UTF_8);
        }
        return keys;
    }

    @Override
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

    @Override
    void notMade(RuntimeException cause) {
        call.failed(key -> BackendFailures.ofLimit(key, call.keys().get(0).limit(), cause, false));
    }

    @Override
    void failed(Function<String, LimiterBackendException> failure) {
        call.failed(failure);
    }

    @Override
    @Nullable
    BatchCall answered(List<Object> reply, KnownRejections rejections, boolean again) {
        List<Integer> late = new ArrayList<>(0);
        List<Answer> answers = answers(reply, rejections, late);
        if (again || late.isEmpty()) {
            call.answered().accept(answers);
            return null;
        }
        return new BatchCall(new Parts(call, 1, answers).at(late), kind, rejections.readNanos(), nowMicros(reply));
    }

    /**
     * The answers, in the order of the batch.
     *
     * @param late gets the places of the keys that were not decided because the server time was not the expected one
     */
    List<Answer> answers(List<Object> reply, KnownRejections rejections, List<Integer> late) {
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
                    late.add(i);
                }
                answers.add(Answer.failed(problem(keyRequests.key(), value)));
                continue;
            }
            try {
                Answer answer = answer(keyRequests, value, now, rejections);
                granted += grants(keyRequests.requests(), answer.verdicts());
                answers.add(answer);
            } catch (RuntimeException e) {
                answers.add(Answer.failed(BackendFailures.ofLimit(keyRequests.key(), keyRequests.limit(), e, true)));
                complete = false;
            }
        }
        long grantedByScript = (Long) reply.get(1);
        if (complete && granted != grantedByScript) {
            late.clear();
            String problem = "its script granted " + grantedByScript
                    + " requests of a call where the same arithmetic in this JVM grants " + granted;
            return call.failures(key -> notUnderstood(key, problem));
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

    private <S> Answer answer(
            KeyRequests<S> keyRequests, byte @Nullable [] value, long now, KnownRejections rejections) {
        LimitStep<S> limit = keyRequests.limit();
        S state = CODEC.read(keyRequests.key(), value, limit, LimitScripts.ofKind(kind), now, -1);
        Steps<S> steps = new Steps<>(limit, state, now);
        List<Verdict> verdicts = steps.next(keyRequests.requests());
        rejections.decided(keyRequests, verdicts, steps.state(), now, sentNanos());
        return Answer.of(verdicts);
    }

    private static long grants(List<Request> requests, List<Verdict> verdicts) {
        long grants = 0;
        for (int i = 0; i < verdicts.size(); i++) {
            Request.Action action = requests.get(i).action();
            if (action == Request.Action.PREFETCH) {
                grants += verdicts.get(i).limit();
            } else if (verdicts.get(i).isGranted() && action == Request.Action.TAKE) {
                grants++;
            }
        }
        return grants;
    }
}
