package io.limiter.browser;

import io.limiter.sample.SampleApplication;
import io.limiter.testing.RedisProcess;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** The sample application as it is, on a free port. */
final class Samples {

    private Samples() {}

    static ConfigurableApplicationContext start(RedisProcess redis, String... arguments) {
        String[] all = new String[arguments.length + 4];
        all[0] = "--server.port=0";
        all[1] = "--spring.data.redis.port=" + redis.port();
        // A slow machine is not an outage.
        all[2] = "--limiter.failure.decision-timeout=2m";
        all[3] = "--sample.console.password=secret";
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

    /** The header by which the operator logs in. */
    static String login() {
        return "Basic " + Base64.getEncoder().encodeToString("operator:secret".getBytes(StandardCharsets.UTF_8));
    }

    static String uri(ConfigurableApplicationContext sample, String path) {
        return "http://localhost:" + sample.getEnvironment().getProperty("local.server.port") + path;
    }
}
