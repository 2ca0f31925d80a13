package io.limiter.spring.internal.key.address;

import io.limiter.spring.key.MissingLimitKeyException;
import java.net.InetAddress;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Finds the client's address of a request. It is the remote address, unless that is a trusted proxy: then it is the last
 * address in the forwarded header that is no trusted proxy, because the client can forge everything before it. If an element
 * of the header cannot be parsed, the proxy that added it counts as the client.
 *
 * <p>The server or a filter may have replaced the remote address by an element of a forwarded header
 * ({@code server.forward-headers-strategy}), which need not be an address. All such clients share one key.
 */
public final class CallerAddress {

    private static final String UNKNOWN = "unknown";
    private static final int IPV6_BITS = 128;

    private final List<IpAddresses.Range> trustedProxies;
    private final int ipv6PrefixLength;
    private final ForwardedHeader header;
    private final ProxyWarnings warnings = new ProxyWarnings();

    /**
     * @param trustedProxies addresses and ranges such as {@code 10.0.0.0/8}
     * @param ipv6PrefixLength how many leading bits of an IPv6 address are the key, from 1 to 128; most clients have a
     *     whole /64 to choose addresses from
     * @throws IllegalArgumentException if one of the ranges cannot be parsed, or the length is out of range
     */
    public CallerAddress(List<String> trustedProxies, int ipv6PrefixLength, ForwardedHeader header) {
        if (ipv6PrefixLength < 1 || ipv6PrefixLength > IPV6_BITS) {
            throw new IllegalArgumentException(
                    "IPv6 prefix length must be between 1 and " + IPV6_BITS + ", was " + ipv6PrefixLength);
        }
        this.trustedProxies =
                trustedProxies.stream().map(IpAddresses::parseRange).toList();
        this.ipv6PrefixLength = ipv6PrefixLength;
        this.header = header;
    }

    /**
     * The address as a key.
     *
     * @param remote the remote address of the request
     * @param headers finds the lines of a header by its name
     * @throws MissingLimitKeyException if there is no remote address
     */
    public String of(@Nullable String remote, Function<String, List<String>> headers) {
        if (remote == null || remote.isBlank()) {
            throw new MissingLimitKeyException("the request has no remote address");
        }
        // By default there are no trusted proxies, and headers are not read.
        if (trustedProxies.isEmpty()) {
            String key = untrusted(remote);
            if (warnings.isSampled()) {
                warnings.ignored(remote, headers);
                warnings.key(key, false);
            }
            return key;
        }
        InetAddress nearest = IpAddresses.parse(remote);
        if (nearest == null) {
            return UNKNOWN;
        }
        if (!isTrusted(nearest)) {
            String key = IpAddresses.key(nearest, ipv6PrefixLength);
            warn(key, false);
            return key;
        }
        return caller(nearest, headers.apply(Sender.X_FORWARDED_FOR), headers.apply(Sender.FORWARDED));
    }

    /**
     * The whole address, if no caller can have made it up; {@code null} otherwise. It cannot be known of a request that has a header of
     * proxies although its peer is no trusted one, because then the peer may be a proxy all the same, nor if a header of a trusted
     * proxy cannot be read, or contradicts another one.
     */
    @Nullable
    InetAddress certain(Sender sender) {
        InetAddress peer = IpAddresses.parse(sender.remote());
        if (peer == null) {
            return null;
        }
        List<String> xForwardedFor = sender.xForwardedFor();
        List<String> forwarded = sender.forwarded();
        if (xForwardedFor.isEmpty() && forwarded.isEmpty()) {
            // A proxy without its header has passed on somebody else's request.
            return isTrusted(peer) || sender.isPassedOn() ? null : peer;
        }
        if (!isTrusted(peer)) {
            return null;
        }
        InetAddress fromX = header == ForwardedHeader.FORWARDED || xForwardedFor.isEmpty()
                ? null
                : last(peer, ForwardedElements.ofXForwardedFor(xForwardedFor), true);
        InetAddress fromStandard = header == ForwardedHeader.X_FORWARDED_FOR || forwarded.isEmpty()
                ? null
                : last(peer, ForwardedElements.ofForwarded(forwarded), true);
        boolean both = header == ForwardedHeader.ANY && !xForwardedFor.isEmpty() && !forwarded.isEmpty();
        InetAddress caller = fromX == null ? fromStandard : fromX;
        return caller == null || caller.equals(peer) || both && !caller.equals(fromStandard) ? null : caller;
    }

    private String untrusted(String remote) {
        if (IpAddresses.isCanonicalIpv4(remote)) {
            return remote;
        }
        InetAddress parsed = IpAddresses.parse(remote);
        return parsed == null ? UNKNOWN : IpAddresses.key(parsed, ipv6PrefixLength);
    }

    private String caller(InetAddress remote, List<String> xForwardedFor, List<String> forwarded) {
        ForwardedElements ofX =
                ForwardedElements.ofXForwardedFor(header == ForwardedHeader.FORWARDED ? List.of() : xForwardedFor);
        ForwardedElements ofStandard =
                ForwardedElements.ofForwarded(header == ForwardedHeader.X_FORWARDED_FOR ? List.of() : forwarded);
        boolean both = ofX.hasNext() && ofStandard.hasNext();
        InetAddress fromX = lastUntrusted(remote, ofX);
        InetAddress fromStandard = both || ofStandard.hasNext() ? lastUntrusted(remote, ofStandard) : fromX;
        InetAddress caller = !both ? fromStandard : fromX.equals(fromStandard) ? fromX : remote;
        String key = IpAddresses.key(caller, ipv6PrefixLength);
        warn(key, ofX.hasNext() || ofStandard.hasNext());
        return key;
    }

    private void warn(String key, boolean more) {
        if (warnings.isSampled()) {
            warnings.key(key, more);
        }
    }

    private InetAddress lastUntrusted(InetAddress remote, ForwardedElements elements) {
        return Objects.requireNonNull(last(remote, elements, false));
    }

    /** @param certain whether there is none if an element cannot be parsed; otherwise it is the proxy that added the element */
    private @Nullable InetAddress last(InetAddress remote, ForwardedElements elements, boolean certain) {
        InetAddress known = remote;
        while (elements.hasNext() && isTrusted(known)) {
            InetAddress before = elements.next();
            if (before == null) {
                return certain ? null : known;
            }
            known = before;
        }
        return known;
    }

    private boolean isTrusted(InetAddress address) {
        for (IpAddresses.Range range : trustedProxies) {
            if (range.contains(address)) {
                return true;
            }
        }
        return false;
    }
}
