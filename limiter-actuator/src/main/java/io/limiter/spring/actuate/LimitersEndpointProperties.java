package io.limiter.spring.actuate;

import java.util.Set;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of the endpoint {@code limiters}.
 *
 * @param showKeys When to show keys, which may be addresses or names of people. Otherwise they are hashed.
 * @param roles Roles of which a user needs one to be shown keys when authorized. Without roles, any authenticated user is.
 */
@ConfigurationProperties("management.endpoint.limiters")
public record LimitersEndpointProperties(
        @DefaultValue("never") Show showKeys, @DefaultValue Set<String> roles) {}
