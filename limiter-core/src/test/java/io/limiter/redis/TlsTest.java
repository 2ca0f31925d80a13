package io.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.SslOptions;
import io.limiter.Decision.Source;
import io.limiter.FailurePolicy;
import io.limiter.Lease;
import io.limiter.Limiter;
import io.limiter.LimiterBackendException;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.spi.DistributedLock;
import io.limiter.testing.Eventually;
import io.limiter.testing.RedisProcess;
import io.limiter.testing.TestCertificate;
import java.io.File;
import java.security.GeneralSecurityException;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;

/** A Redis behind TLS: limiters use the settings of the application's connections, also to find it after an outage. */
class TlsTest {

    private static TestCertificate certificate;
    private static TestCertificate other;
    private static RedisProcess redis;

    @RegisterExtension
    static final Resources SERVERS = Resources.ofClass();

    @RegisterExtension
    final Resources resources = Resources.ofTest();

    enum Client {
        LETTUCE,
        JEDIS
    }

    @BeforeAll
    static void start() throws Exception {
        certificate = SERVERS.closing(TestCertificate.create());
        other = SERVERS.closing(TestCertificate.create());
        redis = SERVERS.redis(certificate.redisSettings());
    }

    @ParameterizedTest
    @EnumSource
    void scripts_and_locks_run_over_it(Client client) throws Exception {
        RedisConnectionFactory connections = connect(client, certificate);
        try (RedisRateLimiterFactory scripts = RedisFixture.builder(connections).build()) {
            decides(scripts, "s" + client);
            try (Lease lease = scripts.build(
                            "c" + client, ConcurrencyLimit.of(1).withLeaseTime(ConcurrencyLimit.DEFAULT_LEASE_TIME))
                    .acquire(1, Duration.ZERO)) {
                assertThat(lease.isHeld()).isTrue();
            }
        }
        DistributedLock lock = new RedisLock(connections);
        try (RedisRateLimiterFactory locks =
                RedisFixture.builder(connections).lock(lock).build()) {
            decides(locks, "l" + client);
        }
    }

    @ParameterizedTest
    @EnumSource
    void it_is_found_again_after_an_outage(Client client) throws Exception {
        RedisConnectionFactory connections = connect(client, certificate);
        try (RedisRateLimiterFactory factory = RedisFixture.builder(connections)
                .failurePolicy(FailurePolicy.ALLOW)
                .decisionTimeout(Duration.ofMillis(500))
                .build()) {
            Limiter limiter = factory.build("o" + client, FixedWindow.of(1_000_000, Duration.ofHours(1)));
            AwaitedDecision.by(Source.BACKEND, () -> limiter.decide(1));
            redis.kill();
            AwaitedDecision.by(Source.POLICY, () -> limiter.decide(1));
            redis.startAgain();
            AwaitedDecision.by(Source.BACKEND, () -> limiter.decide(1));
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_certificate_that_is_not_trusted_decides_nothing(Client client) throws Exception {
        RedisConnectionFactory connections = connect(client, other);
        // Retried until then.
        try (RedisRateLimiterFactory factory = RedisFixture.builder(connections)
                .decisionTimeout(Duration.ofMillis(200))
                .build()) {
            // On a slow machine, the time may be over before the first handshake has failed.
            Eventually.that(() -> assertThatThrownBy(() -> decides(factory, "u" + client))
                    .isInstanceOf(LimiterBackendException.class)
                    .hasRootCauseInstanceOf(GeneralSecurityException.class));
        }
    }

    private static void decides(RedisRateLimiterFactory factory, String name) {
        Limiter limiter = factory.build(name, FixedWindow.of(2, Duration.ofHours(1)));
        assertThat(limiter.decide(1).isGranted()).isTrue();
        assertThat(limiter.on("k").async().decide(2).join().isGranted()).isTrue();
        assertThat(limiter.decide(1).source()).isEqualTo(Source.BACKEND);
        assertThat(limiter.decide(1).isGranted()).isFalse();
    }

    private RedisConnectionFactory connect(Client client, TestCertificate trusted) throws Exception {
        RedisStandaloneConfiguration where = Resources.at(redis.port());
        if (client == Client.JEDIS) {
            return resources.jedis(
                    where,
                    JedisClientConfiguration.builder()
                            .useSsl()
                            .sslSocketFactory(context(trusted).getSocketFactory())
                            .build());
        }
        File file = trusted.file().toFile();
        return resources.lettuce(
                where,
                LettuceClientConfiguration.builder()
                        .useSsl()
                        .and()
                        .clientOptions(ClientOptions.builder()
                                .sslOptions(
                                        SslOptions.builder().trustManager(file).build())
                                .build())
                        .build());
    }

    private static SSLContext context(TestCertificate trusted) throws Exception {
        TrustManagerFactory managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        managers.init(trusted.trusted());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, managers.getTrustManagers(), null);
        return context;
    }
}
