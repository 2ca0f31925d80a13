package io.limiter.console;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.web.util.HtmlUtils;

/** Who may read the console, and who may change what. */
final class Rights {

    private final ConsoleProperties properties;

    Rights(ConsoleProperties properties) {
        this.properties = properties;
    }

    /** What an authority is needed for. Each right implies those before it. */
    enum Right {
        READ("reading the console", ConsoleProperties.READ_AUTHORITIES),
        KEYS("changing the limit of a key", ConsoleProperties.KEY_AUTHORITIES),
        WRITE("changing limits", ConsoleProperties.WRITE_AUTHORITIES);

        private final String action;
        private final String property;

        Right(String action, String property) {
            this.action = action;
            this.property = property;
        }

        List<String> authorities(ConsoleProperties properties) {
            return switch (this) {
                case READ -> properties.readAuthorities();
                case KEYS -> properties.keyAuthorities();
                case WRITE -> properties.writeAuthorities();
            };
        }

        /** This one, and those that imply it. */
        Stream<Right> orMore() {
            return Arrays.stream(values(), ordinal(), values().length);
        }
    }

    /** Closed until an authority opens it: who is logged in is no operator for that. */
    @Nullable
    AccessDenied check(Caller caller, Right right) {
        boolean permitted = right.orMore().anyMatch(each -> caller.hasOneOf(each.authorities(properties)));
        if (caller.user() != null && permitted) {
            return null;
        }
        if (properties.allowUnsecured()) {
            String notLocal = caller.notLocal();
            if (notLocal != null) {
                return new AccessDenied(
                        HttpStatus.FORBIDDEN,
                        "with limiter.console.allow-unsecured the console answers only requests that come from this machine,"
                                + " without a proxy, to localhost or a loopback address; this one " + notLocal);
            }
            if (right == Right.READ) {
                return null;
            }
        } else if (caller.user() == null) {
            return new AccessDenied(HttpStatus.UNAUTHORIZED, "log in to use the console");
        }
        boolean unset =
                right.orMore().allMatch(each -> each.authorities(properties).isEmpty());
        return new AccessDenied(
                HttpStatus.FORBIDDEN,
                right.action + " needs an authority that "
                        + right.orMore().map(each -> each.property).collect(Collectors.joining(" or "))
                        + (unset ? " names, and none is set, so no user has it" : " names, and you have none of them"));
    }

    /** Why a request is not answered. */
    record AccessDenied(HttpStatus status, String detail) {

        ConsoleResponse problem() {
            return ConsoleResponse.problem(status, detail, null);
        }

        /** For a person, in a browser. */
        ConsoleResponse page() {
            return ConsoleResponse.text(
                    status,
                    "text/html;charset=UTF-8",
                    "<!doctype html><html lang=\"en\"><title>Limiter console</title><h1>Limiter console</h1><p>This page is closed: "
                            + HtmlUtils.htmlEscape(detail) + ".</p></html>");
        }
    }
}
