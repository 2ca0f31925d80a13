package io.limiter.spring.key.address;

import inet.ipaddr.AddressStringParameters.RangeParameters;
import inet.ipaddr.IPAddress;
import inet.ipaddr.IPAddressString;
import inet.ipaddr.IPAddressStringParameters;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Parses IP addresses and ranges, and writes each address in one notation, without DNS. IPv4 addresses embedded in IPv6
 * become IPv4.
 */
final class IpAddresses {

    /** An address in brackets, or IPv4, with a port. In a forwarded header, a port can be obfuscated and have letters. */
    private static final Pattern WITH_PORT =
            Pattern.compile("\\[(?<inner>[^]]+)](:[\\w.-]{1,16})?|(?<v4>[0-9.]+):[\\w.-]{1,16}");

    /** An IPv6 address with a zone, and some room. */
    private static final int LONGEST = 100;

    private static final IPAddressStringParameters STRICT = strict();

    /** The prefix of IPv4 clients behind a gateway to an IPv6 server (RFC 6052). */
    private static final IPAddress NAT64 =
            new IPAddressString("64:ff9b::").getAddress().toPrefixBlock(96);

    private IpAddresses() {}

    /** Only usual notations. By default the library also parses octal, hexadecimal, wildcards and ranges. */
    private static IPAddressStringParameters strict() {
        IPAddressStringParameters.Builder allowed = new IPAddressStringParameters.Builder()
                .allowEmpty(false)
                .allowAll(false)
                .allowSingleSegment(false)
                .allowPrefix(false)
                .allowMask(false)
                .allowWildcardedSeparator(false)
                .setRangeOptions(RangeParameters.NO_RANGE);
        allowed.getIPv4AddressParametersBuilder()
                .allow_inet_aton(false)
                .allowBinary(false)
                .allowLeadingZeros(false);
        allowed.getIPv6AddressParametersBuilder()
                .allowBinary(false)
                .allowBase85(false)
                .allowUnlimitedLeadingZeros(false)
                .getEmbeddedIPv4AddressParametersBuilder()
                .allow_inet_aton(false)
                .allowBinary(false)
                .allowLeadingZeros(false);
        return allowed.toParams();
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
    static @Nullable IPAddress parse(@Nullable String text) {
        if (text == null || text.length() > LONGEST) {
            return null;
        }
        IPAddress address = new IPAddressString(withoutPort(text.strip()), STRICT).getAddress();
        if (address == null || address.isIPv4()) {
            return address;
        }
        var ipv6 = address.toIPv6().removeZone();
        return ipv6.isIPv4Mapped() || NAT64.contains(ipv6) ? ipv6.getEmbeddedIPv4Address() : ipv6;
    }

    /**
     * An address or a range such as {@code 10.0.0.0/8}.
     *
     * @throws IllegalArgumentException if the text is neither
     */
    static IPAddress parseRange(String text) {
        int slash = text.indexOf('/');
        IPAddress address = parse(slash < 0 ? text : text.substring(0, slash));
        if (address == null) {
            throw new IllegalArgumentException(
                    "'" + text + "' is no IP address and no range of addresses such as 10.0.0.0/8 or 2001:db8::/32");
        }
        if (slash < 0) {
            return address;
        }
        String length = text.substring(slash + 1);
        if (!length.matches("\\d{1,3}") || Integer.parseInt(length) > address.getBitCount()) {
            throw new IllegalArgumentException("'" + text + "' must have a prefix length between 0 and "
                    + address.getBitCount() + " behind the slash");
        }
        return address.toPrefixBlock(Integer.parseInt(length));
    }

    /** The address as a key; IPv6 addresses with the same prefix have the same key. */
    static String key(IPAddress address, int ipv6PrefixLength) {
        return address.isIPv4() || ipv6PrefixLength == address.getBitCount()
                ? address.toCanonicalString()
                : address.toPrefixBlock(ipv6PrefixLength).toCanonicalString();
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
}
