package io.limiter.spring.key;

import org.jspecify.annotations.Nullable;

/** All addresses with the same first bits, as in {@code 10.0.0.0/8}; one address is a range too. */
record IpRange(IpAddress network, int prefixLength) {

    /** @throws IllegalArgumentException if the text is no range */
    static IpRange parse(String text) {
        int slash = text.indexOf('/');
        IpAddress address = IpAddress.parse(slash < 0 ? text : text.substring(0, slash));
        if (address != null) {
            int prefixLength = slash < 0 ? address.bits() : prefixLength(text.substring(slash + 1));
            if (prefixLength >= 0 && prefixLength <= address.bits()) {
                return new IpRange(address.network(prefixLength), prefixLength);
            }
            throw new IllegalArgumentException(
                    "'" + text + "' must have a prefix length between 0 and " + address.bits() + " behind the slash");
        }
        throw new IllegalArgumentException(
                "'" + text + "' is no IP address and no range of addresses such as 10.0.0.0/8 or 2001:db8::/32");
    }

    private static int prefixLength(String digits) {
        return digits.matches("\\d{1,3}") ? Integer.parseInt(digits) : -1;
    }

    boolean contains(@Nullable IpAddress address) {
        return address != null
                && address.bits() == network.bits()
                && address.network(prefixLength).equals(network);
    }
}
