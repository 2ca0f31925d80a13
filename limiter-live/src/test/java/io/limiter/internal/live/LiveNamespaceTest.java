package io.limiter.internal.live;

import static io.limiter.internal.live.LiveFleet.TEN;
import static io.limiter.internal.live.LiveFleet.live;
import static io.limiter.internal.live.LiveFleet.put;
import static io.limiter.internal.live.LiveFleet.reports;
import static io.limiter.internal.live.LiveFleet.search;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.limiter.LimiterOptions;
import io.limiter.LimiterTotals;
import io.limiter.RateLimiter;
import io.limiter.algorithm.TokenBucket;
import io.limiter.live.InstanceReport;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Applications that share a Redis, and no live limits. */
class LiveNamespaceTest {

    private static final TokenBucket ONE = TokenBucket.of(0.001, 1000);

    @RegisterExtension
    static final LiveFleet FLEET = new LiveFleet();

    private static LiveInstance in(String namespace) {
        return FLEET.instance(settings -> settings.namespace(namespace));
    }

    @Test
    void separates_live_limits_history_and_reports() {
        LiveInstance shop = in("shop");
        LiveInstance bank = in("bank");
        LiveInstance unnamed = FLEET.instance();
        RateLimiter ofBank = search(bank);
        put(shop, "search", TEN);
        bank.pollLiveLimits();
        unnamed.pollLiveLimits();
        assertThat(ofBank.getRate()).isEqualTo(100);
        assertThat(live(bank).list()).isEmpty();
        assertThat(live(unnamed).list()).isEmpty();
        assertThat(put(bank, "search", TEN.withRate(20)).version()).isOne();
        assertThat(live(shop).history()).hasSize(1);
        assertThat(live(unnamed).history()).isEmpty();

        reports(shop);
        shop.pollLiveLimits();
        bank.pollLiveLimits();
        unnamed.pollLiveLimits();
        assertThat(reports(shop)).extracting(InstanceReport::liveVersion).containsExactly(1L);
        assertThat(reports(bank)).isEmpty();
    }

    @Test
    void instances_of_one_namespace_share_them() {
        LiveInstance one = in("shop");
        LiveInstance other = in("shop");
        RateLimiter limiter = search(other);
        put(one, "search", TEN);
        other.pollLiveLimits();
        assertThat(limiter.getRate()).isEqualTo(10);
    }

    @Test
    void is_encoded_so_that_it_imitates_no_other_and_keeps_one_hash_tag() {
        put(in("a}:{b: \u4e2d"), "search", TEN);
        assertThat(FLEET.<List<String>>commands(commands -> commands.keys("{limiter:live:*}:limits")))
                .containsExactly("{limiter:live:a%7D%3A%7Bb%3A%20%u4E2D}:limits");
        assertThat(live(in("a%7D%3A%7Bb%3A%20%u4E2D")).list()).isEmpty();
    }

    @Test
    void has_at_most_100_characters() {
        String longest = "n".repeat(100);
        assertThat(search(in(longest)).tryAcquire()).isTrue();
        for (String invalid : new String[] {longest + "n", " "}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> in(invalid))
                    .withMessage("namespace must have at most 100 characters and not only spaces, was '" + invalid
                            + "': choose the name of the application, or \"\" for none");
        }
    }

    @Test
    void failures_are_those_of_live_limits() {
        LiveInstance shop = in("shop");
        FLEET.<String>commands(commands -> commands.set("{limiter:live:shop}:history", "not a sorted set"));
        assertThat(org.assertj.core.api.Assertions.catchThrowable(
                        () -> live(shop).history()))
                .hasMessageStartingWith("live limits: ");
    }

    @Test
    void separates_permits() {
        LiveInstance shop = in("shop: 1");
        LiveInstance bank = in("bank");
        assertThat(shop.build("search", ONE).tryAcquire("ann")).isTrue();
        assertThat(bank.build("search", ONE).tryAcquire("ann")).isTrue();
        assertThat(shop.build("search", ONE).tryAcquire("ann")).isFalse();
        RateLimiter tagged = bank.with(LimiterOptions.NONE.withPrefix("p:")).build("search", ONE);
        assertThat(tagged.on("tenant").tryAcquire("ann")).isTrue();
        tagged.setRate(0.002);
        assertThat(tagged.getRate()).isEqualTo(0.002);
        assertThat(FLEET.<List<String>>commands(commands -> commands.keys("*{*")))
                .containsExactlyInAnyOrder(
                        "shop%3A%201:rateLimit:{ann}{search}",
                        "bank:rateLimit:{ann}{search}",
                        "bank:p:{tenant}{search:ann}",
                        "{limiter:live:shop%3A%201}:instances",
                        "{limiter:live:bank}:instances");
        assertThat(bank.statistics().totals()).extracting("prefix").containsExactlyInAnyOrder("rateLimit:", "p:");
    }

    @Test
    void of_a_view_is_for_permits_and_not_for_live_limits() {
        LiveInstance shop = in("shop");
        LiveInstance bank = in("bank");
        RateLimiter ofShop =
                shop.with(LimiterOptions.NONE.withNamespace("third-party")).build("quota", ONE);
        RateLimiter ofBank =
                bank.with(LimiterOptions.NONE.withNamespace("third-party")).build("quota", ONE);
        assertThat(ofShop.tryAcquire()).isTrue();
        assertThat(ofBank.tryAcquire()).isFalse();
        put(shop, "quota", TEN.withRate(0.005));
        bank.pollLiveLimits();
        assertThat(ofShop.getRate()).isEqualTo(0.005);
        assertThat(ofBank.getRate()).isEqualTo(0.001);
        assertThat(bank.statistics().totals())
                .extracting(LimiterTotals::namespace)
                .containsExactly("third-party");
    }
}
