package io.limiter.spring.key.spel;

import io.limiter.spring.key.KeyRequest;
import io.limiter.spring.key.MissingLimitKeyException;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.standard.SpelExpression;

/**
 * The key of a rule for HTTP requests. Safe for use by many threads.
 *
 * @param finder see {@link #of}
 * @param usesUser whether the user must be known before the key is found
 */
public record RequestKey(Function<KeyRequest, @Nullable String> finder, boolean usesUser) {

    /** Headers and cookies are tokens of RFC 9110. The name of a claim may be a URI. */
    private static final Pattern PART = Pattern.compile("(header|cookie):([!#$%&'*+.^_`|~0-9A-Za-z-]+)|(claim):(\\S+)");

    /**
     * Parses {@code ip}, {@code user}, {@code all}, {@code header:X-Api-Key}, {@code cookie:sid}, {@code claim:tenant}, or a text with
     * expressions over {@link KeyRequest}, such as <code>#{header('X-Tenant')}:#{ip}</code>.
     *
     * @throws IllegalArgumentException if the text is none of these, or an expression cannot work or is forbidden
     */
    public static RequestKey parse(String text) {
        return switch (text) {
            case "ip" -> new RequestKey(KeyRequest::ip, false);
            case "user" -> new RequestKey(RequestKey::userOrIp, true);
            case "all" -> new RequestKey(request -> null, false);
            default ->
                part("key", text, "ip, user, all, header:<name>, cookie:<name>, claim:<name>", "#{header('X-Tenant')}");
        };
    }

    /**
     * Parses the plan of a rule, which is a header, a cookie, a claim or a text with expressions, as a key. What finds no value throws
     * {@link MissingLimitKeyException}.
     *
     * @throws IllegalArgumentException if the text is none of these, or an expression cannot work or is forbidden
     */
    public static RequestKey plan(String text) {
        return part("plan", text, "header:<name>, cookie:<name>, claim:<name>", "#{claim('plan')}");
    }

    /** A key that is known; {@code null} or blank if the request has none. */
    public static RequestKey known(@Nullable String key) {
        return new RequestKey(request -> needed("key", key), false);
    }

    private static RequestKey part(String what, String text, String allowed, String example) {
        if (text.contains("#{")) {
            return template(what, text);
        }
        if (!PART.matcher(text).matches()) {
            throw new IllegalArgumentException(
                    "must be " + allowed + ", or a text with expressions such as " + example + ", was '" + text + "'");
        }
        String kind = text.substring(0, text.indexOf(':'));
        String name = text.substring(text.indexOf(':') + 1);
        BiFunction<KeyRequest, String, @Nullable String> find = switch (kind) {
            case "header" -> KeyRequest::header;
            case "cookie" -> KeyRequest::cookie;
            default -> KeyRequest::claim;
        };
        String missing = kind + " " + name;
        return new RequestKey(request -> needed(missing, find.apply(request, name)), kind.equals("claim"));
    }

    /**
     * The key of a request, or {@code null} if all requests share the limit.
     *
     * @throws MissingLimitKeyException if there is none
     */
    public @Nullable String of(KeyRequest request) {
        return finder.apply(request);
    }

    private static RequestKey template(String what, String text) {
        ExpressionSource<KeyRequest> source = ExpressionSource.ofRequest(what, text);
        KeyTemplate<KeyRequest> template = KeyTemplate.parse(source, "use all");
        return new RequestKey(template::of, usesUser(text));
    }

    /** Whether the expressions in a text that was parsed read the user or a claim of the user. */
    public static boolean usesUser(@Nullable String text) {
        return uses(text, RequestScope::usesUser);
    }

    /** Whether the expressions in a text that was parsed read a parameter of the query or a form. */
    public static boolean usesParam(@Nullable String text) {
        return uses(text, RequestScope::usesParam);
    }

    private static boolean uses(@Nullable String text, Predicate<SpelNode> test) {
        return text != null
                && text.contains("#{")
                && ExpressionSource.ofRequest("", text).parts().stream()
                        .anyMatch(part -> part instanceof SpelExpression expression && test.test(expression.getAST()));
    }

    private static String needed(String what, @Nullable String value) {
        if (value == null || value.isBlank()) {
            throw MissingLimitKeyException.inRequest("the request has no " + what + ", which is the key of its limit");
        }
        return value;
    }

    /** With a prefix, because a name can look like an address. */
    private static String userOrIp(KeyRequest request) {
        String name = request.user();
        return name == null ? "ip:" + request.ip() : "user:" + needed("user name", name);
    }
}
