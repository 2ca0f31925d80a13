package io.limiter.sample;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.springframework.boot.context.event.ApplicationEnvironmentPreparedEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.aot.AbstractAotProcessor;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.util.FileSystemUtils;
import redis.embedded.RedisServer;
import redis.embedded.core.ExecutableProvider;

/**
 * Starts an embedded Redis before the application, unless {@code spring.data.redis.url}, {@code .host} or {@code .port} names
 * one, or another instance of the sample has started one. Ahead-of-time processing needs none.
 */
class SampleRedis implements ApplicationListener<ApplicationEnvironmentPreparedEvent> {

    private static final List<String> OTHER_REDIS =
            List.of("spring.data.redis.url", "spring.data.redis.host", "spring.data.redis.port");
    private static final int TIMEOUT_MILLIS = 500;

    @Override
    public void onApplicationEvent(ApplicationEnvironmentPreparedEvent event) {
        ConfigurableEnvironment environment = event.getEnvironment();
        if (Boolean.getBoolean(AbstractAotProcessor.AOT_PROCESSING)) {
            return;
        }
        if (OTHER_REDIS.stream().anyMatch(environment::containsProperty)) {
            return;
        }
        int port = environment.getProperty("sample.redis.port", Integer.class, 6390);
        if (!isThere(port)) {
            start(port);
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

    private static void start(int port) {
        try {
            Path dir = Files.createTempDirectory("limiter-sample-redis");
            dir.toFile().deleteOnExit();
            RedisServer server = RedisServer.newRedisServer()
                    // Unpacked into the directory that is deleted at the end.
                    .executableProvider(ExecutableProvider.newJarResourceProvider(dir.toFile()))
                    .port(port)
                    .bind("127.0.0.1")
                    .setting("dir " + dir)
                    .setting("save \"\"")
                    .build();
            server.start();
            Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(server, dir)));
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "the embedded Redis did not start on port " + port
                            + "; point the sample at another with --spring.data.redis.url=redis://host:port",
                    e);
        }
    }

    private static void stop(RedisServer server, Path dir) {
        try {
            server.stop();
            FileSystemUtils.deleteRecursively(dir);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
