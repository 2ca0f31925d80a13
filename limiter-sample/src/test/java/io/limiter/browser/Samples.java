package io.limiter.browser;

import io.limiter.sample.SampleApplication;
import io.limiter.testing.RedisProcess;
import java.lang.reflect.Method;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** The sample application as it is, on a free port. */
final class Samples {

    static final String OPERATOR = "operator";
    static final String PASSWORD = "secret";

    private Samples() {}

    static ConfigurableApplicationContext start(RedisProcess redis, String... arguments) {
        String[] all = new String[arguments.length + 4];
        all[0] = "--server.port=0";
        all[1] = "--spring.data.redis.port=" + redis.port();
        // A slow machine is not an outage.
        all[2] = "--limiter.failure.decision-timeout=2m";
        all[3] = "--sample.console.password=" + PASSWORD;
        System.arraycopy(arguments, 0, all, 4, arguments.length);
        try {
            // It is package-private, as in an application.
            Method application = SampleApplication.class.getDeclaredMethod("application");
            application.setAccessible(true);
            return ((SpringApplicationBuilder) application.invoke(null)).run(all);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    static String uri(ConfigurableApplicationContext sample, String path) {
        return "http://localhost:" + sample.getEnvironment().getProperty("local.server.port") + path;
    }
}
