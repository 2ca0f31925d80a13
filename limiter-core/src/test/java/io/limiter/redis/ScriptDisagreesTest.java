package io.limiter.redis;

import static io.limiter.testing.Decisions.decideIn;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.base.Ticker;
import io.limiter.LimitSet;
import io.limiter.Limiter;
import io.limiter.LimiterBackendException;
import io.limiter.LimiterFactory;
import io.limiter.LimiterOptions;
import io.limiter.algorithm.FixedWindow;
import io.limiter.internal.backend.Answer;
import io.limiter.internal.backend.Call;
import io.limiter.internal.cache.KnownRejections;
import io.limiter.internal.engine.KeyRequests;
import io.limiter.internal.redis.script.ScriptBackend;
import io.limiter.internal.redis.script.ScriptReplies;
import io.limiter.step.Request;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A script that grants something else than the same arithmetic in this JVM is an error. Here its arithmetic is wrong: what it
 * calls {@code math} rounds one too high, or one too low.
 */
class ScriptDisagreesTest {

    @RegisterExtension
    final RedisFixture redis = new RedisFixture();

    @Test
    void a_script_that_grants_more_is_an_error_with_the_difference() {
        Limiter limiter = rounding(1).build("k", FixedWindow.of(2, Duration.ofMinutes(1)));
        assertThat(limiter.tryAcquire()).isTrue();
        assertThat(limiter.tryAcquire()).isTrue();
        assertThatThrownBy(limiter::tryAcquire)
                .isInstanceOf(LimiterBackendException.class)
                .hasMessageContaining("{k}")
                .hasMessageContaining(
                        "its script granted 1 requests of a call where the same arithmetic in this JVM grants 0");
    }

    @Test
    void a_script_that_grants_fewer_is_an_error() {
        Limiter limiter = rounding(-1).build("k", FixedWindow.of(1, Duration.ofMinutes(1)));
        assertThatThrownBy(limiter::tryAcquire)
                .isInstanceOf(LimiterBackendException.class)
                .hasMessageContaining("granted 0 requests")
                .hasMessageContaining("grants 1");
    }

    @Test
    void a_script_that_grants_more_of_a_set_is_an_error_with_the_difference() {
        LimiterFactory limiters = rounding(1);
        Limiter window = limiters.build("w", FixedWindow.of(1, Duration.ofMinutes(1)));
        LimitSet set = LimitSet.of(window, limiters.build("b", 1, 9, 60));
        assertThat(set.tryAcquire()).isTrue();
        assertThatThrownBy(set::tryAcquire)
                .isInstanceOf(LimiterBackendException.class)
                .hasMessageContaining(
                        "its script would grant 2 of 2 limits where the same arithmetic in this JVM grants 1");
    }

    @Test
    void every_key_of_the_call_fails() {
        ScriptBackend engine = RedisFixture.scriptBackend(roundingLua(1));
        FixedWindow window = FixedWindow.of(2, Duration.ofMinutes(1));
        List<Request> three = Collections.nCopies(3, Request.take(1, 0));
        List<Answer> answers = decideIn(
                engine,
                List.of(
                        new KeyRequests<>(redis.prefix() + "{a}", window, three),
                        new KeyRequests<>(redis.prefix() + "{b}", window, three)));
        for (int i = 0; i < 2; i++) {
            Answer answer = answers.get(i);
            assertThatThrownBy(answer::verdicts)
                    .isInstanceOf(LimiterBackendException.class)
                    .hasMessageContaining(i == 0 ? "{a}" : "{b}")
                    .hasMessageContaining("its script granted 6 requests")
                    .hasMessageContaining("grants 4");
        }
    }

    @Test
    void a_state_that_only_the_script_can_read_is_an_ambiguous_failure() {
        FixedWindow window = FixedWindow.of(2, Duration.ofMinutes(1));
        Request one = Request.take(1, 0);
        List<Object> reply = List.of(1L, 1L, "of a later version".getBytes(StandardCharsets.US_ASCII));
        KnownRejections rejections = new KnownRejections(0, Ticker.systemTicker());
        List<Answer> answers = new ArrayList<>();
        for (boolean set : List.of(false, true)) {
            Call sent = new Call(List.of(KeyRequests.of("{k}", window, one)), set, () -> true, answers::addAll);
            ScriptReplies.answer(sent, reply, rejections);
            assertThat(answers).hasSize(1);
            assertAmbiguous(() -> answers.remove(0).verdicts());
        }
    }

    @Test
    void every_disagreement_is_an_ambiguous_failure() {
        assertAmbiguous(rounding(-1).build("k", FixedWindow.of(1, Duration.ofMinutes(1)))::tryAcquire);
        Limiter limiter = rounding(-1).build("set", FixedWindow.of(1, Duration.ofMinutes(1)));
        assertAmbiguous(() -> LimitSet.of(limiter.on("a"), limiter.on("b")).tryAcquire());
    }

    private static void assertAmbiguous(ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOfSatisfying(LimiterBackendException.class, failure -> {
            assertThat(failure.isAmbiguous()).isTrue();
            assertThat(failure.kind()).isEqualTo(LimiterBackendException.Kind.PERMANENT);
            assertThat(failure).hasMessageContaining("count the permits as taken");
        });
    }

    @Test
    void a_malformed_reply_is_an_ambiguous_failure() {
        // Lua calculates with a number in quotes too, and replies it as text.
        String clock = redis.clockLua() + "\nnow = '' .. now";
        ScriptBackend engine = RedisFixture.scriptBackend(clock);
        Answer answer = decideIn(
                        engine,
                        List.of(new KeyRequests<>(
                                redis.prefix() + "{a}",
                                FixedWindow.of(2, Duration.ofMinutes(1)),
                                List.of(Request.take(1, 0)))))
                .get(0);
        assertThatThrownBy(answer::verdicts)
                .isInstanceOfSatisfying(
                        LimiterBackendException.class,
                        e -> assertThat(e.isAmbiguous()).isTrue())
                .hasMessageContaining("{a}");
    }

    private LimiterFactory rounding(int by) {
        return redis.builder()
                .clock(roundingLua(by), redis.clock())
                .build()
                .with(LimiterOptions.NONE.withPrefix(redis.prefix()));
    }

    private String roundingLua(int by) {
        return redis.clockLua() + "\n" + """
                local right = math
                local math = setmetatable({}, {__index = right})
                math.floor = function(x) return right.floor(x) + (%d) end
                """.formatted(by);
    }
}
