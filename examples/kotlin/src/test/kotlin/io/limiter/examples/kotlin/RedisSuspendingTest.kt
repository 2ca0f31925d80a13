package io.limiter.examples.kotlin

import io.limiter.FailurePolicy
import io.limiter.LimiterFactory
import io.limiter.redis.RedisRateLimiterFactory
import io.limiter.test.redis.EmbeddedRedis
import io.limiter.test.redis.RedisAddress
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.BeforeEach
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory
import java.time.Duration

@EmbeddedRedis
class RedisSuspendingTest : SuspendingContract() {

    override lateinit var limiters: LimiterFactory
    private lateinit var connections: LettuceConnectionFactory

    @BeforeEach
    fun connect(redis: RedisAddress) {
        connections = LettuceConnectionFactory(redis.host(), redis.port()).apply { start() }
        limiters = RedisRateLimiterFactory.builder(connections)
            .failurePolicy(FailurePolicy.THROW)
            .decisionTimeout(Duration.ofMinutes(1))
            .build()
    }

    @AfterEach
    fun close() {
        limiters.close()
        connections.destroy()
    }
}
