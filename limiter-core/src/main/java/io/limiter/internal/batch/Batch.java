package io.limiter.internal.batch;

import io.limiter.LimiterBackendException;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.Request;
import io.limiter.internal.resilience.Guard;
import io.limiter.internal.resilience.PendingRequest;
import io.limiter.spi.Answer;
import io.limiter.spi.KeyRequests;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What goes into one call: requests by key, those for one key in their order, cancellations first. */
final class Batch {

    private final List<OfKey> keys = new ArrayList<>();
    private @Nullable Map<String, OfKey> byKey;
    private int requests;

    /**
     * If it throws, as the comparison of a custom limit may, the request is not in the batch, and no other may be
     * added.
     *
     * @return whether there was room, and the key is not in the batch under another limit
     */
    boolean add(PendingRequest request, GroupCommit.Settings settings) {
        if (requests >= settings.maxRequestsPerCall()) {
            return false;
        }
        OfKey sameKey = find(request.key());
        if (sameKey == null ? keys.size() >= settings.maxKeysPerCall() : !sameKey.limit.equals(request.limit())) {
            return false;
        }
        if (!request.send()) {
            // Withdrawn just now.
            return true;
        }
        if (sameKey == null) {
            addKey(request);
        } else {
            sameKey.add(request);
        }
        requests++;
        return true;
    }

    private @Nullable OfKey find(String key) {
        if (keys.isEmpty()) {
            return null;
        }
        OfKey last = keys.get(keys.size() - 1);
        if (last.key.equals(key)) {
            return last;
        }
        return byKey == null ? null : byKey.get(key);
    }

    private void addKey(PendingRequest request) {
        OfKey added = new OfKey(request);
        if (keys.size() == 1) {
            byKey = new HashMap<>();
            byKey.put(keys.get(0).key, keys.get(0));
        }
        if (byKey != null) {
            byKey.put(added.key, added);
        }
        keys.add(added);
    }

    /**
     * How many requests must wait while this call is under way before another starts beside it.
     *
     * <p>Many requests for few keys cost the backend hardly more than one, so they had better wait for company. Requests
     * for as many keys keep it busy for as long as they are many: half as many again are sent meanwhile, so that it need
     * not wait for the callers, nor they for it.
     */
    int minQueuedForAnother(GroupCommit.Settings settings) {
        boolean wide = keys.size() > 1 && 2 * keys.size() > requests;
        return wide ? Math.max(settings.minQueuedForAnother() / 8, keys.size() / 2) : settings.minQueuedForAnother();
    }

    List<KeyRequests<?>> asked() {
        List<KeyRequests<?>> asked = new ArrayList<>(keys.size());
        for (OfKey key : keys) {
            asked.add(new KeyRequests<>(key.key, key.limit, key.requests()));
        }
        return asked;
    }

    boolean isEmpty() {
        return keys.isEmpty();
    }

    /** Answers that say of each key why there is none. */
    List<Answer> failed(Function<String, LimiterBackendException> why) {
        return keys.stream().map(key -> Answer.failed(why.apply(key.key))).toList();
    }

    /** All that have no answer yet fail. */
    void fail(Function<String, LimiterBackendException> why, Guard guard) {
        forEach(request -> request.fail(why.apply(request.key()), guard));
    }

    void forEach(Consumer<PendingRequest> action) {
        for (OfKey key : keys) {
            key.pending.forEach(action);
        }
    }

    /**
     * Hands the answers out.
     *
     * @param decided is told of the keys that have one, before those who asked
     * @param failed is told of those that have none
     * @return whether the backend has answered for any key
     */
    boolean complete(
            @Nullable List<Answer> answers,
            @Nullable Throwable error,
            Consumer<String> decided,
            BiConsumer<List<PendingRequest>, LimiterBackendException> failed) {
        boolean answered = false;
        for (int i = 0; i < keys.size(); i++) {
            OfKey key = keys.get(i);
            if (answers != null && i < answers.size() && answers.get(i).failure() == null) {
                decided.accept(key.key);
            }
            LimiterBackendException failure = answers == null ? key.failure(error) : key.complete(answers, i);
            answered |= failure == null || failure.kind() == LimiterBackendException.Kind.PERMANENT;
            if (failure != null) {
                failed.accept(key.pending, failure);
            }
        }
        return answered;
    }

    private static final class OfKey {

        private final String key;
        private final Limit<?> limit;
        private final List<PendingRequest> pending = new ArrayList<>(1);

        OfKey(PendingRequest first) {
            this.key = first.key();
            this.limit = first.limit();
            pending.add(first);
        }

        void add(PendingRequest request) {
            pending.add(isCancellation(request) ? placeOfCancellation(request) : pending.size(), request);
        }

        private boolean isCancellation(PendingRequest pending) {
            Request request = pending.request();
            return request.action() == Request.Action.GIVE_BACK
                    && request.id() != 0
                    && !(limit instanceof ConcurrencyLimit);
        }

        /** Before all others, and the last booking first, because what was booked after a booking is not restored. */
        private int placeOfCancellation(PendingRequest cancellation) {
            int place = 0;
            while (place < pending.size()
                    && isCancellation(pending.get(place))
                    && pending.get(place).request().id()
                            >= cancellation.request().id()) {
                place++;
            }
            return place;
        }

        List<Request> requests() {
            List<Request> requests = new ArrayList<>(pending.size());
            for (PendingRequest each : pending) {
                requests.add(each.request());
            }
            return requests;
        }

        /** The failure, if it was not decided. */
        @Nullable
        LimiterBackendException complete(List<Answer> answers, int place) {
            try {
                Answer answer = answers.get(place);
                LimiterBackendException failure = answer.failure();
                if (failure != null) {
                    return failure;
                }
                List<Decision> decisions = answer.decisions();
                for (int i = 0; i < pending.size(); i++) {
                    pending.get(i).complete(decisions.get(i));
                }
                return null;
            } catch (RuntimeException | Error e) {
                // Such as an answer too few. Those that are left must not wait for one.
                return LimiterBackendException.permanentAfterwards(
                        "answer", key, "the answers could not be handed out: " + e, e);
            }
        }

        LimiterBackendException failure(@Nullable Throwable error) {
            return error instanceof LimiterBackendException known
                    ? known
                    : new LimiterBackendException(
                            key,
                            "the call failed: " + error,
                            error == null ? new IllegalStateException("no answers") : error);
        }
    }
}
