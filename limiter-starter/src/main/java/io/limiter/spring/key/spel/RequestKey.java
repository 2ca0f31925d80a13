package io.limiter.spring.key.spel;

import io.limiter.spring.key.KeyRequest;
import io.limiter.spring.key.MissingLimitKeyException;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.spel.standard.SpelExpression;

/** The key of a rule for HTTP requests. Safe for use by many threads. */
public final class RequestKey {

    /** Followed by a token of RFC 9110. */
    private static final Pattern HEADER_OR_COOKIE = Pattern.compile("(header|cookie):([!#$%&'*+.^_`|~0-9A-Za-z-]+)");

    private final Function<KeyRequest, @Nullable String> finder;
    private final boolean usesUser;

    private RequestKey(Function<KeyRequest, @Nullable String> finder, boolean usesUser) {
        this.finder = finder;
        this.usesUser = usesUser;
    }

    /**
     * Parses {@code ip}, {@code user}, {@code all}, {@code header:X-Api-Key}, {@code cookie:sid}, or a text with expressions
     * over {@link KeyRequest}, such as <code>#{header('X-Tenant')}:#{ip}</code>.
     *
     * @throws IllegalArgumentException if the text is none of these, or an expression cannot work or is forbidden
     */
    public static RequestKey parse(String text) {
        if (text.contains("#{")) {
            return template(text);
        }
        Matcher part = HEADER_OR_COOKIE.matcher(text);
        if (part.matches()) {
            String kind = part.group(1);
            String name = part.group(2);
            BiFunction<KeyRequest, String, @Nullable String> find =
                    kind.equals("header") ? KeyRequest::header : KeyRequest::cookie;
            return new RequestKey(request -> needed(kind + " " + name, find.apply(request, name)), false);
        }
        return switch (text) {
            case "ip" -> new RequestKey(KeyRequest::ip, false);
            case "user" -> new RequestKey(RequestKey::userOrIp, true);
            case "all" -> new RequestKey(request -> null, false);
            default ->
                throw new IllegalArgumentException("must be ip, user, all, header:<name>, cookie:<name>, or a text with"
                        + " expressions such as #{header('X-Tenant')}, was '" + text + "'");
        };
    }

    /** Whether the user must be known before the key is found. */
    public boolean usesUser() {
        return usesUser;
    }

    /**
     * The key of a request, or {@code null} if all requests share the limit.
     *
     * @throws MissingLimitKeyException if there is none
     */
    public @Nullable String of(KeyRequest request) {
        return finder.apply(request);
    }

    private static RequestKey template(String text) {
        ExpressionSource<KeyRequest> source = ExpressionSource.ofRequest(text);
        KeyTemplate<KeyRequest> template = KeyTemplate.parse(source, "use all");
        boolean usesUser = source.parts().stream()
                .anyMatch(part ->
                        part instanceof SpelExpression expression && RequestScope.usesUser(expression.getAST()));
        return new RequestKey(template::of, usesUser);
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
