package io.limiter.spring.key;

import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Which address a request is from: the one it came from, unless that is a trusted proxy. Then it is the last one in the
 * forwarded header that is not, since everything before may be made up. Where the header cannot be read, the last proxy
 * that could stands for its callers.
 *
 * <p>The server or a filter may have replaced the address that the request came from by one of a forwarded header
 * ({@code server.forward-headers-strategy}), which need not be an address: {@code unknown}, or whatever the caller made up.
 * All such callers have one key.
 */
public final class CallerAddress {

    private static final String UNKNOWN = "unknown";

    private final List<IpRange> trustedProxies;
    private final int ipv6PrefixLength;
    private final ForwardedHeader header;

    /**
     * @param trustedProxies addresses and ranges such as {@code 10.0.0.0/8}
     * @param ipv6PrefixLength how many bits of an IPv6 address tell callers apart, from 1 to 128; most callers have a
     *     whole /64 to choose addresses from
     * @throws IllegalArgumentException if one of the ranges is none, or the length is out of range
     */
    public CallerAddress(List<String> trustedProxies, int ipv6PrefixLength, ForwardedHeader header) {
        if (ipv6PrefixLength < 1 || ipv6PrefixLength > IpAddress.IPV6_BITS) {
            throw new IllegalArgumentException(
                    "IPv6 prefix length must be between 1 and " + IpAddress.IPV6_BITS + ", was " + ipv6PrefixLength);
        }
        this.trustedProxies = trustedProxies.stream().map(IpRange::parse).toList();
        this.ipv6PrefixLength = ipv6PrefixLength;
        this.header = header;
    }

    /**
     * The address as a key.
     *
     * @param remote where the request came from
     * @param headers the lines of the header of a name
     * @throws MissingLimitKeyException if nobody knows where it came from
     */
    public String of(@Nullable String remote, Function<String, List<String>> headers) {
        if (remote == null || remote.isBlank()) {
            throw new MissingLimitKeyException("the request has no remote address");
        }
        IpAddress nearest = IpAddress.parse(remote);
        if (nearest == null) {
            return UNKNOWN;
        }
        // Who trusts no proxy, as by default, need not read headers.
        IpAddress caller = isTrusted(nearest)
                ? caller(nearest, headers.apply("X-Forwarded-For"), headers.apply("Forwarded"))
                : nearest;
        return caller.key(ipv6PrefixLength);
    }

    private IpAddress caller(IpAddress remote, List<String> xForwardedFor, List<String> forwarded) {
        IpAddress fromX = lastUntrusted(remote, ForwardedElements.ofXForwardedFor(xForwardedFor));
        IpAddress fromStandard = lastUntrusted(remote, ForwardedElements.ofForwarded(forwarded));
        return switch (header) {
            case X_FORWARDED_FOR -> fromX;
            case FORWARDED -> fromStandard;
            case ANY -> {
                if (xForwardedFor.isEmpty() || forwarded.isEmpty()) {
                    yield forwarded.isEmpty() ? fromX : fromStandard;
                }
                yield Objects.equals(fromX, fromStandard) ? fromX : remote;
            }
        };
    }

    private IpAddress lastUntrusted(IpAddress remote, List<@Nullable IpAddress> forwarded) {
        IpAddress known = remote;
        for (int i = forwarded.size() - 1; i >= 0 && isTrusted(known); i--) {
            IpAddress before = forwarded.get(i);
            if (before == null) {
                return known;
            }
            known = before;
        }
        return known;
    }

    private boolean isTrusted(IpAddress address) {
        for (IpRange range : trustedProxies) {
            if (range.contains(address)) {
                return true;
            }
        }
        return false;
    }
}
