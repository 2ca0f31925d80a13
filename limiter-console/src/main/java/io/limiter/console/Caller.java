package io.limiter.console;

import java.net.URI;
import java.security.Principal;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;

/**
 * Who sends a request, and from where.
 *
 * @param user who has logged in; {@code null} for an anonymous caller
 * @param headers of the request
 * @param server the request's own URI
 * @param csrf the token that Spring Security wants in writes; {@code null} if it wants none
 */
record Caller(
        @Nullable String user,
        HttpHeaders headers,
        URI server,
        @Nullable Csrf csrf) {

    private static final String ANONYMOUS = "org.springframework.security.authentication.AnonymousAuthenticationToken";
    private static final int MAX_NAME = 100;
    private static final Pattern PORT = Pattern.compile(":\\d+$");

    /**
     * A CSRF token.
     *
     * @param header the name of the header that it is sent in
     */
    record Csrf(String header, String token) {}

    /** {@code null} for an anonymous caller. */
    static @Nullable String userOf(@Nullable Principal principal) {
        return principal == null || principal.getClass().getName().equals(ANONYMOUS) ? null : principal.getName();
    }

    /** The name in the history. */
    String name() {
        return user == null || user.isBlank() ? "anonymous" : user.substring(0, Math.min(user.length(), MAX_NAME));
    }

    boolean sendsJson() {
        // A form cannot.
        String type = headers.getFirst(HttpHeaders.CONTENT_TYPE);
        return type != null && type.split(";", 2)[0].trim().equalsIgnoreCase(MediaType.APPLICATION_JSON_VALUE);
    }

    /** Whether the request may come from the page of the console, or from a client that is no browser. */
    boolean isSameOrigin() {
        String site = headers.getFirst("Sec-Fetch-Site");
        if (site != null) {
            return site.equals("same-origin");
        }
        String origin = headers.getFirst(HttpHeaders.ORIGIN);
        if (origin == null) {
            return true;
        }
        try {
            return originOf(server).equals(originOf(URI.create(origin)));
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** Scheme, host and port. A URI with an underscore in its host has an authority, but neither host nor port. */
    private static String originOf(URI uri) {
        String origin = (uri.getScheme() + "://" + uri.getRawAuthority()).toLowerCase(Locale.ROOT);
        return PORT.matcher(origin).find() ? origin : origin + (origin.startsWith("https:") ? ":443" : ":80");
    }
}
