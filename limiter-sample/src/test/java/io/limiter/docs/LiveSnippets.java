package io.limiter.docs;

import io.limiter.live.ChangeNote;
import io.limiter.live.LiveLimit;
import io.limiter.live.LiveLimits;
import io.limiter.live.LiveOptions;
import io.limiter.live.LiveSettings;
import io.limiter.live.redis.RedisLiveLimits;
import io.limiter.redis.RedisRateLimiterFactory;
import java.time.Duration;

/** The Java of docs/live.md. */
final class LiveSnippets {

    private LiveSnippets() {}

    static LiveLimits withoutBoot(RedisRateLimiterFactory limiters) {
        // live: start
        LiveLimits live = RedisLiveLimits.start(limiters, LiveOptions.DEFAULT);
        // end
        return live;
    }

    static LiveLimit lowerAndRemove(LiveLimits live) {
        // live: put
        LiveLimit stored = live.put(
                "search",
                LiveSettings.NONE.withRate(5),
                ChangeNote.of("ann", "one client floods us").withExpiry(Duration.ofHours(2)),
                0);
        live.remove("search", ChangeNote.of("ann", "the client is gone"), stored.version());
        // end
        return stored;
    }
}
