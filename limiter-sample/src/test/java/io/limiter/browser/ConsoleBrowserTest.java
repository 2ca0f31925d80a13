package io.limiter.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.Cookie;
import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.RateLimiter;
import io.limiter.algorithm.Ban;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.TokenBucket;
import io.limiter.live.ChangeNote;
import io.limiter.live.LiveKind;
import io.limiter.live.LiveLimit;
import io.limiter.live.LiveLimits;
import io.limiter.live.LiveSettings;
import io.limiter.testing.RedisProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * The sample and its console in a real browser, on a real Redis. {@code -Dbrowser.images=docs/images} also takes the pictures
 * of the documentation.
 */
class ConsoleBrowserTest {

    private static final String HOSTILE = "<img src=x onerror=\"document.title='hacked'\">";
    private static final int PHONE = 390;

    /** So that the charts of the pictures have something to show. */
    private static final int PICTURE_MILLIS = 75_000;

    private final List<String> complaints = new ArrayList<>();
    private final RedisProcess redis = RedisProcess.start();
    private ConfigurableApplicationContext sample;
    private Chromium browser;
    private Page page;

    @BeforeEach
    void open() {
        sample = Samples.start(
                redis,
                "--limiter.limits.rate.enforce=false",
                "--limiter.limits.rate.rate=0.0001",
                "--limiter.limits.rate.capacity=1");
        browser = new Chromium();
        page = browser.page();
        page.onConsoleMessage(message -> {
            // A violation of the Content-Security-Policy is an error; so is a rejected call of the playground.
            if (message.type().equals("error") && !message.text().contains("429")) {
                complaints.add(message.text());
            }
        });
        page.onPageError(complaints::add);
    }

    @AfterEach
    void close() {
        browser.close();
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
        assertThat(complaints).isEmpty();
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
        assertThat(complaints).isEmpty();
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
        assertThat(complaints).isEmpty();
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
        assertThat(complaints).isEmpty();
    }

    @Test
    void a_key_is_banned_limited_and_exempted_and_each_is_undone() {
        RateLimiter tenants = sample.getBean(LimiterFactory.class)
                .build("tenants", TokenBucket.perSecond(0.001).withCapacity(1000));
        page.navigate(uri("/limiter/"));
        tenants.tryAcquire("flood");
        tenants.tryAcquire("calm");
        row("tenants").locator("a").click();
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
        assertThat(tenants.tryAcquire("tenant-7", 2)).isTrue();
        assertThat(tenants.tryAcquire("tenant-7")).isFalse();

        page.locator("[aria-label='Exempt: flood']").click();
        page.click("#confirm");
        page.fill("#key", "");
        assertThat(page.locator("#keys .what")).hasCount(2);
        assertThat(tenants.tryAcquire("flood", 1_000_000)).isTrue();
        page.locator("#keys [aria-label$=': flood']").click();
        page.click("#confirm");
        assertThat(page.locator("#keys .what")).hasCount(1);
        assertThat(tenants.tryAcquire("flood", 1_000_000)).isFalse();
        assertNoScrolling();
        assertThat(complaints).isEmpty();
    }

    @Test
    void a_key_that_was_rejected_too_often_is_listed_and_its_ban_ends_with_one_click() {
        Limiter signIn = sample.getBean(LimiterFactory.class)
                .withBan(Ban.after(3))
                .build("sign-in", FixedWindow.of(1, Duration.ofHours(1)));
        for (int i = 0; i < 4; i++) {
            signIn.tryAcquire("guesser");
        }
        page.navigate(uri("/limiter/#/keys"));
        Locator ban = page.locator("#bans tbody tr");
        assertThat(ban).hasCount(1);
        assertThat(ban.locator("td[data-head='Limit']")).hasText("sign-in");
        assertThat(ban.locator("td[data-head='Hash tag']")).hasText("–");
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
        assertThat(complaints).isEmpty();
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
        console.onPageError(complaints::add);
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
        assertThat(complaints).isEmpty();
    }

    private void previewRate(String rate) {
        page.fill("#field-rate", rate);
        page.click("#preview");
    }

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
        assertThat(complaints).isEmpty();
    }

    private static double height(Locator element) {
        return element.boundingBox().height;
    }

    @Test
    void the_history_is_searched_and_exported() throws IOException {
        LiveLimits live = sample.getBean(LiveLimits.class);
        long version = 0;
        for (int i = 0; i < 60; i++) {
            version = live.put(
                            "search-" + i % 3,
                            LiveSettings.of(LiveKind.TOKEN_BUCKET).rate(i + 1),
                            ChangeNote.of(i == 7 ? "maria" : "ann", i == 9 ? "=HYPERLINK(\"evil\")" : "")
                                    .expiresIn(Duration.ofHours(i + 1)),
                            live.get("search-" + i % 3).map(LiveLimit::version).orElse(0L))
                    .version();
        }
        assertThat(version).isPositive();
        page.navigate(uri("/limiter/#/history"));
        assertThat(page.locator(".changes li")).hasCount(50);
        assertThat(page.locator(".expiry").first()).containsText("until");
        assertThat(page.locator(".expiry").first()).containsText("→");
        page.click("#older");
        assertThat(page.locator(".changes li")).hasCount(60);
        page.fill("#history-search", "maria");
        assertThat(page.locator(".changes li")).hasCount(1);
        assertThat(page.locator("#history-count")).hasText("1 of the newest 60 changes");
        page.fill("#history-search", "no such user");
        assertThat(page.locator(".empty")).containsText("No change found");
        page.fill("#history-search", "");
        String csv = Files.readString(
                page.waitForDownload(() -> page.click("#export-csv")).path());
        assertThat(csv.lines()).hasSize(61);
        assertThat(csv).startsWith("\"version\",").contains("\"'=HYPERLINK(\"\"evil\"\")\"");
        String json = Files.readString(
                page.waitForDownload(() -> page.click("#export-json")).path());
        assertThat(json).contains("\"who\": \"maria\"");
        page.setViewportSize(PHONE, 844);
        assertNoScrolling();
        assertThat(complaints).isEmpty();
    }

    @Test
    void what_cannot_be_read_is_named_and_the_rest_is_shown() {
        page.route(
                "**/api/fleet",
                route -> route.fulfill(new Route.FulfillOptions()
                        .setContentType("text/event-stream")
                        .setBody("event:fleet\ndata:{\"at\":0,\"version\":1,\"problem\":null,\"unreadable\":["
                                + "{\"name\":\"one\",\"version\":3,\"why\":\"no JSON\"},{\"name\":\"two\",\"version\":4,\"why\":\"no kind\"}],"
                                + "\"instances\":[],\"limits\":[],\"live\":[],\"series\":[]}\n\n")));
        page.navigate(uri("/limiter/"));
        assertThat(page.locator("#unreadable")).hasText("2 entries cannot be read: one (no JSON); two (no kind)");
    }

    @Test
    void the_chart_begins_with_the_last_ten_minutes() {
        String rates = IntStream.range(0, 600).mapToObj(i -> "40").collect(Collectors.joining(","));
        page.route(
                "**/api/fleet",
                route -> route.fulfill(new Route.FulfillOptions()
                        .setContentType("text/event-stream")
                        .setBody(("event:fleet\ndata:{'at':0,'version':1,'problem':null,'unreadable':[],'instances':[],"
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
        assertThat(complaints).isEmpty();
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

    private Locator row(String name) {
        return page.locator("tbody tr")
                .filter(new Locator.FilterOptions()
                        .setHas(page.locator(
                                "a", new Page.LocatorOptions().setHasText(Pattern.compile("^" + name + "$")))));
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
        assertThat(page.locator("#change")).containsText("by you, for 30 minutes");
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

    private static void assertAccessible(Page page) {
        assertThat(Chromium.barriers(page)).isEmpty();
    }

    private void assertNoScrolling() {
        assertThat((Integer)
                        page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))
                .isZero();
    }

    private String uri(String path) {
        return Samples.uri(sample, path);
    }
}
