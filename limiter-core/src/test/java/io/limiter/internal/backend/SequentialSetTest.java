package io.limiter.internal.backend;

import static io.limiter.testing.Expected.verdict;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.LimiterBackendException;
import io.limiter.LimiterBackendException.Kind;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.LeakyBucket;
import io.limiter.algorithm.SlidingCounter;
import io.limiter.algorithm.SlidingLog;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.batch.GroupCommit;
import io.limiter.internal.engine.Ask;
import io.limiter.internal.engine.KeyRequests;
import io.limiter.internal.resilience.Guard;
import io.limiter.step.LimitStep;
import io.limiter.step.Request;
import io.limiter.step.Request.Action;
import io.limiter.step.Verdict;
import io.limiter.testing.Decisions;
import io.limiter.testing.FutureBackend;
import io.limiter.testing.Patience;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Limit sets that are decided in several calls: the requests sent, and the failures. */
class SequentialSetTest {

    private final List<String> sent = new ArrayList<>();
    private final List<Request> requests = new ArrayList<>();
    private final Set<String> rejecting = new HashSet<>();
    private final Set<String> failing = new HashSet<>();
    private final Set<String> passing = new HashSet<>();
    private @Nullable LimiterBackendException special;
    private final Backend backend = new Recorder();

    @Test
    void all_parts_are_acquired_in_order_by_a_call_each() {
        assertThat(decide()).hasSize(3).allMatch(Verdict::isGranted);
        assertThat(sent).containsExactly("TAKE a", "TAKE b", "TAKE c");
    }

    @Test
    void after_a_rejection_earlier_grants_are_cancelled_and_later_parts_are_peeked() {
        rejecting.addAll(List.of("TAKE b", "PEEK c"));
        assertThat(decide()).extracting(Verdict::isGranted).containsExactly(true, false, false);
        assertThat(sent).containsExactly("TAKE a", "TAKE b", "REFUND a", "PEEK c");
    }

    @Test
    void a_set_whose_first_part_rejects_takes_nothing() {
        rejecting.add("TAKE a");
        assertThat(decide()).extracting(Verdict::isGranted).containsExactly(false, true, true);
        assertThat(sent).containsExactly("TAKE a", "PEEK b", "PEEK c");
    }

    @Test
    void the_parts_of_a_slot_are_one_call() {
        Backend bySlot = new Recorder() {
            @Override
            public void start(Call call) {
                if (call.allOrNothing() && call.keys().size() == 3) {
                    SequentialSet.decideBySlot(this, call, key -> key.equals("b") ? 2 : 1);
                } else if (call.allOrNothing()) {
                    assertThat(call.send().getAsBoolean()).isTrue();
                    sent.add("SET");
                    call.answered()
                            .accept(call.keys().stream().map(this::answer).toList());
                } else {
                    super.start(call);
                }
            }
        };
        assertThat(AsyncFailures.join(Decisions.startSetIn(bySlot, parts()))).allMatch(Verdict::isGranted);
        assertThat(sent).containsExactly("SET", "TAKE a", "TAKE c", "TAKE b");
        sent.clear();
        rejecting.add("TAKE b");
        assertThat(AsyncFailures.join(Decisions.startSetIn(bySlot, parts())))
                .extracting(Verdict::isGranted)
                .containsExactly(true, false, true);
        assertThat(sent).containsExactly("SET", "TAKE a", "TAKE c", "TAKE b", "REFUND a", "REFUND c");
        sent.clear();
        rejecting.add("TAKE c");
        assertThat(AsyncFailures.join(Decisions.startSetIn(bySlot, parts())))
                .extracting(Verdict::isGranted)
                .containsExactly(true, true, false);
        assertThat(sent).as("its own set has taken nothing").containsExactly("SET", "TAKE a", "TAKE c", "PEEK b");
    }

    @Test
    void limits_whose_cancellation_restores_less_are_taken_later() {
        TokenBucket bucket = TokenBucket.of(1, 3);
        Duration day = Duration.ofDays(1);
        List<LimitStep<?>> limits = List.of(
                bucket.withWarmUp(Duration.ofSeconds(3)),
                bucket,
                FixedWindow.of(3, day),
                LeakyBucket.queue(1, 3),
                SlidingLog.of(3, day),
                SlidingCounter.of(3, day));
        List<KeyRequests<?>> parts = new ArrayList<>();
        for (LimitStep<?> limit : limits) {
            parts.add(KeyRequests.of("k" + parts.size(), limit, Request.take(1, 0)));
        }
        assertThat(AsyncFailures.join(Decisions.startSetIn(backend, parts))).allMatch(Verdict::isGranted);
        assertThat(sent).containsExactly("TAKE k2", "TAKE k4", "TAKE k5", "TAKE k1", "TAKE k3", "TAKE k0");
    }

    @Test
    void grants_before_a_failure_are_cancelled() {
        failing.add("TAKE c");
        assertThatThrownBy(() -> decide())
                .isInstanceOf(LimiterBackendException.class)
                .hasMessageContaining("TAKE c")
                .hasNoSuppressedExceptions();
        assertThat(sent).endsWith("TAKE a", "TAKE b", "TAKE c", "REFUND a", "REFUND b");
    }

    @Test
    void a_failed_cancellation_is_reported() {
        failing.addAll(List.of("TAKE c", "REFUND a"));
        assertThatThrownBy(() -> decide())
                .hasMessageContaining("TAKE c")
                .satisfies(e -> assertThat(e.getSuppressed()[0]).hasMessageContaining("REFUND a"));
        assertThat(sent).endsWith("REFUND a", "REFUND b");
        failing.remove("TAKE c");
        rejecting.add("TAKE c");
        assertThatThrownBy(() -> decide()).hasMessageContaining("REFUND a");
        assertThat(sent).endsWith("REFUND a", "REFUND b");
    }

    @Test
    void a_set_with_a_failed_cancellation_is_not_retried() {
        rejecting.add("TAKE c");
        passing.add("REFUND a");
        staysTaken("a");
        rejecting.remove("TAKE c");
        passing.add("TAKE c");
        assertThat(staysTaken("c").getSuppressed())
                .singleElement()
                .satisfies(e -> assertThat(e).hasMessageContaining("REFUND a"));
    }

    @Test
    void a_set_whose_grants_were_cancelled_is_retried() {
        passing.add("TAKE c");
        Guard guard = Patience.guard();
        Backend passes = new Recorder() {
            @Override
            public void start(Call call) {
                if (call.allOrNothing() && sent.contains("REFUND a")) {
                    passing.clear();
                }
                super.start(call);
            }
        };
        assertThat(bounded(passes, guard)).succeedsWithin(Patience.DECISION_TIMEOUT);
        assertThat(sent.stream().filter("TAKE a"::equals)).hasSize(2);
        guard.close();
    }

    private LimiterBackendException staysTaken(String key) {
        sent.clear();
        Guard guard = Patience.guard();
        try {
            bounded(backend, guard).await();
            throw new AssertionError("it did not fail");
        } catch (LimiterBackendException e) {
            assertThat(e.isAmbiguous()).as(e.toString()).isTrue();
            assertThat(e.kind()).isEqualTo(Kind.AMBIGUOUS);
            assertThat(e.key()).isEqualTo(key);
            assertThat(sent.stream().filter("TAKE a"::equals)).hasSize(1);
            assertThat(sent).contains("REFUND a", "REFUND b");
            return e;
        } finally {
            guard.close();
        }
    }

    @Test
    void permanent_and_closed_failures_keep_their_kind() {
        passing.add("REFUND a");
        for (Kind kind : List.of(Kind.PERMANENT, Kind.CLOSED)) {
            special = new LimiterBackendException(kind, "test", "c", "TAKE c", null, null);
            assertThatThrownBy(() -> decide()).isInstanceOfSatisfying(LimiterBackendException.class, e -> {
                assertThat(e.kind()).isEqualTo(kind);
                assertThat(e.isAmbiguous()).isTrue();
            });
        }
    }

    @Test
    void asynchronous_sets_send_the_same_requests() {
        assertThat(decideAsync().join()).allMatch(Verdict::isGranted);
        rejecting.add("TAKE c");
        assertThat(decideAsync().join()).extracting(Verdict::isGranted).containsExactly(true, true, false);
        failing.add("TAKE b");
        sent.clear();
        assertThatThrownBy(() -> decideAsync().join()).hasCauseInstanceOf(LimiterBackendException.class);
        assertThat(sent).endsWith("TAKE a", "TAKE b", "REFUND a");
    }

    @Test
    void a_peek_that_fails_after_a_rejection_fails_the_set_and_everything_is_cancelled() {
        rejecting.add("TAKE b");
        failing.add("PEEK c");
        assertThatThrownBy(() -> decide())
                .isInstanceOfSatisfying(
                        LimiterBackendException.class,
                        e -> assertThat(e.isAmbiguous()).isFalse())
                .hasMessageContaining("PEEK c");
        assertThat(sent).containsExactly("TAKE a", "TAKE b", "REFUND a", "PEEK c");
    }

    @Test
    void cancellations_and_peeks_have_the_permits_of_their_part() {
        rejecting.add("TAKE b");
        decide();
        assertThat(requests)
                .extracting(Request::permits)
                .as("two takes, a cancellation and a peek")
                .containsExactly(1L, 2L, 1L, 3L);
    }

    @Test
    void a_failure_is_reported_after_all_cancellations() {
        failing.add("TAKE c");
        CompletableFuture<Void> slow = new CompletableFuture<>();
        Backend slowToCancel = new Recorder() {
            @Override
            public CompletableFuture<List<Answer>> answers(List<KeyRequests<?>> batch, BooleanSupplier send) {
                CompletableFuture<List<Answer>> decided = super.answers(batch, send);
                boolean cancels = batch.get(0).requests().get(0).action() == Action.REFUND;
                return cancels ? slow.thenCompose(done -> decided) : decided;
            }
        };
        CompletableFuture<?> failed = Decisions.startSetIn(slowToCancel, parts());
        assertThat(failed).isNotDone();
        slow.complete(null);
        assertThat(failed).isCompletedExceptionally();
    }

    private static Ask bounded(Backend backend, Guard guard) {
        Ask set = new Ask(parts(), null);
        new GroupCommit(backend, GroupCommit.Settings.DEFAULT.withOwnCalls(), Runnable::run, guard).decide(set);
        return set;
    }

    private List<@Nullable Verdict> decide() {
        return AsyncFailures.join(decideAsync());
    }

    private CompletableFuture<List<@Nullable Verdict>> decideAsync() {
        return Decisions.startSetIn(backend, parts());
    }

    private static List<KeyRequests<?>> parts() {
        List<KeyRequests<?>> parts = new ArrayList<>();
        for (String key : List.of("a", "b", "c")) {
            parts.add(KeyRequests.of(key, TokenBucket.of(1, 3), Request.take(parts.size() + 1, 0)));
        }
        return parts;
    }

    private class Recorder implements FutureBackend {

        @Override
        public CompletableFuture<List<Answer>> answers(List<KeyRequests<?>> batch, BooleanSupplier send) {
            assertThat(send.getAsBoolean()).isTrue();
            return CompletableFuture.completedFuture(
                    batch.stream().map(this::answer).toList());
        }

        Answer answer(KeyRequests<?> only) {
            try {
                return Answer.of(List.of(decideOne(only.key(), only.requests().get(0))));
            } catch (LimiterBackendException e) {
                return Answer.failed(e);
            }
        }

        @Override
        public boolean blocks() {
            return false;
        }

        @Override
        public void delete(String key) {
            throw new UnsupportedOperationException();
        }

        private Verdict decideOne(String key, Request request) {
            String what = request.action() + " " + key;
            sent.add(what);
            requests.add(request);
            if (failing.contains(what)) {
                throw BackendFailures.notExecuted(key, what);
            }
            if (passing.contains(what)) {
                throw new LimiterBackendException(Kind.RETRYABLE, "READONLY", key, what, null, null);
            }
            if (special != null && what.equals("TAKE c")) {
                throw special;
            }
            return verdict(!rejecting.contains(what), 1, 0, 0, 0, 0);
        }
    }
}
