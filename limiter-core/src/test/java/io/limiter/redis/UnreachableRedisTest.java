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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** A host that answers no SYN, as behind a firewall that drops packets: a client connects for as long as it is configured to. */
class UnreachableRedisTest {

    private static final Duration CONNECT_TIMEOUT = Duration.ofMinutes(5);

    private final List<Socket> accepted = new ArrayList<>();
    private ServerSocket full;
    private RedisConnectionFactory connections;

    enum Setup {
        LETTUCE,
        LETTUCE_WITHOUT_GROUP_COMMIT,
        LETTUCE_UNDER_A_LOCK,
        JEDIS
    }

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

    @AfterEach
    void end() throws Exception {
        // First: it ends connecting.
        full.close();
        for (Socket socket : accepted) {
            socket.close();
        }
        ((DisposableBean) connections).destroy();
    }

    @ParameterizedTest
    @EnumSource
    void only_the_first_decision_has_the_longer_timeout(Setup setup) {
        try (RedisRateLimiterFactory factory = factory(setup)) {
            Limiter limiter = factory.build("k", FixedWindow.of(1, Duration.ofDays(1)));
            assertThatThrownBy(limiter::tryAcquire).hasMessageContaining("within PT0.3S");
            assertThatThrownBy(limiter::tryAcquire).hasMessageContaining("within PT0.05S");
        }
    }

    @ParameterizedTest
    @EnumSource
    void the_warm_up_does_not_wait_for_the_client(Setup setup) {
        try (RedisRateLimiterFactory factory = factory(setup)) {
            assertThat(factory.warmUp()).succeedsWithin(1, TimeUnit.MINUTES).isEqualTo(false);
            Limiter limiter = factory.build("k", FixedWindow.of(1, Duration.ofDays(1)));
            assertThatThrownBy(limiter::tryAcquire).hasMessageContaining("within PT0.05S");
        }
    }

    private RedisRateLimiterFactory factory(Setup setup) {
        RedisStandaloneConfiguration where = new RedisStandaloneConfiguration("127.0.0.1", full.getLocalPort());
        if (setup == Setup.JEDIS) {
            JedisConnectionFactory jedis = new JedisConnectionFactory(
                    where,
                    JedisClientConfiguration.builder()
                            .connectTimeout(CONNECT_TIMEOUT)
                            .build());
            jedis.afterPropertiesSet();
            jedis.start();
            connections = jedis;
        } else {
            LettuceConnectionFactory lettuce = new LettuceConnectionFactory(
                    where,
                    LettuceClientConfiguration.builder()
                            .commandTimeout(CONNECT_TIMEOUT)
                            .shutdownTimeout(Duration.ZERO)
                            .clientOptions(ClientOptions.builder()
                                    .socketOptions(SocketOptions.builder()
                                            .connectTimeout(CONNECT_TIMEOUT)
                                            .build())
                                    .build())
                            .build());
            lettuce.afterPropertiesSet();
            lettuce.start();
            connections = lettuce;
        }
        RedisRateLimiterFactory.Builder builder = RedisRateLimiterFactory.builder(connections)
                .decisionTimeout(Duration.ofMillis(50))
                .firstDecisionTimeout(Duration.ofMillis(300))
                .groupCommit(setup != Setup.LETTUCE_WITHOUT_GROUP_COMMIT)
                .failurePolicy(FailurePolicy.THROW);
        return setup == Setup.LETTUCE_UNDER_A_LOCK
                ? builder.lock(new RedisLock(connections)).build()
                : builder.build();
    }
}
