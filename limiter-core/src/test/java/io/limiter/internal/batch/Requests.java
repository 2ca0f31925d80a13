package io.limiter.internal.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.LimiterBackendException;
import io.limiter.internal.engine.Ask;
import io.limiter.internal.engine.Engine;
import io.limiter.testing.HandEngine;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.awaitility.Awaitility;

/** Requests to an engine on a {@link HandEngine}. */
final class Requests {

    private Requests() {}

    static Ask request(Engine engine, String key, long permits) {
        return Ask.start(engine, key, HandEngine.LIMIT, HandEngine.request(permits));
    }

    /** Answers all calls, and those that start meanwhile. */
    static void answerAll(HandEngine backend) {
        for (int i = 0; i < backend.calls.size(); i++) {
            backend.call(i).answer();
        }
    }

    static void assertFailed(CompletableFuture<?> future, String key, String why) {
        assertThat(future).isCompletedExceptionally();
        assertThatThrownBy(future::join)
                .isInstanceOf(CompletionException.class)
                .cause()
                .isInstanceOfSatisfying(
                        LimiterBackendException.class, e -> assertThat(e.key()).isEqualTo(key))
                .hasMessageContaining("'" + key + "'")
                .hasMessageContaining(why);
    }

    static void awaitWaiting(Thread thread) {
        Awaitility.await().until(() -> thread.getState() == Thread.State.WAITING);
    }
}
