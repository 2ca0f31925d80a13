package io.limiter.spring.internal.web.usage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.limiter.testing.Fuzz;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class UsageReaderTest {

    private static final String JSON = "application/json";
    private static final String EVENTS = "text/event-stream;charset=UTF-8";
    private static final String TOTAL = "response-json:/usage/total_tokens";

    private static UnaryOperator<String> type(String contentType) {
        return name -> name.equals("Content-Type") ? contentType : null;
    }

    private static long number(String source, String contentType, String body) {
        UsageReader reader = new UsageReader(UsageSources.parse(List.of(source)), List.of());
        reader.read(ByteBuffer.wrap(body.getBytes(StandardCharsets.UTF_8)), type(contentType));
        return reader.number();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{'usage':{'total_tokens':7}}                            | 7",
                " { 'usage' : { 'x' : [{'total_tokens':1}], 'total_tokens' : 7 } } | 7",
                "{'usage':{'total_tokens':7},'usage':{'total_tokens':9}} | 9",
                "{'usage':{'total_tokens':7}}{'usage':{'total_tokens':9}}| 9",
                "{'usage':{'total_tokens':7}}\\n{'usage':null}            | 7",
                "{'usage':{'total_tokens':0}}                            | 0",
                "{'usage':{'total_tokens':6.01}}                         | 7",
                "{'usage':{'total_tokens':7e2}}                          | 700",
                "{'usage':{'total_tokens':1e-999999999}}                 | 1",
                "{'usage':{'total_tokens':9007199254740991}}             | 9007199254740991",
                "{'usage':{'total_tokens':9007199254740992}}             | -1",
                "{'usage':{'total_tokens':1e999999999}}                  | -1",
                "{'usage':{'total_tokens':7},'usage':{'total_tokens':-1}}| -1",
                "{'usage':{'total_tokens':'7'}}                          | -1",
                "{'usage':{'total_tokens':null}}                         | -1",
                "{'usage':{'total_tokens':[7]}}                          | -1",
                "{'usage':{'total_tokens':{'total_tokens':7}}}           | -1",
                "{'usage':{'total_tokens':1-2}}                          | -1",
                "{'usage':{'total_tokens':7                              | -1",
                "{'usage':{'total_tokens':7,                             | 7",
                "{'usage':{'total':7,'tokens':7}}                        | -1",
                "{'total_tokens':7}                                      | -1",
                "[{'usage':{'total_tokens':7}}]                          | -1",
                "{'x':{'usage':{'total_tokens':7}}}                      | -1",
                "{'text':'{\\'usage\\':{\\'total_tokens\\':7}}'}         | -1",
                "{'text':'\\\\','usage':{'total_tokens':7}}              | 7",
                "{'\\u0075sage':{'total\\u005ftokens':7}}                | 7",
                "{'\\ud800usage':{'total_tokens':7}}                     | -1",
                "{'usage\\ud800':{'total_tokens':7}}                     | -1",
                "not json {'usage':{'total_tokens':7}}                   | -1",
                "{'usage' {'total_tokens':7}}                            | -1",
                "{'a':tru,'usage':{'total_tokens':7}}                    | -1",
                "''                                                      | -1",
                "{'a':[NaN,Infinity,-Infinity,-1],'usage':{'total_tokens':7}} | 7",
                "{'usage':{'total_tokens':7},'usage':{'total_tokens':-Infinity}} | 7",
                "{'usage':{'total_tokens':NaN}}                          | -1",
                "{'a':Nan,'usage':{'total_tokens':7}}                    | -1",
            })
    void the_last_number_at_a_pointer_counts(String body, long expected) {
        assertThat(number(TOTAL, JSON, body.replace('\'', '"').replace("\\n", "\n")))
                .isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "/a/b + /c, 5",
        "/a/b+/c+/d/1, 12",
        "/d/0, 6",
        "/d/3/x, 4",
        "/x~1y~0z, 10",
        "/ä😀, 11",
        "/, 12",
        "/p+q+/c, 16",
        "/a/b+/missing, -1",
        "/d/01, -1",
        "/d/-, -1"
    })
    void pointers_lead_through_objects_and_arrays_and_add_up(String pointers, long expected) {
        String body =
                "{\"a\":{\"b\":2},\"c\":3,\"d\":[6,7,[1,2],{\"x\":4}],\"x/y~z\":10,\"ä\\ud83d\\ude00\":11,\"\":12,\"p+q\":13}";
        assertThat(number("response-json:" + pointers, JSON, body)).isEqualTo(expected);
    }

    @Test
    void numbers_that_add_up_to_more_than_permits_can_be_are_none() {
        assertThat(number("response-json:/a+/b", JSON, "{\"a\":9007199254740991,\"b\":1}"))
                .isEqualTo(UsageReader.NONE);
    }

    @ParameterizedTest
    @CsvSource({
        "application/json, 7",
        "Application/JSON; charset=utf-8, 7",
        "application/vnd.api+json, 7",
        "application/x-ndjson, 7",
        "text/plain, -1",
        "application/jsonp, -1",
        ", -1"
    })
    void only_json_is_read(String contentType, long expected) {
        assertThat(number(TOTAL, contentType, "{\"usage\":{\"total_tokens\":7}}"))
                .isEqualTo(expected);
    }

    @Test
    void a_byte_order_mark_may_be_ahead_of_a_body() {
        String value = "{\"usage\":{\"total_tokens\":7}}";
        assertThat(number(TOTAL, JSON, "\uFEFF " + value)).isEqualTo(7);
        assertThat(number(TOTAL, JSON, value + "\uFEFF" + value.replace('7', '8')))
                .isEqualTo(7);
        assertThat(number(TOTAL, JSON, "\uFEFE" + value)).isEqualTo(UsageReader.NONE);
        assertThat(number(TOTAL, JSON, "\uFEFF\uFEFF" + value)).isEqualTo(UsageReader.NONE);
    }

    @Test
    void a_compressed_body_is_not_read() {
        UsageReader reader = new UsageReader(UsageSources.parse(List.of(TOTAL)), List.of());
        Map<String, String> headers = Map.of("Content-Type", JSON, "Content-Encoding", "gzip");
        reader.read(ByteBuffer.wrap("{\"usage\":{\"total_tokens\":7}}".getBytes(StandardCharsets.UTF_8)), headers::get);
        assertThat(reader.number()).isEqualTo(UsageReader.NONE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"\n", "\r\n", "\r"})
    void each_event_is_a_value_of_its_own(String newLine) {
        String stream = """
                \uFEFF: a comment

                event: first
                data: {"usage":null,"text":"{
                data:{"usage":{"total_tokens":1}}

                data: [DONE]

                data
                datax: {"usage":{"total_tokens":2}}
                dat: {"usage":{"total_tokens":3}}
                retry: {"usage":{"total_tokens":4}}
                data: {"usage":
                id: 5
                data: {"total_tokens":6}}
                data:

                data: {"usage":{"total_tokens":
                """.replace("\n", newLine);
        assertThat(number(TOTAL, EVENTS, stream)).isEqualTo(6);
        assertThat(number(TOTAL, EVENTS, stream.substring(0, stream.indexOf("[DONE]"))))
                .isEqualTo(UsageReader.NONE);
    }

    @Test
    void the_first_source_that_has_a_number_counts() {
        UsageSources sources = UsageSources.parse(
                List.of("response-header:X-Usage", " response-json:/message/in+/out", "response-json:/in+/out"));
        UsageReader reader = new UsageReader(sources, List.of());
        reader.read(ByteBuffer.wrap("{\"in\":1,\"out\":2}".getBytes(StandardCharsets.UTF_8)), type(JSON));
        assertThat(reader.number()).isEqualTo(3);
        reader.read(ByteBuffer.wrap("{\"message\":{\"in\":5}}".getBytes(StandardCharsets.UTF_8)), type(JSON));
        assertThat(reader.number()).isEqualTo(7);
        for (String header : new String[] {"", "many", "-1", "1".repeat(65)}) {
            reader.headers(Map.of("X-Usage", header)::get);
            assertThat(reader.number()).as(header).isEqualTo(7);
        }
        reader.headers(Map.of("X-Usage", " 8.5 ")::get);
        assertThat(reader.number()).isEqualTo(9);
    }

    @Test
    void a_body_that_is_not_sent_does_not_count() {
        UsageReader reader = new UsageReader(UsageSources.parse(List.of(TOTAL)), List.of());
        reader.read(ByteBuffer.wrap("{\"usage\":{\"total_tokens\":7}}{".getBytes(StandardCharsets.UTF_8)), type(JSON));
        reader.discard();
        assertThat(reader.number()).isEqualTo(UsageReader.NONE);
        reader.read(
                ByteBuffer.wrap("data: {\"usage\":{\"total_tokens\":8}}\n".getBytes(StandardCharsets.UTF_8)),
                type(EVENTS));
        assertThat(reader.number()).isEqualTo(8);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "usage",
                "response-header:",
                "response-header:a b",
                "response-json:",
                "response-json:usage",
                "response-json:/a+b+",
                "response-json:/a~2",
                "response-json:+/a",
                "header:X-Usage"
            })
    void what_is_no_source_is_an_error(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> UsageSources.parse(List.of(text.equals("response-json:/a+b+") ? text + "/~" : text)))
                .withMessageContaining("must be");
    }

    @Test
    void random_values_in_random_pieces_have_the_numbers_that_a_parser_finds() {
        ObjectMapper mapper = new ObjectMapper();
        Fuzz.run(20, random -> {
            RandomJson json = new RandomJson(random);
            String pointer = json.pointer();
            boolean events = random.nextBoolean();
            StringBuilder body = new StringBuilder(random.nextInt(4) == 0 ? "\uFEFF" : "");
            long last = UsageReader.NONE;
            for (int n = random.nextInt(4); n >= 0; n--) {
                String value = json.value(0);
                body.append(events ? "data: " + value.replace("\n", "\ndata: ") + "\n\n" : value + "\n");
                JsonNode found = parsed(mapper, value).at(pointer);
                last = found.isNumber() ? UsageReader.number(found.asText()) : last;
            }
            assertThat(inPieces(random, "response-json:" + pointer, events ? EVENTS : JSON, body.toString()))
                    .as("%s of %s", pointer, body)
                    .isEqualTo(last);
        });
    }

    private static JsonNode parsed(ObjectMapper mapper, String value) {
        try {
            return mapper.readTree(value);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(value, e);
        }
    }

    @Test
    void random_bytes_do_no_harm() {
        Fuzz.run(20, random -> {
            String body = Fuzz.text(
                    random, 60, "{", "}", "[", "]", "\"", "a", ":", ",", "\\", "u00", "1", "-", "e9", " ", "\n",
                    "data:");
            assertThat(inPieces(random, "response-json:/a", random.nextBoolean() ? EVENTS : JSON, "{\"a\":" + body))
                    .as(body)
                    .isGreaterThanOrEqualTo(UsageReader.NONE);
        });
    }

    private static long inPieces(Random random, String source, String contentType, String body) {
        UsageReader reader = new UsageReader(UsageSources.parse(List.of(source)), List.of());
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        ByteBuffer direct = ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
        for (int from = 0; from < bytes.length; ) {
            int to = Math.min(bytes.length, from + 1 + random.nextInt(1 + random.nextInt(20)));
            ByteBuffer piece = random.nextBoolean()
                    ? ByteBuffer.wrap(bytes, from, to - from)
                    : direct.duplicate().position(from).limit(to).slice();
            int remaining = piece.remaining();
            reader.read(piece, type(contentType));
            assertThat(piece.remaining()).isEqualTo(remaining);
            from = to;
        }
        return reader.number();
    }

    /** Values of few names, so that pointers often lead somewhere. */
    private record RandomJson(Random random) {

        private static final List<String> NAMES =
                List.of("a", "ab", "usage", "ä", "漢字", "😀x", "a/b", "~", "", "0", "\"q\"");
        private static final List<String> SPACES = List.of("", "", "", " ", "\n", "\t ");

        String pointer() {
            StringBuilder pointer = new StringBuilder();
            for (int n = 1 + random.nextInt(3); n > 0; n--) {
                String part = random.nextInt(3) == 0
                        ? String.valueOf(random.nextInt(3))
                        : NAMES.get(random.nextInt(NAMES.size()));
                pointer.append('/').append(part.replace("~", "~0").replace("/", "~1"));
            }
            return pointer.toString();
        }

        private String space() {
            return SPACES.get(random.nextInt(SPACES.size()));
        }

        private String text(String text) {
            StringBuilder written = new StringBuilder("\"");
            text.codePoints().forEach(c -> {
                boolean escaped = c == '"' || c == '\\' || random.nextInt(5) == 0;
                for (char unit : Character.toChars(c)) {
                    written.append(
                            escaped
                                    ? String.format("\\u%04" + (random.nextBoolean() ? "x" : "X"), (int) unit)
                                    : String.valueOf(unit));
                }
            });
            return written.append('"').toString();
        }

        String value(int depth) {
            int kind = random.nextInt(depth == 0 ? 3 : depth < 4 ? 8 : 5);
            String value = depth == 0 || kind >= 5
                    ? random.nextInt(3) == 0 ? array(depth) : object(depth)
                    : switch (kind) {
                        case 0 ->
                            text("{\"a\":1, \\ "
                                    + NAMES.get(random.nextInt(NAMES.size())).repeat(1 + random.nextInt(9)));
                        case 1 -> List.of("true", "false", "null").get(random.nextInt(3));
                        default ->
                            List.of("0", "7", "-3", "12.5", "1e3", "2E-1", "123456789012345678901234567890")
                                    .get(random.nextInt(7));
                    };
            return space() + value + space();
        }

        private String array(int depth) {
            List<String> elements = new ArrayList<>();
            for (int n = random.nextInt(4); n > 0; n--) {
                elements.add(value(depth + 1));
            }
            return "[" + space() + String.join(",", elements) + "]";
        }

        private String object(int depth) {
            List<String> names = new ArrayList<>(NAMES);
            Collections.shuffle(names, random);
            List<String> members = new ArrayList<>();
            for (int n = random.nextInt(6); n > 0; n--) {
                members.add(space() + text(names.get(n)) + space() + ":" + value(depth + 1));
            }
            return "{" + space() + String.join(",", members) + "}";
        }
    }
}
