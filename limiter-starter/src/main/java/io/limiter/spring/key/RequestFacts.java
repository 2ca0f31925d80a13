package io.limiter.spring.key;

import org.jspecify.annotations.Nullable;

/** The parts of an HTTP request that a key can have. */
public interface RequestFacts {

    /** The HTTP method, such as {@code GET}. */
    String method();

    /**
     * The path within the application, without the query, normalized: without parameters such as {@code ;a=1},
     * {@code ..}, doubled slashes and one at the end, and with percent notation only where it is needed.
     */
    String path();

    /** The first header of a name, in upper or lower case; {@code null} if there is none. */
    @Nullable
    String header(String name);

    /** The first cookie of a name; {@code null} if there is none. */
    @Nullable
    String cookie(String name);

    /** The first parameter of a name in the query, decoded; {@code null} if there is none. */
    @Nullable
    String param(String name);

    /**
     * The caller's address as a key.
     *
     * @throws MissingLimitKeyException if it is not known
     */
    String ip();

    /** The name of the authenticated user; {@code null} if the caller is anonymous. */
    @Nullable
    String user();
}
