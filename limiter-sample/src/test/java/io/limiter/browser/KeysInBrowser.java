package io.limiter.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.LimiterOptions;
import io.limiter.RateLimiter;
import io.limiter.algorithm.Ban;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.TokenBucket;
import java.time.Duration;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Keys that an operator bans, limits, exempts and forgives in the console. */
abstract class KeysInBrowser extends OpenConsole {

    @Test
    void a_key_is_banned_limited_and_exempted_and_each_is_undone() {
        RateLimiter tenants = sample.getBean(LimiterFactory.class)
                .build("tenants", TokenBucket.perSecond(0.001).withCapacity(1000));
        page.navigate(uri("/limiter/"));
        tenants.tryAcquire("flood");
        tenants.tryAcquire("calm");
        navigateTo("tenants");
        assertThat(page.locator("#keys")).containsText("No key has a live limit");

        page.locator("[aria-label='Ban: flood']").click();
        page.fill("#key-why", "scraping");
        page.click("#confirm");
        assertThat(page.locator("#keys .what")).containsText("flood: banned · until");
        assertThat(page.locator("#keys .reason")).hasText("scraping");
        assertThat(tenants.tryAcquire("flood")).isFalse();
        assertThat(tenants.tryAcquire("calm")).isTrue();
        page.locator("#toasts button").click();
        assertThat(page.locator("#keys .what")).hasCount(0);
        assertThat(tenants.tryAcquire("flood")).isTrue();

        page.fill("#key", "tenant-7");
        page.locator("[aria-label='Limit: tenant-7']").click();
        page.fill("#key-rate", "-1");
        page.click("#confirm");
        assertThat(page.locator("dialog .error")).containsText("must be a number greater than 0");
        page.fill("#key-rate", "0.001");
        page.fill("#key-capacity", "2");
        page.click("#confirm");
        assertThat(page.locator("#keys .what")).containsText("tenant-7: 1 per");
        assertThat(tenants.on("tenant-7").tryAcquire(2)).isTrue();
        assertThat(tenants.tryAcquire("tenant-7")).isFalse();

        page.locator("[aria-label='Exempt: flood']").click();
        page.click("#confirm");
        page.fill("#key", "");
        assertThat(page.locator("#keys .what")).hasCount(2);
        assertThat(tenants.on("flood").tryAcquire(1_000_000)).isTrue();
        page.locator("#keys [aria-label$=': flood']").click();
        page.click("#confirm");
        assertThat(page.locator("#keys .what")).hasCount(1);
        assertThat(tenants.on("flood").tryAcquire(1_000_000)).isFalse();
        assertNoScrolling();
        assertThat(errors).isEmpty();
    }

    @Test
    void a_key_that_was_rejected_too_often_is_listed_and_its_ban_ends_with_one_click() {
        Limiter signIn = sample.getBean(LimiterFactory.class)
                .with(LimiterOptions.NONE.withBan(Ban.after(3)))
                .build("sign-in", FixedWindow.of(1, Duration.ofHours(1)));
        for (int i = 0; i < 4; i++) {
            signIn.tryAcquire("guesser");
        }
        page.navigate(uri("/limiter/#/keys"));
        Locator ban = page.locator("#bans tbody tr");
        assertThat(ban).hasCount(1);
        assertThat(ban.locator("td[data-head='Limit']")).hasText("sign-in");
        assertThat(ban.locator("td[data-head='Ends']"))
                .hasText(Pattern.compile("\\d\\d:\\d\\d:\\d\\d, in \\d+ (min|s)"));
        assertNoScrolling();
        ban.locator("td.name a").click();
        assertThat(page.locator("#facts")).containsText("because it was rejected too often, until");
        page.click("[data-view=keys]");
        page.locator("[aria-label='Reset: guesser']").click();
        assertThat(page.locator("#toasts")).containsText("guesser of sign-in");
        assertThat(ban).hasCount(0);
        assertThat(page.locator("main")).containsText("No key is banned because it was rejected too often.");
        assertThat(signIn.tryAcquire("guesser")).isTrue();
        assertThat(errors).isEmpty();
    }

    @Test
    void a_tenant_that_floods_is_seen_gets_more_is_banned_and_is_forgiven() {
        page.navigate(uri("/tenants.html"));
        page.click("#flood-acme");
        Locator granted = page.locator("#granted-acme");
        Locator rejected = page.locator("#rejected-acme");
        Pattern some = Pattern.compile("[1-9]\\d*");
        assertThat(rejected).hasText(some);
        Page console = page.context().newPage();
        console.onPageError(errors::add);
        console.navigate(uri("/limiter/#/keys"));
        Locator acme = console.locator("#limited tbody tr")
                .filter(new Locator.FilterOptions()
                        .setHas(console.locator("[href='#/key/rateLimit%3A/tenant.free/acme']")));
        assertThat(acme.locator("td[data-head='Plan']")).hasText("free");
        assertThat(acme.locator("td[data-head='Rejections']")).hasText(some);

        acme.locator("td.name a").click();
        assertThat(console.locator("h1")).hasText("acme");
        assertThat(console.locator("#facts")).containsText("of 2 permits");
        assertThat(console.locator("#rejections li").first()).containsText("ago");
        assertAccessible(page);
        assertAccessible(console);
        console.click("[aria-label='Limit: acme']");
        console.fill("#key-rate", "1000");
        console.fill("#key-why", "bought more");
        console.click("#confirm");
        assertThat(console.locator("#facts")).containsText("bought more");
        assertThat(console.locator("#facts")).containsText("of 1,000 permits");
        assertThat(rejected).hasText("0");
        assertThat(granted).hasText(some);

        console.click("[aria-label='Ban: acme']");
        console.click("#confirm");
        assertThat(granted).hasText("0");
        assertThat(rejected).hasText(some);
        assertThat(console.locator("#facts")).containsText("banned");
        console.click("[data-view=keys]");
        console.fill("#overrides-search", "acme");
        Locator ban = console.locator("#overrides tbody tr");
        assertThat(ban).hasCount(1);
        assertThat(ban).containsText("banned");
        ban.locator("td.name a").click();

        console.locator("#key-changes button").first().click();
        console.click("#confirm");
        assertThat(console.locator("#facts")).containsText("1,000/s");
        assertThat(rejected).hasText("0");
        console.click("#undo");
        console.click("#confirm");
        assertThat(rejected).hasText(some);
        assertThat(console.locator("#undo")).hasCount(0);
        assertThat(console.locator("#key-changes li")).hasCount(4);

        page.click("#flood-acme");
        console.click("#reset");
        console.click("#confirm");
        assertThat(console.locator("#toasts")).containsText("acme of tenant");
        assertThat(errors).isEmpty();
    }
}
