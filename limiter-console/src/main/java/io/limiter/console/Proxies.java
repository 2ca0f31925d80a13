package io.limiter.console;

import com.google.common.net.InetAddresses;
import java.util.Collections;
import java.util.Enumeration;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Whether a request was sent by a program on this machine, without a proxy in between. */
final class Proxies {

    /** The reason where a filter of the server may have replaced the address and removed the headers that it came from. */
    static final String HIDDEN =
            "comes from an address that this application takes from forwarded headers, so the console"
                    + " cannot see who sent it; set server.forward-headers-strategy=";

    private static final Set<String> HEADERS =
            Set.of("forwarded", "via", "x-real-ip", "x-client-ip", "x-cluster-client-ip", "true-client-ip");
    private static final String MANY = "x-forwarded-";

    private Proxies() {}

    /**
     * Why the request may come from another machine; {@code null} if it does not.
     *
     * @param address of the peer; {@code null} if it has none
     */
    static @Nullable String remote(
            @Nullable String address, Enumeration<String> headers, Function<String, @Nullable String> header) {
        if (address == null || !isLoopback(address)) {
            return "comes from " + address;
        }
        for (String name : Collections.list(headers)) {
            String lower = name.toLowerCase(Locale.ROOT);
            if (lower.startsWith(MANY) || HEADERS.contains(lower)) {
                return "was passed on by a proxy, which sent the header " + name;
            }
        }
        // nginx sends this by default. Browsers keep a connection, and curl says nothing about it.
        return "close".equalsIgnoreCase(header.apply("Connection"))
                ? "was passed on by a proxy, as its header 'Connection: close' shows"
                : null;
    }

    private static boolean isLoopback(String address) {
        int zone = address.indexOf('%');
        String plain = zone < 0 ? address : address.substring(0, zone);
        return InetAddresses.isInetAddress(plain)
                && InetAddresses.forString(plain).isLoopbackAddress();
    }
}
