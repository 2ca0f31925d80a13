package io.limiter.spring.web;

import java.util.List;
import java.util.Set;
import org.springframework.http.server.PathContainer;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;
import org.springframework.web.util.pattern.PatternParseException;

/**
 * The requests that a rule matches.
 *
 * @param paths at least one; one of them has to match
 * @param methods upper case; empty for all
 * @param exclude none of them may match
 */
public record HttpRoute(List<PathPattern> paths, Set<String> methods, List<PathPattern> exclude) {

    public HttpRoute {
        paths = List.copyOf(paths);
        methods = Set.copyOf(methods);
        exclude = List.copyOf(exclude);
    }

    /**
     * A pattern as those of controllers are, such as {@code /api/**}.
     *
     * @throws IllegalArgumentException if it is none
     */
    public static PathPattern pattern(String text) {
        if (!text.startsWith("/")) {
            throw new IllegalArgumentException("must start with /, such as /api/**, was '" + text + "'");
        }
        try {
            return PathPatternParser.defaultInstance.parse(text);
        } catch (PatternParseException e) {
            throw new IllegalArgumentException(
                    "'" + text + "' cannot be parsed at position " + e.getPosition() + ": " + e.getMessage(), e);
        }
    }

    /**
     * Whether it matches a request.
     *
     * @param preflight whether it is a CORS preflight, which only a rule that names its method limits
     * @param ways the paths by which handlers may be found; one that matches is enough, but all must be excluded
     */
    boolean matches(String method, boolean preflight, List<PathContainer> ways) {
        return isMethod(method, preflight)
                && ways.stream().anyMatch(path -> anyOf(paths, path) || anyOf(paths, withoutLastSlash(path)))
                && !ways.stream().allMatch(path -> anyOf(exclude, path));
    }

    /** Handlers of GET handle HEAD, too. */
    private boolean isMethod(String method, boolean preflight) {
        return methods.isEmpty() && !preflight
                || methods.contains(method)
                || method.equals("HEAD") && methods.contains("GET");
    }

    /** Static files are served with a slash behind them, too. */
    private static PathContainer withoutLastSlash(PathContainer path) {
        int last = path.elements().size() - 1;
        return last > 0 && path.elements().get(last) instanceof PathContainer.Separator ? path.subPath(0, last) : path;
    }

    private static boolean anyOf(List<PathPattern> patterns, PathContainer path) {
        for (PathPattern pattern : patterns) {
            if (pattern.matches(path)) {
                return true;
            }
        }
        return false;
    }
}
