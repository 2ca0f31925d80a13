package io.limiter.spring.client;

import java.net.IDN;
import java.net.URI;
import java.util.Comparator;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A host in configuration: {@code api.example.com}, {@code localhost:8080}, or {@code *.example.com} for all below it.
 *
 * @param host in lower case; of a wildcard, what the host ends with
 * @param port {@code null} for any
 */
record HostPattern(String host, boolean wildcard, @Nullable Integer port) {

    static final Comparator<HostPattern> FEWEST_HOSTS_FIRST = Comparator.comparing(HostPattern::wildcard)
            .thenComparing(pattern -> pattern.port() == null)
            .thenComparing(pattern -> -pattern.host().length())
            .thenComparing(HostPattern::toString);

    private static final int LAST_PORT = 65_535;
    private static final String LABEL = "[\\p{L}\\p{M}\\p{N}_-]+";
    private static final Pattern FORM = Pattern.compile(
            "(?:((?:\\*\\.)?" + LABEL + "(?:\\." + LABEL + ")*)\\.?|(\\[[\\p{XDigit}:.]+]))(?::(\\d{1,5}))?");

    /** The authority of a URI. {@link URI#getHost} finds no host that DNS does not allow, such as one with an underscore. */
    private static final Pattern AUTHORITY = Pattern.compile("(?:.*@)?(.*?)(?::(\\d{1,9})?)?", Pattern.DOTALL);

    /** What a request calls. */
    record Called(String host, int port) {

        /** Returns {@code null} for a URI without a host. */
        static @Nullable Called by(URI uri) {
            String authority = uri.getAuthority();
            Matcher parts = AUTHORITY.matcher(authority == null ? "" : authority);
            if (!parts.matches() || parts.group(1).isEmpty()) {
                return null;
            }
            String port = parts.group(2);
            int ofScheme = "https".equalsIgnoreCase(uri.getScheme()) ? 443 : 80;
            return new Called(canonical(parts.group(1)), port == null ? ofScheme : Integer.parseInt(port));
        }
    }

    /** @throws IllegalArgumentException if the text is none */
    static HostPattern parse(String text) {
        Matcher form = FORM.matcher(text.strip());
        if (!form.matches()) {
            throw new IllegalArgumentException(
                    "must be hosts such as api.example.com, localhost:8080 or *.example.com, was '" + text + "'");
        }
        Integer port = form.group(3) == null ? null : Integer.valueOf(form.group(3));
        if (port != null && (port < 1 || port > LAST_PORT)) {
            throw new IllegalArgumentException(
                    "must have ports from 1 to " + LAST_PORT + ", was '" + text + "': leave the port out for all");
        }
        String name = form.group(1) == null ? form.group(2) : form.group(1);
        boolean wildcard = name.startsWith("*.");
        return new HostPattern(wildcard ? "." + canonical(name.substring(2)) : canonical(name), wildcard, port);
    }

    /** In lower case, without the final dot that is possible in DNS, and as DNS has names of other scripts. */
    private static String canonical(String host) {
        String name = host.endsWith(".") ? host.substring(0, host.length() - 1) : host;
        try {
            name = IDN.toASCII(name, IDN.ALLOW_UNASSIGNED);
        } catch (IllegalArgumentException e) {
            // No name of DNS, and only equal to itself.
        }
        return name.toLowerCase(Locale.ROOT);
    }

    boolean matches(Called called) {
        return (port == null || port == called.port())
                && (wildcard ? called.host().endsWith(host) : called.host().equals(host));
    }
}
