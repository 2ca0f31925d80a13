package io.limiter.console;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The settings of the console.
 *
 * @param enabled Whether the console is served.
 * @param path The path of the console.
 * @param readAuthorities Authorities that may read the console, such as ROLE_VIEWER. Users with one of the key or write authorities
 *     may read it, too, and nobody else.
 * @param keyAuthorities Authorities that may limit, exempt, ban or reset single keys, such as ROLE_SUPPORT. Users with one of the
 *     write authorities may do so, too, and nobody else.
 * @param writeAuthorities Authorities that may change limits and single keys, such as ROLE_OPERATOR. Nobody else may.
 * @param allowUnsecured Whether all users of this machine may read the console without a login. Requests that come from other
 *     machines or through a proxy are rejected.
 */
@ConfigurationProperties("limiter.console")
record ConsoleProperties(
        @DefaultValue("false") boolean enabled,
        @DefaultValue("/limiter") String path,
        @DefaultValue List<String> readAuthorities,
        @DefaultValue List<String> keyAuthorities,
        @DefaultValue List<String> writeAuthorities,
        @DefaultValue("false") boolean allowUnsecured) {

    static final String READ_AUTHORITIES = "limiter.console.read-authorities";
    static final String KEY_AUTHORITIES = "limiter.console.key-authorities";
    static final String WRITE_AUTHORITIES = "limiter.console.write-authorities";

    private static final Pattern PATH = Pattern.compile("(/[A-Za-z0-9._~-]+)+");

    ConsoleProperties {
        if (!PATH.matcher(path).matches()) {
            throw new IllegalArgumentException("limiter.console.path must begin with a slash, end without one, and have"
                    + " only letters, digits and . _ ~ - between slashes, such as /limiter; was '" + path + "'");
        }
        readAuthorities = List.copyOf(readAuthorities);
        keyAuthorities = List.copyOf(keyAuthorities);
        writeAuthorities = List.copyOf(writeAuthorities);
        if (Stream.of(readAuthorities, keyAuthorities, writeAuthorities)
                .anyMatch(names -> names.contains("ROLE_ANONYMOUS"))) {
            throw new IllegalArgumentException(
                    "limiter.console.*-authorities must not name ROLE_ANONYMOUS, because nobody may"
                            + " change limits without a login; name an authority of users who log in, such as ROLE_OPERATOR, or let"
                            + " the users of this machine read without a login with limiter.console.allow-unsecured=true");
        }
    }
}
