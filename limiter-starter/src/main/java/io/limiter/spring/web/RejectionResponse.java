package io.limiter.spring.web;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The response to a rejected request. Immutable. */
public final class RejectionResponse {

    private final int status;
    private final Map<String, @Nullable String> headers;
    private final @Nullable String contentType;
    private final byte[] body;

    private RejectionResponse(
            int status, Map<String, @Nullable String> headers, @Nullable String contentType, byte[] body) {
        this.status = status;
        this.headers = Objects.requireNonNull(headers, "headers");
        this.contentType = contentType;
        this.body = Objects.requireNonNull(body, "body");
    }

    /**
     * A response with these values. A {@link RejectionResponseCustomizer} changes the one that it gets with the {@code with...} methods.
     *
     * @param contentType the media type of the body, or {@code null} if there is none
     */
    public static RejectionResponse of(
            int status, Map<String, @Nullable String> headers, @Nullable String contentType, byte[] body) {
        return new RejectionResponse(status, headers, contentType, body);
    }

    /** This response with another status. */
    public RejectionResponse withStatus(int newStatus) {
        return new RejectionResponse(newStatus, headers, contentType, body);
    }

    /** This response with one more header, or with another value of it. {@code null} removes the header. */
    public RejectionResponse withHeader(String name, @Nullable String value) {
        Map<String, @Nullable String> changed = new LinkedHashMap<>(headers);
        changed.put(Objects.requireNonNull(name, "name"), value);
        return new RejectionResponse(status, changed, contentType, body);
    }

    /** This response with another body. */
    public RejectionResponse withBody(String newContentType, byte[] newBody) {
        return new RejectionResponse(
                status, headers, Objects.requireNonNull(newContentType, "contentType"), newBody.clone());
    }

    /** The status. */
    public int status() {
        return status;
    }

    /**
     * The names and values of the headers, except those of the body. A header with the value {@code null} is removed if it was set before.
     */
    public Map<String, @Nullable String> headers() {
        return headers;
    }

    /** The media type of the body, or {@code null} if there is none. */
    public @Nullable String contentType() {
        return contentType;
    }

    /** The bytes of the body. */
    public byte[] body() {
        return body.clone();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof RejectionResponse that
                && status == that.status
                && headers.equals(that.headers)
                && Objects.equals(contentType, that.contentType)
                && Arrays.equals(body, that.body);
    }

    @Override
    public int hashCode() {
        return Objects.hash(status, headers, contentType, Arrays.hashCode(body));
    }

    @Override
    public String toString() {
        return "RejectionResponse[status=" + status + ", headers=" + headers + ", contentType=" + contentType
                + ", body=" + body.length + " bytes]";
    }
}
