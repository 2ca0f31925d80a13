package io.limiter.spring.internal.web;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;
import org.springframework.http.server.PathContainer;
import org.springframework.util.StringUtils;
import org.springframework.web.util.UriUtils;

/** Normalizes paths as servers and handlers of static files do, so that all forms of a path are one key. */
public final class CleanPath {

    private static final Pattern SLASHES = Pattern.compile("[/\\\\]+");

    private CleanPath() {}

    /** The same for a path that is not decoded. */
    public static String of(PathContainer written) {
        StringBuilder decoded = new StringBuilder(written.value().length());
        for (PathContainer.Element element : written.elements()) {
            decoded.append(
                    element instanceof PathContainer.PathSegment segment ? segment.valueToMatch() : element.value());
        }
        return of(decoded.toString());
    }

    /**
     * The path with single slashes and none at the end, without {@code .} and {@code ..}, and in percent notation.
     *
     * @param decoded without parameters such as {@code ;a=1}
     */
    public static String of(String decoded) {
        return isClean(decoded) ? withoutLastSlash(decoded) : normalized(decoded);
    }

    /** Whether nothing needs to be normalized or encoded, as in most paths. */
    private static boolean isClean(String path) {
        char before = 0;
        for (int i = 0; i < path.length(); i++) {
            char each = path.charAt(i);
            boolean clean = switch (each) {
                // No segment is empty, or begins with a dot and may be "." or "..".
                case '/', '.' -> before != '/';
                case '-', '_', '~' -> true;
                default -> each >= 'a' && each <= 'z' || each >= 'A' && each <= 'Z' || each >= '0' && each <= '9';
            };
            if (!clean || i == 0 && each != '/') {
                return false;
            }
            before = each;
        }
        return before != 0;
    }

    static String normalized(String decoded) {
        String path = StringUtils.cleanPath(SLASHES.matcher("/" + decoded).replaceAll("/"));
        String encoded = UriUtils.encodePath(withoutLastSlash(path), StandardCharsets.UTF_8);
        // A semicolon would begin a parameter.
        return encoded.replace(";", "%3B");
    }

    /** The paths by which handlers may be found. */
    static List<PathContainer> variants(PathContainer written, String clean) {
        return withoutLastSlash(written.value()).equals(clean)
                ? List.of(written)
                : List.of(written, PathContainer.parsePath(clean));
    }

    private static String withoutLastSlash(String path) {
        return path.length() > 1 && path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
    }
}
