package io.limiter.spring.internal.key.address;

import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a request says about who has sent it, before a filter changes it. An immutable value.
 *
 * @param remote the address of the peer, as the server knows it; {@code null} if it is unknown
 * @param xForwardedFor the lines of the header
 * @param forwarded the lines of the header
 * @param isPassedOn whether another header says that the peer is a proxy; see {@link #isPassedOn(Collection)}
 */
public record Sender(@Nullable String remote, List<String> xForwardedFor, List<String> forwarded, boolean isPassedOn) {

    public static final String X_FORWARDED_FOR = "X-Forwarded-For";
    public static final String FORWARDED = "Forwarded";

    /** Headers of proxies from which no address is taken. Others begin with {@link #MANY_OF_PROXIES}. */
    private static final Set<String> OF_PROXIES =
            Set.of("via", "x-real-ip", "x-client-ip", "x-cluster-client-ip", "true-client-ip");

    private static final String MANY_OF_PROXIES = "x-forwarded-";

    public Sender {
        xForwardedFor = List.copyOf(xForwardedFor);
        forwarded = List.copyOf(forwarded);
    }

    /**
     * Whether one of the headers of a request is that of a proxy, also of one that is set up to name the caller in none.
     *
     * @param names of all headers
     */
    public static boolean isPassedOn(Collection<String> names) {
        return names.stream()
                .map(name -> name.toLowerCase(Locale.ROOT))
                .anyMatch(name -> name.startsWith(MANY_OF_PROXIES) || OF_PROXIES.contains(name));
    }
}
