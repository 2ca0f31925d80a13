package io.limiter.console;

import java.util.regex.Pattern;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The settings of the console.
 *
 * @param enabled whether the console is served
 * @param path of the page
 * @param write whether limits can be changed; otherwise the console is read-only
 * @param allowUnsecured whether the console is served without a login: to everybody who reaches the application
 */
@ConfigurationProperties("limiter.console")
record ConsoleProperties(
        @DefaultValue("false") boolean enabled,
        @DefaultValue("/limiter") String path,
        @DefaultValue("false") boolean write,
        @DefaultValue("false") boolean allowUnsecured) {

    private static final Pattern PATH = Pattern.compile("(/[A-Za-z0-9._~-]+)+");

    ConsoleProperties {
        if (!PATH.matcher(path).matches()) {
            throw new IllegalArgumentException("limiter.console.path must begin with a slash, end without one, and have"
                    + " only letters, digits and . _ ~ - between slashes, such as /limiter; was '" + path + "'");
        }
    }
}
