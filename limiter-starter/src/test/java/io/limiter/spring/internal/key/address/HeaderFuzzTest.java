package io.limiter.spring.internal.key.address;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.testing.Fuzz;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Forwarded headers that a caller has made up, with and without what trusted proxies append. */
class HeaderFuzzTest {

    private static final String PROXY = "10.0.0.1";
    private static final String CALLER = "198.51.100.1";

    private static final String[] PIECES = {
        ",",
        ";",
        "=",
        "\"",
        "\\",
        "for=",
        "For=\"",
        "by=10.0.0.1",
        "proto=https",
        " ",
        "\t",
        "[",
        "]",
        ":",
        "::",
        "::1",
        ".",
        "%",
        "%25",
        "1",
        "0",
        "10.",
        "10.0.0.1",
        "10.3.3.3",
        "198.51.100.1",
        "203.0.113.9",
        "203.0.113.9:80",
        "2001:db8:1:2::9",
        "/64",
        "2001:db8:aaaa::1",
        "[2001:db8::1]:443",
        "::ffff:10.0.0.1",
        "64:ff9b::10.0.0.1",
        "unknown",
        "_hidden",
        "*",
        "-",
        "x"
    };

    @Test
    void a_text_is_an_address_or_none() {
        Fuzz.run(10, random -> {
            var address = IpAddresses.parse(Fuzz.text(random, 6, PIECES));
            if (address != null) {
                String key = IpAddresses.key(address, 64);
                assertThat(key).matches("[0-9a-f:.]{2,45}(/64)?");
                assertThat(IpAddresses.key(IpAddresses.parse(key.replace("/64", "")), 64))
                        .as("one notation for one address")
                        .isEqualTo(key);
            }
        });
    }

    /** Whatever a caller sends, its key is its own address, or that of the proxy if the header cannot be read. */
    @Test
    void no_caller_chooses_its_key() {
        CallerAddress one = new CallerAddress(List.of("10.0.0.0/8"), 64, ForwardedHeader.X_FORWARDED_FOR);
        CallerAddress standard = new CallerAddress(List.of("10.0.0.0/8"), 64, ForwardedHeader.FORWARDED);
        CallerAddress any = new CallerAddress(List.of("10.0.0.0/8"), 64, ForwardedHeader.ANY);
        Fuzz.run(15, random -> {
            List<String> made = madeUp(random);
            List<String> other = madeUp(random);
            boolean two = random.nextBoolean();
            // With one proxy, and with a second one in front of the first, on the same line or on one of its own.
            List<String> plain = appended(random, made, CALLER, two ? "10.9.9.9" : null);
            List<String> elements = appended(
                    random,
                    made,
                    Fuzz.one(
                            random,
                            "for=" + CALLER,
                            "for=\"" + CALLER + ":80\";proto=\"https\"",
                            "by=10.9.9.9;For=" + CALLER),
                    two ? "for=10.9.9.9" : null);

            assertThat(one.of(PROXY, Map.of("X-Forwarded-For", plain, "Forwarded", other)::get))
                    .isEqualTo(CALLER);
            assertThat(standard.of(PROXY, Map.of("X-Forwarded-For", other, "Forwarded", elements)::get))
                    .isIn(CALLER, PROXY, "10.9.9.9");
            assertThat(any.of(PROXY, Map.of("X-Forwarded-For", plain, "Forwarded", other)::get))
                    .isIn(CALLER, PROXY);
            assertThat(any.of(PROXY, Map.of("X-Forwarded-For", other, "Forwarded", elements)::get))
                    .isIn(CALLER, PROXY, "10.9.9.9");
            assertThat(any.of("203.0.113.9", Map.of("X-Forwarded-For", made, "Forwarded", other)::get))
                    .as("no trusted proxy in between")
                    .isEqualTo("203.0.113.9");
        });
    }

    private static List<String> madeUp(Random random) {
        List<String> lines = new ArrayList<>();
        for (int i = random.nextInt(3); i > 0; i--) {
            lines.add(Fuzz.text(random, 8, PIECES));
        }
        return lines;
    }

    private static List<String> appended(Random random, List<String> made, String first, String second) {
        List<String> lines = new ArrayList<>(made);
        for (String element : second == null ? List.of(first) : List.of(first, second)) {
            if (lines.isEmpty() || random.nextBoolean()) {
                lines.add(element);
            } else {
                lines.set(lines.size() - 1, lines.get(lines.size() - 1) + ", " + element);
            }
        }
        return lines;
    }
}
