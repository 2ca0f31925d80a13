package io.limiter.internal.redis.script;

import io.limiter.LimiterBackendException;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.Step;
import io.limiter.internal.backend.Answer;
import io.limiter.internal.backend.BackendFailures;
import io.limiter.internal.backend.Call;
import io.limiter.internal.cache.KnownRejections;
import io.limiter.internal.engine.KeyRequests;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The call of a limit set, all of whose parts are decided at one moment. Java twin of {@code set.lua}, which takes Redis longer
 * for a single request than {@code batch.lua}.
 */
public final class SetCall extends ScriptCall {

    private final int[] kinds;

    /**
     * @param kinds of the limits, in the order of the parts
     * @param sentNanos by the clock of the rejection cache
     * @param estimatedMicros estimated server time
     */
    public SetCall(Call call, int[] kinds, long sentNanos, long estimatedMicros) {
        super(call, kinds[0], sentNanos, estimatedMicros);
        this.kinds = kinds;
    }

    @Override
    ScriptCall with(Call all, long newSentNanos, long newEstimatedMicros) {
        return new SetCall(all, kinds, newSentNanos, newEstimatedMicros);
    }

    @Override
    byte[] argument() {
        ScriptArgument argument = newArgument();
        for (int i = 0; i < kinds.length; i++) {
            argument.addKind(kinds[i]);
            argument.addSection(1, call().keys().get(i), kinds[i]);
        }
        return argument.toBytes();
    }

    /** All granted and taken, or none taken. */
    @Override
    public List<Answer> answers(List<Object> reply, KnownRejections rejections) {
        List<KeyRequests<?>> parts = call().keys();
        for (int i = 0; i < kinds.length; i++) {
            byte[] value = found(reply, i);
            if (value != null && isProblem(value)) {
                if (isAnotherTime(value)) {
                    IntStream.range(0, kinds.length).forEach(atAnotherTime()::add);
                }
                LimiterBackendException problem = problem(parts.get(i).key(), value);
                return call().failures(key -> problem);
            }
        }
        long now = nowMicros(reply);
        List<Turn<?>> turns = new ArrayList<>(kinds.length);
        for (int i = 0; i < kinds.length; i++) {
            KeyRequests<?> part = parts.get(i);
            try {
                turns.add(new Turn<>(part, found(reply, i), kinds[i], now));
            } catch (RuntimeException e) {
                LimiterBackendException failure = BackendFailures.ofLimit(part.key(), part.limit(), e, true);
                return call().failures(key -> failure);
            }
        }
        long granted = turns.stream().filter(Turn::granted).count();
        long grantedByScript = (Long) reply.get(1);
        if (granted != grantedByScript) {
            return notUnderstood("its script would grant " + grantedByScript + " of " + kinds.length
                    + " limits where the same arithmetic in this JVM grants " + granted);
        }
        boolean take = granted == kinds.length;
        List<Answer> answers = new ArrayList<>(kinds.length);
        for (Turn<?> turn : turns) {
            answers.add(Answer.of(List.of(turn.decision(take, rejections, sentNanos()))));
        }
        return answers;
    }

    private static byte @Nullable [] found(List<Object> reply, int part) {
        return (byte[]) reply.get(part + 2);
    }

    /** One part, at the time of the call. */
    private static final class Turn<S> {

        private final KeyRequests<S> part;
        private final long nowMicros;
        private final @Nullable S found;
        private final Step<S> step;

        Turn(KeyRequests<S> part, byte @Nullable [] value, int kind, long nowMicros) {
            this.part = part;
            this.nowMicros = nowMicros;
            this.found = CODEC.read(part.key(), value, part.limit(), LimitScripts.ofKind(kind), nowMicros, -1);
            this.step = part.limit().step(found, nowMicros, part.request());
        }

        boolean granted() {
            return step.decision().granted();
        }

        /** The decision of this part; a peek if it would grant and another part rejects. */
        Decision decision(boolean take, KnownRejections rejections, long sentNanos) {
            if (granted() && !take) {
                Limit<S> limit = part.limit();
                return limit.step(found, nowMicros, part.request().asPeek()).decision();
            }
            rejections.decided(part, List.of(step.decision()), step.state(), nowMicros, sentNanos);
            return step.decision();
        }
    }
}
