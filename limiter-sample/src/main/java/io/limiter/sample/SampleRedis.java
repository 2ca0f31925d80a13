package io.limiter.sample;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.aot.AbstractAotProcessor;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;

/**
 * Starts an {@link EmbeddedRedis} before the application, unless {@code spring.data.redis.url}, {@code .host} or {@code .port}
 * names a Redis, or another instance of the sample has started one. Ahead-of-time processing needs none.
 */
class SampleRedis implements ApplicationContextInitializer<ConfigurableApplicationContext> {

    private static final List<String> OTHER_REDIS =
            List.of("spring.data.redis.url", "spring.data.redis.host", "spring.data.redis.port");
    private static final int TIMEOUT_MILLIS = 500;

    @Override
    public void initialize(ConfigurableApplicationContext application) {
        ConfigurableEnvironment environment = application.getEnvironment();
        if (Boolean.getBoolean(AbstractAotProcessor.AOT_PROCESSING)) {
            return;
        }
        if (OTHER_REDIS.stream().anyMatch(environment::containsProperty)) {
            return;
        }
        int port = environment.getProperty("sample.redis.port", Integer.class, 6390);
        if (!isThere(port)) {
            application.getBeanFactory().registerSingleton("embeddedRedis", start(port));
        }
        environment
                .getPropertySources()
                .addLast(new MapPropertySource(
                        "sampleRedis", Map.of("spring.data.redis.host", "127.0.0.1", "spring.data.redis.port", port)));
    }

    /** Whether the port has a Redis, and no other server. */
    private static boolean isThere(int port) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), TIMEOUT_MILLIS);
            socket.setSoTimeout(TIMEOUT_MILLIS);
            socket.getOutputStream().write("PING\r\n".getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readNBytes(5), StandardCharsets.US_ASCII).equals("+PONG");
        } catch (IOException e) {
            return false;
        }
    }

    private static EmbeddedRedis start(int port) {
        try {
            return new EmbeddedRedis(port);
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "the embedded Redis did not start on port " + port
                            + "; point the sample at another with --spring.data.redis.url=redis://host:port",
                    e);
        }
    }
}
