package io.limiter.spring.key;

import org.jspecify.annotations.Nullable;

/** The parts of an HTTP request that keys can use. */
public interface KeyRequest {

    /** The HTTP method, such as {@code GET}. */
    String method();

    /**
     * The path within the application, without the query. It is normalized: it has no parameters such as {@code ;a=1}, no
     * {@code ..}, no double slashes and none at the end, and percent notation only where it is needed.
     */
    String path();

    /** The first header of a name, whose case is ignored, or {@code null} if there is none. */
    @Nullable
    String header(String name);

    /** The first cookie of a name, or {@code null} if there is none. */
    @Nullable
    String cookie(String name);

    /**
     * The first parameter of a name, decoded, from the query, or from a form of at most 64 KiB whose length is known. It is {@code null} if there is
     * none, or if both have one and the two differ.
     */
    @Nullable
    String param(String name);

    /**
     * The caller's address as a key.
     *
     * @throws MissingLimitKeyException if the address is unknown
     */
    String ip();

    /** The name of the authenticated user, or {@code null} if the caller is anonymous. */
    @Nullable
    String user();

    /** A claim of the authenticated user's token, or {@code null} if there is none. */
    @Nullable
    String claim(String name);
}
