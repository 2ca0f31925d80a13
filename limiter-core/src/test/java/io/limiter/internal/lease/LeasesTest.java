package io.limiter.internal.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.util.concurrent.Uninterruptibles;
import io.limiter.Lease;
import io.limiter.LimiterBackendException;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.internal.batch.GroupCommit;
import io.limiter.internal.key.KeySpace;
import io.limiter.internal.limiter.EngineConcurrencyLimiter;
import io.limiter.internal.resilience.Guard;
import io.limiter.internal.time.ExpiryClock;
import io.limiter.step.Request;
import io.limiter.testing.HandEngine;
import io.limiter.testing.Patience;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Renewal, loss and release of leases. */
@Tag("threads")
class LeasesTest extends LeasesFixture {

    @Test
    void a_lease_is_renewed_for_as_long_as_it_is_held() {
        Lease lease = limiter.acquire(1, Duration.ZERO);
        for (int i = 0; i < 10; i++) {
            clock.advance(Duration.ofSeconds(10));
            leases.renewer().renewDue();
            leases.renewer().findLost();
            assertThat(lease.isHeld()).isTrue();
            assertThat(limiter.tryAcquire()).isEmpty();
        }
        lease.close();
        assertThat(limiter.inUse()).isZero();
        assertThat(leases.renewer().size()).isZero();
    }

    @Test
    void only_leases_that_are_due_are_renewed() {
        EngineConcurrencyLimiter many = limiter(ConcurrencyLimit.of(100));
        for (int i = 0; i < 30; i++) {
            many.on("k" + i % 10).acquire(1, Duration.ZERO);
        }
        clock.advance(Duration.ofSeconds(7));
        many.on("later").acquire(1, Duration.ZERO);
        backend.requests.clear();
        leases.renewer().renewDue();
        assertThat(backend.requests).as("a quarter of no lease has passed").isEmpty();
        clock.advance(Duration.ofMillis(500));
        leases.renewer().renewDue();
        assertThat(backend.requests).hasSize(30).allMatch(request -> request.action() == Request.Action.RENEW);
        backend.requests.clear();
        leases.renewer().renewDue();
        assertThat(backend.requests).as("renewed already").isEmpty();
    }

    @Test
    void many_leases_are_renewed_in_few_calls() {
        Guard guard = Patience.guard();
        HandEngine slow = new HandEngine();
        slow.onStart = HandEngine.Call::answer;
        GroupCommit shared = new GroupCommit(slow, GroupCommit.Settings.DEFAULT, Runnable::run, guard);
        Leases held = new Leases(shared, sleeper, new ExpiryClock(clock, clock), Leases.LARGE_BATCH);
        EngineConcurrencyLimiter many =
                new EngineConcurrencyLimiter(new KeySpace("", "many", ""), ConcurrencyLimit.of(1000), shared, held);
        for (int i = 0; i < 250; i++) {
            many.on("k" + i).acquire(1, Duration.ZERO);
        }
        clock.advance(Duration.ofSeconds(10));
        slow.calls.clear();
        slow.onStart = call -> {};
        Thread renewal = new Thread(() -> held.renewer().renewDue());
        renewal.start();
        Awaitility.await().until(() -> slow.calls.size() == 2 && shared.queued() == 250 - 1 - 33);
        slow.onStart = HandEngine.Call::answer;
        slow.calls.forEach(HandEngine.Call::answer);
        Uninterruptibles.joinUninterruptibly(renewal);
        assertThat(slow.calls).hasSize(3);
        held.close();
        guard.close();
    }

    @Test
    void closing_waits_for_a_lease_that_is_granted_during_that_and_releases_it() {
        Executor ownThread = task -> new Thread(task).start();
        CountDownLatch sent = new CountDownLatch(1);
        CountDownLatch closing = new CountDownLatch(1);
        backend.beforeDecision = () -> {
            sent.countDown();
            Uninterruptibles.awaitUninterruptibly(closing);
        };
        CompletableFuture<Optional<Lease>> acquired = CompletableFuture.supplyAsync(limiter::tryAcquire, ownThread);
        Uninterruptibles.awaitUninterruptibly(sent);
        backend.beforeDecision = () -> {};
        CompletableFuture<List<Request>> whenClosed = CompletableFuture.supplyAsync(
                () -> {
                    leases.close();
                    return List.copyOf(backend.requests);
                },
                ownThread);
        Awaitility.await().until(leases::isClosed);
        closing.countDown();
        assertThat(whenClosed.join()).last().matches(request -> request.action() == Request.Action.REFUND);
        assertThatThrownBy(acquired::join).hasMessageContaining("the limiters were closed");
    }

    @Test
    void one_key_under_two_limits_is_renewed_under_both() {
        Lease first = limiter(ConcurrencyLimit.of(5)).acquire(1, Duration.ZERO);
        Lease second = limiter(ConcurrencyLimit.of(6)).acquire(1, Duration.ZERO);
        for (int i = 0; i < 4; i++) {
            clock.advance(Duration.ofSeconds(10));
            leases.renewer().renewDue();
        }
        assertThat(first.isHeld()).isTrue();
        assertThat(second.isHeld()).isTrue();
    }

    @Test
    void a_failed_renewal_is_retried_until_the_lease_expires() {
        List<String> lost = new ArrayList<>();
        Lease lease = limiter.acquire(1, Duration.ZERO);
        lease.onLost(() -> lost.add("first"));
        lease.onLost(() -> {
            throw new IllegalStateException("for the log");
        });
        lease.onLost(() -> lost.add("third"));
        backend.failing = true;
        for (int i = 0; i < 2; i++) {
            clock.advance(Duration.ofSeconds(10));
            leases.renewer().renewDue();
            leases.renewer().findLost();
            assertThat(lease.isHeld()).isTrue();
        }
        backend.failing = false;
        leases.renewer().renewDue();
        clock.advance(Duration.ofSeconds(29));
        assertThat(lease.isHeld()).as("the third try was in time").isTrue();

        backend.failing = true;
        clock.advance(Duration.ofSeconds(1));
        assertThat(lease.isHeld()).isFalse();
        assertThat(lost).isEmpty();
        leases.renewer().findLost();
        assertThat(lost).containsExactly("first", "third");
        lease.onLost(() -> lost.add("late"));
        assertThat(lost).containsExactly("first", "third", "late");
        backend.failing = false;
        leases.renewer().renewDue();
        assertThat(lease.isHeld()).as("a lost lease stays lost").isFalse();
    }

    @Test
    void a_lease_that_the_backend_has_deleted_is_lost() {
        AtomicInteger lost = new AtomicInteger();
        Lease lease = limiter.acquire(1, Duration.ZERO);
        lease.onLost(lost::incrementAndGet);
        backend.forget(ONE);
        assertThat(lease.isHeld()).as("not renewed yet").isTrue();
        clock.advance(Duration.ofSeconds(10));
        leases.renewer().renewDue();
        assertThat(lease.isHeld()).isFalse();
        assertThat(lost).hasValue(1);
        lease.close();
        assertThat(lost).hasValue(1);
    }

    @Test
    void after_a_pause_a_lease_expires_no_later_than_in_the_backend() {
        backend.beforeDecision = () -> clock.advance(Duration.ofSeconds(3));
        Lease lease = limiter.acquire(1, Duration.ZERO);
        backend.beforeDecision = () -> {};
        clock.advance(Duration.ofSeconds(27).minusNanos(1000));
        assertThat(lease.isHeld()).isTrue();
        clock.advance(Duration.ofNanos(1000));
        assertThat(lease.isHeld()).as("counted from when it was sent").isFalse();
        assertThat(limiter.inUse()).isEqualTo(1);

        clock.advance(Duration.ofSeconds(10));
        Lease other = limiter.acquire(1, Duration.ZERO);
        leases.renewer().renewDue();
        lease.close();
        assertThat(other.isHeld()).isTrue();
        assertThat(limiter.inUse()).isEqualTo(1);
    }

    @Test
    void a_reply_that_arrives_after_the_lease_time_is_a_failure() {
        backend.afterDecision = () -> clock.advance(Duration.ofSeconds(31));
        assertThatThrownBy(() -> limiter.tryAcquire())
                .isInstanceOf(LimiterBackendException.class)
                .hasMessageContaining("the lease had expired before the reply arrived");
        assertThat(leases.renewer().size()).isZero();
    }

    @Test
    void an_ambiguous_grant_is_released() {
        backend.losesAnswers = true;
        assertThatThrownBy(() -> limiter.tryAcquire()).isInstanceOf(LimiterBackendException.class);
        assertThatThrownBy(() -> limiter.async().acquire(1, Duration.ZERO).join())
                .hasCauseInstanceOf(LimiterBackendException.class);
        assertThatThrownBy(() -> limiter.acquire(1, HOUR)).isInstanceOf(LimiterBackendException.class);
        backend.losesAnswers = false;
        assertThat(limiter.inUse()).isZero();
    }

    @Test
    void close_releases_leases_and_fails_waiting_callers() {
        AtomicInteger lost = new AtomicInteger();
        Lease held = limiter.acquire(1, Duration.ZERO);
        held.onLost(lost::incrementAndGet);
        limiter.on("a").acquire(1, Duration.ZERO);
        CompletableFuture<Lease> waiting = limiter.async().acquire(1, HOUR);
        leases.close();
        assertThatThrownBy(waiting::join)
                .cause()
                .isInstanceOf(LimiterBackendException.class)
                .hasMessageContaining("the limiters were closed");
        assertThat(held.isHeld()).isFalse();
        assertThat(lost).hasValue(1);
        assertThat(limiter.inUse()).isZero();
        assertThat(limiter.on("a").inUse()).isZero();
        held.close();
        backend.requests.clear();
        for (Duration timeout : List.of(Duration.ZERO, HOUR)) {
            assertThatThrownBy(() -> limiter.tryAcquire(timeout)).hasMessageContaining("the limiters were closed");
        }
        assertThat(backend.requests)
                .as("a lease that the backend granted now could not be released")
                .isEmpty();
        assertThat(limiter.inUse()).isZero();
    }

    @Test
    void a_failed_release_is_no_error_for_the_caller_that_closes() {
        Lease first = limiter.on("a").acquire(1, Duration.ZERO);
        Lease second = limiter.on("b").acquire(1, Duration.ZERO);
        backend.failing = true;
        first.close();
        assertThat(second.closeAsync()).isCompleted();
        assertThat(first.isHeld()).isFalse();
        assertThat(leases.renewer().size()).isZero();
        backend.failing = false;
        assertThat(limiter.on("a").inUse()).isEqualTo(1);
        clock.advance(Duration.ofSeconds(30));
        assertThat(limiter.on("a").inUse()).isZero();
    }
}
