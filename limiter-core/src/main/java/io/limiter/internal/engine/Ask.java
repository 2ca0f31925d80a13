package io.limiter.internal.engine;

import io.limiter.LimiterBackendException;
import io.limiter.step.LimitStep;
import io.limiter.step.Request;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * One try to get a decision that is not known at once. It has one part, which is a request to a limit for a key, or several parts that
 * are decided all or nothing; or it resets a key. It is the caller's future of the outcome, and is used once.
 *
 * <p>It is either sent or withdrawn, never both: after a withdrawal it is certain that nothing was executed. It is completed once, by
 * the first thread that can. Only {@link #answer} and {@link #fail} complete it from inside. A caller can complete it in any other
 * way; it is not sent then, or what the answer grants is returned.
 */
public final class Ask extends CompletableFuture<Outcome> {

    // Bytes, because there is one of these objects for each decision of the backend.
    private static final byte WAITING = 0;
    private static final byte SENT = 1;
    private static final byte WITHDRAWN = 2;

    private static final byte NOT_FAILING = 0;
    private static final byte FAILING = 1;
    private static final byte FAILING_IN_WAITER = 2;

    private static final VarHandle STATE;
    private static final VarHandle FAILURE;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            STATE = lookup.findVarHandle(Ask.class, "state", byte.class);
            FAILURE = lookup.findVarHandle(Ask.class, "failure", byte.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final String key;
    // Null for a reset.
    private final @Nullable LimitStep<?> limit;
    private final @Nullable Request request;
    // Null if there is one part, as mostly, because a list of one would have to be allocated.
    private final @Nullable List<KeyRequests<?>> parts;
    private final @Nullable Fallback fallback;
    private long deadlineNanos;
    private @Nullable Consumer<Ask> beforeParking;
    // Confined to the thread that sends it, or to the timer that sends it again.
    private byte tries;
    private volatile @Nullable LimiterBackendException lastFailure;
    // Whether a thread waits in await(), so that no other code depends on this future.
    private volatile boolean awaited;
    // Accessed through STATE.
    private volatile byte state;
    // Accessed through FAILURE.
    private volatile byte failure;

    /**
     * With one part.
     *
     * @param key the backend's key, which is also named in errors
     * @param fallback answers if the backend fails; {@code null} to fail with its failure
     */
    public Ask(String key, LimitStep<?> limit, Request request, @Nullable Fallback fallback) {
        this.key = key;
        this.limit = limit;
        this.request = request;
        this.parts = null;
        this.fallback = fallback;
    }

    /**
     * With several parts.
     *
     * @param parts at least one, and no key twice; if there are several, each acquires permits
     * @param fallback as above
     */
    public Ask(List<KeyRequests<?>> parts, @Nullable Fallback fallback) {
        KeyRequests<?> first = parts.get(0);
        this.key = first.key();
        this.limit = first.limit();
        this.request = first.request();
        this.parts = parts.size() == 1 ? null : parts;
        this.fallback = fallback;
        for (KeyRequests<?> part : parts) {
            if (part.requests().size() != 1
                    || parts.size() > 1 && part.request().action() != Request.Action.TAKE) {
                throw new IllegalArgumentException(
                        "each part of a limit set must acquire permits once, was " + part.requests());
            }
        }
    }

    private Ask(String key) {
        this.key = key;
        this.limit = null;
        this.request = null;
        this.parts = null;
        this.fallback = null;
    }

    /** Deletes the state of a key instead of deciding; it has neither a limit nor a request, and fails if the backend fails. */
    public static Ask reset(String key) {
        return new Ask(key);
    }

    /** Starts the decision of a request without a fallback. */
    public static Ask start(Engine engine, String key, LimitStep<?> limit, Request request) {
        return start(engine, key, limit, request, false);
    }

    /**
     * Starts the decision of a request without a fallback.
     *
     * @param awaited see {@link #markAwaited}
     */
    public static Ask start(Engine engine, String key, LimitStep<?> limit, Request request, boolean awaited) {
        Ask ask = new Ask(key, limit, request, null);
        if (awaited) {
            ask.markAwaited();
        }
        ask.decideBy(engine);
        return ask;
    }

    public boolean isReset() {
        return limit == null;
    }

    /** The backend's key of the first part. */
    public String key() {
        return key;
    }

    /** The number of parts, at least 1. */
    public int size() {
        return parts == null ? 1 : parts.size();
    }

    /** The backend's key of a part; none occurs twice. */
    public String key(int part) {
        return parts == null ? key : parts.get(part).key();
    }

    /** The limit of a part. */
    public LimitStep<?> limit(int part) {
        return parts == null ? Objects.requireNonNull(limit) : parts.get(part).limit();
    }

    /** What is requested of a part. */
    public Request request(int part) {
        return parts == null ? Objects.requireNonNull(request) : parts.get(part).request();
    }

    /** All parts, for a call to the backend. */
    public List<KeyRequests<?>> parts() {
        return parts == null ? List.of(KeyRequests.of(key, limit(0), request(0))) : parts;
    }

    /** Passes this to an engine. An exception of a custom limit fails it. */
    public void decideBy(Engine engine) {
        try {
            engine.decide(this);
        } catch (RuntimeException | Error e) {
            fail(
                    e instanceof LimiterBackendException failure
                            ? failure
                            : new LimiterBackendException(
                                    LimiterBackendException.Kind.NOT_EXECUTED,
                                    "other",
                                    key,
                                    "it could not be decided: " + e,
                                    null,
                                    e),
                    Runnable::run);
        }
    }

    /**
     * Marks this as sent. To be called immediately before sending.
     *
     * @return {@code false} if it was withdrawn or is completed and must not be sent
     */
    public boolean markSent() {
        return STATE.compareAndSet(this, WAITING, SENT) && !isEnding();
    }

    /** Marks this as not sent again, once it is known that nothing was executed, so that it can be retried. */
    public void waitAgain() {
        STATE.compareAndSet(this, SENT, WAITING);
    }

    /**
     * Prevents this from being sent.
     *
     * @return {@code false} if it was sent already
     */
    public boolean withdraw() {
        return STATE.compareAndSet(this, WAITING, WITHDRAWN) || state == WITHDRAWN;
    }

    /**
     * Completes this with an answer. If the caller has completed it before, what the answer grants is returned. If it
     * has failed before, that counts as spent: what the failure policy granted may be in use.
     *
     * @return whether the answer is the result
     */
    public boolean answer(Outcome answer) {
        boolean first = complete(answer);
        if (!first && failure == NOT_FAILING) {
            returnUnused(answer);
        }
        return first;
    }

    /**
     * As {@link #answer}, with the outcomes of all parts.
     *
     * @param outcomes of each part; {@code null} for a part that was not decided because another one is rejected by the cache
     */
    public boolean answerEach(IntFunction<@Nullable Outcome> outcomes) {
        if (parts == null) {
            return answer(Objects.requireNonNull(outcomes.apply(0)));
        }
        List<@Nullable Outcome> all = new ArrayList<>(parts.size());
        for (int part = 0; part < parts.size(); part++) {
            all.add(outcomes.apply(part));
        }
        return answer(Outcome.of(all));
    }

    /**
     * Cancels this if it has no answer yet; otherwise returns what the answer grants. To be called once.
     *
     * @return completed when an answer that there was is returned
     */
    public CompletableFuture<?> giveUp() {
        return !cancel(false) && !isCompletedExceptionally()
                ? returnUnused(join())
                : CompletableFuture.completedFuture(null);
    }

    private CompletableFuture<?> returnUnused(Outcome answer) {
        return fallback == null ? CompletableFuture.completedFuture(null) : fallback.returnUnused(answer, this);
    }

    /** Sets the deadline. To be called before any other thread sees this. */
    public void dueAt(long newDeadlineNanos) {
        deadlineNanos = newDeadlineNanos;
    }

    public long deadlineNanos() {
        return deadlineNanos;
    }

    public boolean isOverdue(long nowNanos) {
        return deadlineNanos - nowNanos <= 0;
    }

    /** Sets what a thread does in {@link #await} before it parks. To be called before {@link #await}. */
    public void beforeParking(Consumer<Ask> newBeforeParking) {
        beforeParking = newBeforeParking;
    }

    /**
     * Records a failure after which this may be retried.
     *
     * @return the number of earlier failures
     */
    public int failedOnce(LimiterBackendException newFailure) {
        lastFailure = newFailure;
        return tries < Byte.MAX_VALUE ? tries++ : tries;
    }

    /** Whether it was withdrawn; the thread that withdrew it completes it. */
    public boolean isWithdrawn() {
        return state == WITHDRAWN;
    }

    /** Whether this is completed, or is being completed by its fallback. */
    public boolean isEnding() {
        return failure != NOT_FAILING || isDone();
    }

    /** The last recorded failure; {@code null} if there is none. */
    public @Nullable LimiterBackendException lastFailure() {
        return lastFailure;
    }

    /**
     * Fails this, or completes it with the answer of its fallback. Does nothing if it is completed or failing
     * already.
     *
     * @param outside runs the fallback and dependent stages if no thread waits in {@link #await}
     * @throws OutOfMemoryError if {@code outside} can start no thread; then this can be called again
     */
    public void fail(LimiterBackendException why, Executor outside) {
        if (isDone() || !FAILURE.compareAndSet(this, NOT_FAILING, FAILING)) {
            return;
        }
        if (awaited) {
            failure = FAILING_IN_WAITER;
            completeExceptionally(why);
            return;
        }
        try {
            outside.execute(() -> answerInstead(why));
        } catch (OutOfMemoryError e) {
            failure = NOT_FAILING;
            throw e;
        } catch (RuntimeException | Error e) {
            // Nothing else would complete this.
            completeExceptionally(why);
        }
    }

    private void answerInstead(LimiterBackendException why) {
        if (fallback == null) {
            completeExceptionally(why);
            return;
        }
        try {
            Outcome answer = fallback.answer(why, this);
            if (!answer(answer)) {
                returnUnused(answer);
            }
        } catch (RuntimeException | Error e) {
            // Errors too: nothing else would complete this.
            completeExceptionally(e);
        }
    }

    /**
     * Says that a thread waits for this, or for what depends on it, and that no caller's code depends on it, so that it may end on
     * any thread. To be called before it can fail. Only {@link #await} may call this if there is a fallback, which it then runs.
     */
    public void markAwaited() {
        awaited = true;
    }

    /**
     * Waits for the answer. Uses no timer, which would be the largest cost on a virtual thread; the owner of the
     * {@linkplain #dueAt deadline} ends the wait. An interrupt does not end it; the interrupt flag is restored
     * afterwards.
     *
     * @throws LimiterBackendException if the backend failed and there is no fallback
     */
    public Outcome await() {
        markAwaited();
        if (beforeParking != null) {
            beforeParking.accept(this);
        }
        Throwable error;
        if (isCompletedExceptionally()) {
            // As each request is at once in an outage; join() would add an exception with a stack trace.
            error = handle((answer, failed) -> failed).join();
        } else {
            try {
                return join();
            } catch (CompletionException e) {
                error = e.getCause();
            }
        }
        if (error instanceof LimiterBackendException why) {
            return failed(why);
        }
        throw error instanceof RuntimeException cause ? cause : new CompletionException(error);
    }

    private Outcome failed(LimiterBackendException why) {
        if (fallback == null || failure != FAILING_IN_WAITER) {
            throw why.inThisThread();
        }
        try {
            return fallback.answer(why, this);
        } catch (LimiterBackendException e) {
            throw e.inThisThread();
        }
    }
}
