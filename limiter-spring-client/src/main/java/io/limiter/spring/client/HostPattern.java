package io.limiter.spring.client;

import java.net.URI;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A host in configuration: {@code api.example.com}, {@code localhost:8080}, or {@code *.example.com} for all below it.
 *
 * @param host in lower case; of a wildcard, what the host ends with
 * @param port {@code null} for any
 */
record HostPattern(String host, boolean wildcard, @Nullable Integer port) implements Comparable<HostPattern> {

    private static final Pattern FORM = Pattern.compile("(\\*\\.)?([\\p{Alnum}._-]+|\\[[\\p{XDigit}:.]+])(:\\d{1,5})?");

    /** @throws IllegalArgumentException if the text is none */
    static HostPattern parse(String text) {
        String lower = text.strip().toLowerCase(Locale.ROOT);
        if (!FORM.matcher(lower).matches()) {
            throw new IllegalArgumentException(
                    "must be hosts such as api.example.com, localhost:8080 or *.example.com, was '" + text + "'");
        }
        boolean wildcard = lower.startsWith("*.");
        int colon = lower.lastIndexOf(':');
        boolean hasPort = colon > lower.lastIndexOf(']');
        String host = hasPort ? lower.substring(0, colon) : lower;
        return new HostPattern(
                wildcard ? host.substring(1) : host,
                wildcard,
                hasPort ? Integer.valueOf(lower.substring(colon + 1)) : null);
    }

    boolean matches(URI uri) {
        String called = uri.getHost();
        if (called == null || port != null && port != portOf(uri)) {
            return false;
        }
        String lower = called.toLowerCase(Locale.ROOT);
        return wildcard ? lower.endsWith(host) : lower.equals(host);
    }

    private static int portOf(URI uri) {
        if (uri.getPort() >= 0) {
            return uri.getPort();
        }
        return "https".equalsIgnoreCase(uri.getScheme()) ? 443 : 80;
    }

    /** Those for fewer hosts first. */
    @Override
    public int compareTo(HostPattern other) {
        if (wildcard != other.wildcard) {
            return wildcard ? 1 : -1;
        }
        if ((port == null) != (other.port == null)) {
            return port == null ? 1 : -1;
        }
        return Integer.compare(other.host.length(), host.length());
    }
}
