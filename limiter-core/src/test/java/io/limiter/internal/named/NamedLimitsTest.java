package io.limiter.internal.named;

import static io.limiter.testing.Expected.outcome;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.google.common.base.Ticker;
import io.limiter.Decision;
import io.limiter.FailurePolicy;
import io.limiter.LimiterOptions;
import io.limiter.LimiterTotals;
import io.limiter.algorithm.AnyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.arithmetic.Ranges;
import io.limiter.internal.engine.ImmediateEngine.Known;
import io.limiter.internal.engine.Outcome;
import io.limiter.internal.local.LocalEngine;
import io.limiter.internal.resilience.Failover;
import io.limiter.internal.statistics.EngineObserver;
import io.limiter.internal.statistics.LimiterCounters;
import io.limiter.internal.statistics.ListenerNotifier;
import io.limiter.testing.BrokenLimit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class NamedLimitsTest {

    private static final Limit ONE = FixedWindow.of(1, Duration.ofDays(1));
    private static final Limit TWO = FixedWindow.of(2, Duration.ofDays(1));
    private static final Outcome GRANTED = outcome(true, 1, 0, 0, 0, 1);
    private static final Outcome REJECTED = outcome(false, 1, 0, 1, 1, 1).withSource(Decision.Source.REJECTION_CACHE);

    private final List<LimiterTotals> added = new ArrayList<>();
    private final NamedLimits named = new NamedLimits(
            new EngineObserver() {
                @Override
                public void limiterAdded(LimiterTotals totals) {
                    added.add(totals);
                }
            },
            ListenerNotifier.NONE,
            Ticker.systemTicker(),
            2);

    private ChangeableLimit<Limit> built(String prefix, String name, Limit limit, LimiterOptions options) {
        ChangeableLimit<Limit> limiter = new ChangeableLimit<>(
                prefix, name, limit, Failover.none(new LocalEngine()).with(FailurePolicy.DENY));
        OptionsInUse used = OptionsInUse.of(LimiterOptions.NONE
                .withNamespace("")
                .withFailurePolicy(FailurePolicy.DENY)
                .with(options));
        named.add(limiter, LimiterId.of(prefix, name, limit, used));
        return limiter;
    }

    private LimiterCounters counters(String prefix, String name, Limit limit) {
        return built(prefix, name, limit, LimiterOptions.NONE).counters();
    }

    @Test
    void decisions_are_counted_by_source() {
        LimiterCounters counters = counters("p:", "a", ONE);
        counters.decided("a", "key", GRANTED);
        counters.decided("a", null, REJECTED);
        counters.counted("key", false, Decision.Source.REJECTION_CACHE);
        counters.counted(null, true, Decision.Source.PREFETCH);
        counters.failed();
        assertThat(counters.granted(Decision.Source.BACKEND)).isEqualTo(1);
        assertThat(counters.granted(Decision.Source.PREFETCH)).isEqualTo(1);
        assertThat(counters.granted()).isEqualTo(2);
        assertThat(counters.rejected(Decision.Source.REJECTION_CACHE)).isEqualTo(2);
        assertThat(counters.rejected(Decision.Source.BACKEND)).isZero();
        assertThat(counters.rejected()).isEqualTo(2);
        assertThat(counters.errors()).isEqualTo(1);
        assertThat(counters.hottestKeys()).containsExactly(LimiterTotals.HotKey.of(List.of("key"), 2));
    }

    @Test
    void limiters_of_one_prefix_and_name_share_counters_which_show_the_one_built_last() {
        ChangeableLimit<Limit> one = built("p:", "a", ONE, LimiterOptions.NONE);
        LimiterCounters counters = one.counters();
        assertThat(counters("p:", "a", TWO)).isSameAs(counters);
        assertThat(counters.limit()).contains(TWO);
        assertThat(counters.failurePolicy()).contains(FailurePolicy.DENY);
        one.builtAgain();
        assertThat(counters.limit()).contains(ONE);
        built("p:", "a", TWO, LimiterOptions.NONE.withLiveLimits(false));
        assertThat(counters.limit())
                .as("of two, the one that live limits change")
                .contains(ONE);
        assertThat(counters("q:", "a", TWO)).isNotSameAs(counters);
        assertThat(named.totals()).extracting(LimiterTotals::prefix).containsExactly("p:", "q:");
    }

    @Test
    void names_above_the_maximum_share_counters() {
        counters("", "a", ONE);
        counters("", "b", ONE);
        LimiterCounters other = counters("", "c", ONE);
        assertThat(counters("p:", "d", TWO)).isSameAs(other);
        assertThat(other.name()).isEqualTo(LimiterTotals.OTHER);
        assertThat(other.limit()).isEmpty();
        assertThat(named.totals()).extracting(LimiterTotals::name).containsExactly("a", "b", "other");
        assertThat(added).isEqualTo(named.totals());
    }

    @Test
    void what_counts_or_changes_something_outlives_its_limiters() {
        counters("", "a", ONE);
        counters("", "b", ONE);
        NamedLimit counted = named.of("a");
        NamedLimit changed = named.of("changed");
        changed.live(new Doubled());
        int[] identities = {System.identityHashCode(counted), System.identityHashCode(changed)};
        counted = null;
        changed = null;
        NamedLimit forgotten = named.of("forgotten");
        int ofForgotten = System.identityHashCode(forgotten);
        forgotten = null;
        while (System.identityHashCode(named.of("forgotten")) == ofForgotten) {
            System.gc();
        }
        assertThat(System.identityHashCode(named.of("a"))).isEqualTo(identities[0]);
        assertThat(System.identityHashCode(named.of("changed"))).isEqualTo(identities[1]);
    }

    @Test
    void a_live_limit_changes_every_definition_of_its_name_also_one_that_is_built_later() {
        List<ChangeableLimit<Limit>> tenants = new ArrayList<>(IntStream.rangeClosed(1, 100)
                .mapToObj(i -> built("", "api", FixedWindow.of(i, Duration.ofDays(1)), LimiterOptions.NONE))
                .toList());
        named.of("api").live(new Doubled());
        tenants.add(built("", "api", FixedWindow.of(101, Duration.ofDays(1)), LimiterOptions.NONE));
        for (int i = 0; i < tenants.size(); i++) {
            assertThat(tenants.get(i).limit().capacity()).isEqualTo(2 * (i + 1));
        }
        tenants.get(6).builtAgain();
        assertThat(tenants.get(0).counters().limit())
                .hasValueSatisfying(
                        shown -> assertThat(((Limit) shown).capacity()).isEqualTo(14));
        named.of("api").live(null);
        assertThat(tenants.get(100).limit().capacity()).isEqualTo(101);
        assertThat(((Limit) tenants.get(0).counters().limit().orElseThrow()).capacity())
                .isEqualTo(7);
    }

    @Test
    void a_live_limit_is_compared_with_the_definition_that_was_built_last_also_above_the_maximum_of_names() {
        counters("", "a", ONE);
        counters("", "b", ONE);
        ChangeableLimit<Limit> window = built("", "c", ONE, LimiterOptions.NONE);
        ChangeableLimit<Limit> large =
                built("", "c", FixedWindow.of(Ranges.MAX_PERMITS, Duration.ofDays(1)), LimiterOptions.NONE);
        NamedLimit named = this.named.of("c");
        assertThatIllegalArgumentException().isThrownBy(() -> named.check(new Doubled(), false));
        window.builtAgain();
        assertThat(named.check(new Doubled(), false)).isTrue();
        named.live(new Doubled());
        assertThat(named.get()).isNotNull();
        large.builtAgain();
        assertThat(named.get()).as("of a limit that it does not fit").isNull();
        window.builtAgain();
        assertThat(named.get()).isNotNull();
    }

    @Test
    void prefixes_that_nothing_needs_are_forgotten() {
        ChangeableLimit<Limit> first = built("first:", "a", ONE, LimiterOptions.NONE);
        counters("second:", "a", ONE);
        counters("", "a", ONE);
        assertThat(isForgotten("", LimiterOptions.NONE.withPlan("pro"))).isTrue();
        assertThat(counters("first:", "a", ONE)).isSameAs(first.counters());
        assertThatIllegalArgumentException()
                .as("what is counted is known without its limiters")
                .isThrownBy(() -> built("second:", "a", TokenBucket.perSecond(1), LimiterOptions.NONE.withPlan("pro")));
        assertThat(named.totals()).extracting(LimiterTotals::prefix).containsExactly("", "first:", "second:");
    }

    @Test
    void prefixes_that_only_plans_have_are_forgotten_too() {
        counters("first:", "a", ONE);
        counters("second:", "a", ONE);
        built("", "a", ONE, LimiterOptions.NONE.withPlan("basic"));
        assertThat(isForgotten("", LimiterOptions.NONE.withPlan("pro"))).isTrue();
    }

    /** Whether another kind of limit may take the permits of "a" at last, after the garbage was collected. */
    private boolean isForgotten(String prefix, LimiterOptions options) {
        for (int i = 0; i < 100; i++) {
            try {
                built(prefix, "a", TokenBucket.perSecond(1), options);
                return true;
            } catch (IllegalArgumentException e) {
                System.gc();
            }
        }
        return false;
    }

    @Test
    void the_kind_of_a_key_is_forgotten_for_the_namespace_that_was_built_longest_ago() {
        Limit kind = new BrokenLimit();
        for (int i = 0; i <= PrefixedName.MOST_STATE_TYPES; i++) {
            built("", "a", kind, LimiterOptions.NONE.withNamespace("n" + i));
        }
        Limit other = TokenBucket.perSecond(1);
        String recent = "n" + (PrefixedName.MOST_STATE_TYPES - 1);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> built("", "a", other, LimiterOptions.NONE.withNamespace(recent)))
                .withMessageContaining("another kind of limit");
        built("", "a", other, LimiterOptions.NONE.withNamespace("n0"));
    }

    @Test
    void of_two_that_are_built_at_once_statistics_show_the_later_one_whichever_thread_is_slower() {
        ChangeableLimit<Limit> one = built("", "a", ONE, LimiterOptions.NONE);
        ChangeableLimit<Limit> two = built("", "a", TWO, LimiterOptions.NONE);
        one.built(4);
        two.built(3);
        assertThat(one.counters().limit()).contains(ONE);
        one.built(2);
        assertThat(one.builtAs()).isEqualTo(4);
    }

    /** Twice as many permits in a window. */
    private static final class Doubled implements LimitChange {

        @Override
        public boolean concerns(AnyLimit own) {
            return own instanceof FixedWindow;
        }

        @Override
        @SuppressWarnings("unchecked")
        public <L extends AnyLimit> L applied(L own) {
            return (L) FixedWindow.of(2 * ((FixedWindow) own).limit(), Duration.ofDays(1));
        }

        @Override
        public boolean hasParameters() {
            return true;
        }

        @Override
        public @Nullable FailurePolicy failurePolicy() {
            return null;
        }

        @Override
        public @Nullable Known access() {
            return null;
        }
    }
}
