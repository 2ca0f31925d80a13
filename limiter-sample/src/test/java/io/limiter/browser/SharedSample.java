package io.limiter.browser;

import io.limiter.live.ChangeNote;
import io.limiter.live.LiveLimit;
import io.limiter.live.LiveLimits;
import io.limiter.testing.RedisProcess;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ConfigurableApplicationContext;

/** The sample that tests share, on a Redis of its own. Each has limits and keys of its own, and leaves no live limit. */
final class SharedSample {

    private static @Nullable SharedSample started;

    private final RedisProcess redis = RedisProcess.start();
    private final ConfigurableApplicationContext application = Samples.start(
            redis,
            "--limiter.limits.rate.enforce=false",
            "--limiter.limits.rate.rate=0.0001",
            "--limiter.limits.rate.capacity=1");

    private SharedSample() {}

    static ConfigurableApplicationContext get() {
        if (started == null) {
            started = new SharedSample();
        }
        return started.application;
    }

    static void removeLiveLimits() {
        LiveLimits live = get().getBean(LiveLimits.class);
        ChangeNote note = ChangeNote.of("test", "");
        for (LiveLimit each : live.keys()) {
            live.remove(each.name(), each.key().orElseThrow(), note, each.version());
        }
        for (LiveLimit each : live.list()) {
            live.remove(each.name(), note, each.version());
        }
    }

    static void close() {
        if (started != null) {
            started.application.close();
            started.redis.close();
            started = null;
        }
    }
}
