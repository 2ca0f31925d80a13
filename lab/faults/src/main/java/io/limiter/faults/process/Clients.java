package io.limiter.faults.process;

import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import java.time.Duration;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Connections to Redis as an application has them: the client's defaults, but that in a Cluster it learns of promotions. */
public final class Clients {

    private static final String HOST = "127.0.0.1";

    private Clients() {}

    public static LettuceConnectionFactory lettuce(Endpoint redis) {
        return lettuce(redis, "");
    }

    private static LettuceConnectionFactory lettuce(Endpoint redis, String user) {
        LettuceConnectionFactory connections =
                new LettuceConnectionFactory(configuration(redis, user), options(redis.kind()));
        connections.afterPropertiesSet();
        connections.start();
        return connections;
    }

    static RedisConnectionFactory open(MemberSettings settings) {
        Endpoint redis = settings.redis();
        if (settings.jedis()) {
            JedisConnectionFactory connections = new JedisConnectionFactory(
                    standalone(redis.port(), settings.user()),
                    JedisClientConfiguration.builder()
                            .readTimeout(Duration.ofSeconds(2))
                            .usePooling()
                            .build());
            connections.afterPropertiesSet();
            connections.start();
            return connections;
        }
        return lettuce(redis, settings.user());
    }

    private static LettuceClientConfiguration options(Endpoint.Kind kind) {
        if (kind != Endpoint.Kind.CLUSTER) {
            return LettuceClientConfiguration.defaultConfiguration();
        }
        // What Spring Boot's spring.data.redis.lettuce.cluster.refresh.adaptive does.
        return LettuceClientConfiguration.builder()
                .clientOptions(ClusterClientOptions.builder()
                        .topologyRefreshOptions(ClusterTopologyRefreshOptions.builder()
                                .enableAllAdaptiveRefreshTriggers()
                                .build())
                        .build())
                .build();
    }

    private static RedisConfiguration configuration(Endpoint redis, String user) {
        return switch (redis.kind()) {
            case STANDALONE -> standalone(redis.port(), user);
            case SENTINEL ->
                new RedisSentinelConfiguration().master(ReplicatedRedis.NAME).sentinel(HOST, redis.port());
            case CLUSTER -> new RedisClusterConfiguration().clusterNode(HOST, redis.port());
        };
    }

    private static RedisStandaloneConfiguration standalone(int port, String user) {
        RedisStandaloneConfiguration address = new RedisStandaloneConfiguration(HOST, port);
        if (!user.isEmpty()) {
            address.setUsername(user);
            address.setPassword(user);
        }
        return address;
    }
}
