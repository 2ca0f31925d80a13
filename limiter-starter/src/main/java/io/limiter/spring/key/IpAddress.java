package io.limiter.spring.key;

import com.google.common.net.InetAddresses;
import java.math.BigInteger;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An IP address as a number, so that each has one spelling. Never asks a name server.
 *
 * @param bits 32 for IPv4, 128 for IPv6
 */
record IpAddress(int bits, BigInteger value) {

    static final int IPV4_BITS = 32;
    static final int IPV6_BITS = 128;

    /** In brackets, or IPv4, with a port; that of a forwarded header may be made up and hold letters. */
    private static final Pattern WITH_PORT =
            Pattern.compile("\\[(?<inner>[^]]+)](:[\\w.-]{1,16})?|(?<v4>[0-9.]+):[\\w.-]{1,16}");

    /** An IPv6 address with a zone, and some room. */
    private static final int LONGEST = 100;

    /** 64:ff9b::/96, in which a gateway shows IPv4 clients to an IPv6 server (RFC 6052). */
    private static final BigInteger NAT64 = new BigInteger("64ff9b0000000000000000", 16);

    /** The address in a text, with or without port, brackets and zone; {@code null} if there is none. */
    static @Nullable IpAddress parse(@Nullable String text) {
        if (text == null || text.length() > LONGEST) {
            return null;
        }
        String bare = withoutZone(withoutPort(text.strip()));
        return InetAddresses.isInetAddress(bare) ? of(InetAddresses.forString(bare)) : null;
    }

    private static IpAddress of(InetAddress address) {
        BigInteger value = InetAddresses.toBigInteger(address);
        // Java has made those that are mapped to IPv6 (::ffff:192.0.2.1) IPv4 already.
        if (address instanceof Inet4Address) {
            return new IpAddress(IPV4_BITS, value);
        }
        if (value.shiftRight(IPV4_BITS).equals(NAT64)) {
            return new IpAddress(IPV4_BITS, value.subtract(NAT64.shiftLeft(IPV4_BITS)));
        }
        return new IpAddress(IPV6_BITS, value);
    }

    private static String withoutPort(String text) {
        Matcher matcher = WITH_PORT.matcher(text);
        if (!matcher.matches()) {
            return text;
        }
        String inner = matcher.group("inner");
        return inner == null ? matcher.group("v4") : inner;
    }

    private static String withoutZone(String text) {
        int zone = text.indexOf('%');
        return zone > 0 && text.indexOf(':') >= 0 ? text.substring(0, zone) : text;
    }

    /** The first bits, with zeros after them. */
    IpAddress network(int prefixLength) {
        int rest = bits - prefixLength;
        return new IpAddress(bits, value.shiftRight(rest).shiftLeft(rest));
    }

    /** The address as a key; an IPv6 one stands for all that share its first bits. */
    String key(int ipv6PrefixLength) {
        if (bits == IPV4_BITS) {
            return InetAddresses.toAddrString(InetAddresses.fromIPv4BigInteger(value));
        }
        String network = InetAddresses.toAddrString(InetAddresses.fromIPv6BigInteger(network(ipv6PrefixLength).value));
        return ipv6PrefixLength == IPV6_BITS ? network : network + "/" + ipv6PrefixLength;
    }
}
