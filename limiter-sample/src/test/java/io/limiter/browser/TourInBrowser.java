package io.limiter.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import io.limiter.LimiterFactory;
import io.limiter.RateLimiter;
import io.limiter.algorithm.TokenBucket;
import io.limiter.testing.RedisProcess;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;

/** An operator's way through the console of a sample of its own, which it stops at the end. */
abstract class TourInBrowser extends OpenConsole {

    private static final String HOSTILE = "<img src=x onerror=\"document.title='hacked'\">";

    private final RedisProcess redis = RedisProcess.start();

    /** It is stopped, and what others do would be in its numbers. */
    @Override
    ConfigurableApplicationContext start() {
        return Samples.start(redis);
    }

    @Override
    void end() {
        sample.close();
        redis.close();
    }

    @Test
    void an_operator_lowers_a_limit_watches_it_bite_and_takes_it_back() {
        page.navigate(uri("/"));
        callUntilRejected();
        page.click("#traffic");
        assertThat(page.locator("#traffic")).hasText("Stop traffic");
        assertNoScrolling();
        assertAccessible(page);

        page.click("#console");
        assertThat(page).hasURL(uri("/limiter/"));
        assertThat(page.locator("#connection")).hasText("Live");
        assertThat(page.locator("#user")).hasText("operator");
        assertThat(page.locator("#sum-instances")).hasText("2");
        Locator search = row("search");
        assertThat(search.locator("td[data-head='Granted/s']")).hasText(Pattern.compile("[3-9]\\d"));
        hostileNamesAreText();
        waitsAreShown();
        assertAccessible(page);

        changeToTenPerSecond();
        Locator granted = page.locator(".legend b").first();
        Locator rejected = page.locator(".legend b").nth(1);
        assertThat(granted).hasText(Pattern.compile("(9|1[0-3])(\\.\\d)?"));
        assertThat(rejected).hasText(Pattern.compile("[3-9]\\d"));
        page.emulateMedia(new Page.EmulateMediaOptions().setColorScheme(ColorScheme.DARK));
        onThePhone();
        page.emulateMedia(new Page.EmulateMediaOptions().setColorScheme(ColorScheme.LIGHT));

        rollBack();
        assertThat(page.locator("#live")).containsText("None.");
        assertThat(granted).hasText(Pattern.compile("[3-9]\\d"));
        otherViews();
        inChinese();
        assertThat(errors).isEmpty();
        sample.close();
        assertThat(page.locator("#lost")).containsText("连接已断开");
    }

    private void callUntilRejected() {
        assertThat(page.locator("#remaining")).hasText("–");
        page.click("#call");
        assertThat(page.locator("#answer")).hasText("granted");
        assertThat(page.locator("#limit")).hasText("of 10");
        for (int i = 0; i < 4; i++) {
            page.click("#burst");
        }
        assertThat(page.locator("#rejected")).hasText(Pattern.compile("[1-9]\\d*"));
        assertThat(page.locator("#next")).hasText(Pattern.compile("in \\d+ s|now"));
    }

    private void hostileNamesAreText() {
        sample.getBean(LimiterFactory.class).build(HOSTILE, 1, 1, 60).tryAcquire(HOSTILE);
        page.fill("#filter", "onerror");
        assertThat(page.locator("td.name a")).hasText(HOSTILE);
        page.click("td.name a");
        assertThat(page.locator("h1")).hasText(HOSTILE);
        assertThat(page.locator("#main img")).hasCount(0);
        assertThat(page).hasTitle("Limiter console");
        page.click(".back");
        page.fill("#filter", "");
    }

    private void waitsAreShown() {
        RateLimiter queue = sample.getBean(LimiterFactory.class)
                .build("queue", TokenBucket.perSecond(20).withCapacity(1));
        row("queue").locator("a").click();
        assertThat(page.locator("h1")).hasText("queue");
        assertThat(page.locator(".legend b").first()).hasText("0");
        assertThat(page.locator("#waits")).isHidden();
        for (int i = 0; i < 3; i++) {
            queue.acquire();
        }
        assertThat(page.locator("#waits")).isVisible();
        assertThat(page.locator("#waits")).containsText("Waits/s");
        page.click(".back");
    }

    /** By the keyboard alone. */
    private void changeToTenPerSecond() {
        row("search").locator("a").focus();
        page.keyboard().press("Enter");
        page.locator("#field-rate").focus();
        page.keyboard().type("10");
        page.locator("#field-why").focus();
        page.keyboard().type("Search backend is slow, INC-4711");
        page.keyboard().press("Enter");
        assertThat(page.locator("#change")).containsText("search: 50/s → 10/s");
        assertThat(page.locator("#change")).containsText(Pattern.compile("by you \\(.*operator.*\\), for 30 minutes"));
        assertThat(page.locator("dialog")).containsText("On 2 instances");
        assertThat(page.locator(".choices button").first()).containsText("Try in shadow mode first");
        page.locator("#enforce").focus();
        page.keyboard().press("Enter");
        assertThat(page.locator("#toasts")).containsText("search is changed");
        assertThat(page.locator("#live")).containsText("10/s");
        assertThat(page.locator("#live")).containsText("INC-4711");
    }

    private void rollBack() {
        page.locator(".changes button").first().click();
        assertThat(page.locator("#change")).containsText("10/s, enforced → the application’s limit");
        page.click("#confirm");
        assertThat(page.locator("#toasts")).containsText("rolled back");
    }

    private void onThePhone() {
        page.setViewportSize(PHONE, 844);
        assertNoScrolling();
        for (String view : new String[] {"keys", "history", "instances", "limits"}) {
            page.click("[data-view=" + view + "]");
            assertThat(page.locator("[data-view=" + view + "]")).hasAttribute("aria-current", "page");
            assertNoScrolling();
            assertAccessible(page);
        }
        row("search").locator("a").click();
        assertAccessible(page);
        page.click("#preview");
        assertNoScrolling();
        assertAccessible(page);
        page.keyboard().press("Escape");
        assertThat(page.locator("dialog")).hasCount(0);
        page.setViewportSize(1280, 840);
    }

    private void otherViews() {
        page.click("[data-view=instances]");
        assertThat(page.locator("tbody tr")).hasCount(2);
        assertThat(page.locator("tbody")).containsText("second-instance");
        assertThat(page.locator("#fallback"))
                .hasText(
                        "Instances counted: 2. While Redis is unavailable, each grants 50% of each limit by default, at least one"
                                + " permit.");
        page.click("[data-view=history]");
        assertThat(page.locator(".changes li")).hasCount(2);
        assertThat(page.locator(".changes")).containsText("INC-4711");
    }

    private void inChinese() {
        page.click("#language");
        assertThat(page.locator("html")).hasAttribute("lang", "zh-CN");
        assertThat(page.locator("h1")).hasText("变更记录");
        page.click("#theme");
        page.click("#theme");
        assertThat(page.locator("html")).hasAttribute("data-theme", "dark");
    }
}
