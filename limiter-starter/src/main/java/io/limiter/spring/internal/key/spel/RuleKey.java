package io.limiter.spring.internal.key.spel;

import io.limiter.spring.annotation.LimitType;
import io.limiter.spring.key.KeyRequest;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The key of a rule, which says whose permits a call or a request takes: one template or a path of them, the outermost first. Safe for
 * use by many threads.
 *
 * @param keys empty if all callers share the permits
 */
public record RuleKey(List<KeyTemplate> keys) {

    private static final String ALL = "all";

    public RuleKey {
        keys = List.copyOf(keys);
    }

    /**
     * Parses and checks the keys of an annotation.
     *
     * @param path empty if the annotation has no key
     * @param annotated the method that declares the arguments
     * @throws IllegalArgumentException if a key is missing, has no effect or cannot work
     */
    public static RuleKey ofMethod(LimitType type, List<String> path, Method annotated) {
        if (type == LimitType.CUSTOM) {
            return new RuleKey((path.isEmpty() ? List.of("") : path)
                    .stream().map(key -> ofMethod(key, annotated)).toList());
        }
        if (!path.isEmpty()) {
            throw new IllegalArgumentException("key '" + String.join("', '", path) + "' has no effect with limitType "
                    + type + ": leave the limitType out, or leave the key out");
        }
        return new RuleKey(
                switch (type) {
                    case IP -> List.of(KeyTemplate.IP);
                    case USER -> List.of(KeyTemplate.USER_OR_IP);
                    default -> List.of();
                });
    }

    /**
     * A key of type {@link LimitType#CUSTOM}.
     *
     * @throws IllegalArgumentException if the key is blank, cannot be parsed, is the same for all calls, cannot work or is
     *     forbidden
     */
    static KeyTemplate ofMethod(String key, Method annotated) {
        if (key.isBlank()) {
            throw new IllegalArgumentException(
                    "limitType CUSTOM needs a key, such as #{phone}, and no key of a path may be blank");
        }
        return KeyTemplate.ofMethod(
                "key",
                key,
                annotated,
                switch (key) {
                    case "user", "#user" ->
                        "leave the key out and use limitType USER for the user who is logged in, or write #{user()}";
                    case "ip", "#ip" ->
                        "leave the key out and use limitType IP for the address of the caller, or write #{ip()}";
                    default -> "leave the key out, so that all callers share the permits";
                });
    }

    /**
     * Parses the keys of a rule: {@code ip}, {@code user}, or as in an annotation, such as {@code claim:tenant}; or {@code all} alone.
     *
     * @param path texts with one or several keys, which commas separate
     * @throws IllegalArgumentException if a key is none of these, or an expression cannot work or is forbidden
     */
    public static RuleKey ofRule(List<String> path) {
        List<String> texts = path.stream().flatMap(text -> split(text).stream()).toList();
        if (texts.equals(List.of(ALL))) {
            return new RuleKey(List.of());
        }
        if (texts.contains(ALL)) {
            throw new IllegalArgumentException(
                    "must not have all and other keys, was '" + String.join(",", texts) + "': leave all out");
        }
        return new RuleKey((texts.isEmpty() ? List.of("") : texts)
                .stream().map(RuleKey::ofRule).toList());
    }

    private static KeyTemplate ofRule(String key) {
        return switch (key) {
            case "ip" -> KeyTemplate.IP;
            case "user" -> KeyTemplate.USER_OR_IP;
            default -> KeyTemplate.ofRule("key", key, "ip, user, all, ", "#{header('X-Tenant')}", "use all");
        };
    }

    /** Splits at commas outside of expressions. */
    private static List<String> split(String text) {
        List<String> parts = new ArrayList<>();
        int begin = 0;
        int depth = 0;
        boolean quoted = false;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (depth > 0 && c == '\'') {
                quoted = !quoted;
            } else if (c == '{' && !quoted && (depth > 0 || i > 0 && text.charAt(i - 1) == '#')) {
                depth++;
            } else if (c == '}' && !quoted && depth > 0) {
                depth--;
            } else if (c == ',' && depth == 0) {
                parts.add(text.substring(begin, i).strip());
                begin = i + 1;
            }
        }
        parts.add(text.substring(begin).strip());
        return parts;
    }

    /** A path of one key that is known; {@code null} or blank if the request has none. */
    public static RuleKey known(@Nullable String key) {
        return new RuleKey(List.of(KeyTemplate.known(key)));
    }

    /** Whether all callers share the permits. */
    public boolean isShared() {
        return keys.isEmpty();
    }

    /**
     * The keys of a call; empty if all callers share the permits.
     *
     * @throws io.limiter.spring.key.MissingLimitKeyException if one of them is missing
     */
    public List<String> of(@Nullable Object[] arguments, KeyRequest request) {
        if (keys.size() == 1) {
            return List.of(keys.get(0).of(arguments, request));
        }
        List<String> path = new ArrayList<>(keys.size());
        for (KeyTemplate key : keys) {
            path.add(key.of(arguments, request));
        }
        return path;
    }

    /** The keys of a request. */
    public List<String> of(KeyRequest request) {
        return of(Names.NO_ARGUMENTS, request);
    }

    /** The facts that the keys read. */
    public Needs needs() {
        return keys.stream().map(KeyTemplate::needs).reduce(Needs.NONE, Needs::and);
    }
}
