package io.limiter.spring.internal.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.testing.Seed;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.http.server.PathContainer;

class CleanPathTest {

    @ParameterizedTest
    @CsvSource({
        "'', /",
        "/, /",
        "//, /",
        "/., /",
        "/a/.., /",
        "/a, /a",
        "a, /a",
        "/a/, /a",
        "/a//, /a",
        "/a/., /a",
        "/a;x=1/b;y, /a/b",
        "/%61/%c3%a9, /a/%C3%A9",
        "/a%2Fb, /a/b",
        "/a%5Cb, /a/b",
        "/a%2F%2e%2E%2Fb, /b",
        "/%252e, /%252e",
        "/a%3Bb, /a%3Bb",
        "/a%3Fb c, /a%3Fb%20c",
        "/../a, /../a",
        "/a:b/@c+d, /a:b/@c+d"
    })
    void all_forms_of_a_path_are_normalized_to_one(String written, String clean) {
        assertThat(CleanPath.of(PathContainer.parsePath(written))).isEqualTo(clean);
        assertThat(CleanPath.of(PathContainer.parsePath(clean))).as("of itself").isEqualTo(clean);
    }

    @Test
    void a_clean_path_is_what_it_is_normalized_to() {
        Random random = Seed.random();
        String letters = "//..ab-~_%;:é \\";
        for (int i = 0; i < 20_000; i++) {
            String path = random.ints(random.nextInt(8), 0, letters.length())
                    .mapToObj(letters::charAt)
                    .map(String::valueOf)
                    .collect(Collectors.joining());
            for (String decoded : List.of(path, "/" + path)) {
                assertThat(CleanPath.of(decoded)).as(decoded).isEqualTo(CleanPath.normalized(decoded));
            }
        }
    }

    @Test
    void a_normalized_path_has_one_variant() {
        for (String path : new String[] {"/a/b", "/a/b/", "/", "/a:b/@c+d"}) {
            PathContainer written = PathContainer.parsePath(path);
            assertThat(CleanPath.variants(written, CleanPath.of(written))).containsExactly(written);
        }
    }
}
