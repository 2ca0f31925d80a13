package io.limiter.spring.key.spel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.spring.key.KeyRequest;
import io.limiter.spring.key.MissingLimitKeyException;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RequestKeyTest {

    private static final String NO_ADDRESS = "no address";

    private record Request(@Nullable String user, Map<String, String> values) implements KeyRequest {

        @Override
        public String method() {
            return "GET";
        }

        @Override
        public String path() {
            return "/a/b";
        }

        @Override
        public @Nullable String header(String name) {
            return values.get("header " + name);
        }

        @Override
        public @Nullable String cookie(String name) {
            return values.get("cookie " + name);
        }

        @Override
        public @Nullable String param(String name) {
            return values.get("param " + name);
        }

        @Override
        public @Nullable String claim(String name) {
            return values.get("claim " + name);
        }

        @Override
        public String ip() {
            if (values.containsKey(NO_ADDRESS)) {
                throw new MissingLimitKeyException("the request has no remote address");
            }
            return "1.2.3.4";
        }
    }

    private static final Request ANN = new Request(
            "ann", Map.of("header X-Key", "k1", "cookie sid", "s1", "param q", "a:b", "claim https://a.b/plan", "pro"));
    private static final Request ANONYMOUS = new Request(null, Map.of());

    @ParameterizedTest
    @ValueSource(strings = {"#{1}", "#{'x'}", "#{number('1') + 2}"})
    void a_key_that_reads_nothing_of_the_request_is_rejected(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RequestKey.parse(text))
                .withMessage(
                        "'" + text + "' is the same for all calls, because it reads nothing of the request: use all");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '^', textBlock = """
                    ip                                     | 1.2.3.4         | 1.2.3.4
                    user                                   | user:ann        | ip:1.2.3.4
                    #{method}:#{path}                      | GET:/a/b        | GET:/a/b
                    #{header('X-Key') ?: ip}               | k1              | 1.2.3.4
                    #{user != null ? user : 'guest'}       | ann             | guest
                    #{param('q') ?: '-'}:#{ip}             | a\\:b:1.2.3.4   | -:1.2.3.4
                    #{path.length() > 3 ? 'long' : 'short'} | long           | long
                    #{method.toLowerCase().trim().strip()} | get             | get
                    """)
    void a_key_is_found_in_the_request(String text, String ofAnn, String ofAnonymous) {
        RequestKey key = RequestKey.parse(text);
        assertThat(key.of(ANN)).isEqualTo(ofAnn);
        assertThat(key.of(ANONYMOUS)).isEqualTo(ofAnonymous);
    }

    @Test
    void all_share_one() {
        assertThat(RequestKey.parse("all").of(ANN)).isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "header:X-Key",
                "cookie:sid",
                "claim:https://a.b/plan",
                "#{header('X-Key')}",
                "#{param('q').length()}"
            })
    void a_request_without_its_key_is_rejected(String text) {
        RequestKey key = RequestKey.parse(text);
        assertThat(key.of(ANN)).isNotBlank();
        assertThatThrownBy(() -> key.of(ANONYMOUS)).isInstanceOf(MissingLimitKeyException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"ip", "user", "#{ip}", "#{header('X-Key') ?: ip}"})
    void a_request_whose_address_is_unknown_is_rejected(String text) {
        Request request = new Request(null, Map.of(NO_ADDRESS, ""));
        assertThatThrownBy(() -> RequestKey.parse(text).of(request)).isInstanceOf(MissingLimitKeyException.class);
    }

    @ParameterizedTest
    @CsvSource({
        "ip, false",
        "user, true",
        "header:user, false",
        "claim:plan, true",
        "#{claim('plan')}, true",
        "#{user}, true",
        "#{method}:#{user ?: ip}, true"
    })
    void a_key_declares_whether_it_uses_the_user(String text, boolean usesUser) {
        assertThat(RequestKey.parse(text).usesUser()).isEqualTo(usesUser);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "IP",
                "header:",
                "header:a b",
                "cookie:a;b",
                "phone",
                "#{phone}",
                "#{header}",
                "#{header()}",
                "#{header('a', 'b')}",
                "#{getHeader('a')}",
                "#{path.class}",
                "#{path.bytes}",
                "#{path.concat('x')}",
                "#{path.length(1)}",
                "#{T(java.lang.Runtime).getRuntime()}",
                "#{new java.lang.String('a')}",
                "#{@bean.name}",
                "#{#root}",
                "#{#this.path}",
                "#{path = 'x'}",
                "#{{1,2}}",
                "#{path[0]}",
                "#{user}#{path}",
                "#{user",
                "#{}"
            })
    void what_cannot_work_or_must_not_be_used_is_rejected(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> RequestKey.parse(text));
    }

    @Test
    void a_plan_is_read_as_a_key_is() {
        assertThat(RequestKey.plan("header:X-Key").of(ANN)).isEqualTo("k1");
        assertThat(RequestKey.plan("#{claim('https://a.b/plan')}").of(ANN)).isEqualTo("pro");
        for (String none : new String[] {"ip", "user", "all", "pro", ""}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> RequestKey.plan(none))
                    .withMessageStartingWith("must be header:<name>, cookie:<name>, claim:<name>, or a text with");
        }
    }
}
