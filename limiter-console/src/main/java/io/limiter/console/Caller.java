package io.limiter.console;

import java.net.URI;
import java.security.Principal;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.GrantedAuthority;
import org.springframework.util.ClassUtils;

/**
 * Who sends a request, and from where.
 *
 * @param user who has logged in; {@code null} for an anonymous caller
 * @param authorities of the user
 * @param header the first value of a header of the request; {@code null} without
 * @param server the request's own URI
 * @param remote why the request may come from another machine; {@code null} if it comes from this one
 */
record Caller(
        @Nullable String user,
        Collection<String> authorities,
        Function<String, @Nullable String> header,
        URI server,
        @Nullable String remote) {

    private static final String ANONYMOUS = "org.springframework.security.authentication.AnonymousAuthenticationToken";
    private static final int MAX_NAME = 100;
    private static final Pattern PORT = Pattern.compile(":\\d+$");
    /** Only addresses, and no names that begin like one. */
    private static final Pattern LOOPBACK =
            Pattern.compile("(.+\\.)?localhost|127(\\.\\d{1,3}){3}|\\[(::1|0:0:0:0:0:0:0:1)]");

    static Caller of(
            @Nullable Principal principal,
            Function<String, @Nullable String> header,
            URI server,
            @Nullable String remote) {
        return principal == null || principal.getClass().getName().equals(ANONYMOUS)
                ? new Caller(null, List.of(), header, server, remote)
                : new Caller(
                        principal.getName(),
                        Security.PRESENT ? Security.authorities(principal) : List.of(),
                        header,
                        server,
                        remote);
    }

    /** The name in the history. */
    String name() {
        return user == null || user.isBlank() ? "anonymous" : user.substring(0, Math.min(user.length(), MAX_NAME));
    }

    boolean hasOneOf(Collection<String> wanted) {
        return wanted.stream().anyMatch(authorities::contains);
    }

    boolean sendsJson() {
        // A form cannot.
        String type = header.apply(HttpHeaders.CONTENT_TYPE);
        return type != null && type.split(";", 2)[0].trim().equalsIgnoreCase(MediaType.APPLICATION_JSON_VALUE);
    }

    /** Whether the request may come from the page of the console, or from a client that is no browser. */
    boolean isSameOrigin() {
        String site = header.apply("Sec-Fetch-Site");
        if (site != null) {
            return site.equals("same-origin");
        }
        String origin = header.apply(HttpHeaders.ORIGIN);
        if (origin == null) {
            return true;
        }
        try {
            return originOf(server).equals(originOf(URI.create(origin)));
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /**
     * Why the request may not be one of a user of this machine; {@code null} if it is. A site can have its own name resolve to
     * this machine, and to a browser it is then the same origin, so the host counts. The URI may come from a forwarded header, so
     * the Host header counts as well. Anybody can send a Host header, so where the request comes from counts first.
     */
    @Nullable
    String notLocal() {
        if (remote != null) {
            return remote;
        }
        String host = header.apply(HttpHeaders.HOST);
        String authority = Objects.requireNonNullElse(server.getRawAuthority(), "");
        if (host != null && !isLoopback(host)) {
            return "is to '" + host + "'";
        }
        return isLoopback(authority) ? null : "is to '" + authority + "'";
    }

    private static boolean isLoopback(String authority) {
        return LOOPBACK.matcher(PORT.matcher(authority.toLowerCase(Locale.ROOT)).replaceFirst(""))
                .matches();
    }

    /** Scheme, host and port. A URI with an underscore in its host has an authority, but neither host nor port. */
    private static String originOf(URI uri) {
        String origin = (uri.getScheme() + "://" + uri.getRawAuthority()).toLowerCase(Locale.ROOT);
        return PORT.matcher(origin).find() ? origin : origin + (origin.startsWith("https:") ? ":443" : ":80");
    }

    /** Spring Security, which need not be there. */
    private static final class Security {

        static final boolean PRESENT =
                ClassUtils.isPresent("org.springframework.security.core.Authentication", Caller.class.getClassLoader());

        static List<String> authorities(Principal principal) {
            return principal instanceof Authentication login
                    ? login.getAuthorities().stream()
                            .map(GrantedAuthority::getAuthority)
                            .filter(Objects::nonNull)
                            .toList()
                    : List.of();
        }
    }
}
