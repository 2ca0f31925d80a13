package io.limiter.spring.key.spel;

import io.limiter.spring.key.KeyRequest;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.StringLiteral;

/** The properties and methods of {@link KeyRequest}. */
final class RequestScope extends Scope<KeyRequest> {

    private static final String USER = "user";
    private static final String CLAIM = "claim";
    private static final String PARAM = "param";

    private static final Map<String, String> KINDS =
            Map.of("header", "header", "cookie", "cookie", "param", "parameter", CLAIM, CLAIM);

    RequestScope() {
        super(
                Map.of(
                        "method",
                        text(KeyRequest::method),
                        "path",
                        text(KeyRequest::path),
                        "ip",
                        text(KeyRequest::ip),
                        USER,
                        text(KeyRequest::user)),
                Map.of(
                        "header",
                        KeyRequest::header,
                        "cookie",
                        KeyRequest::cookie,
                        PARAM,
                        KeyRequest::param,
                        CLAIM,
                        KeyRequest::claim));
    }

    private static Value<KeyRequest> text(Function<KeyRequest, @Nullable Object> of) {
        return new Value<>(String.class, of);
    }

    /** Whether a checked expression reads the user or a claim of the user. */
    static boolean usesUser(SpelNode node) {
        return uses(
                node,
                each -> each instanceof PropertyOrFieldReference property
                                && property.getName().equals(USER)
                        || each instanceof MethodReference method
                                && method.getName().equals(CLAIM));
    }

    /** Whether a checked expression reads a parameter. */
    static boolean usesParam(SpelNode node) {
        return uses(
                node,
                each -> each instanceof MethodReference method
                        && method.getName().equals(PARAM));
    }

    private static boolean uses(SpelNode node, Predicate<SpelNode> test) {
        if (test.test(node)) {
            return true;
        }
        for (int i = 0; i < node.getChildCount(); i++) {
            if (uses(node.getChild(i), test)) {
                return true;
            }
        }
        return false;
    }

    @Override
    boolean hasObjects() {
        return false;
    }

    @Override
    @Nullable
    String problemOf(String name) {
        return has(name) ? null : "must not use " + name + ": " + allowed();
    }

    @Override
    String problemOfVariable(String name, boolean inSelection) {
        return "must not use #" + name + ": " + allowed();
    }

    @Override
    String allowed() {
        return "there are method, path, ip, user, header('...'), cookie('...'), param('...') and claim('...'), their length(), isEmpty(),"
                + " trim(), strip() and toLowerCase(), number(...), normalize(...), and operators to combine them";
    }

    @Override
    String parts() {
        return "request";
    }

    @Override
    String sentFor(SpelNode expression) {
        Set<String> sent = new LinkedHashSet<>();
        addSent(expression, sent);
        return String.join(" and ", sent);
    }

    private static void addSent(SpelNode node, Set<String> sent) {
        String kind = node instanceof MethodReference method ? KINDS.get(method.getName()) : null;
        if (kind != null && node.getChild(0) instanceof StringLiteral name) {
            sent.add(kind + " " + name.getLiteralValue().getValue());
        }
        for (int i = 0; i < node.getChildCount(); i++) {
            addSent(node.getChild(i), sent);
        }
    }
}
