package io.limiter.engine;

import io.limiter.LimiterBackendException;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.Request;
import io.limiter.algorithm.TokenBucket;
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
            sameKey = addKey(request);
        }
        sameKey.add(request);
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

    private OfKey addKey(PendingRequest request) {
        OfKey added = new OfKey(request.key(), request.limit());
        if (keys.size() == 1) {
            byKey = new HashMap<>();
            byKey.put(keys.get(0).key, keys.get(0));
        }
        if (byKey != null) {
            byKey.put(added.key, added);
        }
        keys.add(added);
        return added;
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
            asked.add(new KeyRequests<>(key.key, key.limit, key.requests));
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

    /** Waits no longer for those that are overdue. */
    void endOverdue(long nowNanos, Guard guard) {
        for (OfKey key : keys) {
            for (PendingRequest request : key.pending) {
                if (request.isOverdue(nowNanos)) {
                    request.expire(guard);
                }
            }
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
            if (answers != null && answers.get(i).failure() == null) {
                decided.accept(key.key);
            }
            LimiterBackendException failure = answers == null ? key.failure(error) : key.complete(answers.get(i));
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
        private final List<Request> requests = new ArrayList<>(1);
        private final List<PendingRequest> pending = new ArrayList<>(1);

        OfKey(String key, Limit<?> limit) {
            this.key = key;
            this.limit = limit;
        }

        void add(PendingRequest request) {
            int place = isCancellation(request.request()) ? placeOfCancellation(request.request()) : requests.size();
            requests.add(place, request.request());
            pending.add(place, request);
        }

        private boolean isCancellation(Request request) {
            return request.action() == Request.Action.GIVE_BACK && request.id() != 0 && limit instanceof TokenBucket;
        }

        /** Before all others, and the last booking first, because only what nobody has booked after is restored. */
        private int placeOfCancellation(Request cancellation) {
            int place = 0;
            while (place < requests.size()
                    && isCancellation(requests.get(place))
                    && requests.get(place).id() >= cancellation.id()) {
                place++;
            }
            return place;
        }

        /** The failure, if it was not decided. */
        @Nullable
        LimiterBackendException complete(Answer answer) {
            LimiterBackendException failure = answer.failure();
            if (failure != null) {
                return failure;
            }
            List<Decision> decisions = answer.decisions();
            for (int i = 0; i < pending.size(); i++) {
                pending.get(i).complete(decisions.get(i));
            }
            return null;
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
