package io.limiter.spring.autoconfigure;

import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** Finds the connection factory that the limiters use. */
final class LimiterConnections {

    private LimiterConnections() {}

    /**
     * @param own those that are marked as the limiter's
     * @param all of the application
     * @throws NoRedisConnectionException if there is none
     * @throws SeveralRedisConnectionsException if none of several stands out
     */
    static RedisConnectionFactory required(
            ObjectProvider<RedisConnectionFactory> own, ObjectProvider<RedisConnectionFactory> all) {
        try {
            RedisConnectionFactory marked = own.getIfAvailable();
            RedisConnectionFactory connections = marked == null ? all.getIfAvailable() : marked;
            if (connections == null) {
                throw new NoRedisConnectionException();
            }
            return connections;
        } catch (NoUniqueBeanDefinitionException e) {
            throw new SeveralRedisConnectionsException(e);
        }
    }
}
