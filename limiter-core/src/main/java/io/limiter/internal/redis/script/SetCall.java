package io.limiter.internal.redis.script;

import io.limiter.LimiterBackendException;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.Request;
import io.limiter.algorithm.Step;
import io.limiter.internal.backend.Answer;
import io.limiter.internal.backend.KeyRequests;
import io.limiter.internal.cache.KnownRejections;
import io.limiter.internal.engine.SetPart;
import io.limiter.internal.redis.client.RedisErrors;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One call for a set of limits, the Java twin of {@code set.lua}. As in {@link ScriptCall}, this computes the decisions
 * from the states that the script found. The number of grants must be the same.
 */
public final class SetCall {

    private static final StateCodec CODEC = new StateCodec();

    private final List<SetPart<?>> parts;
    private final long sentNanos;
    private final long estimatedMicros;

    /**
     * @param sentNanos by the clock of the rejection cache
     * @param estimatedMicros estimated server time
     */
    public SetCall(List<SetPart<?>> parts, long sentNanos, long estimatedMicros) {
        this.parts = parts;
        this.sentNanos = sentNanos;
        this.estimatedMicros = estimatedMicros;
    }

    byte[][] keys() {
        byte[][] keys = new byte[parts.size()][];
        for (int i = 0; i < keys.length; i++) {
            keys[i] = parts.get(i).key().getBytes(StandardCharsets.UTF_8);
        }
        return keys;
    }

    byte[] argument() {
        ScriptArgument argument = new ScriptArgument(estimatedMicros);
        for (SetPart<?> part : parts) {
            argument.addKind(SetScripts.kindOf(part.limit()));
            argument.addSection(1, KeyRequests.of(part));
        }
        return argument.toBytes();
    }

    /** Whether the set was not decided because the server time was not the expected one. */
    boolean isAnotherTime(List<Object> reply) {
        for (int i = 0; i < parts.size(); i++) {
            byte[] value = found(reply, i);
            if (value != null && ScriptCall.isProblem(value)) {
                return ScriptCall.isAnotherTime(value);
            }
        }
        return false;
    }

    /** A decision for each part, in their order: all granted and taken, or none taken. */
    public Answer answer(List<Object> reply, KnownRejections rejections) {
        for (int i = 0; i < parts.size(); i++) {
            byte[] value = found(reply, i);
            if (value != null && ScriptCall.isProblem(value)) {
                return Answer.failed(ScriptCall.problem(parts.get(i).key(), value));
            }
        }
        long now = (Long) reply.get(0);
        List<Turn<?>> turns = new ArrayList<>(parts.size());
        for (int i = 0; i < parts.size(); i++) {
            try {
                turns.add(new Turn<>(parts.get(i), found(reply, i), now));
            } catch (LimiterBackendException e) {
                return Answer.failed(e.maybeDone());
            } catch (RuntimeException e) {
                return Answer.failed(RedisErrors.limitFailed(KeyRequests.of(parts.get(i)), e, true));
            }
        }
        long granted = turns.stream().filter(Turn::granted).count();
        long grantedByScript = (Long) reply.get(1);
        if (granted != grantedByScript) {
            return notUnderstood(new IllegalStateException("its script would grant " + grantedByScript + " of "
                    + parts.size() + " limits where the same arithmetic in this JVM grants " + granted));
        }
        boolean take = granted == parts.size();
        return Answer.of(turns.stream()
                .map(turn -> turn.decision(take, rejections, sentNanos))
                .toList());
    }

    private static byte @Nullable [] found(List<Object> reply, int part) {
        return (byte[]) reply.get(part + 2);
    }

    /** The call could not be made. */
    public Answer notExecuted(RuntimeException error) {
        return Answer.failed(RedisErrors.notExecuted(parts.get(0).key(), error));
    }

    /** The failure for a set that was decided but whose reply makes no sense. */
    Answer notUnderstood(RuntimeException error) {
        return Answer.failed(RedisErrors.notUnderstood(parts.get(0).key(), error));
    }

    /** The call failed as a whole. */
    Answer failed(Throwable error) {
        return ScriptCall.allFailed(List.of(KeyRequests.of(parts.get(0))), error)
                .get(0);
    }

    /** One part, at the time of the call. */
    private static final class Turn<S> {

        private final SetPart<S> part;
        private final long nowMicros;
        private final @Nullable S found;
        private final Step<S> step;

        Turn(SetPart<S> part, byte @Nullable [] value, long nowMicros) {
            this.part = part;
            this.nowMicros = nowMicros;
            this.found = value == null ? null : CODEC.read(part.key(), value, part.limit(), nowMicros, -1);
            this.step = part.limit().step(found, nowMicros, part.request());
        }

        boolean granted() {
            return step.decision().granted();
        }

        /** The decision of this part; a peek if it would grant and another part rejects. */
        Decision decision(boolean take, KnownRejections rejections, long sentNanos) {
            if (granted() && !take) {
                Limit<S> limit = part.limit();
                return limit.step(found, nowMicros, part.request().as(Request.Action.PEEK))
                        .decision();
            }
            rejections.decided(KeyRequests.of(part), List.of(step.decision()), step.state(), nowMicros, sentNanos);
            return step.decision();
        }
    }
}
