package io.limiter.redis;

import static io.limiter.testing.Decisions.decideIn;
import static io.limiter.testing.Decisions.decideSetIn;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.google.common.base.Ticker;
import io.limiter.LimiterBackendException;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.backend.AsyncFailures;
import io.limiter.internal.backend.Backend;
import io.limiter.internal.cache.KnownRejections;
import io.limiter.internal.engine.KeyRequests;
import io.limiter.internal.redis.script.ScriptBackend;
import io.limiter.internal.time.ServerTime;
import io.limiter.step.Request;
import io.limiter.testing.Decisions;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** A failure before the request is sent is reported like any other, through the future of an asynchronous call. */
class UnsentRequestsTest {

    private static final TokenBucket TEN = TokenBucket.of(1, 10);
    private static final Request ONE = Request.take(1, 0);

    /** Which a bucket has no words for. */
    private static final Request HOLD = Request.hold(1, 1);

    @RegisterExtension
    final RedisFixture redis = new RedisFixture();

    @RegisterExtension
    final Resources resources = Resources.ofTest();

    @Test
    void a_request_that_cannot_be_encoded_fails_and_takes_nothing() {
        fails(redis.scriptBackend(), HOLD, "the permits of a TokenBucket are not held under an id");
        assertThat(redis.keys()).isEmpty();
    }

    @Test
    void a_client_that_throws_before_sending_fails_and_takes_nothing() {
        LettuceConnectionFactory stopped = resources.lettuce(Resources.atShared());
        Backend engine = new ScriptBackend(
                RedisFixture.calls(stopped),
                redis.clockLua(),
                ServerTime.ofThisMachine(Ticker.systemTicker()),
                new KnownRejections(0, Ticker.systemTicker()));
        decideIn(engine, key("{k}"), TEN, ONE);
        stopped.stop();
        fails(engine, ONE, "Redis failed: LettuceConnectionFactory has been STOPPED");
    }

    private void fails(Backend engine, Request request, String problem) {
        List<KeyRequests<?>> parts =
                List.of(KeyRequests.of(key("{k}:a"), TEN, request), KeyRequests.of(key("{k}:b"), TEN, ONE));
        List<KeyRequests<?>> batch = List.of(parts.get(0));
        assertNotExecuted(() -> decideIn(engine, key("{k}:a"), TEN, request), problem);
        assertNotExecuted(() -> decideIn(engine, batch).get(0).verdicts(), problem);
        assertNotExecuted(() -> decideSetIn(engine, parts), problem);
        assertFuture(
                () -> engine.start(batch, () -> true)
                        .thenApply(answers -> answers.get(0).verdicts()),
                problem);
        assertFuture(() -> Decisions.startSetIn(engine, parts), problem);
    }

    private String key(String name) {
        return redis.prefix() + name;
    }

    private static void assertFuture(Supplier<CompletableFuture<?>> call, String problem) {
        CompletableFuture<?> future = call.get();
        assertNotExecuted(() -> AsyncFailures.join(future), problem);
    }

    private static void assertNotExecuted(ThrowingCallable call, String problem) {
        assertThat(catchThrowable(call))
                .hasMessageContaining(problem)
                .isInstanceOfSatisfying(LimiterBackendException.class, e -> {
                    assertThat(e.isAmbiguous()).isFalse();
                    assertThat(e.key()).endsWith("{k}:a");
                });
    }
}
