package io.limiter.spring.internal.key.address;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a request says about who has sent it, before a filter changes it. An immutable value.
 *
 * @param remote the address of the peer, as the server knows it; {@code null} if it is unknown
 * @param xForwardedFor the lines of the header
 * @param forwarded the lines of the header
 */
public record Sender(@Nullable String remote, List<String> xForwardedFor, List<String> forwarded) {

    public static final String X_FORWARDED_FOR = "X-Forwarded-For";
    public static final String FORWARDED = "Forwarded";

    public Sender {
        xForwardedFor = List.copyOf(xForwardedFor);
        forwarded = List.copyOf(forwarded);
    }
}
