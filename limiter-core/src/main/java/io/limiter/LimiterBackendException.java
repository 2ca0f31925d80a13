package io.limiter;

import io.limiter.internal.key.ShownKey;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The backend that holds a limiter's state did not decide: Redis does not answer or rejects, a lock was not to be had,
 * or what is stored under the key is not a limiter's state.
 *
 * <p>The message shows a hash of the caller's key, because messages are logged and keys can be personal data;
 * {@link #key()} has the key. While the logger {@code io.limiter.keys} is at level DEBUG, messages show keys.
 */
public final class LimiterBackendException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private static final String MAYBE_DONE = "; it may have been made all the same, so count the permits as taken";
    private static final String AT_DEBUG =
            " (at level DEBUG, the logger io.limiter.keys shows the key and the command)";

    /** What a failure means for the request, and for the next one. */
    public enum Kind {
        /** Nothing was done, and another try may go well soon: Redis is loading, fails over, or cannot be reached. */
        RETRYABLE,
        /** Nothing was done: the request was not sent in time, or not at all. */
        NOT_EXECUTED,
        /** The request was sent and not answered, so it may have been done. */
        AMBIGUOUS,
        /** It will go on until somebody does something: no rights, a foreign value, no memory. */
        PERMANENT,
        /** The limiters were closed. */
        CLOSED
    }

    private final String key;
    private final Kind kind;
    private final String problem;
    private final String text;
    private final String command;
    private final @Nullable String remedy;
    private final boolean ambiguous;

    private LimiterBackendException(
            Kind kind,
            String problem,
            String key,
            String text,
            @Nullable String remedy,
            String command,
            @Nullable Throwable cause,
            boolean ambiguous,
            boolean withStack) {
        super(null, cause, true, withStack);
        this.kind = kind;
        this.problem = problem;
        this.key = key;
        this.text = text;
        this.remedy = remedy;
        this.command = command;
        this.ambiguous = ambiguous;
    }

    private LimiterBackendException(
            Kind kind, String problem, String key, String text, @Nullable Throwable cause, boolean ambiguous) {
        this(kind, problem, key, text, null, "", cause, ambiguous, true);
    }

    /**
     * One of {@link Kind#NOT_EXECUTED}.
     *
     * @param key the key in the backend
     * @param problem what happened, and what to do if that is known
     */
    public LimiterBackendException(String key, String problem) {
        this(Kind.NOT_EXECUTED, "other", key, problem, null, false);
    }

    /** With the backend client's own exception as the cause. */
    public LimiterBackendException(String key, String problem, Throwable cause) {
        this(key, problem, cause, false);
    }

    /**
     * One of {@link Kind#AMBIGUOUS} or {@link Kind#NOT_EXECUTED}.
     *
     * @param ambiguous whether the permits may have been taken although there is no decision
     */
    public LimiterBackendException(String key, String problem, Throwable cause, boolean ambiguous) {
        this(ambiguous ? Kind.AMBIGUOUS : Kind.NOT_EXECUTED, "other", key, problem, cause, ambiguous);
    }

    /**
     * One of a kind.
     *
     * @param problem a short name for what is wrong, one of a few: {@code NOPERM}, {@code unreadable}
     * @param text what happened, and what to do if that is known
     */
    public static LimiterBackendException of(
            Kind kind, String problem, String key, String text, @Nullable Throwable cause) {
        return new LimiterBackendException(kind, problem, key, text, cause, kind == Kind.AMBIGUOUS);
    }

    /**
     * One that will go on until somebody does something.
     *
     * @param remedy what to do, without the key
     * @param command how to do that with this key; may be empty
     */
    public static LimiterBackendException permanent(
            String problem, String key, String text, String remedy, String command, @Nullable Throwable cause) {
        return new LimiterBackendException(
                Kind.PERMANENT, problem, key, text + "; " + remedy, remedy, command, cause, false, true);
    }

    /** One that will go on, of a request that may have been done all the same. */
    public static LimiterBackendException permanentAfterwards(
            String problem, String key, String text, @Nullable Throwable cause) {
        return new LimiterBackendException(Kind.PERMANENT, problem, key, text, cause, true);
    }

    /** The limiters were closed. */
    public static LimiterBackendException closed(String key) {
        return of(Kind.CLOSED, "closed", key, "the limiters were closed", null);
    }

    /** Nothing was tried, because the backend is known to be away. Has no stack, which would cost more than the rest. */
    public static LimiterBackendException notAsked(String key, String text, @Nullable Throwable cause) {
        return new LimiterBackendException(Kind.NOT_EXECUTED, "away", key, text, null, "", cause, false, false);
    }

    /** Made when it is asked for, because most failures of an outage are never shown. */
    @Override
    public String getMessage() {
        String shown = ShownKey.of(key);
        boolean hidden = !shown.equals(key);
        return "no decision for key '" + shown + "': "
                // An error of a client can name the key, too.
                + (hidden ? text.replace(key, shown) : text)
                + (hidden && namesKey(command) ? AT_DEBUG : command)
                + (ambiguous ? MAYBE_DONE : "");
    }

    /** A prefix has no braces, and every key has. */
    private static boolean namesKey(String command) {
        return command.indexOf('{') >= 0;
    }

    /** The same failure with the calling thread's stack, for a caller whose request failed on another thread. */
    public LimiterBackendException inThisThread() {
        return copy(kind, key, ambiguous);
    }

    /** The same failure of another key. */
    public LimiterBackendException forKey(String otherKey) {
        if (otherKey.equals(key)) {
            return this;
        }
        return copy(kind, otherKey, ambiguous);
    }

    /**
     * The same failure of a request that may have been done, or in part. So it is ambiguous, and not to be tried again: one
     * that would pass is of {@link Kind#AMBIGUOUS}.
     */
    public LimiterBackendException maybeDone() {
        if (ambiguous) {
            return this;
        }
        boolean lasts = kind == Kind.PERMANENT || kind == Kind.CLOSED;
        return copy(lasts ? kind : Kind.AMBIGUOUS, key, true);
    }

    private LimiterBackendException copy(Kind newKind, String newKey, boolean newAmbiguous) {
        LimiterBackendException copy = new LimiterBackendException(
                newKind,
                problem,
                newKey,
                text.replace("'" + key + "'", "'" + newKey + "'"),
                remedy,
                newKey.equals(key) || !namesKey(command) ? command : "",
                getCause(),
                newAmbiguous,
                true);
        for (Throwable suppressed : getSuppressed()) {
            copy.addSuppressed(suppressed);
        }
        return copy;
    }

    /**
     * Whether the permits may have been taken although there is no decision: the request was sent, and no answer came, or
     * one that could not be understood. If not, nothing was taken.
     */
    public boolean isAmbiguous() {
        return ambiguous;
    }

    /** What it means. */
    public Kind kind() {
        return kind;
    }

    /** A short name for what is wrong, one of a few: {@code NOPERM}, {@code unreadable}, {@code timeout}. */
    public String problem() {
        return problem;
    }

    /** What to do about it, without the key, which may be a person's; not known of all. */
    public Optional<String> remedy() {
        return Optional.ofNullable(remedy);
    }

    /** The key in the backend. */
    public String key() {
        return key;
    }
}
