package io.limiter.spring.key;

import com.google.common.net.InetAddresses;
import java.math.BigInteger;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An IP address as a number, so that each has one spelling. Never asks a name server.
 *
 * @param bits 32 for IPv4, 128 for IPv6
 * @param high the first 64 bits of an IPv6 address, else 0
 * @param low the other bits
 */
record IpAddress(int bits, long high, long low) {

    static final int IPV4_BITS = 32;
    static final int IPV6_BITS = 128;

    /** In brackets, or IPv4, with a port; that of a forwarded header may be made up and hold letters. */
    private static final Pattern WITH_PORT =
            Pattern.compile("\\[(?<inner>[^]]+)](:[\\w.-]{1,16})?|(?<v4>[0-9.]+):[\\w.-]{1,16}");

    /** An IPv6 address with a zone, and some room. */
    private static final int LONGEST = 100;

    /** 64:ff9b::/96, in which a gateway shows IPv4 clients to an IPv6 server (RFC 6052). */
    private static final IpAddress NAT64 = new IpAddress(IPV6_BITS, 0x64_ff9b_0000_0000L, 0);

    private static final int NAT64_LENGTH = 96;

    /** The address in a text, with or without port, brackets and zone; {@code null} if there is none. */
    static @Nullable IpAddress parse(@Nullable String text) {
        if (text == null || text.length() > LONGEST) {
            return null;
        }
        String bare = withoutZone(withoutPort(text.strip()));
        return InetAddresses.isInetAddress(bare) ? of(InetAddresses.forString(bare)) : null;
    }

    private static IpAddress of(InetAddress address) {
        ByteBuffer bytes = ByteBuffer.wrap(address.getAddress());
        // Java has made those that are mapped to IPv6 (::ffff:192.0.2.1) IPv4 already.
        if (bytes.remaining() * Byte.SIZE == IPV4_BITS) {
            return ipv4(bytes.getInt());
        }
        IpAddress ipv6 = new IpAddress(IPV6_BITS, bytes.getLong(), bytes.getLong());
        return ipv6.network(NAT64_LENGTH).equals(NAT64) ? ipv4((int) ipv6.low) : ipv6;
    }

    private static IpAddress ipv4(int value) {
        return new IpAddress(IPV4_BITS, 0, Integer.toUnsignedLong(value));
    }

    private static String withoutPort(String text) {
        if (text.indexOf(':') < 0 && text.indexOf('[') < 0) {
            return text;
        }
        Matcher matcher = WITH_PORT.matcher(text);
        if (!matcher.matches()) {
            return text;
        }
        String inner = matcher.group("inner");
        // Spring 7 puts brackets around an IPv4 address with its port too.
        return inner == null ? matcher.group("v4") : withoutPort(inner);
    }

    private static String withoutZone(String text) {
        int zone = text.indexOf('%');
        return zone > 0 && text.indexOf(':') >= 0 ? text.substring(0, zone) : text;
    }

    /** The first bits, with zeros after them. */
    IpAddress network(int prefixLength) {
        int zeros = bits - prefixLength;
        return new IpAddress(bits, withZeros(high, zeros - Long.SIZE), withZeros(low, zeros));
    }

    private static long withZeros(long value, int zeros) {
        if (zeros <= 0) {
            return value;
        }
        return zeros >= Long.SIZE ? 0 : value >>> zeros << zeros;
    }

    /** The address as a key; an IPv6 one stands for all that share its first bits. */
    String key(int ipv6PrefixLength) {
        if (bits == IPV4_BITS) {
            return (low >>> 24) + "." + (low >>> 16 & 0xFF) + "." + (low >>> 8 & 0xFF) + "." + (low & 0xFF);
        }
        String network = network(ipv6PrefixLength).ipv6();
        return ipv6PrefixLength == IPV6_BITS ? network : network + "/" + ipv6PrefixLength;
    }

    private String ipv6() {
        byte[] bytes =
                ByteBuffer.allocate(2 * Long.BYTES).putLong(high).putLong(low).array();
        return InetAddresses.toAddrString(InetAddresses.fromIPv6BigInteger(new BigInteger(1, bytes)));
    }
}
