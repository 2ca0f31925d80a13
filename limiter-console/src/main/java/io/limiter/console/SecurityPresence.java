package io.limiter.console;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.util.ClassUtils;

/** Whether Spring Security filters the requests of this application. */
final class SecurityPresence {

    /** The bean of servlet applications. */
    private static final String SERVLET_CHAIN = "springSecurityFilterChain";
    /** The filter of WebFlux applications. */
    private static final String REACTIVE_FILTER = "org.springframework.security.web.server.WebFilterChainProxy";

    private SecurityPresence() {}

    /** @throws ConsoleStartException if it does not, and the console may not be served without */
    static void check(ListableBeanFactory beans, ConsoleProperties properties) {
        if (!properties.allowUnsecured() && !isThere(beans)) {
            throw new ConsoleStartException(
                    "The console of the limiter is enabled at " + properties.path()
                            + ", and nothing protects it: this application has no Spring Security filter chain.",
                    "Add spring-boot-starter-security, and name the authorities that open the console with "
                            + ConsoleProperties.READ_AUTHORITIES + " and " + ConsoleProperties.WRITE_AUTHORITIES
                            + "; or set limiter.console.allow-unsecured=true, so that all users of this machine may read"
                            + " it; or disable the console with limiter.console.enabled=false.");
        }
    }

    private static boolean isThere(ListableBeanFactory beans) {
        ClassLoader loader = SecurityPresence.class.getClassLoader();
        return beans.containsBean(SERVLET_CHAIN)
                || ClassUtils.isPresent(REACTIVE_FILTER, loader)
                        && beans.getBeanNamesForType(ClassUtils.resolveClassName(REACTIVE_FILTER, loader)).length > 0;
    }
}
