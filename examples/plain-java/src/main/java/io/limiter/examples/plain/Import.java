package io.limiter.examples.plain;

import io.limiter.RateLimiter;
import io.limiter.algorithm.TokenBucket;
import io.limiter.redis.RedisRateLimiterFactory;
import java.time.LocalTime;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Calls a service that allows five calls per second to the whole company, from any number of processes. */
public final class Import {

    private Import() {}

    public static void main(String[] args) {
        String host = args.length > 0 ? args[0] : "localhost";
        int port = args.length > 1 ? Integer.parseInt(args[1]) : 6379;
        LettuceConnectionFactory connections =
                new LettuceConnectionFactory(new RedisStandaloneConfiguration(host, port));
        connections.afterPropertiesSet();
        connections.start();
        try (RedisRateLimiterFactory limiters =
                RedisRateLimiterFactory.builder(connections).build()) {
            limiters.warmUp().join();
            RateLimiter calls = limiters.build("partner-api", TokenBucket.guava(5));
            for (int i = 1; i <= 15; i++) {
                calls.acquire();
                System.out.println(LocalTime.now() + " call " + i);
            }
        } finally {
            connections.destroy();
        }
    }
}
