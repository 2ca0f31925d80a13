package io.limiter.internal.redis.client;

import io.limiter.LimiterBackendException;
import io.limiter.LimiterBackendException.Kind;
import io.limiter.internal.backend.BackendFailures;
import io.limiter.internal.key.ShownKey;
import io.limiter.internal.resilience.Guard;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.dao.QueryTimeoutException;

/** Translates errors of Redis into failures, by what they mean for a retry. */
public final class RedisErrors {

    private static final String NOPERM = "NOPERM";
    private static final String AT_DEBUG =
            " (at level DEBUG, the logger " + ShownKey.LOGGER + " shows the key and the command)";
    private static final String DELETE = "delete the key, or use another name or prefix";

    /** Permanent errors, which last until an operator acts, and their remedies. */
    private static final Map<String, String> REMEDIES = Map.of(
            "WRONGTYPE",
            DELETE,
            "NOTIME",
            "allow the command TIME in scripts, for the limiters' user too, or use a server that has it",
            NOPERM,
            "give the limiters' user the rights that docs/operations/README.md lists",
            BackendFailures.NOAUTH,
            "set the user and password of the connection",
            BackendFailures.WRONGPASS,
            "correct the user and password of the connection",
            "OOM",
            "raise Redis's maxmemory, or give the limiters a Redis of their own",
            "MISCONF",
            "see Redis's log: it cannot save to its disk",
            "CROSSSLOT",
            "set spring.data.redis.cluster.nodes, because Redis is a Cluster");

    /** Errors after which nothing was executed and a retry may succeed. */
    private static final String PASSING = "LOADING|BUSY|READONLY|MOVED|ASK|TRYAGAIN|CLUSTERDOWN|MASTERDOWN|NOREPLICAS"
            + "|NOSCRIPT|max number of clients reached";

    private static final Pattern CODE =
            Pattern.compile("\\b(?:(" + String.join("|", REMEDIES.keySet()) + ")|(" + PASSING + "))\\b");

    /** What Redis says of an error in a script, which may have done something before. */
    private static final Pattern IN_SCRIPT = Pattern.compile("user_script|Error running script| script: ");

    /** Behind the dot, Redisson adds the command. */
    private static final Pattern FORBIDDEN_KEY = Pattern.compile(NOPERM + "(?![^.]*(run the|script))[^.]* key");

    /** By name, because either client may be absent. */
    private static final Set<String> ERROR_REPLY = Set.of(
            "io.lettuce.core.RedisCommandExecutionException", "redis.clients.jedis.exceptions.JedisDataException");

    /** Redisson's, for error replies and for what it finds itself. */
    private static final Set<String> REDISSON = Set.of("org.redisson.client.RedisException");

    private static final Set<String> TIMEOUT =
            Set.of(QueryTimeoutException.class.getName(), "io.lettuce.core.RedisCommandTimeoutException");

    private static final Set<String> NO_CONNECTION = Set.of(
            "io.lettuce.core.RedisConnectionException",
            "org.springframework.data.redis.connection.PoolException",
            NotConnectedException.class.getName());

    private static final Pattern NOT_CONNECTED =
            Pattern.compile("Currently not connected\\. Commands are rejected\\.|Connection is closed");

    /** Lettuce's, before it sends anything. */
    private static final Pattern QUEUE_FULL =
            Pattern.compile("(Request queue|Command buffer|Internal stack) size exceeded");

    /** A client has sent a call twice, which was executed once; what was decided then is not known. */
    private static final String REPEATED = "REPEATED";

    private static final String UNREADABLE = "what is stored there is not this kind of limit's state";

    private RedisErrors() {}

    /** The call failed: no connection, no answer in time, an error. */
    public static LimiterBackendException of(String key, Throwable cause) {
        if (cause instanceof LimiterBackendException already) {
            return already.forKey(key);
        }
        if (cause instanceof NotSentException notSent) {
            return notSent(key, notSent.thrown());
        }
        String text = "Redis failed: " + describe(cause);
        Throwable shown = cause instanceof NotConnectedException && cause.getCause() != null ? cause.getCause() : cause;
        Throwable reply = errorReply(cause);
        if (reply != null && !startsWith(cause, REPEATED)) {
            return reply(key, text, String.valueOf(reply.getMessage()), shown);
        }
        if (isQueueFull(cause)) {
            return BackendFailures.queueFull(
                    Kind.RETRYABLE, key, text, "raise Lettuce's ClientOptions.requestQueueSize", shown);
        }
        if (find(NO_CONNECTION, cause) != null
                || NOT_CONNECTED.matcher(describe(cause)).find()) {
            return noConnection(key, text, describe(cause), shown);
        }
        String problem =
                reply != null ? BackendFailures.REPEATED : find(TIMEOUT, cause) == null ? "no answer" : Guard.TIMEOUT;
        return new LimiterBackendException(Kind.AMBIGUOUS, problem, key, text, null, shown);
    }

    /** A call failed after which nothing was decided: a lock was not acquired, or a state not loaded. */
    public static LimiterBackendException undecided(String key, RuntimeException cause) {
        LimiterBackendException failure = of(key, cause);
        return failure.kind() == Kind.AMBIGUOUS
                ? new LimiterBackendException(
                        Kind.RETRYABLE, failure.problem(), key, "Redis failed: " + describe(cause), null, cause)
                : failure;
    }

    /** The client threw before it sent anything. */
    private static LimiterBackendException notSent(String key, RuntimeException thrown) {
        LimiterBackendException failure = of(key, thrown);
        return failure.isAmbiguous() ? notMade(key, thrown) : failure;
    }

    /** The call could not be made, by no fault of Redis. */
    public static LimiterBackendException notMade(String key, RuntimeException cause) {
        return cause instanceof LimiterBackendException already
                ? already
                : BackendFailures.unexpected(key, "the call to Redis was not made: " + describe(cause), cause);
    }

    /**
     * Whether Redis has executed nothing of a call because it forbids one of its keys. It does not say which.
     *
     * <p>Not if it forbids a command, or something to a script, which ran until then.
     */
    public static boolean forbidsKey(Throwable error) {
        Throwable reply = errorReply(error);
        return reply != null
                && FORBIDDEN_KEY.matcher(String.valueOf(reply.getMessage())).lookingAt();
    }

    /** Whether Redis has executed nothing of a call because its keys are in several slots, and it is a node of a Cluster. */
    public static boolean areInSeveralSlots(Throwable error) {
        return startsWith(error, "CROSSSLOT");
    }

    /** Whether Redis, or what a proxy takes for it, reads and refuses writes. */
    static boolean isReadOnly(Throwable error) {
        return startsWith(error, "READONLY");
    }

    /** Whether the client has sent nothing, because it waits for too many replies already. */
    static boolean isQueueFull(Throwable error) {
        return QUEUE_FULL.matcher(describe(error)).find();
    }

    /** Whether a slot is being moved and Redis has only some of its keys, so that it decides each one, but not several. */
    public static boolean isMovingKeys(Throwable error) {
        return startsWith(error, "TRYAGAIN");
    }

    private static boolean startsWith(Throwable error, String code) {
        Throwable reply = errorReply(error);
        return reply != null && String.valueOf(reply.getMessage()).startsWith(code);
    }

    private static @Nullable Throwable errorReply(Throwable thrown) {
        Throwable reply = find(ERROR_REPLY, thrown);
        Throwable redissons = reply == null ? find(REDISSON, thrown) : null;
        String message = redissons == null ? "" : String.valueOf(redissons.getMessage());
        return CODE.matcher(message).lookingAt() || message.startsWith(REPEATED) ? redissons : reply;
    }

    /** An error reply: nothing was done, unless a script began to. */
    private static LimiterBackendException reply(String key, String text, String reply, @Nullable Throwable cause) {
        Matcher code = CODE.matcher(reply);
        if (!code.find()) {
            LimiterBackendException failure =
                    new LimiterBackendException(Kind.PERMANENT, "error", key, text, null, cause);
            return IN_SCRIPT.matcher(reply).find() ? failure.maybeDone() : failure;
        }
        String permanent = code.group(1);
        return permanent == null
                ? new LimiterBackendException(Kind.RETRYABLE, code.group(2), key, text, null, cause)
                : permanent(permanent, key, text, cause);
    }

    private static LimiterBackendException permanent(
            String problem, String key, String text, @Nullable Throwable cause) {
        boolean keyForbidden = problem.equals(NOPERM) && cause != null && forbidsKey(cause);
        String remedy = keyForbidden
                ? "give the limiters' user a right to the keys of this prefix"
                : REMEDIES.getOrDefault(problem, DELETE);
        String command = remedy.equals(DELETE)
                ? ShownKey.of(key).equals(key) ? " (in redis-cli: DEL " + quoted(key) + ")" : AT_DEBUG
                : keyForbidden ? " (in redis-cli: ACL SETUSER <user> " + quoted("~" + prefix(key) + "*") + ")" : "";
        return new LimiterBackendException(Kind.PERMANENT, problem, key, text + "; " + remedy + command, remedy, cause);
    }

    private static String prefix(String key) {
        int brace = key.indexOf('{');
        return brace < 0 ? key : key.substring(0, brace);
    }

    /** As redis-cli reads it, and harmless in a shell: part of a key is what a caller says. */
    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            char c = (char) (b & 0xFF);
            boolean plain = c > ' ' && c < 0x7F && "\"\\$`!".indexOf(c) < 0;
            quoted.append(plain ? String.valueOf(c) : String.format("\\x%02x", (int) c));
        }
        return quoted.append('"').toString();
    }

    /** The login may have failed, or the connection for a reason that the reply does not contain. */
    private static LimiterBackendException noConnection(String key, String text, String reply, Throwable cause) {
        Matcher code = CODE.matcher(reply);
        return code.find() && code.group(1) != null
                ? reply(key, text, reply, cause)
                : new LimiterBackendException(Kind.RETRYABLE, "connection", key, text, null, cause);
    }

    private static @Nullable Throwable find(Set<String> types, Throwable thrown) {
        for (Throwable t = thrown; t != null; t = t.getCause()) {
            for (Class<?> type = t.getClass(); type != null; type = type.getSuperclass()) {
                if (types.contains(type.getName())) {
                    return t;
                }
            }
        }
        return null;
    }

    /** Redis has decided, and what it replied makes no sense here. */
    public static LimiterBackendException notUnderstood(String key, Throwable cause) {
        return cause instanceof LimiterBackendException already
                ? already.maybeDone()
                : new LimiterBackendException(
                                Kind.PERMANENT,
                                "reply",
                                key,
                                "Redis failed: " + describe(cause) + "; do all instances run one version?",
                                null,
                                cause)
                        .maybeDone();
    }

    /** Redis refused the command on this key. */
    public static LimiterBackendException refused(String key, String error) {
        return reply(key, "Redis refused: " + error, error, null);
    }

    /** The value is not one this limit writes. */
    public static LimiterBackendException unreadable(String key) {
        return permanent("unreadable", key, UNREADABLE, null);
    }

    public static LimiterBackendException unreadable(String key, Exception cause) {
        return permanent("unreadable", key, UNREADABLE + " (" + cause.getMessage() + ")", cause);
    }

    private static String describe(Throwable thrown) {
        Throwable cause = NestedExceptionUtils.getMostSpecificCause(thrown);
        return cause.getMessage() == null ? cause.toString() : cause.getMessage();
    }
}
