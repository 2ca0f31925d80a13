package io.limiter.redis;

import static io.limiter.testing.Decisions.decideIn;
import static io.limiter.testing.Decisions.startSetsIn;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.limiter.Decision;
import io.limiter.Decision.Source;
import io.limiter.FailurePolicy;
import io.limiter.LimitSet;
import io.limiter.Limiter;
import io.limiter.LimiterBackendException;
import io.limiter.LimiterBackendException.Kind;
import io.limiter.LimiterFactory;
import io.limiter.LimiterOptions;
import io.limiter.algorithm.FixedWindow;
import io.limiter.internal.backend.Answer;
import io.limiter.internal.engine.KeyRequests;
import io.limiter.internal.redis.script.ScriptBackend;
import io.limiter.step.Request;
import io.limiter.step.Verdict;
import io.limiter.testing.Eventually;
import io.limiter.testing.Patience;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

/** A user with rights to some keys only: requests for other keys fail, and no others do. */
class ForbiddenKeyTest {

    private static final int MANY = 1_000_000;
    private static final FixedWindow WINDOW = FixedWindow.of(MANY, Duration.ofHours(1));

    @RegisterExtension
    final RedisFixture redis = new RedisFixture();

    @RegisterExtension
    final Resources resources = Resources.ofTest();

    private final String user = "forbidden-" + UUID.randomUUID();

    @BeforeEach
    void allow() {
        resources.closing(() -> acl("DELUSER", user));
        acl(
                "SETUSER",
                user,
                "on",
                ">password",
                "+@all",
                "&*",
                "~limiter:probe:*",
                "~redisson_*",
                "~" + redis.prefix() + "a:*");
    }

    @ParameterizedTest
    @EnumSource
    void fails_without_the_other_requests_of_its_batch(Setup setup) {
        try (RedisRateLimiterFactory factory =
                builder(setup).failurePolicy(FailurePolicy.LOCAL).build()) {
            Limiter allowed = limiter(factory, "a");
            Limiter forbidden = limiter(factory, "b");
            int calls = setup.isLock() ? 200 : 5000;
            List<CompletableFuture<Decision>> ofAllowed = new ArrayList<>();
            List<CompletableFuture<Decision>> ofForbidden = new ArrayList<>();
            for (int i = 0; i < calls; i++) {
                if (i % 100 == 50) {
                    ofForbidden.add(forbidden.on("k" + i % 7).async().decide(1));
                } else {
                    ofAllowed.add(allowed.on("k" + i % 40).async().decide(1));
                }
            }
            assertThat(ofAllowed).allMatch(decision -> decision.join().source() == Source.BACKEND);
            assertThat(ofForbidden).allMatch(decision -> decision.join().source() == Source.LOCAL);
            long left = 0;
            for (int i = 0; i < 40; i++) {
                left += allowed.on("k" + i).peek(1).remaining();
            }
            assertThat(40L * MANY - left).as("each decided once").isEqualTo(ofAllowed.size());
            assertThat(factory.backendState().up()).isTrue();
            Eventually.that(() -> assertThat(factory.backendState().failing())
                    .singleElement()
                    .satisfies(failing -> {
                        assertThat(failing.limiter()).isEqualTo(redis.prefix() + "b:k");
                        assertThat(failing.failure())
                                .hasMessageContaining("ACL SETUSER <user> \"~" + redis.prefix() + "b:*\"");
                        assertThat(failing.failure().remedy())
                                .hasValue("give the limiters' user a right to the keys of this prefix");
                    }));
            acl("SETUSER", user, "~" + redis.prefix() + "b:*");
            for (int i = 0; i < 7; i++) {
                assertThat(forbidden.decide("k" + i).source()).isEqualTo(Source.BACKEND);
            }
            assertThat(factory.backendState().failing()).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"LETTUCE", "JEDIS"})
    void is_found_in_a_batch_of_many(Setup setup) {
        ScriptBackend engine = RedisFixture.scriptBackend(connect(setup));
        List<KeyRequests<?>> batch = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            batch.add(new KeyRequests<>(key(i % 33 == 5 ? "b" : "a", i), WINDOW, List.of(Request.take(2, 0))));
        }
        for (int round = 1; round <= 2; round++) {
            List<Answer> answers = decideIn(engine, batch);
            for (int i = 0; i < 100; i++) {
                LimiterBackendException failure = answers.get(i).failure();
                if (i % 33 == 5) {
                    assertThat(failure).isNotNull().hasMessageContaining(key("b", i));
                    assertThat(failure.kind()).isEqualTo(Kind.PERMANENT);
                    assertThat(failure.problem()).isEqualTo("NOPERM");
                    assertThat(failure.isAmbiguous()).isFalse();
                } else {
                    assertThat(answers.get(i).verdicts())
                            .singleElement()
                            .satisfies(
                                    decision -> assertThat(decision.isGranted()).isTrue())
                            .extracting(Verdict::remaining)
                            .isEqualTo(MANY - 2L * round);
                }
            }
        }
    }

    @Test
    void in_a_batch_of_only_forbidden_keys_all_fail() {
        ScriptBackend engine = RedisFixture.scriptBackend(connect(Setup.LETTUCE));
        List<KeyRequests<?>> batch = new ArrayList<>();
        for (int i = 0; i < 17; i++) {
            batch.add(new KeyRequests<>(key("b", i), WINDOW, List.of(Request.take(1, 0))));
        }
        assertThat(decideIn(engine, batch))
                .extracting(answer ->
                        answer.failure() == null ? null : answer.failure().key())
                .containsExactlyElementsOf(batch.stream().map(KeyRequests::key).toList());
    }

    @ParameterizedTest
    @EnumSource
    void fails_only_the_sets_that_contain_it(Setup setup) {
        try (RedisRateLimiterFactory factory =
                builder(setup).failurePolicy(FailurePolicy.THROW).build()) {
            Limiter allowed = limiter(factory, "a");
            Limiter forbidden = limiter(factory, "b");
            LimitSet good = LimitSet.of(allowed.on("x"), allowed.on("y"));
            LimitSet bad = LimitSet.of(allowed.on("x"), forbidden.on("y"));
            for (int i = 0; i < 10; i++) {
                assertThat(good.tryAcquire()).isTrue();
                assertThat(failure(bad)).satisfies(failure -> {
                    assertThat(failure.kind()).isEqualTo(Kind.PERMANENT);
                    assertThat(failure.key()).isEqualTo(redis.prefix() + "b:{y}{k}:window");
                });
            }
            assertThat(allowed.on("x").peek(1).remaining()).isEqualTo(MANY - 10);
            assertThat(factory.backendState().up()).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"LETTUCE", "JEDIS"})
    void fails_only_the_sets_of_a_call_that_contain_it(Setup setup) {
        ScriptBackend engine = RedisFixture.scriptBackend(connect(setup));
        List<List<KeyRequests<?>>> sets = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            sets.add(List.of(
                    new KeyRequests<>(key("a", 0), WINDOW, List.of(Request.take(1, 0))),
                    new KeyRequests<>(key(i % 13 == 5 ? "b" : "a", 1), WINDOW, List.of(Request.take(1, 0)))));
        }
        List<CompletableFuture<List<Verdict>>> decided = startSetsIn(engine, sets);
        List<Long> remaining = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            if (i % 13 == 5) {
                assertThatThrownBy(decided.get(i)::join)
                        .hasMessageContaining(key("b", 1))
                        .hasMessageContaining("NOPERM");
            } else {
                List<Verdict> decisions = decided.get(i).join();
                remaining.add(decisions.get(0).remaining());
                assertThat(decisions).extracting(Verdict::remaining).containsOnly(remaining.get(remaining.size() - 1));
            }
        }
        assertThat(remaining)
                .as("each decided once, in any order, because the call was split")
                .containsExactlyInAnyOrderElementsOf(LongStream.rangeClosed(1, 37)
                        .map(taken -> MANY - taken)
                        .boxed()
                        .toList());
    }

    private static LimiterBackendException failure(LimitSet set) {
        try {
            throw new AssertionError("was decided: " + set.decide(1));
        } catch (LimiterBackendException e) {
            return e;
        }
    }

    private String key(String which, int number) {
        return redis.prefix() + which + ":{" + number + "}{k}";
    }

    private Limiter limiter(LimiterFactory factory, String which) {
        return factory.with(LimiterOptions.NONE.withPrefix(redis.prefix() + which + ":"))
                .build("k", WINDOW);
    }

    private RedisRateLimiterFactory.Builder builder(Setup setup) {
        RedisConnectionFactory connections = connect(setup);
        RedisRateLimiterFactory.Builder builder =
                RedisRateLimiterFactory.builder(connections).decisionTimeout(Patience.DECISION_TIMEOUT);
        return setup.on(builder, connections, () -> resources.redisson(asUser()))
                .lockWait(Duration.ofSeconds(30));
    }

    private RedisConnectionFactory connect(Setup setup) {
        return resources.connect(setup != Setup.JEDIS, asUser());
    }

    private RedisStandaloneConfiguration asUser() {
        return Resources.as(user, Resources.atShared());
    }

    static void acl(String... words) {
        CommandArgs<String, byte[]> arguments = new CommandArgs<>(RedisFixture.CODEC);
        List.of(words).forEach(arguments::add);
        RedisFixture.commands().dispatch(CommandType.ACL, new NestedMultiOutput<>(RedisFixture.CODEC), arguments);
    }
}
