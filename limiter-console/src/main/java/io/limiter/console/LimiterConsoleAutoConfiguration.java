package io.limiter.console;

import io.limiter.LimiterFactory;
import io.limiter.live.LiveLimits;
import io.limiter.spring.internal.actuate.KnownLimits;
import io.limiter.spring.internal.actuate.LimitLookup;
import io.limiter.spring.internal.condition.ConditionalOnEnabledLimiter;
import io.limiter.spring.internal.condition.ConditionalOnSetting;
import io.limiter.spring.internal.condition.SettingValue;
import java.time.Duration;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.web.reactive.DispatcherHandler;
import org.springframework.web.server.adapter.WebHttpHandlerBuilder;
import org.springframework.web.servlet.DispatcherServlet;

/** The console, if {@code limiter.console.enabled} is set. */
@AutoConfiguration(afterName = "io.limiter.spring.autoconfigure.LimiterAutoConfiguration")
@ConditionalOnSetting(name = "limiter.console.enabled", otherwise = "false")
@ConditionalOnEnabledLimiter
@ConditionalOnWebApplication
@EnableConfigurationProperties(ConsoleProperties.class)
public class LimiterConsoleAutoConfiguration {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration LINGER = Duration.ofSeconds(10);

    @Bean
    Console limiterConsole(
            ObjectProvider<LiveLimits> limits,
            ObjectProvider<LimiterFactory> factory,
            ObjectProvider<KnownLimits> known,
            FleetFeed feed,
            ListableBeanFactory beans,
            ApplicationEventPublisher events,
            ConsoleProperties properties,
            Environment environment) {
        boolean showKeys = SettingValue.isTrue(environment, "limiter.live.show-keys", false);
        SecurityPresence.check(beans, properties);
        LimiterFactory limiters = factory.getIfUnique();
        LimitLookup lookup = limiters == null ? null : new LimitLookup(limiters, known::stream, showKeys, events);
        return new Console(live(limits), properties, showKeys, feed, new KeyLookup(live(limits), lookup, feed));
    }

    @Bean
    FleetFeed limiterConsoleFeed(ObjectProvider<LiveLimits> limits, ObjectProvider<LimiterFactory> factory) {
        return new FleetFeed(live(limits), factory.getIfUnique(), SECOND, LINGER);
    }

    private static LiveLimits live(ObjectProvider<LiveLimits> limits) {
        LiveLimits found = limits.getIfUnique();
        if (found == null || found == LiveLimits.NONE) {
            throw new ConsoleStartException(
                    "The console of the limiter is enabled, and there are no live limits to show.",
                    "Remove limiter.live.enabled=false, use limits over Redis instead of limiter.type=local, or disable the"
                            + " console with limiter.console.enabled=false.");
        }
        return found;
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    @ConditionalOnClass(DispatcherServlet.class)
    static class Servlet {

        @Bean
        ServletConsole limiterServletConsole(Console console, FleetFeed feed) {
            return new ServletConsole(console, feed);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
    @ConditionalOnClass(DispatcherHandler.class)
    static class Reactive {

        @Bean
        ReactiveConsole limiterReactiveConsole(Console console, FleetFeed feed, ListableBeanFactory beans) {
            return new ReactiveConsole(
                    console, feed, beans.containsBean(WebHttpHandlerBuilder.FORWARDED_HEADER_TRANSFORMER_BEAN_NAME));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Conditional(ManagementPort.None.class)
    @Import(ConsoleMappings.class)
    static class OnTheApplicationsPort {}
}
