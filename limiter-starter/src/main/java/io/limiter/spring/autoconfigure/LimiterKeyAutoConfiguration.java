package io.limiter.spring.autoconfigure;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Import;

/** The address and the user of the caller. */
@AutoConfiguration(before = LimiterAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "limiter.enabled", matchIfMissing = true)
@EnableConfigurationProperties(LimiterProperties.class)
@Import({
    CallerConfigurations.ExchangeUsersOfSecurity.class,
    CallerConfigurations.CallerOfExchange.class,
    CallerConfigurations.AddressOfRequest.class,
    CallerConfigurations.UserOfSecurity.class,
    CallerConfigurations.UserOfRequest.class
})
public class LimiterKeyAutoConfiguration {}
