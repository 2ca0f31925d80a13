package io.limiter.spring.internal.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import io.limiter.LimiterFactory;
import io.limiter.live.ChangeNote;
import io.limiter.live.LiveLimit;
import io.limiter.live.LiveLimits;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/** The commands of docs/live.md, in their order. */
class LivePageTest {

    private static final Pattern COMMAND = Pattern.compile(
            "(?m)^curl -u ann:secret (-X DELETE )?'?http://localhost:8080/actuator/([^\\s']+)'?(?: -H 'Content-Type: application/json' -d '(.*)')?$");
    private static final ObjectMapper JSON = new ObjectMapper();

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    @Test
    void each_command_does_what_the_page_says() throws Exception {
        String page = Files.readString(Path.of("..", "docs", "live.md"));
        List<MatchResult> commands = COMMAND.matcher(page).results().toList();
        assertThat(commands).hasSize((int)
                page.lines().filter(line -> line.startsWith("curl")).count());
        try (ConfigurableApplicationContext application =
                Operated.connected(Application.class, "--management.endpoint.livelimits.access=unrestricted")) {
            application.getBean(LimiterFactory.class).build("search", 50, 1, 60).tryAcquire("ann");
            LiveLimits live = application.getBean(LiveLimits.class);
            for (MatchResult command : commands) {
                HttpResponse<String> answer = answer(application, command);
                assertThat(answer.statusCode())
                        .as(command.group() + " " + answer.body())
                        .isIn(200, 204);
            }
            assertThat(live.get("search")).isEmpty();
            assertThat(live.keys("search")).hasSize(3);
            // Of a Redis that outlives this JVM, the next run expects none.
            live.keys("search")
                    .forEach(each ->
                            live.remove("search", each.key().orElseThrow(), ChangeNote.of("test", ""), each.version()));
            ArrayNode history = JSON.createArrayNode();
            JSON.readTree(Operated.get(application, "livelimits/search").body())
                    .at("/history")
                    .forEach(change -> {
                        if (change.get("key").isNull()) {
                            history.add(change);
                        }
                    });
            assertThat(history.at("/0/why").asText()).isEqualTo("the client is gone");
            assertThat(history.at("/0/before/settings/rate").asInt()).isEqualTo(5);
            assertThat(history.at("/1/why").asText()).isEqualTo("back to 5/s");
            assertThat(history.at("/2/after/settings/rate").asInt()).isEqualTo(10);
            assertThat(history.at("/3/who").asText()).isEqualTo("ann");
        }
    }

    /** The page cannot know the versions of this Redis. There is no login, so the request names who. */
    private static HttpResponse<String> answer(ConfigurableApplicationContext application, MatchResult command)
            throws Exception {
        LiveLimits live = application.getBean(LiveLimits.class);
        String version = live.get("search").map(LiveLimit::version).orElse(0L).toString();
        String path = command.group(2);
        String body = command.group(3);
        if (command.group(1) != null) {
            return Operated.delete(application, path.replaceFirst("version=\\d+", "who=ann&version=" + version));
        }
        return body == null
                ? Operated.get(application, path)
                : Operated.post(
                        application,
                        path,
                        body.replaceAll("(\"version\"|\"rollBack\"): \\d+", "$1: " + version)
                                .replaceFirst("\\{", "{\"who\": \"ann\", "));
    }
}
