package io.limiter.internal.live;

import static io.limiter.internal.live.LiveFleet.BY_HAND;
import static io.limiter.internal.live.LiveFleet.TEN;
import static io.limiter.internal.live.LiveFleet.logged;
import static io.limiter.internal.live.LiveFleet.put;
import static io.limiter.internal.live.LiveFleet.search;
import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.AclSetuserArgs;
import io.lettuce.core.ScoredValue;
import io.limiter.RateLimiter;
import io.limiter.internal.live.store.RedisHints;
import io.limiter.live.LiveOptions;
import io.limiter.redis.RedisFixture;
import io.limiter.redis.Resources;
import io.limiter.testing.Eventually;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/**
 * Hints make an instance poll before its time. Jedis keeps the thread that subscribes to them, and its connections go back to a
 * pool.
 */
class LiveHintsTest {

    private static final String LIVE = "{limiter:live}";
    private static final String CHANNEL = "hints";
    private static final String RETURNED = "subscribe has returned";
    private static final String CLOSED = "the connection was closed";

    @RegisterExtension
    static final LiveFleet FLEET = new LiveFleet();

    @RegisterExtension
    final Resources resources = Resources.ofTest();

    private final List<String> events = new CopyOnWriteArrayList<>();
    private final CountDownLatch opened = new CountDownLatch(1);
    private final CountDownLatch maySubscribe = new CountDownLatch(1);
    private JedisConnectionFactory connections;

    @BeforeEach
    void connect() {
        connections = new JedisConnectionFactory(Resources.at(FLEET.redis().port())) {
            @Override
            public RedisConnection getConnection() {
                return recording(super.getConnection());
            }
        };
        connections.afterPropertiesSet();
        connections.start();
        resources.closing(connections::destroy);
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
        RedisHints hints = new RedisHints(RedisFixture.calls(connections));
        hints.ensureSubscribed(CHANNEL, () -> {});
        Eventually.that(() -> assertThat(subscribers(CHANNEL)).isEqualTo(1));
        hints.close();
        Eventually.that(() -> assertThat(events).containsExactly(RETURNED, CLOSED));
        assertThat(subscribers(CHANNEL)).isZero();
    }

    @Test
    void a_connection_that_is_closed_before_it_is_subscribed_goes_back_too() throws Exception {
        RedisHints hints = new RedisHints(RedisFixture.calls(connections));
        hints.ensureSubscribed(CHANNEL, () -> {});
        opened.await();
        hints.close();
        maySubscribe.countDown();
        Eventually.that(() -> assertThat(events).containsExactly(RETURNED, CLOSED));
        assertThat(subscribers(CHANNEL)).isZero();
        try (RedisConnection next = connections.getConnection()) {
            assertThat(next.ping()).isEqualTo("PONG");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void hints_reach_an_instance_that_polls_once_an_hour(boolean byLettuce) {
        RedisConnectionFactory connections =
                resources.connect(byLettuce, Resources.at(FLEET.redis().port()));
        try (LiveInstance hinted = LiveInstance.of(RedisFixture.builder(connections), BY_HAND, true)) {
            RateLimiter limiter = search(hinted);
            // It subscribes after it has polled.
            Eventually.that(() -> assertThat(subscribers(LIVE)).isEqualTo(1));
            put(FLEET.instance(), "search", TEN);
            Eventually.that(() -> assertThat(limiter.getRate()).isEqualTo(10));
        }
        Eventually.that(() -> assertThat(subscribers(LIVE)).isZero());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void in_a_large_fleet_no_instance_subscribes(boolean byLettuce) {
        RedisConnectionFactory connections =
                resources.connect(byLettuce, Resources.at(FLEET.redis().port()));
        try (LiveInstance hinted = LiveInstance.of(
                RedisFixture.onClock(RedisFixture.builder(connections), LiveFleet.CLOCK, FLEET.clock()),
                BY_HAND,
                true)) {
            Eventually.that(() -> assertThat(subscribers(LIVE)).isEqualTo(1));
            others(LivePoller.MOST_HINTED);
            count(hinted);
            Eventually.that(() -> assertThat(subscribers(LIVE)).isZero());
            RateLimiter limiter = search(hinted);
            put(FLEET.instance(), "search", TEN);
            hinted.pollLiveLimits();
            assertThat(limiter.getRate()).as("it still polls").isEqualTo(10);
            FLEET.<Long>commands(commands -> commands.del(LIVE + ":instances"));
            others(LivePoller.MOST_HINTED * 9 / 10);
            countAnew(hinted);
            assertThat(subscribers(LIVE)).as("hardly fewer").isZero();
            FLEET.<Long>commands(commands -> commands.del(LIVE + ":instances"));
            countAnew(hinted);
            Eventually.that(() -> assertThat(subscribers(LIVE)).isEqualTo(1));
        }
    }

    /** They count for hours. */
    private static void others(int number) {
        ScoredValue<String>[] members = IntStream.range(0, number)
                .mapToObj(i -> ScoredValue.just(FLEET.clock().micros() + 1e10, "instance-" + i))
                .toArray(ScoredValue[]::new);
        FLEET.<Long>commands(commands -> commands.zadd(LIVE + ":instances", members));
    }

    /** The first count after Redis has lost all keeps the number of before, and the next the larger of the last two. */
    private static void countAnew(LiveInstance instance) {
        for (int i = 0; i < 3; i++) {
            count(instance);
        }
    }

    private static void count(LiveInstance instance) {
        FLEET.clock().advance(KnownInstances.EVERY);
        instance.pollLiveLimits();
    }

    @Test
    void without_a_right_to_the_channel_it_polls() {
        FLEET.commands(commands -> commands.aclSetuser(
                "live",
                AclSetuserArgs.Builder.on()
                        .addPassword("password")
                        .allKeys()
                        .resetChannels()
                        .allCommands()));
        RedisConnectionFactory connections = resources.lettuce(
                Resources.as("live", Resources.at(FLEET.redis().port())));
        List<String> lines = logged(() -> {
            LiveOptions options = LiveOptions.DEFAULT.withPollInterval(Duration.ofMillis(100));
            try (LiveInstance forbidden = LiveInstance.of(RedisFixture.builder(connections), options, true)) {
                RateLimiter limiter = search(forbidden);
                put(forbidden, "mine", TEN);
                put(FLEET.instance(), "search", TEN);
                Eventually.that(() -> assertThat(limiter.getRate()).isEqualTo(10));
                // After a poll it has at least begun to subscribe.
                forbidden.pollLiveLimits();
                Eventually.that(() -> assertThat(Thread.getAllStackTraces().keySet())
                        .extracting(Thread::getName)
                        .doesNotContain("limiter-live-hints"));
            }
        });
        assertThat(lines).singleElement().asString().startsWith("Cannot subscribe to the channel {limiter:live}");
    }

    private static long subscribers(String channel) {
        return FLEET.<Long>commands(commands -> commands.pubsubNumsub(channel).get(channel));
    }
}
