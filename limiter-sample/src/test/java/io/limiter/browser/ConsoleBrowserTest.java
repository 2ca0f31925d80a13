package io.limiter.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.Cookie;
import io.limiter.LimiterFactory;
import io.limiter.RateLimiter;
import io.limiter.algorithm.TokenBucket;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * An operator who changes limits in the console. {@code -Dbrowser.images=docs/images} also takes the pictures of the
 * documentation.
 */
class ConsoleBrowserTest extends OpenConsole {

    private static final String HOSTILE = "<img src=x onerror=\"document.title='hacked'\">";

    /** So that the charts of the pictures have something to show. */
    private static final int PICTURE_MILLIS = 75_000;

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
        assertThat(page.locator("#sum-instances")).hasText("2");
        Locator search = row("search");
        assertThat(search.locator("td[data-head='Granted/s']")).hasText(Pattern.compile("[3-9]\\d"));
        browser.takeTime(PICTURE_MILLIS);
        browser.picture("console-light");
        hostileNamesAreText();
        waitsAreShown();
        assertAccessible(page);

        changeToTenPerSecond();
        Locator granted = page.locator(".legend b").first();
        Locator rejected = page.locator(".legend b").nth(1);
        assertThat(granted).hasText(Pattern.compile("(9|1[0-3])(\\.\\d)?"));
        assertThat(rejected).hasText(Pattern.compile("[3-9]\\d"));
        browser.takeTime(10_000);
        page.emulateMedia(new Page.EmulateMediaOptions().setColorScheme(ColorScheme.DARK));
        page.evaluate("scrollTo(0, 0)");
        browser.picture("console-dark");
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

    @Test
    void enforce_now_enforces_whatever_mode_the_application_and_the_last_live_limit_have() {
        assertThat(call()).isEqualTo(200);
        assertThat(call()).as("in shadow mode").isEqualTo(200);
        page.navigate(uri("/limiter/"));
        row("rate").locator("a").click();

        preview("2");
        assertThat(page.locator("#enforce")).containsText("Mode: the application’s → enforced");
        page.click("#enforce");
        assertThat(page.locator("#live")).containsText("capacity 2, enforced");
        page.waitForCondition(() -> call() == 429);

        preview("3");
        assertThat(page.locator("#enforce")).not().containsText("Mode");
        assertThat(page.locator("#try-shadow")).containsText("Mode: enforced → shadow mode");
        page.click("#enforce");
        assertThat(page.locator("#live")).containsText("capacity 3, enforced");
        assertThat(page.locator(".badge.shadow")).hasCount(0);

        preview("3");
        page.click("#try-shadow");
        assertThat(page.locator("#live")).containsText("capacity 3, shadow mode");
        assertThat(page.locator(".badge.shadow")).hasText("Shadow mode");
        page.waitForCondition(() -> call() == 200);

        preview("3");
        assertThat(page.locator("#enforce")).containsText("Mode: shadow mode → enforced");
        page.click("#enforce");
        assertThat(page.locator(".badge.shadow")).hasCount(0);
        page.waitForCondition(() -> call() == 429);

        page.click("#remove");
        page.click("#confirm");
        assertThat(page.locator("#live")).containsText("None.");
        page.waitForCondition(() -> call() == 200);
        preview("");
        page.click("#enforce");
        assertThat(page.locator("#live")).containsText("enforced");
        page.waitForCondition(() -> call() == 429);
        assertThat(errors).isEmpty();
    }

    private int call() {
        return page.request().get(uri("/limiter/rate")).status();
    }

    private void preview(String capacity) {
        page.fill("#field-capacity", capacity);
        page.click("#preview");
    }

    /** {@code csrf.spa()} of Spring Security accepts the token of the cookie only, other applications the one of the session. */
    @Test
    void a_rejected_change_is_sent_again_with_the_token_of_the_cookie() {
        page.context().addCookies(List.of(new Cookie("XSRF-TOKEN", "of%20the%20cookie").setUrl(uri("/"))));
        page.route(
                "**/api/csrf",
                route -> route.fulfill(new Route.FulfillOptions()
                        .setContentType("application/json")
                        .setBody("{\"csrf\": {\"header\": \"X-XSRF-TOKEN\", \"token\": \"of the session\"}}")));
        List<String> sent = new ArrayList<>();
        page.route("**/api/limits", route -> {
            sent.add(route.request().headers().get("x-xsrf-token"));
            route.fulfill(new Route.FulfillOptions()
                    .setStatus(sent.get(sent.size() - 1).equals("of the cookie") ? 200 : 403)
                    .setContentType("application/json")
                    .setBody("{\"version\": 7}"));
        });
        page.navigate(uri("/limiter/"));

        Object version = page.evaluate(
                "import('/limiter/assets/api.js')" + ".then(api => api.put({})).then(change => change.version)");

        assertThat(version).isEqualTo(7);
        assertThat(sent).containsExactly("of the session", "of the session", "of the cookie");
    }

    @Test
    void texts_of_others_are_isolated_and_what_is_invisible_is_marked() {
        LimiterFactory limiters = sample.getBean(LimiterFactory.class);
        limiters.build("\u202Enna", 1, 1, 60).tryAcquire("\u202Eyek");
        limiters.build("\u05D0\u05D1", 1, 1, 60).tryAcquire("k");
        page.navigate(uri("/limiter/"));
        page.fill("#filter", "nna");
        assertThat(page.locator("td.name a")).hasText("⟨U+202E⟩nna");
        assertThat(page.locator("td.name a bdi")).hasCount(1);
        page.click("td.name a");
        assertThat(page.locator("h1 bdi")).hasText("⟨U+202E⟩nna");
        page.fill("#field-why", "one\u2066two\tthree");
        page.click("#preview");
        assertThat(page.locator("#change small")).containsText("one⟨U+2066⟩two␉three");
        page.click("#enforce");
        assertThat(page.locator("#toasts")).containsText("\u2068⟨U+202E⟩nna\u2069 is changed");
        assertThat(page.locator(".reason bdi")).hasText("one⟨U+2066⟩two␉three");
        assertThat(page.content()).doesNotContain("\u202E", "\u2066");
        page.click(".back");
        page.fill("#filter", "\u05D0");
        Locator hebrew = page.locator("td.name a bdi");
        assertThat(hebrew).hasText("\u05D0\u05D1");
        assertThat(hebrew).hasCSS("unicode-bidi", "isolate");
        assertThat(errors).isEmpty();
    }

    @Test
    void a_change_by_more_than_ten_times_is_confirmed_once_more() {
        page.navigate(uri("/limiter/"));
        row("search").locator("a").click();
        previewRate("500");
        assertThat(page.locator("#warning")).hasCount(0);
        page.keyboard().press("Escape");
        for (String rate : List.of("501", "4")) {
            previewRate(rate);
            assertThat(page.locator("#warning"))
                    .containsText(rate.equals("4") ? "from 50 to 4" : "Rate grows from 50 to 501, 10 times as much.");
            assertThat(page.locator("#enforce")).isDisabled();
            assertThat(page.locator("#try-shadow")).isDisabled();
            page.check("#sure");
            assertThat(page.locator("#try-shadow")).isEnabled();
            page.uncheck("#sure");
            assertThat(page.locator("#enforce")).isDisabled();
            page.keyboard().press("Escape");
        }
        previewRate("40");
        page.click("#enforce");
        assertThat(page.locator("#live")).containsText("40/s");
        // What is typed into a field with a number replaces it, by mouse and by keyboard.
        page.click("#field-rate");
        page.keyboard().type("20");
        assertThat(page.locator("#field-rate")).hasValue("20");
        page.locator("#field-capacity").focus();
        page.locator("#field-rate").focus();
        page.keyboard().type("30");
        assertThat(page.locator("#field-rate")).hasValue("30");

        previewRate("401");
        page.check("#sure");
        page.click("#enforce");
        assertThat(page.locator("#live")).containsText("401/s");
        page.locator(".changes button").first().click();
        assertThat(page.locator("#warning")).containsText("Rate falls from 401 to 40");
        assertThat(page.locator("#confirm")).isDisabled();
        page.check("#sure");
        page.click("#confirm");
        assertThat(page.locator("#live")).containsText("40/s");
        page.locator(".changes button").first().click();
        assertThat(page.locator("#warning")).containsText("from 40 to 401");
        page.keyboard().press("Escape");
        assertThat(errors).isEmpty();
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
        browser.picture("console-phone");
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
