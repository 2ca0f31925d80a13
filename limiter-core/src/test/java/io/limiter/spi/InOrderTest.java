package io.limiter.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.LimiterBackendException;
import io.limiter.LimiterBackendException.Kind;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.Request;
import io.limiter.algorithm.Request.Action;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.resilience.BoundedCall;
import io.limiter.internal.resilience.Guard;
import io.limiter.testing.Patience;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Limits that cannot be decided at one moment: who is asked what, and what becomes of it when one fails. */
class InOrderTest {

    private final List<String> asked = new ArrayList<>();
    private final List<Request> requests = new ArrayList<>();
    private final Set<String> refusing = new HashSet<>();
    private final Set<String> failing = new HashSet<>();
    private final Set<String> passing = new HashSet<>();
    private @Nullable LimiterBackendException special;
    private final Engine engine = new Recorder();

    @Test
    void all_are_taken_in_their_order() {
        assertThat(engine.decideTogether(parts())).hasSize(3).allMatch(Decision::granted);
        assertThat(asked).containsExactly("TAKE a", "TAKE b", "TAKE c");
    }

    @Test
    void the_first_that_refuses_ends_it() {
        refusing.add("TAKE b");
        assertThat(engine.decideTogether(parts())).extracting(Decision::granted).containsExactly(true, false, true);
        assertThat(asked).containsExactly("TAKE a", "TAKE b", "GIVE_BACK a", "PEEK a", "PEEK c");
    }

    @Test
    void what_was_taken_before_a_failure_goes_back() {
        failing.add("TAKE c");
        assertThatThrownBy(() -> engine.decideTogether(parts()))
                .isInstanceOf(LimiterBackendException.class)
                .hasMessageContaining("TAKE c")
                .hasNoSuppressedExceptions();
        assertThat(asked).containsExactly("TAKE a", "TAKE b", "TAKE c", "GIVE_BACK a", "GIVE_BACK b");
    }

    @Test
    void what_cannot_go_back_is_told() {
        failing.addAll(List.of("TAKE c", "GIVE_BACK a"));
        assertThatThrownBy(() -> engine.decideTogether(parts()))
                .hasMessageContaining("TAKE c")
                .satisfies(e -> assertThat(e.getSuppressed()[0]).hasMessageContaining("GIVE_BACK a"));
        assertThat(asked).endsWith("GIVE_BACK a", "GIVE_BACK b");
        failing.remove("TAKE c");
        refusing.add("TAKE c");
        assertThatThrownBy(() -> engine.decideTogether(parts())).hasMessageContaining("GIVE_BACK a");
        assertThat(asked).endsWith("GIVE_BACK a", "GIVE_BACK b");
    }

    @Test
    void a_set_of_which_something_stays_taken_is_not_asked_again() {
        refusing.add("TAKE c");
        passing.add("GIVE_BACK a");
        staysTaken("a");
        passing.add("PEEK b");
        staysTaken("a");
        passing.remove("PEEK b");
        refusing.remove("TAKE c");
        passing.add("TAKE c");
        assertThat(staysTaken("c").getSuppressed())
                .singleElement()
                .satisfies(e -> assertThat(e).hasMessageContaining("GIVE_BACK a"));
    }

    @Test
    void one_of_which_nothing_stays_taken_is() {
        refusing.add("TAKE c");
        passing.add("PEEK a");
        Guard guard = Patience.guard();
        CompletableFuture<?> asks = BoundedCall.start(guard, "a", () -> {
            if (asked.contains("PEEK a")) {
                passing.clear();
            }
            return engine.decideTogetherAsync(parts());
        });
        assertThat(asks).succeedsWithin(Patience.BUDGET);
        assertThat(asked.stream().filter("TAKE a"::equals)).hasSize(2);
        guard.close();
    }

    private LimiterBackendException staysTaken(String key) {
        asked.clear();
        Guard guard = Patience.guard();
        try {
            BoundedCall.start(guard, "a", () -> engine.decideTogetherAsync(parts()))
                    .await();
            throw new AssertionError("it did not fail");
        } catch (LimiterBackendException e) {
            assertThat(e.isAmbiguous()).as(e.toString()).isTrue();
            assertThat(e.kind()).isEqualTo(Kind.AMBIGUOUS);
            assertThat(e.key()).isEqualTo(key);
            assertThat(asked.stream().filter("TAKE a"::equals)).hasSize(1);
            assertThat(asked).contains("GIVE_BACK a", "GIVE_BACK b");
            return e;
        } finally {
            guard.close();
        }
    }

    @Test
    void what_lasts_still_lasts_and_what_was_closed_is_closed() {
        passing.add("GIVE_BACK a");
        for (Kind kind : List.of(Kind.PERMANENT, Kind.CLOSED)) {
            special = LimiterBackendException.of(kind, "test", "c", "TAKE c", null);
            assertThatThrownBy(() -> engine.decideTogether(parts()))
                    .isInstanceOfSatisfying(LimiterBackendException.class, e -> {
                        assertThat(e.kind()).isEqualTo(kind);
                        assertThat(e.isAmbiguous()).isTrue();
                    });
        }
    }

    @Test
    void async_asks_the_same() {
        assertThat(engine.decideTogetherAsync(parts()).join()).allMatch(Decision::granted);
        refusing.add("TAKE c");
        assertThat(engine.decideTogetherAsync(parts()).join())
                .extracting(Decision::granted)
                .containsExactly(true, true, false);
        failing.add("TAKE b");
        asked.clear();
        assertThatThrownBy(() -> engine.decideTogetherAsync(parts()).join())
                .hasCauseInstanceOf(LimiterBackendException.class);
        assertThat(asked).containsExactly("TAKE a", "TAKE b", "GIVE_BACK a");
    }

    @Test
    void what_goes_back_and_what_is_looked_at_is_what_was_asked_for() {
        refusing.add("TAKE c");
        engine.decideTogether(parts());
        assertThat(requests)
                .extracting(Request::permits)
                .as("takes, and the returns and the peeks of each but the last")
                .containsExactly(1, 2, 3, 1, 2, 1, 2);
    }

    @Test
    void a_failure_is_told_when_all_is_back() {
        failing.add("TAKE c");
        CompletableFuture<Void> slow = new CompletableFuture<>();
        Engine slowToReturn = new Engine() {
            @Override
            public List<Answer> decide(List<KeyRequests<?>> batch) {
                return engine.decide(batch);
            }

            @Override
            public CompletableFuture<Decision> decideAsync(String key, Limit<?> limit, Request request) {
                CompletableFuture<Decision> decided = engine.decideAsync(key, limit, request);
                return request.action() == Action.GIVE_BACK ? slow.thenCompose(done -> decided) : decided;
            }

            @Override
            public void reset(String key) {
                engine.reset(key);
            }
        };
        CompletableFuture<?> failed = slowToReturn.decideTogetherAsync(parts());
        assertThat(failed).isNotDone();
        slow.complete(null);
        assertThat(failed).isCompletedExceptionally();
    }

    private static List<SetPart<?>> parts() {
        List<SetPart<?>> parts = new ArrayList<>();
        for (String key : List.of("a", "b", "c")) {
            parts.add(new SetPart<>(key, TokenBucket.of(1, 3), new Request(parts.size() + 1, 0, false)));
        }
        return parts;
    }

    private final class Recorder implements Engine {

        @Override
        public List<Answer> decide(List<KeyRequests<?>> batch) {
            return batch.stream()
                    .map(each -> Answer.of(
                            List.of(decideOne(each.key(), each.requests().get(0)))))
                    .toList();
        }

        @Override
        public void reset(String key) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletableFuture<Decision> decideAsync(String key, Limit<?> limit, Request request) {
            try {
                return CompletableFuture.completedFuture(decideOne(key, request));
            } catch (LimiterBackendException e) {
                return CompletableFuture.failedFuture(e);
            }
        }

        private Decision decideOne(String key, Request request) {
            String what = request.action() + " " + key;
            asked.add(what);
            requests.add(request);
            if (failing.contains(what)) {
                throw new LimiterBackendException(key, what);
            }
            if (passing.contains(what)) {
                throw LimiterBackendException.of(Kind.RETRYABLE, "READONLY", key, what, null);
            }
            if (special != null && what.equals("TAKE c")) {
                throw special;
            }
            return new Decision(!refusing.contains(what), 1, 0, 0, 0, 0);
        }
    }
}
