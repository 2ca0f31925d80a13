package io.limiter.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.springframework.context.ConfigurableApplicationContext;

/** The sample and its console, open in a real browser. */
abstract class OpenConsole {

    static final int PHONE = 390;

    final List<String> errors = new ArrayList<>();
    ConfigurableApplicationContext sample;
    Chromium browser;
    Page page;

    @BeforeEach
    void open() {
        sample = start();
        browser = new Chromium(sample);
        page = browser.page();
        page.onConsoleMessage(message -> {
            // A violation of the Content-Security-Policy is an error; so is a rejected call of the playground.
            if (message.type().equals("error") && !message.text().contains("429")) {
                errors.add(message.text());
            }
        });
        page.onPageError(errors::add);
    }

    /** One that others use, too, unless a test cannot do with that. */
    ConfigurableApplicationContext start() {
        return SharedSample.get();
    }

    @AfterEach
    void close() {
        browser.close();
        end();
    }

    void end() {
        SharedSample.removeLiveLimits();
    }

    /** Of a limit of the sample or of its factory, without a search in the list. */
    void navigateTo(String limit) {
        page.navigate(uri("/limiter/#/limit/rateLimit%3A/" + limit));
        assertThat(page.locator("h1")).hasText(limit);
    }

    Locator row(String name) {
        return page.locator("tbody tr")
                .filter(new Locator.FilterOptions()
                        .setHas(page.locator(
                                "a", new Page.LocatorOptions().setHasText(Pattern.compile("^" + name + "$")))));
    }

    void previewRate(String rate) {
        page.fill("#field-rate", rate);
        page.click("#preview");
    }

    static double height(Locator element) {
        return element.boundingBox().height;
    }

    static void assertAccessible(Page page) {
        assertThat(Chromium.barriers(page)).isEmpty();
    }

    void assertNoScrolling() {
        assertThat((Integer)
                        page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))
                .isZero();
    }

    String uri(String path) {
        return Samples.uri(sample, path);
    }
}
