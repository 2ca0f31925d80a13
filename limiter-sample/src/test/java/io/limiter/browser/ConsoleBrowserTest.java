package io.limiter.browser;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;

/**
 * The sample and its console in a real browser. All tests are one class, because Surefire gives its JVMs whole classes: each JVM
 * would start Chromium and the sample again, which takes longer than most of the tests.
 */
class ConsoleBrowserTest {

    @AfterAll
    static void closeSample() {
        SharedSample.close();
    }

    @Nested
    class Tour extends TourInBrowser {}

    @Nested
    class Changes extends ChangesInBrowser {}

    @Nested
    class Keys extends KeysInBrowser {}

    @Nested
    class Lists extends ListsInBrowser {}

    @Nested
    class Live extends LiveShow {}
}
