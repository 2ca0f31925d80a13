package io.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.internal.redis.client.RedisHints;
import io.limiter.testing.Eventually;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/** Jedis keeps the thread that subscribes, and its connections go back to a pool. */
class LiveHintsTest {

    private static final String CHANNEL = "hints";
    private static final String RETURNED = "subscribe has returned";
    private static final String CLOSED = "the connection was closed";

    @RegisterExtension
    static final LiveFleet FLEET = new LiveFleet();

    private final List<String> events = new CopyOnWriteArrayList<>();
    private final CountDownLatch opened = new CountDownLatch(1);
    private final CountDownLatch maySubscribe = new CountDownLatch(1);
    private JedisConnectionFactory connections;

    @BeforeEach
    void connect() {
        var where = new RedisStandaloneConfiguration("127.0.0.1", FLEET.redis().port());
        connections = new JedisConnectionFactory(where) {
            @Override
            public RedisConnection getConnection() {
                return recording(super.getConnection());
            }
        };
        connections.afterPropertiesSet();
        connections.start();
    }

    @AfterEach
    void disconnect() {
        connections.destroy();
    }

    private RedisConnection recording(RedisConnection real) {
        return (RedisConnection) Proxy.newProxyInstance(
                LiveHintsTest.class.getClassLoader(),
                new Class<?>[] {RedisConnection.class},
                (proxy, method, arguments) -> {
                    boolean subscribes = method.getName().equals("subscribe");
                    if (subscribes) {
                        opened.countDown();
                        maySubscribe.await();
                    } else if (method.getName().equals("close")) {
                        events.add(CLOSED);
                    }
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    } finally {
                        if (subscribes) {
                            events.add(RETURNED);
                        }
                    }
                });
    }

    @Test
    void a_connection_goes_back_to_the_pool_once_and_after_its_last_reply() {
        maySubscribe.countDown();
        RedisHints hints = new RedisHints(connections);
        hints.ensureSubscribed(CHANNEL, () -> {});
        Eventually.that(() -> assertThat(subscribers()).isEqualTo(1));
        hints.close();
        Eventually.that(() -> assertThat(events).containsExactly(RETURNED, CLOSED));
        assertThat(subscribers()).isZero();
    }

    @Test
    void also_if_it_is_closed_before_it_is_subscribed() throws Exception {
        RedisHints hints = new RedisHints(connections);
        hints.ensureSubscribed(CHANNEL, () -> {});
        opened.await();
        hints.close();
        maySubscribe.countDown();
        Eventually.that(() -> assertThat(events).containsExactly(RETURNED, CLOSED));
        assertThat(subscribers()).isZero();
        try (RedisConnection next = connections.getConnection()) {
            assertThat(next.ping()).isEqualTo("PONG");
        }
    }

    private static long subscribers() {
        return FLEET.<Long>commands(commands -> commands.pubsubNumsub(CHANNEL).get(CHANNEL));
    }
}
