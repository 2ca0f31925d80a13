package io.limiter.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Route;
import io.limiter.LimiterFactory;
import io.limiter.LimiterOptions;
import io.limiter.Share;
import io.limiter.algorithm.CalendarPeriod;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.LimitKind;
import io.limiter.live.ChangeNote;
import io.limiter.live.LiveLimit;
import io.limiter.live.LiveLimits;
import io.limiter.live.LiveSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** How the console shows many limits, long histories, charts and what it cannot read. */
abstract class ListsInBrowser extends OpenConsole {

    @Test
    void hundreds_of_limits_are_paged_grouped_and_cut() {
        LimiterFactory limiters = sample.getBean(LimiterFactory.class);
        String longName = "a-" + "very-".repeat(38) + "long";
        limiters.build(longName, 1, 1, 60).tryAcquire("k");
        for (int i = 0; i < 100; i++) {
            limiters.build("limit-" + i, 1, 1, 60).tryAcquire("k");
        }
        page.navigate(uri("/limiter/"));
        page.fill("#filter", "limit-");
        assertThat(page.locator("#range")).hasText("1–25 of 100");
        assertThat(page.locator("tbody tr")).hasCount(25);
        assertThat(page.locator("#previous")).isDisabled();
        List<String> seen = new ArrayList<>(page.locator("td.name a").allInnerTexts());
        for (int i = 2; i <= 4; i++) {
            page.click("#next");
            assertThat(page.locator("#range")).hasText(25 * (i - 1) + 1 + "–" + 25 * i + " of 100");
            seen.addAll(page.locator("td.name a").allInnerTexts());
        }
        assertThat(seen).doesNotHaveDuplicates().hasSize(100);
        assertThat(page.locator("#next")).isDisabled();
        page.fill("#filter", "limit-99");
        assertThat(page.locator("td.name a")).hasText("limit-99");
        assertThat(page.locator("#range")).isHidden();

        page.fill("#filter", "");
        String group = String.valueOf(page.evaluate("document.querySelectorAll('#group option')[1].value"));
        page.selectOption("#group", group);
        page.waitForCondition(() -> page.locator("td.name a")
                .evaluateAll(
                        "(all, group) =>" + " all.length > 0 && all.every(each => each.title.startsWith(group))", group)
                .equals(true));
        page.selectOption("#group", "");

        page.fill("#filter", "very-");
        Locator link = page.locator("td.name a");
        assertThat(link).hasAttribute("title", Pattern.compile(".*" + longName + "$"));
        assertThat(height(link)).isLessThan(60);
        assertNoScrolling();
        page.locator("#filter").focus();
        page.keyboard().press("Tab");
        while (!Boolean.TRUE.equals(link.evaluate("each => each === document.activeElement"))) {
            page.keyboard().press("Tab");
        }
        assertThat(height(link)).isGreaterThan(60);
        page.setViewportSize(PHONE, 844);
        assertNoScrolling();
        assertThat(errors).isEmpty();
    }

    @Test
    void a_quota_shows_its_period_and_when_it_warns() {
        LimiterOptions warning = LimiterOptions.NONE.withWarnAt(Share.parse("80%"));
        sample.getBean(LimiterFactory.class)
                .with(warning)
                .build("yearly", FixedWindow.of(1_000, CalendarPeriod.YEAR))
                .tryAcquire("k");
        page.navigate(uri("/limiter/"));
        page.fill("#filter", "yearly");
        assertThat(page.locator("tbody tr")).containsText("1,000 per calendar year, warns at 800");
        assertThat(errors).isEmpty();
    }

    @Test
    void the_history_is_searched_and_exported() throws IOException {
        LiveLimits live = sample.getBean(LiveLimits.class);
        long version = 0;
        for (int i = 0; i < 60; i++) {
            version = live.put(
                            "history-" + i % 3,
                            LiveSettings.of(LimitKind.TOKEN_BUCKET).withRate(i + 1),
                            ChangeNote.of(i == 7 ? "maria" : "ann", i == 9 ? "=HYPERLINK(\"evil\")" : "")
                                    .withExpiry(Duration.ofHours(i + 1)),
                            live.get("history-" + i % 3).map(LiveLimit::version).orElse(0L))
                    .version();
        }
        assertThat(version).isPositive();
        // With those of other tests.
        int changes = live.history(1_000, 0).changes().size();
        page.navigate(uri("/limiter/#/history"));
        assertThat(page.locator(".changes li")).hasCount(50);
        assertThat(page.locator(".expiry").first()).containsText("until");
        assertThat(page.locator(".expiry").first()).containsText("→");
        page.click("#older");
        assertThat(page.locator(".changes li")).hasCount(Math.min(changes, 100));
        page.fill("#history-search", "maria");
        assertThat(page.locator(".changes li")).hasCount(1);
        assertThat(page.locator("#history-count")).hasText("1 of the newest " + changes + " changes");
        page.fill("#history-search", "no such user");
        assertThat(page.locator(".empty")).containsText("No change found");
        page.fill("#history-search", "");
        String csv = Files.readString(
                page.waitForDownload(() -> page.click("#export-csv")).path());
        assertThat(csv.lines()).hasSize(changes + 1);
        assertThat(csv).startsWith("\"version\",").contains("\"'=HYPERLINK(\"\"evil\"\")\"");
        String json = Files.readString(
                page.waitForDownload(() -> page.click("#export-json")).path());
        assertThat(json).contains("\"who\": \"maria\"");
        page.setViewportSize(PHONE, 844);
        assertNoScrolling();
        assertThat(errors).isEmpty();
    }

    @Test
    void what_cannot_be_read_is_named_and_the_rest_is_shown() {
        page.route(
                "**/api/fleet",
                route -> route.fulfill(new Route.FulfillOptions()
                        .setContentType("text/event-stream")
                        .setBody(
                                "event:fleet\ndata:{\"protocol\":1,\"at\":0,\"version\":1,\"problem\":null,\"unreadable\":["
                                        + "{\"name\":\"one\",\"version\":3,\"why\":\"no JSON\"},{\"name\":\"two\",\"version\":4,\"why\":\"no kind\"}],"
                                        + "\"instances\":[],\"limits\":[],\"live\":[],\"series\":[]}\n\n")));
        page.navigate(uri("/limiter/"));
        assertThat(page.locator("#unreadable")).hasText("2 entries cannot be read: one (no JSON); two (no kind)");
    }

    @Test
    void a_page_of_another_version_stops_and_asks_to_be_loaded_again() {
        page.route(
                "**/api/fleet",
                route -> route.fulfill(new Route.FulfillOptions()
                        .setContentType("text/event-stream")
                        .setBody("event:fleet\ndata:{\"protocol\":2}\n\n")));
        page.navigate(uri("/limiter/"));
        assertThat(page.locator("#lost")).containsText("Load the page again.");
    }

    @Test
    void the_chart_begins_with_the_last_ten_minutes() {
        String rates = IntStream.range(0, 600).mapToObj(i -> "40").collect(Collectors.joining(","));
        page.route(
                "**/api/fleet",
                route -> route.fulfill(new Route.FulfillOptions()
                        .setContentType("text/event-stream")
                        .setBody(
                                ("event:fleet\ndata:{'protocol':1,'at':0,'version':1,'problem':null,'unreadable':[],'instances':[],"
                                                + "'limits':[{'prefix':'rateLimit:','name':'busy','kind':'token-bucket','limit':'',"
                                                + "'settings':{},'granted':40,'rejected':40,'errors':0,'waits':0,'meanWait':null,"
                                                + "'sources':{},'hottest':[],'notApplied':[],'differs':false}],'live':[],"
                                                + "'series':[{'prefix':'rateLimit:','name':'busy','granted':[" + rates
                                                + "],'rejected':[" + rates + "]}]}\n\n")
                                        .replace('\'', '"'))));
        page.navigate(uri("/limiter/"));
        page.click("td.name a");
        // The line has a colour in its first tenth, ten minutes ago, besides the transparent ground and the grid.
        page.waitForFunction("() => { const canvas = document.querySelector('canvas');"
                + " const {width, height} = canvas;"
                + " const data = canvas.getContext('2d').getImageData(width * .1, 0, width * .1, height).data;"
                + " const colours = new Set();"
                + " for (let i = 0; i < data.length; i += 4) {"
                + "   if (data[i + 3] > 200) { colours.add(data.slice(i, i + 3).join()); }"
                + " }"
                + " return [...colours].some(each => { const [r, g, b] = each.split(',').map(Number);"
                + "   return Math.max(r, g, b) - Math.min(r, g, b) > 60; }); }");
        assertThat(errors).isEmpty();
    }

    @Test
    void labels_of_changes_at_one_time_do_not_overlap() {
        sample.getBean(LimiterFactory.class).build("labels", 1, 1, 60).tryAcquire();
        LiveLimits live = sample.getBean(LiveLimits.class);
        long version = 0;
        for (int rate = 41; rate <= 43; rate++) {
            LiveSettings settings = LiveSettings.of(LimitKind.TOKEN_BUCKET).withRate(rate);
            version = live.put("labels", settings, ChangeNote.of("ann", ""), version)
                    .version();
        }
        // What was drawn since the canvas was last cleared.
        page.addInitScript("""
                const {fillText, clearRect} = CanvasRenderingContext2D.prototype;
                window.labels = [];
                CanvasRenderingContext2D.prototype.clearRect = function (...area) {
                  window.labels = [];
                  return clearRect.apply(this, area);
                };
                CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
                  if (/^4[123]\\/s/.test(text)) {
                    window.labels.push({text, x, y, width: this.measureText(text).width});
                  }
                  return fillText.call(this, text, x, y);
                };
                """);
        navigateTo("labels");
        page.waitForFunction("() => window.labels.length === 3");
        assertThat(page.evaluate("""
                        window.labels.flatMap(one => window.labels
                            .filter(other => other.text > one.text && Math.abs(other.y - one.y) < 12
                                && other.x < one.x + one.width && one.x < other.x + other.width)
                            .map(other => one.text + ' and ' + other.text))
                        """)).isEqualTo(List.of());
        assertThat(errors).isEmpty();
    }
}
