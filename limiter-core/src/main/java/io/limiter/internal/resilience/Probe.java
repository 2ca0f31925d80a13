package io.limiter.internal.resilience;

import com.google.common.util.concurrent.Uninterruptibles;
import io.limiter.LimiterBackendException;
import io.limiter.LimiterBackendException.Kind;
import io.limiter.algorithm.Ban;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.SlidingCounter;
import io.limiter.algorithm.SlidingLog;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.backend.Answer;
import io.limiter.internal.backend.AsyncFailures;
import io.limiter.internal.backend.Backend;
import io.limiter.internal.backend.BackendFailures;
import io.limiter.internal.backend.Nodes;
import io.limiter.internal.engine.Ask;
import io.limiter.internal.engine.Engine;
import io.limiter.internal.engine.KeyRequests;
import io.limiter.internal.key.KeySpace;
import io.limiter.internal.log.AsyncLog;
import io.limiter.internal.time.BlockingCalls;
import io.limiter.step.LimitStep;
import io.limiter.step.Request;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Probes Redis by taking permits that nothing else takes: what only reads would also be answered by a Redis that refuses to
 * write. The start only peeks, at keys that are never written.
 */
public final class Probe {

    private static final AsyncLog log = AsyncLog.of(Probe.class);

    public static final String KEY = KeySpace.PROBE + "{limiter}";

    private static final int WARM_UP_TRIES = 5;
    // One less than what opens the circuit breaker.
    private static final int DECISIONS_AHEAD = 4;
    private static final int FAST_PER_DECISION_TIMEOUT = 10;
    private static final Request PEEK = Request.peek(1, 0);
    private static final TokenBucket CHEAPEST = TokenBucket.of(1, 1);
    private static final List<LimitStep<?>> OF_EVERY_SCRIPT = List.of(
            CHEAPEST,
            FixedWindow.of(1, Duration.ofSeconds(1)),
            SlidingLog.of(1, Duration.ofSeconds(1)),
            SlidingCounter.of(1, Duration.ofSeconds(1)),
            ConcurrencyLimit.of(1),
            Ban.after(1));

    /** Grants each probe, and is forgotten in a moment. */
    private static final TokenBucket AMPLE = TokenBucket.of(1000, 1000);

    private static final Request WRITE = Request.take(1, 0);

    private final Backend backend;
    private final Nodes nodes;
    // Differs between instances, so that they do not wait for each other's locks.
    private final String written =
            ":" + Integer.toHexString(ThreadLocalRandom.current().nextInt());

    /**
     * @param backend called directly, without a circuit breaker
     */
    public Probe(Backend backend, Nodes nodes) {
        this.backend = backend;
        this.nodes = nodes;
    }

    /**
     * Probes the node that has the slot of a key, at last over a new connection.
     *
     * @throws LimiterBackendException if Redis does not decide: there is no connection, no login, no answer, or it refuses to write
     */
    public void probe(String key) {
        int brace = Math.max(0, key.indexOf('{'));
        int end = key.indexOf('}', brace) + 1;
        String probed = (end == 0 ? KEY : KeySpace.PROBE + key.substring(brace, end)) + written;
        LimiterBackendException failure = null;
        if (nodes.isConnected(probed)) {
            failure = write(probed);
            // A lock that was not acquired in time is not ambiguous.
            if (failure != null
                    && (failure.kind() == Kind.AMBIGUOUS || failure.problem().equals(Guard.TIMEOUT))) {
                // A stall often lasts a little longer than one timeout; another connection would outlast all stalls.
                failure = write(probed);
            }
            if (failure == null) {
                return;
            }
        }
        // A name may lead elsewhere by now, and a demoted primary keeps its connections open.
        if (nodes.reconnect(probed) || failure == null) {
            failure = write(probed);
        }
        if (failure != null) {
            throw failure;
        }
    }

    /** {@code null} if Redis decides, or has answered that it does not decide this key. */
    private @Nullable LimiterBackendException write(String key) {
        LimiterBackendException failure = decide(key, AMPLE, WRITE).failure();
        return failure == null || BackendFailures.isAnswer(failure) ? null : failure;
    }

    /**
     * Connects, has Redis load the scripts, and then decides until that is fast: a JVM loads many classes for its
     * first decisions. Blocks.
     *
     * @param limiting the engine of the limiters
     * @param decisionTimeout decision timeout
     * @param threads wait for the client, which may connect for longer than {@code longest}
     * @param longest how long to wait for Redis
     * @return whether Redis has answered; if not, a warning is logged
     */
    public boolean warmUp(Engine limiting, Duration decisionTimeout, Executor threads, Duration longest) {
        CompletableFuture<Optional<LimiterBackendException>> failure =
                BlockingCalls.start(threads, KEY, () -> Optional.ofNullable(firstFailure(longest.toNanos())));
        Optional<LimiterBackendException> unreachable = await(failure, longest);
        if (unreachable.isEmpty()) {
            decide(limiting, decisionTimeout.toNanos() / FAST_PER_DECISION_TIMEOUT);
            return true;
        }
        log.warn(
                "Redis could not be reached at startup, so failure policies decide until it is available. Check its address and the network.",
                unreachable.get());
        return false;
    }

    /** Without completeOnTimeout, because a thread of the JDK for all its timers would inherit from this one. */
    private static Optional<LimiterBackendException> await(
            CompletableFuture<Optional<LimiterBackendException>> failure, Duration longest) {
        try {
            Uninterruptibles.getUninterruptibly(failure, longest.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            return Optional.of(BackendFailures.notExecuted(KEY, "there was no answer within " + longest));
        } catch (ExecutionException e) {
            // Thrown again below, as it is.
            return AsyncFailures.join(failure);
        }
        return AsyncFailures.join(failure);
    }

    private static void decide(Engine limiting, long fastNanos) {
        for (int i = 0; i < DECISIONS_AHEAD; i++) {
            long start = System.nanoTime();
            try {
                Ask.start(limiting, KEY, CHEAPEST, PEEK).await();
            } catch (LimiterBackendException e) {
                log.debug("A warm-up decision has failed.", e);
                continue;
            }
            if (System.nanoTime() - start < fastNanos) {
                break;
            }
        }
    }

    private @Nullable LimiterBackendException firstFailure(long longestNanos) {
        long startNanos = System.nanoTime();
        LimiterBackendException failure = firstFailure();
        // A first attempt that times out makes the next one faster.
        for (int i = 1; failure != null && i < WARM_UP_TRIES && System.nanoTime() - startNanos < longestNanos; i++) {
            failure = firstFailure();
        }
        return failure;
    }

    /** Sequentially, because each attempt may have to wait for a connection. */
    private @Nullable LimiterBackendException firstFailure() {
        return OF_EVERY_SCRIPT.stream()
                .map(limit -> decide(KEY + ":" + limit.getClass().getSimpleName(), limit, PEEK)
                        .failure())
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    private Answer decide(String key, LimitStep<?> limit, Request request) {
        return AsyncFailures.join(backend.start(List.of(KeyRequests.of(key, limit, request)), () -> true))
                .get(0);
    }
}
