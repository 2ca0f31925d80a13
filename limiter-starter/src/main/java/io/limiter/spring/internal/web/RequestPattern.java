package io.limiter.spring.internal.web;

import java.util.List;
import java.util.Set;
import org.springframework.http.server.PathContainer;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;
import org.springframework.web.util.pattern.PatternParseException;

/**
 * The requests that a rule matches, by their paths and methods.
 *
 * @param paths at least one; a request matches one of them
 * @param methods in upper case; empty for all
 * @param exclude a request matches none of them
 */
public record RequestPattern(List<PathPattern> paths, Set<String> methods, List<PathPattern> exclude) {

    public RequestPattern {
        paths = List.copyOf(paths);
        methods = Set.copyOf(methods);
        exclude = List.copyOf(exclude);
    }

    /**
     * Parses a path pattern as controllers have them, such as {@code /api/**}.
     *
     * @throws IllegalArgumentException if the text is none
     */
    public static PathPattern path(String text) {
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
     * Whether a request matches.
     *
     * @param preflight whether it is a CORS preflight, which matches only if its method is named
     * @param variants the paths by which handlers may be found; one must match, and the request is excluded if all are
     */
    boolean matches(String method, boolean preflight, List<PathContainer> variants) {
        return isMethod(method, preflight) && isPath(variants) && !isExcluded(variants);
    }

    private boolean isPath(List<PathContainer> variants) {
        for (PathContainer path : variants) {
            if (anyOf(paths, path) || anyOf(paths, withoutLastSlash(path))) {
                return true;
            }
        }
        return false;
    }

    private boolean isExcluded(List<PathContainer> variants) {
        for (PathContainer path : variants) {
            if (!anyOf(exclude, path)) {
                return false;
            }
        }
        return true;
    }

    /** GET includes HEAD, as handlers of GET handle it too. */
    private boolean isMethod(String method, boolean preflight) {
        return methods.isEmpty() && !preflight
                || methods.contains(method)
                || method.equals("HEAD") && methods.contains("GET");
    }

    /** Handlers of static files ignore a slash at the end. */
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
