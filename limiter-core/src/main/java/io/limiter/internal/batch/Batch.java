package io.limiter.internal.batch;

import io.limiter.LimiterBackendException;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.internal.backend.Answer;
import io.limiter.internal.backend.Backend;
import io.limiter.internal.backend.BackendFailures;
import io.limiter.internal.backend.Call;
import io.limiter.internal.engine.Ask;
import io.limiter.internal.engine.KeyRequests;
import io.limiter.internal.engine.Outcome;
import io.limiter.internal.resilience.Guard;
import io.limiter.step.LimitStep;
import io.limiter.step.Request;
import io.limiter.step.Verdict;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one call, grouped by key, those for one key in order, cancellations first; or limit sets, in their order.
 */
final class Batch {

    /** Requests are marked as sent when they are added. */
    private static final BooleanSupplier SENT = () -> true;

    private final int expected;
    private final List<OfKey> keys = new ArrayList<>();
    private @Nullable Map<String, OfKey> byKey;
    private final AtomicBoolean ended = new AtomicBoolean();
    private int requests;
    // Of sets.
    private int parts;
    private long startNanos;

    /**
     * @param expected about how many requests it will have
     */
    Batch(int expected) {
        this.expected = expected;
    }

    /** Sets when the call started. To be called before another thread sees this batch. */
    void startedAt(long newStartNanos) {
        startNanos = newStartNanos;
    }

    long startNanos() {
        return startNanos;
    }

    /**
     * Records that the call has ended.
     *
     * @return {@code false} if it had ended before
     */
    boolean end() {
        return ended.compareAndSet(false, true);
    }

    /**
     * Adds a request. If this throws, because the {@code equals} of a custom limit does, the request was not added
     * and no other may be, unless this is empty.
     *
     * @return {@code false} if the batch is full, or contains the key with another limit
     */
    boolean add(Ask request, GroupCommit.Settings settings) {
        if (requests >= settings.maxRequestsPerCall()) {
            return false;
        }
        if (request.size() > 1) {
            return addSet(request, settings);
        }
        OfKey sameKey = find(request.key());
        if (sameKey == null
                ? keys.size() >= settings.maxKeysPerCall()
                : !sameKey.limit().equals(request.limit(0))) {
            return false;
        }
        if (!request.markSent()) {
            // Withdrawn just now.
            return true;
        }
        if (sameKey == null) {
            addKey(request);
        } else {
            // A queue for a single key is all for that one.
            sameKey.add(request, keys.size() == 1 ? Math.min(expected, settings.maxRequestsPerCall()) : 2);
        }
        requests++;
        return true;
    }

    /** Each by itself, because a set is decided with what those before it have left. They keep Redis busy by their parts. */
    private boolean addSet(Ask set, GroupCommit.Settings settings) {
        if (!keys.isEmpty() && parts + set.size() > settings.maxKeysPerCall()) {
            return false;
        }
        if (set.markSent()) {
            keys.add(new OfKey(set));
            parts += set.size();
            requests++;
        }
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

    private void addKey(Ask request) {
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
     * How many requests must be queued for another call to start while this one is in flight.
     *
     * <p>Many requests for few keys cost the backend hardly more than one, so it is cheaper to let them accumulate. A
     * batch of many keys keeps the backend busy in proportion; then half as many further requests start the next
     * call, so that neither the backend nor the callers wait for the other.
     */
    int minQueuedForAnother(GroupCommit.Settings settings) {
        boolean wide = keys.size() > 1 && 2 * keys.size() > requests;
        return wide ? Math.max(settings.minQueuedForAnother() / 8, keys.size() / 2) : settings.minQueuedForAnother();
    }

    /**
     * Makes the call.
     *
     * @param answered called once, with an answer for each key, or for each set
     */
    void start(Backend backend, Consumer<List<Answer>> answered) {
        if (parts > 0) {
            startSets(backend, answered);
            return;
        }
        List<KeyRequests<?>> keyRequests = new ArrayList<>(keys.size());
        for (OfKey key : keys) {
            keyRequests.add(new KeyRequests<>(key.key, key.limit(), key.requests()));
        }
        backend.start(new Call(keyRequests, false, SENT, answered));
    }

    private void startSets(Backend backend, Consumer<List<Answer>> answered) {
        List<Answer> answers = Arrays.asList(new Answer[keys.size()]);
        AtomicInteger missing = new AtomicInteger(keys.size());
        List<Call> sets = new ArrayList<>(keys.size());
        for (int i = 0; i < keys.size(); i++) {
            int place = i;
            sets.add(new Call(keys.get(i).pending.get(0).parts(), true, SENT, ofParts -> {
                answers.set(place, Answer.ofSet(ofParts));
                if (missing.decrementAndGet() == 0) {
                    answered.accept(answers);
                }
            }));
        }
        backend.startSets(sets);
    }

    /** The answers if the call cannot be made. */
    List<Answer> failures(Function<String, LimiterBackendException> why) {
        return keys.stream().map(key -> Answer.failed(why.apply(key.key))).toList();
    }

    /** In a Cluster, all keys of a batch are in one slot. */
    String firstKey() {
        return keys.get(0).key;
    }

    int requests() {
        return requests;
    }

    boolean isEmpty() {
        return keys.isEmpty();
    }

    /** Fails all requests that are not completed. */
    void fail(Function<String, LimiterBackendException> why, Guard guard) {
        forEach(request -> request.fail(why.apply(request.key()), guard.outside()));
    }

    void forEach(Consumer<Ask> action) {
        for (OfKey key : keys) {
            key.pending.forEach(action);
        }
    }

    /**
     * Completes the requests.
     *
     * @param answers for each key, or for each set
     * @param decided called with each decided key, before its requests are completed
     * @param failed called with the requests that were not decided
     * @return whether the backend has answered for any key
     */
    boolean complete(
            @Nullable List<Answer> answers,
            @Nullable Throwable error,
            Consumer<String> decided,
            BiConsumer<List<Ask>, LimiterBackendException> failed) {
        boolean answered = false;
        for (int i = 0; i < keys.size(); i++) {
            OfKey key = keys.get(i);
            if (answers != null && i < answers.size() && answers.get(i).failure() == null) {
                key.decided(decided);
            }
            LimiterBackendException failure =
                    answers == null ? BackendFailures.ofCall(key.key, error) : key.complete(answers, i);
            answered |= failure == null || failure.kind() == LimiterBackendException.Kind.PERMANENT;
            if (failure != null) {
                failed.accept(key.pending, failure);
            }
        }
        return answered;
    }

    /** The requests for one key, or a set. */
    private static final class OfKey {

        private final String key;
        // Unmodifiable while there is one, as there is for most keys.
        private List<Ask> pending;

        OfKey(Ask first) {
            this.key = first.key();
            this.pending = List.of(first);
        }

        LimitStep<?> limit() {
            return pending.get(0).limit(0);
        }

        /**
         * @param expected for how many requests there is to be room
         */
        void add(Ask request, int expected) {
            if (pending.size() == 1) {
                Ask first = pending.get(0);
                pending = new ArrayList<>(Math.max(2, expected));
                pending.add(first);
            }
            pending.add(isCancellation(request) ? placeOfCancellation(request) : pending.size(), request);
        }

        private boolean isCancellation(Ask pending) {
            Request request = pending.request(0);
            return request.ticketMicros() != 0 && !(limit() instanceof ConcurrencyLimit);
        }

        /**
         * Before all other requests and the latest reservation first: permits reserved after a cancelled reservation
         * are not restored.
         */
        private int placeOfCancellation(Ask cancellation) {
            int place = 0;
            while (place < pending.size()
                    && isCancellation(pending.get(place))
                    && pending.get(place).request(0).ticketMicros()
                            >= cancellation.request(0).ticketMicros()) {
                place++;
            }
            return place;
        }

        List<Request> requests() {
            if (pending.size() == 1) {
                return List.of(pending.get(0).request(0));
            }
            return new AbstractList<>() {
                @Override
                public Request get(int index) {
                    return pending.get(index).request(0);
                }

                @Override
                public int size() {
                    return pending.size();
                }
            };
        }

        void decided(Consumer<String> decided) {
            Ask first = pending.get(0);
            for (int i = 0; i < first.size(); i++) {
                decided.accept(first.key(i));
            }
        }

        /** Completes the requests of this key. Returns the failure if there are no decisions. */
        @Nullable
        LimiterBackendException complete(List<Answer> answers, int place) {
            try {
                Answer answer = answers.get(place);
                LimiterBackendException failure = answer.failure();
                if (failure != null) {
                    return failure;
                }
                List<Verdict> verdicts = answer.verdicts();
                if (pending.get(0).size() > 1) {
                    pending.get(0).answerEach(part -> Outcome.of(verdicts.get(part)));
                    return null;
                }
                for (int i = 0; i < pending.size(); i++) {
                    pending.get(i).answer(Outcome.of(verdicts.get(i)));
                }
                return null;
            } catch (RuntimeException | Error e) {
                // For example too few verdicts. The remaining requests must not wait for ever.
                return BackendFailures.notCompleted(key, e);
            }
        }
    }
}
