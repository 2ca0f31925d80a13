package io.limiter.internal.redis.script;

import io.limiter.LimiterBackendException;
import io.limiter.internal.cache.KnownRejections;
import io.limiter.internal.redis.client.LuaScript;
import io.limiter.internal.redis.client.RedisErrors;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One call of a script: encodes its arguments and decodes its reply. */
abstract class ScriptCall {

    static final StateCodec CODEC = new StateCodec();

    private static final String ANOTHER_TIME = "TIME";

    private final long sentNanos;
    private final long estimatedMicros;

    /**
     * @param sentNanos by the clock of the rejection cache
     * @param estimatedMicros estimated server time
     */
    ScriptCall(long sentNanos, long estimatedMicros) {
        this.sentNanos = sentNanos;
        this.estimatedMicros = estimatedMicros;
    }

    final long sentNanos() {
        return sentNanos;
    }

    final long estimatedMicros() {
        return estimatedMicros;
    }

    final ScriptArgument newArgument() {
        return new ScriptArgument(estimatedMicros);
    }

    /** To be called once, before all that follow. */
    abstract byte[] argument();

    abstract LuaScript script(ClockScripts scripts);

    /** No key twice. */
    abstract byte[][] keys();

    /** The number of keys; one counts once for each set that it is in. */
    abstract int size();

    abstract int requests();

    /** Whether it returns permits that would be returned twice if it were executed twice. */
    abstract boolean returnsPermits();

    /** The same in two calls; empty if what is left is decided in one call or not at all. */
    abstract List<? extends ScriptCall> halves();

    /** The same in as many calls as possible. */
    abstract List<? extends ScriptCall> singles();

    /** Fails what cannot be split because it cannot be encoded. */
    abstract void notMade(RuntimeException cause);

    /** Fails everything. */
    abstract void failed(Function<String, LimiterBackendException> failure);

    /**
     * Answers what was decided.
     *
     * @param again whether it was sent before, with another time than Redis's; that does not happen twice, because parameters
     *     are valid for days
     * @return what is to be sent now, because the server time was not the expected one; {@code null} for nothing
     * @throws RuntimeException if the reply makes no sense; then nothing was answered
     */
    abstract @Nullable ScriptCall answered(List<Object> reply, KnownRejections rejections, boolean again);

    /** The server time of a reply. */
    static long nowMicros(List<Object> reply) {
        return (Long) reply.get(0);
    }

    /** Whether the reply for a key is a problem instead of a state. */
    static boolean isProblem(byte @Nullable [] value) {
        return value != null && value.length > 0 && value[0] == '!';
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
    static LimiterBackendException notUnderstood(String key, String problem) {
        return RedisErrors.notUnderstood(key, new IllegalStateException(problem));
    }
}
