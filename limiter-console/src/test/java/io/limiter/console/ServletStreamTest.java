package io.limiter.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.testing.Eventually;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.web.servlet.function.ServerResponse;

/** Events to a page that is not ready for them. */
class ServletStreamTest {

    private final FakeLiveLimits limits = new FakeLiveLimits();
    private final FleetFeed feed = new FleetFeed(limits, null, Duration.ofMillis(1), Duration.ZERO);
    private final ServletConsole console = new ServletConsole(null, feed);
    private final ServletConsole.Stream stream = console.new Stream();
    private final List<String> sent = new CopyOnWriteArrayList<>();

    @AfterEach
    void stop() {
        feed.stop();
        console.destroy();
    }

    /** @param data gets what is sent to the page, on the thread that sends it */
    private static ServerResponse.SseBuilder page(Consumer<String> data) {
        return (ServerResponse.SseBuilder) Proxy.newProxyInstance(
                ServletStreamTest.class.getClassLoader(),
                new Class<?>[] {ServerResponse.SseBuilder.class},
                (page, method, arguments) -> {
                    if (method.getName().equals("data")) {
                        data.accept((String) arguments[0]);
                    }
                    return method.getReturnType() == void.class ? null : page;
                });
    }

    @Test
    void a_page_that_opens_late_gets_the_lines() {
        feed.start();
        assertThat(feed.add(stream, null, false)).isNull();
        // The third begins after the second event, which replaces the one with the lines.
        Eventually.that(() -> assertThat(limits.watches()).isGreaterThanOrEqualTo(3));
        stream.open(page(event -> {
            if (event.contains("\"series\":[]")) {
                sent.add("the lines");
            }
        }));
        Eventually.that(() -> assertThat(sent).contains("the lines"));
    }

    @Test
    void an_event_that_comes_while_another_is_sent_does_not_wait_for_the_next() {
        stream.open(page(event -> {
            sent.add(event);
            if (event.equals("first")) {
                stream.accept("second", false);
            }
        }));
        stream.accept("first", true);
        Eventually.that(() -> assertThat(sent).containsExactly("first", "second"));
    }

    @Test
    void an_event_from_before_the_page_was_open_is_sent_when_it_opens() {
        stream.accept("first", true);
        stream.open(page(sent::add));
        Eventually.that(() -> assertThat(sent).containsExactly("first"));
    }
}
