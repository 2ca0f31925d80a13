package io.limiter.spring.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.net.URI;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which calls the hosts in configuration stand for. */
class HostPatternTest {

    private static boolean matches(String pattern, String uri) {
        HostPattern.Called called = HostPattern.Called.by(URI.create(uri));
        return called != null && HostPattern.parse(pattern).matches(called);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            api.example.com      | https://api.example.com/maps
            api.example.com      | https://API.example.COM:8443/maps
            api.example.com      | https://api.example.com./maps
            api.example.com.     | https://api.example.com/maps
            api.example.com.:443 | https://api.example.com./maps
            my_service           | http://my_service/maps
            my_service:8080      | http://my_service:8080/maps
            my_service           | http://ann:secret@my_service/maps
            my_service           | http://my_service:/maps
            *.my_zone.example    | http://a.my_zone.example/
            api.example.com:80   | http://api.example.com/
            api.example.com:443  | https://api.example.com/
            *.example.com        | https://a.b.example.com./
            *.example.com:8080   | http://a.example.com:8080/
            [::1]:8080           | http://[::1]:8080/
            [::1]                | http://ann@[::1]/
            bücher.example       | http://xn--bcher-kva.example/
            xn--bcher-kva.example | http://Bücher.example/
            """)
    void a_host_stands_for_every_way_to_write_it(String pattern, String uri) {
        assertThat(matches(pattern, uri)).isTrue();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            api.example.com     | https://example.com/
            api.example.com     | https://api.example.com.evil.example/
            api.example.com     | https://api.example.com@evil.example/
            my_service:8080     | http://my_service/
            my_service          | http://not_my_service/
            *.example.com       | https://example.com/
            *.example.com       | https://notexample.com/
            api.example.com:443 | http://api.example.com/
            [::1]               | http://[::2]/
            api.example.com     | /relative
            api.example.com     | mailto:ann@api.example.com
            """)
    void another_host_is_not_limited(String pattern, String uri) {
        assertThat(matches(pattern, uri)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "*",
                "*.",
                ".",
                "a..example",
                "-/x",
                "http://a.example/",
                "a.example:",
                "*.[::1]",
                "a.*.example",
                "ann@a"
            })
    void what_is_no_host_is_an_error(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> HostPattern.parse(text))
                .withMessage(
                        "must be hosts such as api.example.com, localhost:8080 or *.example.com, was '" + text + "'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a.example:0", "a.example:65536", "a.example:99999"})
    void a_port_that_cannot_be_is_an_error(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> HostPattern.parse(text))
                .withMessage("must have ports from 1 to 65535, was '" + text + "': leave the port out for all");
    }
}
