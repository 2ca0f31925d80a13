package io.limiter.sample;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.RedisPermits;
import io.limiter.console.wire.Wire;
import io.limiter.spring.actuate.LimitDescription;
import io.limiter.spring.live.LiveDescription;
import io.limiter.spring.settings.BanSettings;
import io.limiter.spring.settings.LimitSettings;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.core.io.support.SpringFactoriesLoader;

/** What a native image keeps of all modules. */
class RuntimeHintsTest {

    private static final RuntimeHints HINTS = hints();

    private static RuntimeHints hints() {
        RuntimeHints hints = new RuntimeHints();
        List<RuntimeHintsRegistrar> registrars =
                SpringFactoriesLoader.forResourceLocation("META-INF/spring/aot.factories")
                        .load(RuntimeHintsRegistrar.class)
                        .stream()
                        .filter(each -> each.getClass().getName().startsWith("io.limiter."))
                        .toList();
        assertThat(registrars).hasSize(7);
        registrars.forEach(each -> each.registerHints(hints, RuntimeHintsTest.class.getClassLoader()));
        return hints;
    }

    /** All that there are, so that a new one in another folder is noticed. */
    @Test
    void scripts_messages_and_the_page_are_kept() throws IOException {
        assertKept("classpath*:io/limiter/**/*.lua", 20);
        assertKept("classpath*:io/limiter/spring/**/*.properties", 2);
        assertKept("classpath*:io/limiter/console/page/*", 20);
        assertKept("classpath*:META-INF/spring/io.limiter.spring.*.imports", 1);
    }

    private static void assertKept(String pattern, int atLeast) throws IOException {
        List<String> names = Stream.of(new PathMatchingResourcePatternResolver().getResources(pattern))
                .map(RuntimeHintsTest::url)
                .filter(url -> !url.contains("-tests.jar") && !url.contains("/test-classes/"))
                .map(url -> url.substring(Math.max(url.lastIndexOf("/io/limiter/"), url.lastIndexOf("/META-INF/")) + 1))
                .toList();
        assertThat(names).hasSizeGreaterThanOrEqualTo(atLeast);
        assertThat(names)
                .allMatch(name ->
                        RuntimeHintsPredicates.resource().forResource(name).test(HINTS));
    }

    private static String url(Resource resource) {
        try {
            return resource.getURL().toString();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void types_that_are_read_by_reflection_are_kept() {
        for (Class<?> type : List.of(
                RedisPermits.class,
                FixedWindow.State.class,
                Wire.PutRequest.class,
                Wire.Session.class,
                LimitDescription.class,
                LiveDescription.class,
                LimitSettings.class,
                BanSettings.class)) {
            assertThat(RuntimeHintsPredicates.reflection().onType(type))
                    .as(type.getName())
                    .accepts(HINTS);
        }
    }
}
