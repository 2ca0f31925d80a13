package io.limiter.spring.internal.key.address;

import com.google.common.net.InetAddresses;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Parses IP addresses and ranges, and writes each address in one notation, without DNS and without exceptions. IPv4 addresses
 * that a translator on the way has embedded in IPv6 become IPv4.
 */
final class IpAddresses {

    /** An IPv6 address with a zone, and some room. */
    private static final int LONGEST = 100;

    private static final int LONGEST_PORT = 16;

    /** IPv4 clients behind a gateway to an IPv6 server (RFC 6052). */
    private static final Range NAT64 = parseRange("64:ff9b::/96");

    /**
     * The same, by a gateway of the own network (RFC 8215). Where in the address it embeds IPv4 depends on its settings, but
     * each client has one whole address.
     */
    private static final Range LOCAL_NAT64 = parseRange("64:ff9b:1::/48");

    private IpAddresses() {}

    /** The addresses that share their first bits. */
    record Range(byte[] network, int bits) {

        boolean contains(InetAddress address) {
            byte[] other = address.getAddress();
            return other.length == network.length && Arrays.equals(masked(other, bits), network);
        }
    }

    /** Whether a text is the one notation of an IPv4 address, as most remote addresses are. */
    static boolean isCanonicalIpv4(String text) {
        int octets = 0;
        int start = 0;
        for (int i = 0; i <= text.length(); i++) {
            char each = i < text.length() ? text.charAt(i) : '.';
            if (each == '.') {
                if (!isOctet(text, start, i)) {
                    return false;
                }
                octets++;
                start = i + 1;
            }
        }
        return octets == 4;
    }

    private static boolean isOctet(String text, int start, int end) {
        int number = 0;
        for (int i = start; i < end && number < 256; i++) {
            char digit = text.charAt(i);
            if (digit < '0' || digit > '9') {
                return false;
            }
            number = 10 * number + digit - '0';
        }
        return end > start && number < 256 && (end - start == 1 || text.charAt(start) != '0');
    }

    /** The address in a text, with or without port, brackets and zone; {@code null} if there is none. */
    static @Nullable InetAddress parse(@Nullable String text) {
        if (text == null || text.length() > LONGEST) {
            return null;
        }
        String address = withoutZone(withoutPort(text.strip()));
        // The check before costs less than an exception.
        if (!isAscii(address) || !InetAddresses.isInetAddress(address)) {
            return null;
        }
        // An IPv4-mapped address becomes IPv4.
        InetAddress parsed = InetAddresses.forString(address);
        return NAT64.contains(parsed) ? address(Arrays.copyOfRange(parsed.getAddress(), 12, 16)) : parsed;
    }

    /** The parser would look up the network interface that the caller has named. */
    private static String withoutZone(String address) {
        int zone = address.indexOf('%');
        return zone < 0 || address.indexOf(':') < 0 ? address : address.substring(0, zone);
    }

    /** The parser also reads the digits of other scripts. */
    private static boolean isAscii(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) > 127) {
                return false;
            }
        }
        return true;
    }

    /**
     * An address or a range such as {@code 10.0.0.0/8}.
     *
     * @throws IllegalArgumentException if the text is neither
     */
    static Range parseRange(String text) {
        int slash = text.indexOf('/');
        String first = slash < 0 ? text : text.substring(0, slash);
        // A range of the prefix of translators is one of IPv6 addresses.
        InetAddress address =
                slash >= 0 && InetAddresses.isInetAddress(first) ? InetAddresses.forString(first) : parse(first);
        if (address == null) {
            throw new IllegalArgumentException(
                    "'" + text + "' is no IP address and no range of addresses such as 10.0.0.0/8 or 2001:db8::/32");
        }
        byte[] network = address.getAddress();
        int most = Byte.SIZE * network.length;
        if (slash < 0) {
            return new Range(network, most);
        }
        String length = text.substring(slash + 1);
        if (!length.matches("\\d{1,3}") || Integer.parseInt(length) > most) {
            throw new IllegalArgumentException(
                    "'" + text + "' must have a prefix length between 0 and " + most + " behind the slash");
        }
        int bits = Integer.parseInt(length);
        return new Range(masked(network, bits), bits);
    }

    /**
     * The address as a key. IPv6 addresses with the same prefix have the same key, unless each stands for an IPv4 client: then
     * its prefix says nothing, and the key is that client.
     */
    static String key(InetAddress address, int ipv6PrefixLength) {
        if (!(address instanceof Inet6Address ipv6)) {
            return InetAddresses.toAddrString(address);
        }
        // The address may be one of 6to4, Teredo, or ::a.b.c.d. A caller may forge it as it may forge an IPv4 address,
        // and no proxy is trusted because of it.
        if (InetAddresses.hasEmbeddedIPv4ClientAddress(ipv6)) {
            return InetAddresses.toAddrString(InetAddresses.getEmbeddedIPv4ClientAddress(ipv6));
        }
        if (ipv6PrefixLength == 128 || LOCAL_NAT64.contains(ipv6)) {
            return InetAddresses.toAddrString(ipv6);
        }
        return InetAddresses.toAddrString(address(masked(ipv6.getAddress(), ipv6PrefixLength))) + "/"
                + ipv6PrefixLength;
    }

    /** Changes the bytes, and returns them. */
    private static byte[] masked(byte[] address, int bits) {
        for (int i = 0; i < address.length; i++) {
            int kept = Math.max(0, Math.min(Byte.SIZE, bits - Byte.SIZE * i));
            address[i] &= (byte) (0xff << (Byte.SIZE - kept));
        }
        return address;
    }

    private static InetAddress address(byte[] bytes) {
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("an address must have 4 or 16 bytes, had " + bytes.length, e);
        }
    }

    /**
     * Without the port behind an address in brackets, or behind IPv4. In a forwarded header, a port can be obfuscated and have
     * letters. Spring 7 puts brackets around an IPv4 address with its port, too.
     */
    private static String withoutPort(String text) {
        if (text.startsWith("[")) {
            int close = text.indexOf(']');
            if (close < 0 || close < text.length() - 1 && !isPort(text, close + 1)) {
                return text;
            }
            return withoutIpv4Port(text.substring(1, close));
        }
        return withoutIpv4Port(text);
    }

    private static String withoutIpv4Port(String text) {
        int colon = text.indexOf(':');
        return colon > 0 && isPort(text, colon) && isCanonicalIpv4(text.substring(0, colon))
                ? text.substring(0, colon)
                : text;
    }

    private static boolean isPort(String text, int colon) {
        int length = text.length() - colon - 1;
        if (text.charAt(colon) != ':' || length < 1 || length > LONGEST_PORT) {
            return false;
        }
        for (int i = colon + 1; i < text.length(); i++) {
            char each = text.charAt(i);
            boolean allowed = each >= 'a' && each <= 'z'
                    || each >= 'A' && each <= 'Z'
                    || each >= '0' && each <= '9'
                    || each == '_'
                    || each == '-'
                    || each == '.';
            if (!allowed) {
                return false;
            }
        }
        return true;
    }
}
