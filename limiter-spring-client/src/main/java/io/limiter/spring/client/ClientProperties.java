package io.limiter.spring.client;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * The properties of outgoing calls. No bean is bound to them.
 *
 * @param clients Limits of outgoing calls by the name of a client: which hosts it calls, and their limits.
 */
@ConfigurationProperties("limiter")
record ClientProperties(@Nullable Map<String, ClientSettings> clients) {}
