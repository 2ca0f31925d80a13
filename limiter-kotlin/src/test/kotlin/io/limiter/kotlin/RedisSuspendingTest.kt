package io.limiter.kotlin

import io.limiter.FailurePolicy
import io.limiter.redis.RedisRateLimiterFactory
import io.limiter.testing.TestRedis
import org.junit.jupiter.api.AfterAll
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory
import java.time.Duration

class RedisSuspendingTest : SuspendingContract() {

    override val limiters = shared

    companion object {

        private val connections = TestRedis.shared().let { LettuceConnectionFactory(it.host(), it.port()) }
            .apply { start() }
        private val shared = RedisRateLimiterFactory.builder(connections)
            .failurePolicy(FailurePolicy.THROW)
            .decisionTimeout(Duration.ofMinutes(1))
            .build()

        @JvmStatic
        @AfterAll
        fun close() {
            shared.close()
            connections.destroy()
        }
    }
}
