package io.limiter.spring.web;

import java.util.List;
import java.util.Set;
import org.springframework.http.server.PathContainer;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;
import org.springframework.web.util.pattern.PatternParseException;

/**
 * Which requests a limit is for.
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
     * Whether it is for a request.
     *
     * @param preflight whether a browser asks on its own behalf whether a page may make a request (CORS), which then is under
     *     the limit itself; limited by those who name its method
     * @param ways the path in all the ways in which handlers may understand it; one is enough to be limited, and to be
     *     excluded it takes all
     */
    boolean matches(String method, boolean preflight, List<PathContainer> ways) {
        return isMethod(method, preflight)
                && ways.stream().anyMatch(path -> anyOf(paths, path) || anyOf(paths, withoutLastSlash(path)))
                && !ways.stream().allMatch(path -> anyOf(exclude, path));
    }

    /** What answers GET answers HEAD too. */
    private boolean isMethod(String method, boolean preflight) {
        return methods.isEmpty() && !preflight
                || methods.contains(method)
                || method.equals("HEAD") && methods.contains("GET");
    }

    /** Static files are answered with a slash behind them too. */
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
