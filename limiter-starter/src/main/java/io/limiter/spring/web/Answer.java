package io.limiter.spring.web;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The response to a rejected request.
 *
 * @param headers names and values, without those that go with the body; one without a value is not in the answer, even if it was
 *     set before
 * @param contentType {@code null} if there is no body
 */
public record Answer(
        int status,
        Map<String, @Nullable String> headers,
        @Nullable String contentType,
        byte[] body) {}
