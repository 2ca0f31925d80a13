package io.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.ClientOptions;
import io.limiter.Decision;
import io.limiter.Decision.Source;
import io.limiter.FailurePolicy;
import io.limiter.LimitSet;
import io.limiter.Limiter;
import io.limiter.LimiterBackendDownEvent;
import io.limiter.LimiterFailingEvent;
import io.limiter.LimiterListener;
import io.limiter.LimiterOptions;
import io.limiter.algorithm.FixedWindow;
import io.limiter.testing.Eventually;
import io.limiter.testing.Patience;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Requests that find a queue full while Redis decides the others. */
class FullQueueTest {

    private static final FixedWindow HUNDRED = FixedWindow.of(100, Duration.ofDays(1));

    @RegisterExtension
    final RedisFixture redis = new RedisFixture();

    @RegisterExtension
    final Resources resources = Resources.ofTest();

    private final Queue<String> events = new ConcurrentLinkedQueue<>();

    @ParameterizedTest
    @EnumSource(
            value = FailurePolicy.Action.class,
            names = {"LOCAL", "ALLOW", "DENY"})
    void what_is_not_queued_is_rejected_and_seen(FailurePolicy.Action action) {
        RedisRateLimiterFactory factory =
                factory(RedisFixture.connections(), policy(action), builder -> builder.maxQueued(1));
        Limiter limiter =
                factory.with(LimiterOptions.NONE.withPrefix(redis.prefix())).build("k", HUNDRED);
        limiter.peek(1);
        List<Decision> decisions = RedisFixture.whileItIsBusy(() -> {
                    List<CompletableFuture<Decision>> all = new ArrayList<>();
                    for (int i = 0; i < 300; i++) {
                        all.add(limiter.async().decide(1));
                    }
                    return all;
                })
                .stream()
                .map(CompletableFuture::join)
                .toList();
        assertThat(decisions)
                .filteredOn(Decision::isGranted)
                .hasSizeBetween(1, 100)
                .allMatch(FullQueueTest::isOfRedis);
        assertThat(decisions)
                .filteredOn(decision -> !isOfRedis(decision))
                .isNotEmpty()
                .noneMatch(Decision::isGranted);
        isSeen(factory);
    }

    @Test
    void what_lettuce_does_not_queue_is_no_outage() {
        LettuceConnectionFactory connections = resources.lettuce(
                Resources.atShared(),
                LettuceClientConfiguration.builder()
                        .clientOptions(
                                ClientOptions.builder().requestQueueSize(10).build())
                        .build());
        RedisRateLimiterFactory factory =
                factory(connections, FailurePolicy.LOCAL, builder -> builder.groupCommit(false));
        Limiter limiter =
                factory.with(LimiterOptions.NONE.withPrefix(redis.prefix())).build("k", HUNDRED);
        limiter.peek(1);
        List<CompletableFuture<Decision>> decisions = IntStream.range(0, 3000)
                .mapToObj(i -> limiter.async().decide(1))
                .toList();
        assertThat(decisions.stream().map(CompletableFuture::join).filter(Decision::isGranted))
                .hasSizeBetween(1, 100)
                .allMatch(FullQueueTest::isOfRedis);
        LimitSet set = LimitSet.of(limiter)
                .and(factory.with(LimiterOptions.NONE.withPrefix(redis.prefix()))
                        .build("other", HUNDRED));
        assertThat(set.peek(1).isGranted()).isFalse();
        assertThat(factory.backendState().up()).isTrue();
        assertThat(events).doesNotContain("down");
    }

    private static boolean isOfRedis(Decision decision) {
        return decision.source() == Source.BACKEND || decision.source() == Source.REJECTION_CACHE;
    }

    private void isSeen(RedisRateLimiterFactory factory) {
        assertThat(factory.backendState().up()).isTrue();
        assertThat(factory.backendState().failing()).singleElement().satisfies(failing -> {
            assertThat(failing.failure().problem()).isEqualTo("queue");
            assertThat(failing.failure().remedy())
                    .hasValueSatisfying(
                            remedy -> assertThat(remedy).contains("raise maxQueued of the factory's builder"));
        });
        Eventually.that(() -> assertThat(events).containsExactly("failing queue"));
    }

    private RedisRateLimiterFactory factory(
            LettuceConnectionFactory connections,
            FailurePolicy policy,
            UnaryOperator<RedisRateLimiterFactory.Builder> settings) {
        return resources.closing(settings.apply(RedisRateLimiterFactory.builder(connections)
                        .decisionTimeout(Patience.DECISION_TIMEOUT)
                        .failurePolicy(policy)
                        .listener(new LimiterListener() {
                            @Override
                            public void onBackendDown(LimiterBackendDownEvent event) {
                                events.add("down");
                            }

                            @Override
                            public void onLimiterFailing(LimiterFailingEvent event) {
                                events.add(
                                        "failing " + event.limiter().failure().problem());
                            }
                        }))
                .build());
    }

    private static FailurePolicy policy(FailurePolicy.Action action) {
        return switch (action) {
            case LOCAL -> FailurePolicy.LOCAL;
            case ALLOW -> FailurePolicy.ALLOW;
            case DENY -> FailurePolicy.DENY;
            default -> throw new IllegalArgumentException(action.name());
        };
    }
}
