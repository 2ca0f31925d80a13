package io.limiter.spi;

import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.Request;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Carries decisions out: makes the step of a limit atomic for its key. Safe for use by many threads.
 *
 * <p>The one method takes a batch, so that an engine whose calls are expensive can decide many requests in one.
 */
public interface Engine extends AutoCloseable {

    /**
     * Decides the requests of all keys, those for one key in their order, as if they had arrived one after the other at
     * the same moment.
     *
     * <p>Never waits for permits; a granted decision says how long its caller has to. Never throws for a backend that
     * fails: each key whose requests were not decided answers with the reason, and the others with their decisions.
     *
     * @param batch no key twice
     * @return an answer for each key, in the order of the batch
     */
    List<Answer> decide(List<KeyRequests<?>> batch);

    /**
     * Decides one request.
     *
     * @throws io.limiter.LimiterBackendException if the backend did not decide
     */
    default Decision decide(String key, Limit<?> limit, Request request) {
        return decide(List.of(new KeyRequests<>(key, limit, List.of(request))))
                .get(0)
                .decisions()
                .get(0);
    }

    /** What came of trying to do without the backend. */
    enum Known {
        /** The permits are taken, and may be used at once: they were taken from the backend ahead. */
        GRANTED,
        /** The backend would refuse them now: an earlier refusal still holds. */
        REFUSED,
        /** Only the backend can tell; nothing was taken. */
        UNKNOWN
    }

    /** Takes permits, or refuses them, if that can be done without asking the backend. Allocates nothing. */
    default Known tryWithoutBackend(String key, Limit<?> limit, int permits, long timeoutMicros) {
        return Known.UNKNOWN;
    }

    /**
     * As {@link #decide(String, Limit, Request)}, without blocking the calling thread for the backend.
     *
     * <p>Cancelling a request that has not been sent yet withdraws it; one that was sent is decided all the same.
     *
     * @return fails with {@link io.limiter.LimiterBackendException} if the backend did not decide
     */
    CompletableFuture<Decision> decideAsync(String key, Limit<?> limit, Request request);

    /**
     * Takes permits of several keys, all or nothing, each at most once.
     *
     * <p>This default asks for one after the other, as they are ordered, up to the first that refuses, and then gives back
     * what those before it have granted. So no limit is exceeded; but between the two others can be refused because of
     * permits that go back a moment later, and a fixed window that ends between them gets them back in its next. An engine
     * that can decide all of them at one moment does.
     *
     * @param parts no key twice
     * @return a decision for each part, in their order. If all are granted, all are taken; otherwise nothing is taken, and
     *     those that are granted say what would have been. {@code null} for a part that was not asked, because another one
     *     is known to refuse
     * @throws io.limiter.LimiterBackendException if the backend did not decide
     */
    default List<@Nullable Decision> decideTogether(List<SetPart<?>> parts) {
        return InOrder.decide(this, parts);
    }

    /**
     * As {@link #decideTogether}, without blocking the calling thread for the backend.
     *
     * @return fails with {@link io.limiter.LimiterBackendException} if the backend did not decide
     */
    default CompletableFuture<List<@Nullable Decision>> decideTogetherAsync(List<SetPart<?>> parts) {
        return InOrder.decideAsync(this, parts);
    }

    /**
     * Forgets what is stored for a key, here and in the backend, as if it had never been asked for. Requests that are under
     * way meanwhile are decided before or after. What other instances know of the key, they forget by themselves: refusals
     * within a second, permits that they have taken ahead within the time for which they may keep them.
     *
     * <p>Waits for the backend.
     *
     * @throws io.limiter.LimiterBackendException if the backend did not answer
     */
    void reset(String key);

    /** Fails what has not been sent yet and whatever comes later; what was sent is still answered. */
    @Override
    default void close() {}
}
