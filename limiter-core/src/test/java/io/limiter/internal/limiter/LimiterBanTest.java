package io.limiter.internal.limiter;

import static io.limiter.testing.Expected.outcome;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.google.common.base.Ticker;
import io.limiter.Decision;
import io.limiter.Decision.Source;
import io.limiter.FailurePolicy;
import io.limiter.HashTag;
import io.limiter.LimiterTotals.KeyBan;
import io.limiter.algorithm.Ban;
import io.limiter.algorithm.FixedWindow;
import io.limiter.internal.engine.Outcome;
import io.limiter.internal.key.KeySpace;
import io.limiter.internal.local.LocalEngine;
import io.limiter.internal.log.AsyncLog;
import io.limiter.internal.resilience.Failover;
import io.limiter.internal.statistics.KnownBans;
import io.limiter.internal.statistics.LimiterCounters;
import io.limiter.internal.statistics.ShownLimit;
import io.limiter.internal.time.Sleeper;
import io.limiter.step.Request;
import io.limiter.testing.FailingEngine;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;

/** Bans while the backend fails. */
class LimiterBanTest {

    private static final Ban BAN = Ban.after(3);
    private static final FixedWindow ONCE = FixedWindow.of(1, Duration.ofHours(1));

    private final KnownBans known = new KnownBans(Ticker.systemTicker());
    private final LimiterCounters counters = LimiterCounters.unregistered("", "login");
    private final FailingEngine backend = new FailingEngine();

    LimiterBanTest() {
        backend.failing = Set.of();
    }

    private EngineLimiter<FixedWindow> limiter(FailurePolicy policy) {
        counters.bans(known);
        counters.show(new ShownLimit("", HashTag.FIRST_KEY, ONCE, policy, BAN, null, true));
        EngineLimiter<FixedWindow> limiter = new EngineLimiter<>(
                new KeySpace("", "login", ONCE.keySuffix()),
                ONCE,
                new Failover(backend, policy, new LocalEngine(), 1_000_000),
                Sleeper.UNINTERRUPTIBLE);
        limiter.bound.setCounters(counters);
        limiter.bound.setBan(BAN, known);
        return limiter.on("ann");
    }

    private static List<Source> rejections(EngineLimiter<?> limiter, int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> limiter.decide(1))
                .filter(decision -> !decision.isGranted())
                .map(Decision::source)
                .toList();
    }

    @Test
    void a_rejection_of_the_local_fallback_is_counted_there_also_if_the_backend_is_back() {
        EngineLimiter<?> limiter = limiter(FailurePolicy.LOCAL);
        backend.failing = EnumSet.of(Request.Action.TAKE);
        assertThat(rejections(limiter, 5)).containsExactly(Source.LOCAL, Source.LOCAL, Source.LOCAL, Source.OVERRIDE);
        assertThat(backend.charges).hasValue(0);
        backend.failing = Set.of();
        assertThat(rejections(limiter, 3)).containsExactly(Source.BACKEND, Source.BACKEND);
        assertThat(backend.charges).hasValue(2);
        assertThat(counters.bansInEffect()).as("not in the backend").isEmpty();
    }

    private static List<FailurePolicy> policies() {
        return List.of(FailurePolicy.ALLOW, FailurePolicy.DENY, FailurePolicy.LOCAL, FailurePolicy.THROW);
    }

    @ParameterizedTest
    @MethodSource("policies")
    void a_rejection_of_the_backend_is_counted_there_or_the_log_says_that_it_is_not(FailurePolicy policy) {
        backend.failing = EnumSet.of(Request.Action.CHARGE);
        EngineLimiter<?> limiter = limiter(policy);
        assertThat(logged(() -> {
                    assertThat(rejections(limiter, 20)).hasSize(19).containsOnly(Source.BACKEND);
                    assertThat(rejections(limiter(policy), 1)).containsOnly(Source.BACKEND);
                }))
                .as("once a minute for all limiters of the limit")
                .singleElement()
                .asString()
                .startsWith("A rejection by limiter 'login' could not be counted, so a ban may begin later: ");
    }

    @Test
    void the_log_names_a_ban_once_a_minute_for_all_limiters_of_the_limit() {
        assertThat(logged(() -> {
                    rejections(limiter(FailurePolicy.THROW), 4);
                    rejections(limiter(FailurePolicy.THROW).on("bob"), 4);
                    assertThat(counters.bansInEffect()).hasSize(2);
                }))
                .singleElement()
                .asString()
                .startsWith("Limiter 'login' bans ");
    }

    private static List<String> logged(Runnable run) {
        Logger logger = (Logger) LoggerFactory.getLogger(LimiterBan.class);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        // What tests before this one have logged.
        AsyncLog.flush(Duration.ofMinutes(1));
        logger.addAppender(lines);
        try {
            run.run();
            AsyncLog.flush(Duration.ofMinutes(1));
        } finally {
            logger.detachAppender(lines);
        }
        return lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    @Test
    void a_call_that_waited_with_one_that_a_ban_rejects_is_not_counted_and_hides_no_ban() {
        EngineLimiter<FixedWindow> limiter = limiter(FailurePolicy.THROW);
        rejections(limiter, 4);
        int charges = backend.charges.get();
        Outcome own = outcome(true, 3, 0, 0, 0, 0);
        Outcome ofTheOther = outcome(false, 1, 0, 0, 1_000_000, 1_000_000).withSource(Source.OVERRIDE);
        limiter.ban().check(limiter.path).decided(limiter.bound.failover(), ofTheOther, own);
        assertThat(backend.charges).hasValue(charges);
        assertThat(counters.bansInEffect()).hasSize(1);
    }

    @Test
    void only_an_answer_to_a_later_check_hides_a_ban() {
        EngineLimiter<FixedWindow> limiter = limiter(FailurePolicy.THROW);
        Outcome granted = outcome(true, 3, 2, 0, 0, 0);
        LimiterBan.Check before = limiter.ban().check(limiter.path);
        rejections(limiter, 4);
        before.decided(limiter.bound.failover(), granted, granted);
        assertThat(counters.bansInEffect()).as("the ban began after it").hasSize(1);
        limiter.ban().check(limiter.path).decided(limiter.bound.failover(), granted, granted);
        assertThat(counters.bansInEffect()).as("the ban has ended").isEmpty();
    }

    @Test
    void an_outage_hides_no_ban() {
        EngineLimiter<?> limiter = limiter(FailurePolicy.LOCAL);
        rejections(limiter, 4);
        assertThat(counters.bansInEffect()).extracting(KeyBan::keys).containsExactly(List.of("ann"));
        backend.failing = EnumSet.allOf(Request.Action.class);
        assertThat(limiter.decide(1).source()).isEqualTo(Source.LOCAL);
        for (FailurePolicy policy : List.of(FailurePolicy.ALLOW, FailurePolicy.DENY)) {
            assertThat(limiter(policy).decide(1).source()).isEqualTo(Source.POLICY);
        }
        assertThat(counters.bansInEffect()).extracting(KeyBan::keys).containsExactly(List.of("ann"));
    }
}
