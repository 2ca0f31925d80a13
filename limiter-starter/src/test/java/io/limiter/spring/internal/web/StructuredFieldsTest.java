package io.limiter.spring.internal.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.greenbytes.http.sfv.ParseException;
import org.greenbytes.http.sfv.Parser;
import org.greenbytes.http.sfv.StringItem;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The cases of httpwg/structured-field-tests (1e280c3) for what the {@code RateLimit} headers consist of: names as strings, integers,
 * and lists with parameters. {@link RateLimitFields} checks the answers of servers with the parser that passes them here.
 */
class StructuredFieldsTest {

    private static List<JsonNode> cases(String... files) throws IOException {
        List<JsonNode> cases = new ArrayList<>();
        for (String file : files) {
            new ObjectMapper()
                    .readTree(StructuredFieldsTest.class.getResource("/structured-field-tests/" + file))
                    .forEach(cases::add);
        }
        return cases;
    }

    private static Stream<JsonNode> strings() throws IOException {
        return cases("string.json", "string-generated.json").stream()
                .filter(each -> each.path("expected").path(0).isTextual());
    }

    @Test
    void each_name_that_is_a_string_is_sent_as_it_is() throws IOException {
        assertThat(strings()).hasSizeGreaterThan(90).allSatisfy(each -> {
            JsonNode sent = each.path(each.has("canonical") ? "canonical" : "raw");
            assertThat(Quota.fieldString(each.path("expected").path(0).asText()))
                    .as(each.path("name").asText())
                    .isEqualTo(sent.path(0).asText());
        });
    }

    @Test
    void a_name_that_no_string_can_be_is_encoded_as_one() throws IOException {
        assertThat(cases("serialise-string-generated.json"))
                .hasSizeGreaterThan(30)
                .allSatisfy(each -> assertThat(new Parser(Quota.fieldString(
                                        each.path("expected").path(0).asText()))
                                .parseItem())
                        .as(each.path("name").asText())
                        .isInstanceOf(StringItem.class));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "string.json",
                "string-generated.json",
                "number.json",
                "list.json",
                "param-list.json",
                "item.json"
            })
    void the_parser_of_the_tests_accepts_what_is_valid_and_nothing_else(String file) throws IOException {
        assertThat(cases(file)).isNotEmpty().allSatisfy(each -> {
            if (each.path("can_fail").asBoolean()) {
                return;
            }
            String[] raw = new String[each.path("raw").size()];
            for (int i = 0; i < raw.length; i++) {
                raw[i] = each.path("raw").path(i).asText();
            }
            boolean item = each.path("header_type").asText().equals("item");
            if (each.path("must_fail").asBoolean()) {
                assertThatThrownBy(() -> parse(item, raw))
                        .as(each.path("name").asText())
                        .isInstanceOf(ParseException.class);
            } else {
                parse(item, raw);
            }
        });
    }

    private static void parse(boolean item, String... raw) {
        Parser parser = new Parser(raw);
        if (item) {
            parser.parseItem();
        } else {
            parser.parseList();
        }
    }
}
