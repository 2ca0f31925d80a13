package io.limiter.internal.redis.script;

import io.limiter.LimiterBackendException;
import io.limiter.internal.backend.Answer;
import io.limiter.internal.backend.BackendFailures;
import io.limiter.internal.backend.Call;
import io.limiter.internal.cache.KnownRejections;
import io.limiter.internal.engine.KeyRequests;
import io.limiter.internal.redis.client.LuaScript;
import io.limiter.internal.redis.client.RedisErrors;
import io.limiter.step.LimitStep;
import io.limiter.step.Step;
import io.limiter.step.Verdict;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Sets of limits, which are decided at one moment, one after the other, but equal sets in a row together. Java twin of {@code
 * set.lua}, which describes its arguments and its reply, and takes Redis longer for a single request than {@code batch.lua}.
 *
 * <p>A key may be in several of the sets. The reply has what each row of equal sets has found, so no state is taken over from
 * one row to the next, and sets of any kinds and definitions share a call. A row that was not decided leaves the others alone.
 */
final class SetCall extends ScriptCall {

    private final List<Call> sets;
    private final List<Row> rows = new ArrayList<>();
    private final Map<String, Integer> keys = new HashMap<>();
    private final BitSet kinds = new BitSet();

    /**
     * @param sets each for all or nothing, in their order
     * @param sentNanos by the clock of the rejection cache
     * @param estimatedMicros estimated server time
     */
    SetCall(List<Call> sets, long sentNanos, long estimatedMicros) {
        super(sentNanos, estimatedMicros);
        this.sets = sets;
    }

    List<Call> sets() {
        return sets;
    }

    @Override
    byte[] argument() {
        ScriptArgument argument = newArgument();
        for (int first = 0; first < sets.size(); ) {
            List<KeyRequests<?>> parts = sets.get(first).keys();
            int end = first + 1;
            while (end < sets.size() && sets.get(end).keys().equals(parts)) {
                end++;
            }
            Row row = new Row(parts, sets.subList(first, end));
            rows.add(row);
            int start = argument.startRow(parts.size(), end - first);
            for (KeyRequests<?> part : parts) {
                int kind = LimitScripts.kindOf(part.limit());
                kinds.set(kind);
                Integer known = keys.putIfAbsent(part.key(), keys.size() + 1);
                argument.addPart(known == null ? keys.size() : known, row.requests(part), kind);
            }
            argument.endRow(start);
            first = end;
        }
        return argument.toBytes();
    }

    @Override
    LuaScript script(ClockScripts scripts) {
        return scripts.sets().of(kinds);
    }

    @Override
    byte[][] keys() {
        byte[][] inOrder = new byte[keys.size()][];
        keys.forEach((key, number) -> inOrder[number - 1] = key.getBytes(StandardCharsets.UTF_8));
        return inOrder;
    }

    @Override
    int size() {
        return sets.stream().mapToInt(set -> set.keys().size()).sum();
    }

    @Override
    int requests() {
        return size();
    }

    @Override
    boolean returnsPermits() {
        return false;
    }

    @Override
    List<SetCall> halves() {
        int half = sets.size() / 2;
        return half == 0 ? List.of() : List.of(with(sets.subList(0, half)), with(sets.subList(half, sets.size())));
    }

    @Override
    List<SetCall> singles() {
        return sets.stream().map(set -> with(List.of(set))).toList();
    }

    private SetCall with(List<Call> some) {
        return new SetCall(some, sentNanos(), estimatedMicros());
    }

    @Override
    void notMade(RuntimeException cause) {
        failed(key -> RedisErrors.notMade(key, cause));
    }

    @Override
    void failed(Function<String, LimiterBackendException> failure) {
        sets.forEach(set -> set.failed(failure));
    }

    @Override
    @Nullable
    SetCall answered(List<Object> reply, KnownRejections rejections, boolean again) {
        long now = nowMicros(reply);
        List<Call> late = new ArrayList<>(0);
        int place = 1;
        for (Row row : rows) {
            if (!row.answered(reply, place, now, rejections, sentNanos(), again)) {
                late.addAll(row.sets);
            }
            place += 1 + row.parts.size();
        }
        return late.isEmpty() ? null : new SetCall(late, rejections.readNanos(), now);
    }

    /** Equal sets, one after the other. */
    private record Row(List<KeyRequests<?>> parts, List<Call> sets) {

        /** The requests of all sets for the key of a part. */
        <S> KeyRequests<S> requests(KeyRequests<S> part) {
            return sets.size() == 1
                    ? part
                    : new KeyRequests<>(part.key(), part.limit(), Collections.nCopies(sets.size(), part.request()));
        }

        /**
         * Each all granted and taken, or none taken.
         *
         * @param place of this row in the reply
         * @return {@code false} if these must be sent again, because the server time was not the expected one; then nothing was
         *     answered
         */
        boolean answered(
                List<Object> reply, int place, long now, KnownRejections rejections, long sentNanos, boolean again) {
            LimiterBackendException failure;
            try {
                List<byte @Nullable []> found = new ArrayList<>(parts.size());
                for (int i = 0; i < parts.size(); i++) {
                    byte[] value = (byte[]) reply.get(place + 1 + i);
                    if (isProblem(value)) {
                        if (isAnotherTime(value) && !again) {
                            return false;
                        }
                        throw problem(parts.get(i).key(), value);
                    }
                    found.add(value);
                }
                List<List<Answer>> answers = decide(found, now, (Long) reply.get(place), rejections, sentNanos);
                for (int i = 0; i < answers.size(); i++) {
                    sets.get(i).answered().accept(answers.get(i));
                }
                return true;
            } catch (LimiterBackendException e) {
                failure = e;
            } catch (RuntimeException | Error e) {
                // Errors too: nothing else would end these sets.
                failure = RedisErrors.notUnderstood(parts.get(0).key(), e);
            }
            LimiterBackendException why = failure;
            sets.forEach(set -> set.failed(key -> why));
            return true;
        }

        private List<List<Answer>> decide(
                List<byte @Nullable []> found,
                long now,
                long grantedByScript,
                KnownRejections rejections,
                long sentNanos) {
            List<PartSteps<?>> turns = new ArrayList<>(parts.size());
            for (int i = 0; i < parts.size(); i++) {
                turns.add(PartSteps.of(parts.get(i), found.get(i), now));
            }
            List<List<Answer>> answers = new ArrayList<>(sets.size());
            long granted = 0;
            boolean rejects = false;
            for (int i = 0; i < sets.size(); i++) {
                int willing = willing(turns);
                boolean all = willing == turns.size();
                granted += all || !rejects ? willing : 0;
                rejects |= !all;
                List<Answer> ofSet = new ArrayList<>(turns.size());
                for (PartSteps<?> turn : turns) {
                    ofSet.add(Answer.of(List.of(turn.decision(all))));
                }
                answers.add(ofSet);
            }
            if (granted != grantedByScript) {
                throw notUnderstood(
                        parts.get(0).key(),
                        "its script would grant " + grantedByScript + " of " + sets.size() * parts.size()
                                + " limits where the same arithmetic in this JVM grants " + granted);
            }
            turns.forEach(turn -> turn.record(rejections, sentNanos));
            return answers;
        }
    }

    private static int willing(List<PartSteps<?>> turns) {
        int willing = 0;
        for (PartSteps<?> turn : turns) {
            willing += turn.grants() ? 1 : 0;
        }
        return willing;
    }

    /** One part of the sets in a row, at the time of the call. */
    private static final class PartSteps<S> {

        private final KeyRequests<S> part;
        private final long nowMicros;
        private @Nullable S state;
        private Step<S> step;
        private @Nullable Verdict last;

        private PartSteps(KeyRequests<S> part, byte @Nullable [] value, long nowMicros) {
            this.part = part;
            this.nowMicros = nowMicros;
            this.state = CODEC.read(part.key(), value, part.limit(), nowMicros, -1);
            this.step = part.limit().step(state, nowMicros, part.request());
        }

        static <S> PartSteps<S> of(KeyRequests<S> part, byte @Nullable [] value, long nowMicros) {
            try {
                return new PartSteps<>(part, value, nowMicros);
            } catch (RuntimeException e) {
                throw BackendFailures.ofLimit(part.key(), part.limit(), e, true);
            }
        }

        /** Whether it grants the request of the next set. */
        boolean grants() {
            return step.verdict().isGranted();
        }

        /**
         * The decision about the next set.
         *
         * @param take whether all parts grant it; if not, those that do have a peek
         */
        Verdict decision(boolean take) {
            LimitStep<S> limit = part.limit();
            Verdict decision = step.verdict();
            try {
                if (!take && decision.isGranted()) {
                    return limit.step(state, nowMicros, part.request().asPeek()).verdict();
                }
                last = decision;
                if (state != step.state()) {
                    state = step.state();
                    step = limit.step(state, nowMicros, part.request());
                }
            } catch (RuntimeException e) {
                throw BackendFailures.ofLimit(part.key(), limit, e, true);
            }
            return decision;
        }

        /** Records the last decision that was no peek. */
        void record(KnownRejections rejections, long sentNanos) {
            if (last != null) {
                rejections.decided(part, List.of(last), state, nowMicros, sentNanos);
            }
        }
    }
}
