package io.limiter.internal.cache;

import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.Request;
import io.limiter.spi.Answer;
import io.limiter.spi.Engine;
import io.limiter.spi.KeyRequests;
import io.limiter.spi.SetPart;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Refuses by itself what {@link KnownRejections} knows to be refused, and leaves everything else to another engine. */
public final class RejectionCache implements Engine {

    private final KnownRejections denials;
    private final Engine engine;

    /**
     * @param engine tells these denials what it decided
     */
    public RejectionCache(KnownRejections denials, Engine engine) {
        this.denials = denials;
        this.engine = engine;
    }

    @Override
    public Known tryWithoutBackend(String key, Limit<?> limit, int permits, long timeoutMicros) {
        return denials.refuses(key, limit, permits, timeoutMicros) ? Known.REFUSED : Known.UNKNOWN;
    }

    @Override
    public Decision decide(String key, Limit<?> limit, Request request) {
        Decision known = known(key, limit, request);
        return known == null ? engine.decide(key, limit, request) : known;
    }

    @Override
    public CompletableFuture<Decision> decideAsync(String key, Limit<?> limit, Request request) {
        Decision known = known(key, limit, request);
        return known == null ? engine.decideAsync(key, limit, request) : CompletableFuture.completedFuture(known);
    }

    private @Nullable Decision known(String key, Limit<?> limit, Request request) {
        return request.action() == Request.Action.TAKE ? denials.find(key, limit, request) : null;
    }

    /** A part that is known to refuse is enough: then the others are not asked. */
    @Override
    public List<@Nullable Decision> decideTogether(List<SetPart<?>> parts) {
        List<@Nullable Decision> known = known(parts);
        return known == null ? engine.decideTogether(parts) : known;
    }

    /** As {@link #decideTogether}. */
    @Override
    public CompletableFuture<List<@Nullable Decision>> decideTogetherAsync(List<SetPart<?>> parts) {
        List<@Nullable Decision> known = known(parts);
        return known == null ? engine.decideTogetherAsync(parts) : CompletableFuture.completedFuture(known);
    }

    /** What is known of each part; {@code null} if that is no refusal. */
    private @Nullable List<@Nullable Decision> known(List<SetPart<?>> parts) {
        List<@Nullable Decision> known = new ArrayList<>(parts.size());
        boolean refused = false;
        for (SetPart<?> part : parts) {
            Decision refusal = denials.find(part.key(), part.limit(), part.request());
            refused |= refusal != null;
            known.add(refusal);
        }
        return refused ? known : null;
    }

    /** As the other engine does, without asking the denials. */
    @Override
    public List<Answer> decide(List<KeyRequests<?>> batch) {
        return engine.decide(batch);
    }

    @Override
    public void reset(String key) {
        engine.reset(key);
        // Afterwards, so that nothing is left that was refused before.
        denials.forget(key);
    }

    @Override
    public void close() {
        engine.close();
    }
}
