package io.limiter.internal.live;

import static io.limiter.internal.live.LiveFleet.NOTE;
import static io.limiter.internal.live.LiveFleet.TEN;
import static io.limiter.internal.live.LiveFleet.live;
import static io.limiter.internal.live.LiveFleet.logged;
import static io.limiter.internal.live.LiveFleet.put;
import static io.limiter.internal.live.LiveFleet.search;
import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.RateLimiter;
import io.limiter.algorithm.TokenBucket;
import io.limiter.live.ChangeNote;
import io.limiter.live.LiveOptions;
import io.limiter.testing.Eventually;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Listeners of changes. */
class LiveListenersTest {

    @RegisterExtension
    static final LiveFleet FLEET = new LiveFleet();

    @Test
    void listeners_get_changes_in_order_after_they_were_applied() throws Exception {
        LiveInstance one = FLEET.instance();
        LiveInstance other = FLEET.instance();
        RateLimiter limiter = search(other);
        put(one, "first", TEN);
        other.pollLiveLimits();
        List<String> events = new ArrayList<>();
        AutoCloseable failing = live(other).subscribe(change -> {
            throw new IllegalStateException("a listener's own mistake");
        });
        AutoCloseable subscription = live(other)
                .subscribe(change -> events.add(
                        change.version() + " " + change.name() + " by " + change.who() + " at " + limiter.getRate()));
        put(one, "search", TEN);
        put(one, "other", TEN);
        live(one).remove("other", ChangeNote.of("bob", ""), 3);
        assertThat(logged(other::pollLiveLimits))
                .hasSize(3)
                .allMatch(line -> line.startsWith("A listener of live limits has failed"));
        assertThat(events)
                .containsExactly("2 search by ann at 10.0", "3 other by ann at 10.0", "4 other by bob at 10.0");
        subscription.close();
        failing.close();
        put(one, "search", TEN.withRate(3));
        other.pollLiveLimits();
        assertThat(events).hasSize(3);
    }

    @Test
    void listeners_get_the_changes_of_a_listener_last() {
        LiveInstance one = FLEET.instance();
        LiveInstance other = FLEET.instance();
        List<Long> versions = new ArrayList<>();
        live(other).subscribe(change -> {
            if (change.version() == 1) {
                put(other, "own", TEN);
            }
        });
        live(other).subscribe(change -> versions.add(change.version()));
        put(one, "first", TEN);
        put(one, "second", TEN);
        other.pollLiveLimits();
        assertThat(versions).containsExactly(1L, 2L, 3L);
    }

    @Test
    void a_listener_may_wait_for_a_thread_that_changes_a_limit() {
        LiveInstance one = FLEET.instance();
        List<String> changes = new ArrayList<>();
        live(one).subscribe(change -> {
            if (change.name().equals("first")) {
                CompletableFuture.runAsync(() -> put(one, "second", TEN))
                        .orTimeout(1, TimeUnit.MINUTES)
                        .join();
            }
        });
        live(one).subscribe(change -> changes.add(change.name()));
        put(one, "first", TEN);
        assertThat(changes).containsExactly("first", "second");
    }

    @Test
    void a_listener_may_renew_those_that_expire_together() {
        LiveInstance one = FLEET.instance();
        RateLimiter first = one.build("first", TokenBucket.perSecond(100));
        RateLimiter second = one.build("second", TokenBucket.perSecond(100));
        for (String name : List.of("first", "second")) {
            live(one).put(name, TEN, NOTE.withExpiry(Duration.ofMinutes(1)), 0);
        }
        live(one).subscribe(change -> {
            if (change.after().isEmpty() && change.name().equals("first")) {
                put(one, "first", TEN.withRate(20));
                put(one, "second", TEN.withRate(20));
            }
        });
        FLEET.clock().advance(Duration.ofMinutes(1));
        one.pollLiveLimits();
        assertThat(live(one).list()).hasSize(2);
        assertThat(first.getRate()).isEqualTo(20);
        assertThat(second.getRate()).isEqualTo(20);
    }

    @Test
    void a_listener_cannot_end_the_polls() {
        LiveInstance one = FLEET.instance();
        LiveInstance polling = FLEET.instance(LiveOptions.DEFAULT.withPollInterval(Duration.ofMillis(100)));
        RateLimiter limiter = search(polling);
        List<Boolean> interrupted = new CopyOnWriteArrayList<>();
        live(polling).subscribe(change -> {
            interrupted.add(Thread.currentThread().isInterrupted());
            Thread.currentThread().interrupt();
            throw new AssertionError("a listener's own mistake");
        });
        logged(() -> {
            put(one, "search", TEN);
            Eventually.that(() -> assertThat(limiter.getRate()).isEqualTo(10));
            put(one, "search", TEN.withRate(20));
            Eventually.that(() -> assertThat(limiter.getRate()).isEqualTo(20));
            put(one, "search", TEN.withRate(30));
            Eventually.that(() -> assertThat(limiter.getRate()).isEqualTo(30));
        });
        Eventually.that(() ->
                assertThat(interrupted).as("interrupted in the poll before").containsExactly(false, false, false));
    }
}
