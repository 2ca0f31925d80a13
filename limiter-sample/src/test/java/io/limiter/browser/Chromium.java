package io.limiter.browser;

import static org.assertj.core.api.Assertions.assertThat;

import com.deque.html.axecore.args.AxeRunOptions;
import com.deque.html.axecore.playwright.AxeBuilder;
import com.deque.html.axecore.results.CheckedNode;
import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.Cookie;
import com.microsoft.playwright.options.ReducedMotion;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.springframework.context.ConfigurableApplicationContext;

/** A page in a browser, and its pictures if {@code -Dbrowser.images} is set. */
final class Chromium implements AutoCloseable {

    private static final double PATIENCE_MILLIS = 60_000;

    // It is started once, as that takes longer than most tests.
    private static final Browser BROWSER = launch();

    // By the address of the form, where other samples have other ports.
    private static final Map<String, List<Cookie>> SESSIONS = new HashMap<>();

    private final BrowserContext context;
    private final Page page;

    /** @param sample is open to the operator */
    Chromium(ConfigurableApplicationContext sample) {
        context = BROWSER.newContext(new Browser.NewContextOptions()
                .setViewportSize(1280, 840)
                .setLocale("en-GB")
                .setColorScheme(ColorScheme.LIGHT)
                // Sharp where a page shows them smaller or on a fine screen.
                .setDeviceScaleFactor(takesPictures() ? 1.5 : 1)
                .setReducedMotion(ReducedMotion.REDUCE));
        page = context.newPage();
        page.setDefaultTimeout(PATIENCE_MILLIS);
        logIn(Samples.uri(sample, "/login"));
    }

    /** With the form, and once for each sample: to check a password takes the processor longer than most tests take. */
    private void logIn(String form) {
        List<Cookie> session = SESSIONS.get(form);
        if (session != null) {
            context.addCookies(session);
            return;
        }
        page.navigate(form);
        page.fill("#username", Samples.OPERATOR);
        page.fill("#password", Samples.PASSWORD);
        page.click("button[type=submit]");
        page.waitForURL(form.replace("/login", "/"));
        SESSIONS.put(form, context.cookies());
    }

    private static Browser launch() {
        PlaywrightAssertions.setDefaultAssertionTimeout(PATIENCE_MILLIS);
        Optional<Path> installed = Stream.of(
                        "/usr/bin/chromium-headless-shell",
                        "/usr/bin/chromium",
                        "/usr/bin/chromium-browser",
                        "/usr/bin/google-chrome")
                .map(Path::of)
                .filter(Files::exists)
                .findFirst();
        Playwright playwright = Playwright.create(new Playwright.CreateOptions()
                .setEnv(installed.isPresent() ? Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1") : Map.of()));
        BrowserType.LaunchOptions options = new BrowserType.LaunchOptions().setArgs(List.of("--no-sandbox"));
        installed.ifPresent(options::setExecutablePath);
        Runtime.getRuntime().addShutdownHook(new Thread(playwright::close));
        return playwright.chromium().launch(options);
    }

    Page page() {
        return page;
    }

    private static boolean takesPictures() {
        return System.getProperty("browser.images") != null;
    }

    void picture(String name) {
        checkFont();
        page.screenshot(new Page.ScreenshotOptions()
                .setPath(Path.of("..", System.getProperty("browser.images")).resolve(name + ".png")));
    }

    /** A character without a font is drawn as the same box as any other. */
    private void checkFont() {
        Object missing = page.evaluate("""
                () => {
                  const drawn = text => {
                    const canvas = document.createElement('canvas').getContext('2d');
                    canvas.font = '20px sans-serif';
                    canvas.fillText(text, 5, 25);
                    return canvas.getImageData(0, 0, 40, 40).data.join();
                  };
                  return drawn('中') === drawn('文');
                }
                """);
        assertThat(missing)
                .as("no font has Chinese characters, which pictures show: install one, such as fonts-wqy-zenhei")
                .isEqualTo(false);
    }

    /** What axe finds that keeps people from using what a page shows. */
    static List<String> barriers(Page page) {
        AxeRunOptions options = new AxeRunOptions();
        options.setResultTypes(List.of("violations"));
        return new AxeBuilder(page)
                        // A second page would be for what is in frames, and there are none.
                        .setLegacyMode(true)
                        .options(options)
                        .analyze()
                        .getViolations()
                        .stream()
                        .map(violation -> violation.getId() + ": "
                                + violation.getNodes().stream()
                                        .map(CheckedNode::getHtml)
                                        .toList())
                        .toList();
    }

    @Override
    public void close() {
        context.close();
    }
}
