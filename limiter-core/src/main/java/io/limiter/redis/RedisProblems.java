package io.limiter.redis;

import io.limiter.LimiterBackendException;
import io.limiter.engine.Answer;
import io.limiter.engine.BlockingCalls;
import io.limiter.engine.KeyRequests;
import java.util.List;
import java.util.Set;
import org.springframework.core.NestedExceptionUtils;

/** What can go wrong with Redis, in the words a reader of the log needs. */
final class RedisProblems {

    private static final String REMEDY = "; delete the key, or use another name or prefix";

    private static final Set<String> NOTHING_DONE = Set.of(
            "io.lettuce.core.RedisCommandExecutionException",
            "io.lettuce.core.RedisConnectionException",
            "redis.clients.jedis.exceptions.JedisDataException");

    private static final String UNREADABLE = "what is stored there is not this kind of limit's state";

    private RedisProblems() {}

    /** The call failed: no connection, no answer in time, an error. */
    static LimiterBackendException of(String key, Throwable failure) {
        if (failure instanceof LimiterBackendException already) {
            return already;
        }
        return failure instanceof NotSentException notSent
                ? failed(key, notSent.thrown(), false)
                : failed(key, failure, !saysNothingWasDone(failure));
    }

    private static LimiterBackendException failed(String key, Throwable cause, boolean ambiguous) {
        return new LimiterBackendException(key, "Redis failed: " + describe(cause), cause, ambiguous);
    }

    /** The call could not be made, by no fault of Redis. */
    static LimiterBackendException notAsked(String key, RuntimeException cause) {
        return cause instanceof LimiterBackendException already
                ? already
                : new LimiterBackendException(key, "Redis was not asked: " + describe(cause), cause);
    }

    /** The same for all. */
    static List<Answer> notAsked(List<KeyRequests<?>> batch, RuntimeException cause) {
        return batch.stream()
                .map(asked -> Answer.failed(notAsked(asked.key(), cause)))
                .toList();
    }

    /** An error reply, or no connection in the first place. By name, because either client may be absent. */
    private static boolean saysNothingWasDone(Throwable thrown) {
        for (Throwable t = thrown; t != null; t = t.getCause()) {
            for (Class<?> type = t.getClass(); type != null; type = type.getSuperclass()) {
                if (NOTHING_DONE.contains(type.getName())) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Redis was not asked any more. */
    static List<Answer> closed(List<KeyRequests<?>> batch) {
        return batch.stream()
                .map(asked -> Answer.failed(new LimiterBackendException(asked.key(), BlockingCalls.CLOSED)))
                .toList();
    }

    /**
     * The limit itself threw.
     *
     * @param decided whether its script had decided already
     */
    static LimiterBackendException limitFailed(KeyRequests<?> asked, RuntimeException cause, boolean decided) {
        return new LimiterBackendException(
                asked.key(), "the limit " + asked.limit() + " failed: " + cause, cause, decided);
    }

    /** Redis refused the command on this key. */
    static LimiterBackendException refused(String key, String error) {
        return new LimiterBackendException(key, "Redis refused: " + error + (wrongType(error) ? REMEDY : ""));
    }

    /** The value is not one this limit writes. */
    static LimiterBackendException unreadable(String key) {
        return new LimiterBackendException(key, UNREADABLE + REMEDY);
    }

    static LimiterBackendException unreadable(String key, Exception cause) {
        return new LimiterBackendException(key, UNREADABLE + " (" + cause.getMessage() + ")" + REMEDY, cause);
    }

    private static boolean wrongType(String error) {
        return error.contains("WRONGTYPE");
    }

    private static String describe(Throwable thrown) {
        Throwable cause = NestedExceptionUtils.getMostSpecificCause(thrown);
        return cause.getMessage() == null ? cause.toString() : cause.getMessage();
    }
}
