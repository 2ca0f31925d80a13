package io.limiter.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import io.limiter.algorithm.LimitKind;
import io.limiter.live.ChangeNote;
import io.limiter.live.LiveLimits;
import io.limiter.live.LiveSettings;
import io.limiter.testing.RedisProcess;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Takes the pictures of the console in the documentation. All numbers come from requests to three instances of a {@link Shop}. The
 * charts show ten minutes, which is as long as it takes, so it runs only if it is named ({@code -Dtest=PicturesOfShop}).
 */
class PicturesOfShop {

    private static final int WIDTH = 1100;
    private static final Duration BEFORE = Duration.ofSeconds(390);
    private static final Duration BETWEEN = Duration.ofSeconds(75);
    private static final Duration AFTER = Duration.ofSeconds(150);

    @Test
    @Timeout(value = 15, unit = TimeUnit.MINUTES)
    void an_operator_lowers_limits_of_a_busy_shop() {
        try (RedisProcess redis = RedisProcess.start()) {
            List<ConfigurableApplicationContext> instances =
                    Stream.generate(() -> Shop.start(redis)).limit(3).toList();
            ShopTraffic traffic = new ShopTraffic(instances);
            try (Chromium browser = new Chromium(instances.get(0))) {
                take(browser, instances);
            } finally {
                traffic.close();
                instances.forEach(ConfigurableApplicationContext::close);
            }
        }
    }

    private void take(Chromium browser, List<ConfigurableApplicationContext> instances) {
        Page page = browser.page();
        page.setViewportSize(WIDTH, 900);
        page.navigate(Samples.uri(instances.get(0), "/limiter/"));
        assertThat(page.locator("#sum-instances")).hasText("3");
        wait(page, BEFORE);
        lowerSearch(page);
        wait(page, BETWEEN);
        lowerPlan(instances.get(1));
        wait(page, AFTER);

        page.setViewportSize(WIDTH, 870);
        browser.picture("console-light");
        page.setViewportSize(WIDTH, 1000);
        open(page, "rateLimit%3A/api.pro", "api.pro");
        browser.picture("console-live");
        page.emulateMedia(new Page.EmulateMediaOptions().setColorScheme(ColorScheme.DARK));
        open(page, "rateLimit%3A/search", "search");
        browser.picture("console-dark");
        page.setViewportSize(OpenConsole.PHONE, 844);
        browser.picture("console-phone");
    }

    private static void lowerSearch(Page page) {
        open(page, "rateLimit%3A/search", "search");
        page.fill("#field-rate", "2");
        page.fill("#field-why", "Search backend is slow, INC-4711");
        page.click("#preview");
        page.click("#enforce");
        assertThat(page.locator("#live")).containsText("INC-4711");
        page.click(".back");
    }

    /** On another instance, as a script or a colleague does it. */
    private static void lowerPlan(ConfigurableApplicationContext instance) {
        instance.getBean(LiveLimits.class)
                .put(
                        "api.pro",
                        LiveSettings.of(LimitKind.TOKEN_BUCKET).withRate(20),
                        ChangeNote.of("ann", "Retries after an outage at Globex")
                                .withExpiry(Duration.ofHours(1)),
                        0);
    }

    private static void open(Page page, String limit, String name) {
        page.evaluate("limit => { location.hash = '#/limit/' + limit; }", limit);
        assertThat(page.locator("h1")).hasText(name);
        assertThat(page.locator(".bars li").first()).isVisible();
    }

    private static void wait(Page page, Duration time) {
        page.waitForTimeout(time.toMillis());
    }
}
