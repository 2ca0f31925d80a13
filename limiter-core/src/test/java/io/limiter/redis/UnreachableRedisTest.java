package io.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.SocketOptions;
import io.limiter.FailurePolicy;
import io.limiter.Limiter;
import io.limiter.algorithm.FixedWindow;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;

/** A host that answers no SYN, as behind a firewall that drops packets: a client connects for as long as it is configured to. */
@Execution(ExecutionMode.CONCURRENT)
class UnreachableRedisTest {

    private static final Duration CONNECT_TIMEOUT = Duration.ofMinutes(5);

    private final List<Socket> accepted = new ArrayList<>();
    private ServerSocket full;

    @RegisterExtension
    final Resources resources = Resources.ofTest();

    /** Once its backlog is full, the kernel drops further SYNs. */
    @BeforeEach
    void listen() throws IOException {
        full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        while (true) {
            Socket socket = new Socket();
            accepted.add(socket);
            try {
                socket.connect(full.getLocalSocketAddress(), 200);
            } catch (SocketTimeoutException e) {
                return;
            }
        }
    }

    /** Before the connections: it ends connecting. */
    @AfterEach
    void close() throws IOException {
        full.close();
        for (Socket socket : accepted) {
            socket.close();
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "REDISSON_LOCK")
    void no_decision_has_the_longer_timeout_of_the_first(Setup setup) {
        try (RedisRateLimiterFactory factory = factory(setup)) {
            Limiter limiter = factory.build("k", FixedWindow.of(1, Duration.ofDays(1)));
            assertThatThrownBy(limiter::tryAcquire).hasMessageContaining("within PT0.05S");
            assertThatThrownBy(limiter::tryAcquire).hasMessageContaining("within PT0.05S");
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "REDISSON_LOCK")
    void the_warm_up_does_not_wait_for_the_client(Setup setup) {
        try (RedisRateLimiterFactory factory = factory(setup)) {
            assertThat(factory.warmUp()).succeedsWithin(1, TimeUnit.MINUTES).isEqualTo(false);
            Limiter limiter = factory.build("k", FixedWindow.of(1, Duration.ofDays(1)));
            assertThatThrownBy(limiter::tryAcquire).hasMessageContaining("within PT0.05S");
        }
    }

    private RedisRateLimiterFactory factory(Setup setup) {
        RedisStandaloneConfiguration where = Resources.at(full.getLocalPort());
        RedisConnectionFactory connections = setup == Setup.JEDIS
                ? resources.jedis(
                        where,
                        JedisClientConfiguration.builder()
                                .connectTimeout(CONNECT_TIMEOUT)
                                .build())
                : resources.lettuce(
                        where,
                        Resources.lettuceWaiting(CONNECT_TIMEOUT)
                                .clientOptions(ClientOptions.builder()
                                        .socketOptions(SocketOptions.builder()
                                                .connectTimeout(CONNECT_TIMEOUT)
                                                .build())
                                        .build())
                                .build());
        RedisRateLimiterFactory.Builder builder = RedisRateLimiterFactory.builder(connections)
                .decisionTimeout(Duration.ofMillis(50))
                .firstDecisionTimeout(Duration.ofMinutes(1))
                .failurePolicy(FailurePolicy.THROW);
        return setup.on(builder, connections, RedisFixture::redisson).build();
    }
}
