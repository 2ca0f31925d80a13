package io.limiter;

import io.limiter.internal.key.ShownKey;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The backend did not decide: Redis is unavailable or reports an error, a lock could not be acquired, or the value
 * under the key is not a limiter's state.
 *
 * <p>The message shows a hash of the caller's key, because messages are logged and keys can be personal data.
 * {@link #key()} has the key. While the logger {@code io.limiter.keys} is at level DEBUG, messages show keys.
 */
public final class LimiterBackendException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private static final String MAYBE_DONE = "; it may have been executed, so count the permits as taken";

    /** The keys of live limits; those of limiters end with the brace, or have a suffix of another kind. */
    private static final Pattern LIVE_LIMITS =
            Pattern.compile("\\{limiter:live(:[^}]*)?}:(limits|version|history|keys|watched|fleet|instances)");

    private static final String MAYBE_CHANGED =
            "; the change may have been executed, so read the live limits before you repeat it";

    /** What a failure means for the request, and for the next one. */
    public enum Kind {
        /** Nothing was done, and a retry may succeed soon: Redis is loading, fails over, or cannot be reached. */
        RETRYABLE,
        /** Nothing was done: the request was not sent, or not in time. */
        NOT_EXECUTED,
        /** The request was sent and there was no usable answer, so it may have been executed. */
        AMBIGUOUS,
        /** Retries fail until the cause is corrected: no rights, a foreign value, no memory. */
        PERMANENT,
        /** The limiters were closed. */
        CLOSED
    }

    private final String key;
    private final Kind kind;
    private final String problem;
    private final String text;
    private final @Nullable String remedy;
    private final boolean ambiguous;
    private final boolean stackTrace;

    /**
     * A failure of the backend, as the limiters throw it.
     *
     * @param problem a short name for the cause, one of a few: {@code NOPERM}, {@code unreadable}
     * @param key the key in the backend
     * @param text what happened, and what to do if that is known. The message adds the key
     * @param remedy what to do, without the key, or {@code null} if that is not known
     * @param cause for example the exception of the backend's client
     */
    public LimiterBackendException(
            Kind kind, String problem, String key, String text, @Nullable String remedy, @Nullable Throwable cause) {
        this(kind, problem, key, text, remedy, cause, true);
    }

    /** Without a stack trace if {@code stackTrace} is false, for failures that are frequent. */
    public LimiterBackendException(
            Kind kind,
            String problem,
            String key,
            String text,
            @Nullable String remedy,
            @Nullable Throwable cause,
            boolean stackTrace) {
        super(null, cause, true, stackTrace);
        this.kind = Objects.requireNonNull(kind, "kind");
        this.problem = Objects.requireNonNull(problem, "problem");
        this.key = Objects.requireNonNull(key, "key");
        this.text = Objects.requireNonNull(text, "text");
        this.remedy = remedy;
        this.ambiguous = kind == Kind.AMBIGUOUS;
        this.stackTrace = stackTrace;
    }

    private LimiterBackendException(Kind kind, String problem, String key, String text) {
        super(null, null, true, false);
        this.kind = kind;
        this.problem = problem;
        this.key = key;
        this.text = text;
        this.remedy = null;
        this.ambiguous = kind == Kind.AMBIGUOUS;
        this.stackTrace = true;
    }

    /**
     * A failure that is found on another thread than the caller's, for many requests together. It has no stack trace until {@link
     * #inThisThread} gives it that of the caller.
     */
    public static LimiterBackendException ofOtherThread(Kind kind, String problem, String key, String text) {
        return new LimiterBackendException(
                Objects.requireNonNull(kind, "kind"),
                Objects.requireNonNull(problem, "problem"),
                Objects.requireNonNull(key, "key"),
                Objects.requireNonNull(text, "text"));
    }

    private LimiterBackendException(LimiterBackendException original, Kind kind, String key, boolean ambiguous) {
        super(null, original.getCause(), true, original.stackTrace);
        this.kind = kind;
        this.problem = original.problem;
        this.key = key;
        this.text = original.text.replace("'" + original.key + "'", "'" + key + "'");
        this.remedy = original.remedy;
        this.ambiguous = ambiguous;
        this.stackTrace = original.stackTrace;
        for (Throwable suppressed : original.getSuppressed()) {
            addSuppressed(suppressed);
        }
    }

    /** Composed on demand, because most failures of an outage are never shown. */
    @Override
    public String getMessage() {
        if (LIVE_LIMITS.matcher(key).matches()) {
            return "live limits: " + text + (ambiguous ? MAYBE_CHANGED : "");
        }
        String shown = ShownKey.of(key);
        // An error of a client can name the key, too.
        String shownText = shown.equals(key) ? text : text.replace(key, shown);
        return "no decision for key '" + shown + "': " + shownText + (ambiguous ? MAYBE_DONE : "");
    }

    /**
     * The same failure with the calling thread's stack trace, for a caller whose request failed on another thread, or this one if
     * it has no stack trace.
     */
    public LimiterBackendException inThisThread() {
        return !stackTrace ? this : new LimiterBackendException(this, kind, key, ambiguous);
    }

    /** The same failure for another key. */
    public LimiterBackendException forKey(String otherKey) {
        if (Objects.requireNonNull(otherKey, "otherKey").equals(key)) {
            return this;
        }
        return new LimiterBackendException(this, kind, otherKey, ambiguous);
    }

    /**
     * The same failure for a request that may have been executed, at least in part. It is ambiguous and must not be
     * retried. Its kind is {@link Kind#AMBIGUOUS} unless the failure is permanent or the limiters were closed.
     */
    public LimiterBackendException maybeDone() {
        if (ambiguous) {
            return this;
        }
        boolean lasts = kind == Kind.PERMANENT || kind == Kind.CLOSED;
        return new LimiterBackendException(this, lasts ? kind : Kind.AMBIGUOUS, key, true);
    }

    /**
     * Whether the permits may have been taken although there is no decision: the request was sent, and there was no
     * answer, or none that could be understood. If not, nothing was taken.
     */
    public boolean isAmbiguous() {
        return ambiguous;
    }

    /** What the failure means for the request, and for the next one. */
    public Kind kind() {
        return kind;
    }

    /** A short name for the cause, one of a few: {@code NOPERM}, {@code unreadable}, {@code timeout}. */
    public String problem() {
        return problem;
    }

    /** The remedy, if known, without the key, which may be personal data. */
    public Optional<String> remedy() {
        return Optional.ofNullable(remedy);
    }

    /** The key in the backend. */
    public String key() {
        return key;
    }
}
