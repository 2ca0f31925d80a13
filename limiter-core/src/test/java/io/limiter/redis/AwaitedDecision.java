package io.limiter.redis;

import io.limiter.Decision;
import io.limiter.Decision.Source;
import io.limiter.LimiterBackendException;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.awaitility.Awaitility;

/** Requests that are made again until the expected source decides, for as long as the slowest machine may need. */
final class AwaitedDecision {

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private AwaitedDecision() {}

    /** The first decision of this source; failures in between are ignored. */
    static Decision by(Source source, Callable<Decision> request) {
        return Awaitility.await()
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(5))
                .ignoreExceptionsInstanceOf(LimiterBackendException.class)
                .until(request, decision -> decision.source() == source);
    }
}
