package io.limiter.redis;

import static io.limiter.testing.Decisions.decideIn;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisLoadingException;
import io.lettuce.core.TimeoutOptions;
import io.limiter.Decision;
import io.limiter.Decision.Source;
import io.limiter.LimiterBackendException;
import io.limiter.LimiterOptions;
import io.limiter.RateLimiter;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.backend.Answer;
import io.limiter.internal.engine.KeyRequests;
import io.limiter.internal.redis.client.RedisErrors;
import io.limiter.internal.redis.script.ScriptBackend;
import io.limiter.internal.resilience.Guard;
import io.limiter.step.Request;
import io.limiter.testing.TestRedis;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.dao.InvalidDataAccessApiUsageException;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.RedisSystemException;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import redis.clients.jedis.exceptions.JedisDataException;

/** Failures of limiters without a Redis at the configured address. */
class BackendFailureTest {

    @RegisterExtension
    final Resources resources = Resources.ofTest();

    private final LettuceConnectionFactory nowhere = resources.lettuce(Resources.at(TestRedis.closedPort()));

    /** It is tried again for as long as this, because it might come up. */
    private RedisRateLimiterFactory.Builder impatient() {
        return RedisFixture.builder(nowhere).decisionTimeout(Duration.ofSeconds(2));
    }

    @Test
    void building_makes_no_call() {
        impatient().build().build("k", 1, 1, 60);
    }

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void an_exception_names_redis_and_the_key(boolean underLock) {
        RedisRateLimiterFactory.Builder builder = impatient();
        RateLimiter limiter = (underLock ? builder.lock(new RedisLock(nowhere)) : builder)
                .build()
                .build("sms", 1, 1, 60);
        assertThatThrownBy(() -> limiter.tryAcquire("0171"))
                .isInstanceOfSatisfying(LimiterBackendException.class, e -> {
                    assertThat(e.key()).isEqualTo("rateLimit:{0171}{sms}");
                    assertThat(e).hasMessageContaining("rateLimit:{0171}{sms}").hasMessageContaining("Redis failed");
                    assertThat(e).hasCauseInstanceOf(RedisConnectionFailureException.class);
                    assertThat(e.isAmbiguous()).as("nothing was sent").isFalse();
                });
    }

    /** All at once, because each waits for the decision timeout. */
    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void an_asynchronous_call_fails_its_future() {
        List<CompletableFuture<Decision>> failing = Stream.of(
                        impatient(), impatient().groupCommit(false), impatient().lock(new RedisLock(nowhere)))
                .map(builder ->
                        builder.build().build("sms", 1, 1, 60).on("0171").async())
                .flatMap(limiter ->
                        Stream.of(Duration.ZERO, Duration.ofSeconds(1)).map(timeout -> limiter.decide(1, timeout)))
                .toList();
        assertThat(failing)
                .allSatisfy(decision -> assertThatThrownBy(decision::join)
                        .isInstanceOf(CompletionException.class)
                        .cause()
                        .isInstanceOf(LimiterBackendException.class)
                        .hasMessageContaining("rateLimit:{0171}{sms}")
                        // The last try may be under way when the time is over.
                        .hasMessageFindingMatch("Redis failed|there was no answer"));
    }

    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void every_key_of_a_batch_fails() {
        ScriptBackend engine = RedisFixture.scriptBackend(nowhere);
        List<Request> one = List.of(Request.take(1, 0));
        List<Answer> answers = decideIn(
                engine,
                List.of(
                        new KeyRequests<>("{a}", TokenBucket.of(1, 1), one),
                        new KeyRequests<>("{b}", TokenBucket.of(1, 1), one)));
        assertThat(answers).hasSize(2);
        assertThatThrownBy(() -> answers.get(1).verdicts())
                .isInstanceOf(LimiterBackendException.class)
                .hasMessageContaining("{b}");
    }

    @Test
    void a_client_timeout_of_zero_means_no_timeout() {
        LettuceConnectionFactory patient = resources.lettuce(
                Resources.atShared(),
                LettuceClientConfiguration.builder()
                        .clientOptions(ClientOptions.builder()
                                .timeoutOptions(TimeoutOptions.create())
                                .build())
                        .commandTimeout(Duration.ZERO)
                        .build());
        RateLimiter limiter = RedisFixture.builder(patient)
                .build()
                .with(LimiterOptions.NONE.withPrefix("zero-timeout:"))
                .build("k", TokenBucket.of(1000, 1));
        // Lettuce itself closes a connection that was not made within its timeout, and looks at its clock every 100 ms.
        AwaitedDecision.by(Source.BACKEND, () -> limiter.on("k").peek(1));
        for (int i = 0; i < 20; i++) {
            assertThat(limiter.on("k").peek(1).isGranted()).isTrue();
        }
    }

    @Test
    void a_call_that_was_sent_and_not_answered_is_ambiguous() {
        assertThat(RedisErrors.of("{k}", new QueryTimeoutException("no answer")))
                .matches(LimiterBackendException::isAmbiguous)
                .matches(failure -> failure.problem().equals(Guard.TIMEOUT))
                .hasMessageContaining("count the permits as taken");
        assertThat(RedisErrors.of("{k}", new RedisSystemException("", new RedisException("Connection closed"))))
                .matches(LimiterBackendException::isAmbiguous);
        assertThat(RedisErrors.of("{k}", new RedisSystemException("", new RedisLoadingException("LOADING"))))
                .matches(e -> !e.isAmbiguous());
        assertThat(RedisErrors.of("{k}", new InvalidDataAccessApiUsageException("", new JedisDataException("OOM")))
                        .inThisThread())
                .matches(e -> !e.isAmbiguous());
    }
}
