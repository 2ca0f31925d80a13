package io.limiter.spring.web;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The response to a rejected request.
 *
 * @param headers names and values, except those of the body; one with the value {@code null} is removed if it was set before
 * @param contentType {@code null} if there is no body
 */
public record RejectionResponse(
        int status,
        Map<String, @Nullable String> headers,
        @Nullable String contentType,
        byte[] body) {}
