package io.limiter.faults.process;

import java.time.Duration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Connections to Redis as an application has them: the client's defaults. */
public final class Clients {

    private Clients() {}

    public static LettuceConnectionFactory lettuce(int port) {
        LettuceConnectionFactory connections = new LettuceConnectionFactory(address(port, ""));
        connections.afterPropertiesSet();
        connections.start();
        return connections;
    }

    static RedisConnectionFactory open(MemberSettings settings) {
        RedisStandaloneConfiguration address = address(settings.port(), settings.user());
        if (settings.jedis()) {
            JedisConnectionFactory connections = new JedisConnectionFactory(
                    address,
                    JedisClientConfiguration.builder()
                            .readTimeout(Duration.ofSeconds(2))
                            .usePooling()
                            .build());
            connections.afterPropertiesSet();
            connections.start();
            return connections;
        }
        LettuceConnectionFactory connections = new LettuceConnectionFactory(address);
        connections.afterPropertiesSet();
        connections.start();
        return connections;
    }

    private static RedisStandaloneConfiguration address(int port, String user) {
        RedisStandaloneConfiguration address = new RedisStandaloneConfiguration("127.0.0.1", port);
        if (!user.isEmpty()) {
            address.setUsername(user);
            address.setPassword(user);
        }
        return address;
    }
}
