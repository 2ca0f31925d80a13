package io.limiter.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.Cookie;
import io.limiter.LimiterFactory;
import io.limiter.algorithm.TokenBucket;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Live limits that an operator sets, tries and takes back in the console. */
abstract class ChangesInBrowser extends OpenConsole {

    @Test
    void enforce_now_enforces_whatever_mode_the_application_and_the_last_live_limit_have() {
        assertThat(call()).isEqualTo(200);
        assertThat(call()).as("in shadow mode").isEqualTo(200);
        navigateTo("rate");

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
        sample.getBean(LimiterFactory.class)
                .build("steep", TokenBucket.perSecond(50).withCapacity(50))
                .tryAcquire();
        navigateTo("steep");
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
}
