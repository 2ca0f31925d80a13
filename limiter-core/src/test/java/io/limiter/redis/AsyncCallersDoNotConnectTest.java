package io.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.LimitSet;
import io.limiter.LimiterOptions;
import io.limiter.RateLimiter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** Asynchronous callers do not wait for a connection, even if the client blocks. */
class AsyncCallersDoNotConnectTest {

    @RegisterExtension
    final RedisFixture redis = new RedisFixture();

    private final Set<Thread> connecting = ConcurrentHashMap.newKeySet();

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void connections_are_made_by_other_threads(boolean groupCommit) {
        try (RedisRateLimiterFactory factory = RedisFixture.builder(watched())
                .clock(redis.clockLua(), redis.clock())
                .groupCommit(groupCommit)
                .build()) {
            RateLimiter limiter =
                    factory.with(LimiterOptions.NONE.withPrefix(redis.prefix())).build("k", 1, 3, 60);
            for (int i = 0; i < 3; i++) {
                assertThat(limiter.async().decide(1).join().isGranted()).isTrue();
            }
            assertThat(limiter.async().decide(1).join().isGranted()).isFalse();
            LimitSet set = LimitSet.of(limiter.on("a"), limiter.on("b"));
            assertThat(set.async().decide(3).join().isGranted()).isTrue();
            assertThat(set.async().decide(1).join().isGranted()).isFalse();
            assertThat(connecting).isNotEmpty().doesNotContain(Thread.currentThread());
        }
    }

    private RedisConnectionFactory watched() {
        return (RedisConnectionFactory) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {RedisConnectionFactory.class}, (proxy, method, args) -> {
                    if (method.getName().equals("getConnection")) {
                        connecting.add(Thread.currentThread());
                    }
                    try {
                        return method.invoke(RedisFixture.jedis(), args);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
