package io.limiter.internal.live;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import io.limiter.LimiterFactory;
import io.limiter.RateLimiter;
import io.limiter.algorithm.LimitKind;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.log.AsyncLog;
import io.limiter.live.ChangeNote;
import io.limiter.live.InstanceReport;
import io.limiter.live.LimitReport;
import io.limiter.live.LiveLimit;
import io.limiter.live.LiveLimits;
import io.limiter.live.LiveOptions;
import io.limiter.live.LiveSettings;
import io.limiter.redis.RedisFixture;
import io.limiter.redis.RedisRateLimiterFactory;
import io.limiter.redis.Resources;
import io.limiter.testing.Eventually;
import io.limiter.testing.RedisProcess;
import io.limiter.testing.TestClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slf4j.LoggerFactory;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Instances with live limits, which poll when the test says so, on a Redis of the test class's own, because the keys of live
 * limits have no prefix. Its clock is moved by the test.
 */
public final class LiveFleet implements BeforeAllCallback, AfterAllCallback, BeforeEachCallback, AfterEachCallback {

    /** They poll when they start, and then when the test says so. */
    static final LiveOptions BY_HAND = LiveOptions.DEFAULT.withPollInterval(Duration.ofHours(1));

    static final ChangeNote NOTE = ChangeNote.of("ann", "flood");
    static final LiveSettings TEN = LiveSettings.of(LimitKind.TOKEN_BUCKET).withRate(10);

    private static final String CLOCK_KEY = "clock";

    /** Lua that reads the clock which the test moves. */
    static final String CLOCK = "local now = tonumber(redis.call('GET', '" + CLOCK_KEY + "'))";

    private final Resources resources = Resources.ofClass();
    private final List<LiveInstance> instances = new ArrayList<>();
    private RedisProcess redis;
    private RedisClient client;
    private LettuceConnectionFactory connections;
    private TestClock clock;

    @Override
    public void beforeAll(ExtensionContext context) {
        redis = resources.redis();
        client = RedisClient.create("redis://127.0.0.1:" + redis.port());
        resources.closing(client::shutdown);
        connections = resources.lettuce(Resources.at(redis.port()));
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        commands(commands -> commands.flushall());
        clock = new TestClock(micros -> commands(commands -> commands.set(CLOCK_KEY, Long.toString(micros))));
    }

    @Override
    public void afterEach(ExtensionContext context) {
        instances.forEach(LiveInstance::close);
        instances.clear();
    }

    @Override
    public void afterAll(ExtensionContext context) throws Exception {
        resources.afterAll(context);
    }

    static LiveLimits live(LiveInstance instance) {
        return instance.live();
    }

    /** Replaces the live limit that this instance knows. */
    static LiveLimit put(LiveInstance instance, String name, LiveSettings settings) {
        long expected = live(instance).get(name).map(LiveLimit::version).orElse(0L);
        return live(instance).put(name, settings, NOTE, expected);
    }

    /** Of a hundred permits per second. */
    static RateLimiter search(LimiterFactory limiters) {
        return limiters.build("search", TokenBucket.perSecond(100));
    }

    /** Makes all instances report at their next poll, and returns the reports that there are. */
    static List<InstanceReport> reports(LiveInstance instance) {
        return live(instance).fleet().watch().instances();
    }

    /** Has all of them report now. */
    static List<InstanceReport> reportsOf(LiveInstance... instances) {
        live(instances[0]).fleet().watch();
        for (LiveInstance each : instances) {
            each.pollLiveLimits();
        }
        return reports(instances[0]);
    }

    /** Of the only limit of these instances, which report now. */
    static LimitReport sum(LiveInstance... instances) {
        return LimitReport.sum(reportsOf(instances)).get(0);
    }

    LiveInstance instance(String name, boolean showKeys) {
        return instance(BY_HAND.withInstance(name).withShowKeys(showKeys));
    }

    /** Runs commands on a connection of its own. */
    <T> T commands(Function<RedisCommands<String, String>, T> run) {
        try (var connection = client.connect()) {
            return run.apply(connection.sync());
        }
    }

    LettuceConnectionFactory connections() {
        return connections;
    }

    RedisProcess redis() {
        return redis;
    }

    TestClock clock() {
        return clock;
    }

    /** Has Redis lose everything, as a restart without a file does. */
    void loseEverything() {
        String now = Long.toString(clock.micros());
        commands(commands -> {
            commands.flushall();
            return commands.set(CLOCK_KEY, now);
        });
    }

    /** Redis answers reads of live limits with an error during that time. */
    void whileUnreadable(Runnable work) {
        String version = commands(commands -> commands.get("{limiter:live}:version"));
        commands(commands -> {
            commands.del("{limiter:live}:version");
            return commands.lpush("{limiter:live}:version", "not a string");
        });
        try {
            assertThat(logged(work))
                    .singleElement()
                    .asString()
                    .startsWith("Live limits cannot be read. Those known here stay in effect until they expire.");
        } finally {
            commands(commands -> {
                commands.del("{limiter:live}:version");
                return commands.set("{limiter:live}:version", version);
            });
        }
    }

    /** What is logged about live limits during that time, which is not printed. */
    static List<String> logged(Runnable work) {
        Logger logger = (Logger) LoggerFactory.getLogger("io.limiter.internal");
        ListAppender<ILoggingEvent> appender = new ListAppender<>();
        appender.start();
        AsyncLog.flush(Duration.ofMinutes(1));
        logger.addAppender(appender);
        logger.setAdditive(false);
        try {
            work.run();
            AsyncLog.flush(Duration.ofMinutes(1));
        } finally {
            logger.setAdditive(true);
            logger.detachAppender(appender);
        }
        return appender.list.stream()
                .filter(event -> event.getLevel().isGreaterOrEqual(Level.WARN))
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    LiveInstance instance() {
        return instance(BY_HAND);
    }

    LiveInstance instance(LiveOptions options) {
        return add(builder(connections), options, false);
    }

    LiveInstance instance(UnaryOperator<RedisRateLimiterFactory.Builder> settings) {
        return add(settings.apply(builder(connections)), BY_HAND, false);
    }

    LiveInstance instance(RedisConnectionFactory itsConnections) {
        return add(builder(itsConnections), BY_HAND, false);
    }

    LiveInstance hintedInstance() {
        return add(builder(connections), BY_HAND, true);
    }

    private RedisRateLimiterFactory.Builder builder(RedisConnectionFactory itsConnections) {
        return RedisFixture.onClock(RedisFixture.builder(itsConnections), CLOCK, clock);
    }

    LiveInstance add(RedisRateLimiterFactory.Builder builder, LiveOptions options, boolean withHints) {
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        LiveInstance instance = LiveInstance.of(builder, options, withHints);
        instances.add(instance);
        instance.pollLiveLimits();
        // Its own thread polls once when it starts, which would call the listeners of a test on that thread.
        Eventually.that(() -> assertThat(pollingSince(before)).isEmpty());
        return instance;
    }

    private static List<Thread> pollingSince(Set<Thread> before) {
        List<Thread> polling = new ArrayList<>();
        Thread.getAllStackTraces().forEach((thread, frames) -> {
            if (!before.contains(thread)
                    && thread.getName().equals("limiter-live")
                    && Arrays.stream(frames)
                            .noneMatch(frame -> frame.getMethodName().equals("tryAcquire"))) {
                polling.add(thread);
            }
        });
        return polling;
    }
}
