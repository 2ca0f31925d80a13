package io.limiter.spring.web;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;
import org.springframework.http.server.PathContainer;
import org.springframework.util.StringUtils;
import org.springframework.web.util.UriUtils;

/**
 * Normalizes paths as servers and handlers of static files do. Callers that write a path in different ways get the same key.
 */
public final class CleanPath {

    private static final Pattern SLASHES = Pattern.compile("[/\\\\]+");

    private CleanPath() {}

    /** As {@link #of(String)}, of a path as the caller wrote it. */
    public static String of(PathContainer written) {
        StringBuilder decoded = new StringBuilder(written.value().length());
        for (PathContainer.Element element : written.elements()) {
            decoded.append(
                    element instanceof PathContainer.PathSegment segment ? segment.valueToMatch() : element.value());
        }
        return of(decoded.toString());
    }

    /**
     * With single slashes and none at the end, without {@code .} and {@code ..}, and in percent notation.
     *
     * @param decoded without parameters such as {@code ;a=1}
     */
    public static String of(String decoded) {
        String path = StringUtils.cleanPath(SLASHES.matcher("/" + decoded).replaceAll("/"));
        String encoded = UriUtils.encodePath(withoutLastSlash(path), StandardCharsets.UTF_8);
        // It would begin a parameter.
        return encoded.replace(";", "%3B");
    }

    /** The ways in which handlers may understand a path. */
    static List<PathContainer> ways(PathContainer written, String clean) {
        return withoutLastSlash(written.value()).equals(clean)
                ? List.of(written)
                : List.of(written, PathContainer.parsePath(clean));
    }

    private static String withoutLastSlash(String path) {
        return path.length() > 1 && path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
    }
}
