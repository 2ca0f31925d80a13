package io.limiter.internal.cache;

import io.limiter.internal.engine.Ask;
import io.limiter.internal.engine.Engine;
import io.limiter.internal.engine.ImmediateEngine;
import io.limiter.internal.engine.Outcome;
import io.limiter.step.LimitStep;
import io.limiter.step.Request;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Rejects requests that a cached rejection of {@link KnownRejections} applies to, and passes all others to the next
 * engine.
 */
public final class RejectionCache implements ImmediateEngine {

    private final KnownRejections rejections;
    private final Engine next;

    /**
     * @param next decides all other requests and records its rejections in these
     */
    public RejectionCache(KnownRejections rejections, Engine next) {
        this.rejections = rejections;
        this.next = next;
    }

    @Override
    public Known tryAcquire(String key, LimitStep<?> limit, long permits, long timeoutMicros) {
        return rejections.rejects(key, limit, permits, timeoutMicros) ? Known.STILL_REJECTED : Known.UNKNOWN;
    }

    @Override
    public Engine forUnknown() {
        return next;
    }

    /** One cached rejection rejects a limit set; its other parts are not decided. */
    @Override
    public void decide(Ask ask) {
        @Nullable Outcome[] known = null;
        for (int i = 0; i < ask.size(); i++) {
            Outcome rejection = rejection(ask, i);
            if (rejection != null) {
                known = known == null ? new Outcome[ask.size()] : known;
                known[i] = rejection;
            }
        }
        if (known == null) {
            next.decide(ask);
        } else {
            @Nullable Outcome[] decisions = known;
            ask.answerEach(part -> decisions[part]);
        }
    }

    private @Nullable Outcome rejection(Ask ask, int part) {
        return ask.request(part).action() == Request.Action.TAKE
                ? rejections.find(ask.key(part), ask.limit(part), ask.request(part))
                : null;
    }

    @Override
    public CompletableFuture<Void> reset(String key) {
        // After the backend: rejections can be recorded until it has deleted the state.
        return next.reset(key).thenRun(() -> rejections.forget(key));
    }

    @Override
    public void close() {
        next.close();
    }
}
