package io.limiter.spring.internal.key.address;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.spring.LogLines;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;

class ProxyWarningsTest {

    private static final String SETTING = "limiter.key.trusted-proxies";

    /** As a load balancer of Google Cloud writes it: behind the caller's address stands its own. */
    @Test
    void a_load_balancer_that_is_not_trusted_is_named_once() {
        CallerAddress addresses = new CallerAddress(List.of("35.191.0.0/16"), 64, ForwardedHeader.ANY);
        assertThat(lines(addresses, 3000, "35.191.0.1", i -> "198.51." + i / 250 + "." + i % 250 + ",203.0.113.1"))
                .singleElement()
                .asString()
                .startsWith("WARN 1000 of 1000 requests by IP have more addresses")
                .contains("such as 203.0.113.1.", SETTING);

        CallerAddress both = new CallerAddress(List.of("35.191.0.0/16", "203.0.113.1"), 64, ForwardedHeader.ANY);
        assertThat(lines(both, 3000, "35.191.0.1", i -> "198.51." + i / 250 + "." + i % 250 + ",203.0.113.1"))
                .isEmpty();
    }

    /** As behind CloudFront: the addresses in the middle are many, and each is a proxy. */
    @Test
    void many_proxies_that_are_not_trusted_are_noticed_too() {
        CallerAddress addresses = new CallerAddress(List.of("10.0.0.0/8"), 64, ForwardedHeader.ANY);
        assertThat(lines(addresses, 1000, "10.0.0.1", i -> "198.51.100.1, 203.0.113." + i % 250))
                .singleElement()
                .asString()
                .contains(SETTING);
    }

    @Test
    void one_key_of_nearly_all_requests_may_be_a_proxy() {
        CallerAddress addresses = new CallerAddress(List.of(), 64, ForwardedHeader.ANY);
        try (LogLines lines = new LogLines(ProxyWarnings.class)) {
            for (int i = 0; i < 999; i++) {
                addresses.of(i % 20 == 7 ? "203.0.113.7" : "10.0.0.1", name -> List.of());
            }
            assertThat(lines.all()).isEmpty();
            for (int i = 0; i < 2000; i++) {
                addresses.of("10.0.0.1", name -> List.of());
            }
            assertThat(lines.all())
                    .singleElement()
                    .asString()
                    .startsWith("WARN 950 of 1000 requests by IP have the key 10.0.0.1.")
                    .contains(SETTING);
        }
    }

    @Test
    void requests_of_many_callers_are_no_warning() {
        CallerAddress addresses = new CallerAddress(List.of("10.0.0.0/8"), 64, ForwardedHeader.ANY);
        // One in nine has sent a header of its own.
        assertThat(lines(
                        addresses,
                        3000,
                        "10.0.0.1",
                        i -> i % 9 == 0 ? "1.1.1.1, 203.0.113." + i % 200 : "203.0.113." + i % 200))
                .isEmpty();
    }

    @Test
    void forwarded_headers_without_a_trusted_proxy_are_named_once() {
        for (String header : List.of("X-Forwarded-For", "Forwarded")) {
            CallerAddress addresses = new CallerAddress(List.of(), 64, ForwardedHeader.ANY);
            try (LogLines lines = new LogLines(ProxyWarnings.class)) {
                for (int i = 0; i < 3; i++) {
                    addresses.of("10.0.0.1", headers(header, List.of("for=198.51.100.1"))::get);
                }
                assertThat(lines.all())
                        .singleElement()
                        .asString()
                        .startsWith("WARN A request from 10.0.0.1 has the header " + header)
                        .contains(SETTING);
            }
        }
    }

    /** With a strategy for forwarded headers that leaves them there. */
    @Test
    void an_address_that_the_server_has_taken_from_the_header_is_no_warning() {
        CallerAddress addresses = new CallerAddress(List.of(), 64, ForwardedHeader.ANY);
        assertThat(lines(addresses, 3, "198.51.100.1", i -> "198.51.100.1, 10.0.0.1"))
                .isEmpty();
    }

    private static List<String> lines(
            CallerAddress addresses, int requests, String remote, IntFunction<String> header) {
        try (LogLines lines = new LogLines(ProxyWarnings.class)) {
            for (int i = 0; i < requests; i++) {
                addresses.of(remote, headers("X-Forwarded-For", List.of(header.apply(i)))::get);
            }
            return lines.all();
        }
    }

    private static Map<String, List<String>> headers(String name, List<String> lines) {
        String other = name.equals("Forwarded") ? "X-Forwarded-For" : "Forwarded";
        return Map.of(name, lines, other, List.of());
    }
}
