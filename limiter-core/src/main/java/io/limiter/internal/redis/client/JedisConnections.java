package io.limiter.internal.redis.client;

import java.util.Collection;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import redis.clients.jedis.Jedis;

/** What is special about Jedis's connections. Only to be called where Jedis is present: without it, this class cannot be linked. */
final class JedisConnections {

    /** Of Spring Boot and of Jedis. */
    static final int DEFAULT_POOL_SIZE = 8;

    private JedisConnections() {}

    static boolean areOf(RedisConnectionFactory connections) {
        return connections instanceof JedisConnectionFactory;
    }

    /** Where they lead. */
    static Collection<? extends RedisNode> nodes(RedisConnectionFactory connections) {
        JedisConnectionFactory jedis = (JedisConnectionFactory) connections;
        return RedisCalls.nodes(
                jedis.getClusterConfiguration(),
                jedis.getSentinelConfiguration(),
                new RedisNode(jedis.getHostName(), jedis.getPort()));
    }

    /** How many connections there can be at the same time. */
    static int poolSize(RedisConnectionFactory connections) {
        JedisConnectionFactory jedis = (JedisConnectionFactory) connections;
        int most = jedis.getUsePool() && jedis.getPoolConfig() != null
                ? jedis.getPoolConfig().getMaxTotal()
                : Integer.MAX_VALUE;
        return most < 0 ? Integer.MAX_VALUE : most;
    }

    /**
     * Has the pool close a connection instead of using it again. A primary that was demoted keeps its connections open, and only
     * a new one finds out where its name leads now.
     */
    static void discard(RedisConnection connection) {
        if (connection.getNativeConnection() instanceof Jedis jedis) {
            jedis.getConnection().setBroken();
        }
    }
}
