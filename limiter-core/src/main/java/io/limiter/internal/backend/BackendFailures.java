package io.limiter.internal.backend;

import io.limiter.LimiterBackendException;
import io.limiter.LimiterBackendException.Kind;
import io.limiter.step.LimitStep;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Creates the {@link LimiterBackendException}s that several packages throw. */
public final class BackendFailures {

    /** {@linkplain LimiterBackendException#problem() Problems} of a connection that is not logged in. */
    public static final String NOAUTH = "NOAUTH";

    public static final String WRONGPASS = "WRONGPASS";

    /**
     * The {@linkplain LimiterBackendException#problem() problem} of a call that the client has sent twice. The backend has answered, but
     * not what it decided the first time.
     */
    public static final String REPEATED = "repeated";

    private static final String QUEUE = "queue";
    private static final String OTHER = "other";
    private static final String UNEXPECTED = "unexpected";

    private BackendFailures() {}

    /** Nothing was done, and there is no short name for the cause. */
    public static LimiterBackendException notExecuted(String key, String text) {
        return notExecuted(key, text, null);
    }

    public static LimiterBackendException notExecuted(String key, String text, @Nullable Throwable cause) {
        return new LimiterBackendException(Kind.NOT_EXECUTED, OTHER, key, text, null, cause);
    }

    /**
     * What was to make the call has thrown before anything was sent. Permanent, because the next call will throw too unless somebody
     * corrects it, and until then no answer of the backend could show that anything is wrong.
     */
    public static LimiterBackendException unexpected(String key, String text, @Nullable Throwable cause) {
        return new LimiterBackendException(Kind.PERMANENT, UNEXPECTED, key, text, null, cause);
    }

    /** Whether the backend has answered all the same: with an error that concerns this key or operation, and not the connection. */
    public static boolean isAnswer(LimiterBackendException failure) {
        return failure.kind() == Kind.PERMANENT
                && !Set.of(NOAUTH, WRONGPASS, UNEXPECTED).contains(failure.problem());
    }

    /**
     * Nothing was sent, because too many requests wait for that while the backend is available. Without a stack trace, because
     * there are many.
     *
     * @param kind whether it may be sent again immediately
     */
    public static LimiterBackendException queueFull(
            Kind kind, String key, String text, String remedy, @Nullable Throwable cause) {
        return new LimiterBackendException(kind, QUEUE, key, text, remedy, cause, false);
    }

    /** Whether it is such a failure. It says nothing about the backend, and what others decide instead would be granted on top. */
    public static boolean isQueueFull(LimiterBackendException failure) {
        return failure.problem().equals(QUEUE);
    }

    /** The failure of a request that could not be queued. */
    public static LimiterBackendException queuing(String key, RuntimeException thrown) {
        return thrown instanceof LimiterBackendException known
                ? known
                : unexpected(key, "it could not be queued: " + thrown, thrown);
    }

    /** It was withdrawn just before it was sent: its caller has its failure already. */
    public static LimiterBackendException withdrawn(String key) {
        return notExecuted(key, "it was withdrawn");
    }

    /** The failure of a call that could not be made; permanent unless it is known. */
    public static LimiterBackendException ofCall(String key, @Nullable Throwable error) {
        return error instanceof LimiterBackendException known
                ? known
                : unexpected(
                        key,
                        "the call failed: " + error,
                        error == null ? new IllegalStateException("no answers") : error);
    }

    /** The backend has decided requests, and what it answered could not complete them. */
    public static LimiterBackendException notCompleted(String key, Throwable thrown) {
        return new LimiterBackendException(
                        Kind.PERMANENT, "answer", key, "its requests could not be completed: " + thrown, null, thrown)
                .maybeDone();
    }

    /** The failure of a call; ambiguous unless it is known. */
    public static LimiterBackendException of(String key, Throwable error) {
        Throwable cause = AsyncFailures.cause(error);
        return cause instanceof LimiterBackendException known
                ? known
                : ambiguous(key, "the call failed: " + cause, cause);
    }

    /**
     * The limit's own code has thrown.
     *
     * @param decided whether the backend had already saved the decision
     */
    public static LimiterBackendException ofLimit(
            String key, LimitStep<?> limit, RuntimeException cause, boolean decided) {
        LimiterBackendException failure = cause instanceof LimiterBackendException already
                ? already
                : new LimiterBackendException(
                        Kind.PERMANENT, "limit", key, "the limit " + limit + " failed: " + cause, null, cause);
        return decided ? failure.maybeDone() : failure;
    }

    /** The request may have been executed, and there is no short name for the cause. */
    public static LimiterBackendException ambiguous(String key, String text, @Nullable Throwable cause) {
        return new LimiterBackendException(Kind.AMBIGUOUS, OTHER, key, text, null, cause);
    }

    /** The limiters were closed. */
    public static LimiterBackendException closed(String key) {
        return new LimiterBackendException(Kind.CLOSED, "closed", key, "the limiters were closed", null, null);
    }

    /**
     * Nothing was sent, because the backend is known to be unavailable. Has no stack trace: during an outage every
     * request fails this way, and recording the stack would cost more than everything else.
     */
    public static LimiterBackendException unavailable(String key, String text, @Nullable Throwable cause) {
        return new LimiterBackendException(Kind.NOT_EXECUTED, "unavailable", key, text, null, cause, false);
    }
}
