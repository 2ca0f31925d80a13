package io.limiter.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.limiter.testing.MuteProxy;
import io.limiter.testing.RedisProcess;
import io.limiter.testing.TestCluster;
import io.limiter.testing.TestRedis;
import java.time.Duration;
import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;
import org.redisson.spring.data.connection.RedissonConnectionFactory;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration.LettuceClientConfigurationBuilder;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Servers, clients and factories of one test or test class. They are closed after it, the last first. */
public final class Resources implements AfterEachCallback, AfterAllCallback {

    private final Deque<AutoCloseable> open = new ConcurrentLinkedDeque<>();
    private final boolean ofClass;

    private Resources(boolean ofClass) {
        this.ofClass = ofClass;
    }

    public static Resources ofTest() {
        return new Resources(false);
    }

    /** For a static field. */
    public static Resources ofClass() {
        return new Resources(true);
    }

    @Override
    public void afterEach(ExtensionContext context) throws Exception {
        if (!ofClass) {
            closeAll();
        }
    }

    @Override
    public void afterAll(ExtensionContext context) throws Exception {
        closeAll();
    }

    private void closeAll() throws Exception {
        AutoCloseable last = open.poll();
        if (last != null) {
            try {
                last.close();
            } finally {
                closeAll();
            }
        }
    }

    public <T extends AutoCloseable> T closing(T resource) {
        open.push(resource);
        return resource;
    }

    /** See {@link RedisProcess#start}. */
    public RedisProcess redis(String... settings) {
        return closing(RedisProcess.start(settings));
    }

    /** See {@link TestCluster#start}. */
    public TestCluster cluster(int masters, String... settings) {
        return closing(TestCluster.start(masters, settings));
    }

    public MuteProxy proxyTo(int port) {
        return closing(MuteProxy.to(port));
    }

    public RedisConnectionFactory connect(boolean byLettuce, RedisConfiguration where) {
        return byLettuce ? lettuce(where) : jedis(where);
    }

    public LettuceConnectionFactory lettuce(RedisConfiguration where) {
        return lettuce(where, LettuceClientConfiguration.defaultConfiguration());
    }

    LettuceConnectionFactory lettuce(RedisConfiguration where, LettuceClientConfiguration client) {
        LettuceConnectionFactory lettuce = new LettuceConnectionFactory(where, client);
        lettuce.afterPropertiesSet();
        lettuce.start();
        closing(lettuce::destroy);
        return lettuce;
    }

    public JedisConnectionFactory jedis(RedisConfiguration where) {
        return jedis(where, JedisClientConfiguration.builder().usePooling().build());
    }

    JedisConnectionFactory jedis(RedisConfiguration where, JedisClientConfiguration client) {
        JedisConnectionFactory jedis = where instanceof RedisClusterConfiguration cluster
                ? new JedisConnectionFactory(cluster, client)
                : where instanceof RedisSentinelConfiguration sentinel
                        ? new JedisConnectionFactory(sentinel, client)
                        : new JedisConnectionFactory((RedisStandaloneConfiguration) where, client);
        jedis.afterPropertiesSet();
        jedis.start();
        closing(jedis::destroy);
        return jedis;
    }

    /** Sends nothing again. */
    RedissonClient redisson(RedisStandaloneConfiguration where) {
        return redisson(where, 0);
    }

    RedissonClient redisson(RedisStandaloneConfiguration where, int retryAttempts) {
        RedissonClient redisson = newRedisson(where, retryAttempts);
        closing(() -> redisson.shutdown(0, 0, TimeUnit.SECONDS));
        return redisson;
    }

    /** Redisson's own connection factory, to nodes of a Cluster. Sends nothing again. */
    RedissonConnectionFactory redisson(RedisClusterConfiguration where) {
        Config config = new Config();
        config.useClusterServers()
                .setRetryAttempts(0)
                .addNodeAddress(where.getClusterNodes().stream()
                        .map(node -> "redis://" + node.getHost() + ":" + node.getPort())
                        .toArray(String[]::new))
                .setMasterConnectionMinimumIdleSize(1)
                .setSlaveConnectionMinimumIdleSize(1)
                .setSubscriptionConnectionMinimumIdleSize(0);
        RedissonClient redisson = Redisson.create(config);
        closing(() -> redisson.shutdown(0, 0, TimeUnit.SECONDS));
        return new RedissonConnectionFactory(redisson);
    }

    /** With few connections: starting one takes half a second. */
    static RedissonClient newRedisson(RedisStandaloneConfiguration where) {
        return newRedisson(where, 4);
    }

    private static RedissonClient newRedisson(RedisStandaloneConfiguration where, int retryAttempts) {
        Config config = new Config();
        config.useSingleServer()
                .setRetryAttempts(retryAttempts)
                .setAddress("redis://" + where.getHostName() + ":" + where.getPort())
                .setUsername(where.getUsername())
                .setPassword(where.getPassword().map(String::new).orElse(null))
                .setConnectionMinimumIdleSize(1)
                .setConnectionPoolSize(16);
        return Redisson.create(config);
    }

    /** A client that waits for a reply for so long, and for nothing when it is closed. */
    static LettuceClientConfigurationBuilder lettuceWaiting(Duration commandTimeout) {
        return LettuceClientConfiguration.builder()
                .commandTimeout(commandTimeout)
                .shutdownTimeout(Duration.ZERO);
    }

    /** A client without a pool that waits for a connection and for a reply for so long. */
    static JedisClientConfiguration jedisWaiting(Duration timeout) {
        return JedisClientConfiguration.builder()
                .readTimeout(timeout)
                .connectTimeout(timeout)
                .build();
    }

    public static RedisStandaloneConfiguration at(int port) {
        return new RedisStandaloneConfiguration("127.0.0.1", port);
    }

    /** The Redis of all tests. */
    static RedisStandaloneConfiguration atShared() {
        return new RedisStandaloneConfiguration(
                TestRedis.shared().host(), TestRedis.shared().port());
    }

    /** As a user whose password is {@code password}. */
    public static <T extends RedisConfiguration & RedisConfiguration.WithAuthentication> T as(String user, T where) {
        where.setUsername(user);
        where.setPassword(RedisPassword.of("password"));
        return where;
    }

    /** Runs commands on a connection of their own. */
    public static <T> T commands(String node, Function<RedisCommands<String, String>, T> run) {
        RedisClient client = RedisClient.create("redis://" + node);
        try (StatefulRedisConnection<String, String> connection = client.connect()) {
            return run.apply(connection.sync());
        } finally {
            client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        }
    }

    public static <T> T commands(int port, Function<RedisCommands<String, String>, T> run) {
        return commands("127.0.0.1:" + port, run);
    }
}
