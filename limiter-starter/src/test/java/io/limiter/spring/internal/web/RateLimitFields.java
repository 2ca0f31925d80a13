package io.limiter.spring.internal.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.greenbytes.http.sfv.IntegerItem;
import org.greenbytes.http.sfv.Item;
import org.greenbytes.http.sfv.ListElement;
import org.greenbytes.http.sfv.Parameters;
import org.greenbytes.http.sfv.Parser;
import org.greenbytes.http.sfv.StringItem;

/**
 * Checks the headers of each answer of a server by sections 3, 4 and 6 of draft-ietf-httpapi-ratelimit-headers-11, with a parser
 * that is not ours; {@code StructuredFieldsTest} shows what it accepts.
 */
final class RateLimitFields {

    private RateLimitFields() {}

    /** @param headers by their names in upper or lower case */
    static void check(Map<String, List<String>> headers) {
        Map<String, Parameters> policies = members(headers, "RateLimit-Policy");
        policies.forEach((policy, parameters) -> {
            assertThat(parameters).as(policy).containsKey("q");
            parameters.forEach((name, value) -> {
                switch (name) {
                    case "q" -> assertThat(integer(value)).isNotNegative();
                    case "w" -> assertThat(integer(value)).isPositive();
                    case "qu" -> assertThat(value.get()).isEqualTo("concurrent-requests");
                    default -> throw new AssertionError("a policy has the parameter " + name);
                }
            });
        });
        members(headers, "RateLimit").forEach((policy, parameters) -> {
            assertThat(policies).containsKey(policy);
            assertThat(parameters).as(policy).containsKey("r");
            parameters.forEach((name, value) -> {
                switch (name) {
                    case "r" -> assertThat(integer(value)).isNotNegative();
                    case "t" -> {
                        assertThat(integer(value)).isNotNegative();
                        headers.getOrDefault("Retry-After", List.of())
                                .forEach(seconds ->
                                        assertThat(integer(value)).isLessThanOrEqualTo(Long.parseLong(seconds)));
                    }
                    default -> throw new AssertionError("a limit has the parameter " + name);
                }
            });
        });
    }

    private static Map<String, Parameters> members(Map<String, List<String>> headers, String header) {
        Map<String, Parameters> members = new HashMap<>();
        List<String> values = headers.getOrDefault(header, List.of());
        if (values.isEmpty()) {
            return members;
        }
        for (ListElement<?> member : new Parser(values).parseList().get()) {
            assertThat(member).isInstanceOf(StringItem.class);
            assertThat(members.put((String) member.get(), member.getParams()))
                    .as("twice in %s: %s", header, member.get())
                    .isNull();
        }
        return members;
    }

    private static long integer(Item<?> value) {
        assertThat(value).isInstanceOf(IntegerItem.class);
        return ((IntegerItem) value).getAsLong();
    }
}
