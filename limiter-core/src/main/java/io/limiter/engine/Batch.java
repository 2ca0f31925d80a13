package io.limiter.engine;

import io.limiter.LimiterBackendException;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.Request;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What goes into one call: requests by key, those for one key in their order. */
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
        if (sameKey == null) {
            if (keys.size() >= settings.maxKeysPerCall()) {
                return false;
            }
            sameKey = addKey(request);
        } else if (!sameKey.limit.equals(request.limit())) {
            return false;
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

    void complete(@Nullable List<Answer> answers, @Nullable Throwable error) {
        for (int i = 0; i < keys.size(); i++) {
            if (answers == null) {
                keys.get(i).fail(error == null ? new IllegalStateException("no answers") : error);
            } else {
                keys.get(i).complete(answers.get(i));
            }
        }
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
            requests.add(request.request());
            pending.add(request);
        }

        void complete(Answer answer) {
            List<Decision> decisions;
            try {
                decisions = answer.decisions();
            } catch (LimiterBackendException e) {
                fail(e);
                return;
            }
            for (int i = 0; i < pending.size(); i++) {
                pending.get(i).complete(decisions.get(i));
            }
        }

        void fail(Throwable error) {
            LimiterBackendException failure = error instanceof LimiterBackendException known
                    ? known
                    : new LimiterBackendException(key, "the call failed: " + error, error);
            for (PendingRequest each : pending) {
                each.completeExceptionally(failure);
            }
        }
    }
}
