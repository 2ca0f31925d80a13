package io.limiter.sample;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.springframework.boot.context.event.ApplicationEnvironmentPreparedEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.util.FileSystemUtils;
import redis.embedded.RedisServer;

/**
 * Gives the sample a Redis before the application starts: the one that {@code spring.data.redis.url} or {@code .host}
 * names, else the one that another instance of the sample has started, else one of its own.
 */
class SampleRedis implements ApplicationListener<ApplicationEnvironmentPreparedEvent> {

    private static final int CONNECT_TIMEOUT_MILLIS = 500;

    @Override
    public void onApplicationEvent(ApplicationEnvironmentPreparedEvent event) {
        ConfigurableEnvironment environment = event.getEnvironment();
        if (environment.containsProperty("spring.data.redis.url")
                || environment.containsProperty("spring.data.redis.host")) {
            return;
        }
        int port = environment.getProperty("sample.redis.port", Integer.class, 6390);
        if (!listens(port)) {
            start(port);
        }
        environment
                .getPropertySources()
                .addLast(new MapPropertySource(
                        "sampleRedis", Map.of("spring.data.redis.host", "127.0.0.1", "spring.data.redis.port", port)));
    }

    private static boolean listens(int port) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), CONNECT_TIMEOUT_MILLIS);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private static void start(int port) {
        try {
            Path dir = Files.createTempDirectory("limiter-sample-redis");
            RedisServer server = RedisServer.newRedisServer()
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
