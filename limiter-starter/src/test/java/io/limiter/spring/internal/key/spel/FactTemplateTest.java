package io.limiter.spring.internal.key.spel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.limiter.spring.annotation.LimitType;
import io.limiter.spring.internal.key.CallerFacts;
import io.limiter.spring.key.CurrentUser;
import io.limiter.spring.key.KeyRequest;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.core.ResolvableType;

/** The twin of {@link KeyTemplateTest} for facts of a request: each row holds in annotations and in rules. */
class FactTemplateTest {

    private static final TestRequest REQUEST = new TestRequest(
            "ann",
            Map.of(
                    "header X-Phone", "0171",
                    "cookie sid", " s1 ",
                    "param n", "7",
                    "param list", "a,b",
                    "claim tenant", "ACME",
                    "claim https://a.b/plan", "pro"));

    /** What a row of {@link KeyTemplateTest#templates} has of an argument, these have of the request, in annotations and rules alike. */
    @ParameterizedTest
    @MethodSource("templates")
    void reads_facts_in_annotations_and_in_rules(String template, String expected) throws Exception {
        assertThat(RuleKey.ofMethod(LimitType.CUSTOM, List.of(template), KeyTemplateTest.method("send"))
                        .of(KeyTemplateTest.CALL, REQUEST))
                .containsExactly(expected);
        assertThat(RuleKey.ofRule(List.of(template)).of(REQUEST)).containsExactly(expected);
    }

    @ParameterizedTest
    @MethodSource("rejections")
    void rejects_of_facts_in_annotations_and_in_rules(String template, String problem) throws Exception {
        Method send = KeyTemplateTest.method("send");
        for (ThrowingCallable parse : List.<ThrowingCallable>of(
                () -> RuleKey.ofMethod(LimitType.CUSTOM, List.of(template), send),
                () -> RuleKey.ofRule(List.of(template)))) {
            assertThatIllegalArgumentException()
                    .isThrownBy(parse)
                    .withMessageContaining(problem)
                    .withMessageContaining(template);
        }
    }

    /** A new source has no other place to be forgotten in. */
    @ParameterizedTest
    @EnumSource
    void every_source_is_read_for_methods_and_kept_until_the_outcome_is_known(KeySource source) throws Exception {
        KeyRequest request = (KeyRequest) Proxy.newProxyInstance(
                KeyRequest.class.getClassLoader(),
                new Class<?>[] {KeyRequest.class},
                (proxy, method, arguments) -> "the " + method.getName());
        CallerFacts caller = new CallerFacts(
                () -> request::ip,
                () -> new CurrentUser() {
                    @Override
                    public @Nullable String name() {
                        return request.user();
                    }

                    @Override
                    public @Nullable String claim(String claim) {
                        return request.claim(claim);
                    }
                },
                () -> () -> request);
        Method send = KeyTemplateTest.method("send");
        String value = "the " + source.function();
        assertThat(RuleKey.ofMethod("#{" + source.call() + "}", send).of(KeyTemplateTest.CALL, caller))
                .isEqualTo(value);
        CallCharge charge = CallCharge.parse(
                "#{" + source.call() + " == '" + value + "'}", "", send, ResolvableType.forClass(String.class));
        assertThat(charge).isNotNull();
        assertThat(charge.of(KeyTemplateTest.CALL, charge.kept(request), null, null, 0, 3))
                .isEqualTo(3);
    }

    @Test
    void arguments_and_facts_go_together() throws Exception {
        assertThat(RuleKey.ofMethod("#{phone}/#{user()}/#{params[header('name')]}", KeyTemplateTest.method("send"))
                        .of(KeyTemplateTest.CALL, new TestRequest("ann", Map.of("header name", "phone"))))
                .isEqualTo("0171/ann/0172");
        assertThat(RuleKey.ofMethod("#{user.id ?: user()}", KeyTemplateTest.method("send"))
                        .of(KeyTemplateTest.CALL, REQUEST))
                .as("a bare name is an argument")
                .isEqualTo("bob");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '^', textBlock = """
                    #{ip}       | uses 'ip', which is not an argument (the method has [a, b] and #p0 to #p1): write ip()
                    #{user}     | : write user()
                    #{header}   | or write header('X-Tenant')
                    #{#ip}      | or write ip()
                    ip          | leave the key out and use limitType IP for the address of the caller, or write #{ip()}
                    user        | leave the key out and use limitType USER for the user who is logged in, or write #{user()}
                    header:     | must be header:<name>, cookie:<name>, param:<name>, claim:<name>, or a text with
                    cookie:a b  | must be header:<name>, cookie:<name>, param:<name>, claim:<name>, or a text with
                    """)
    void a_name_that_is_no_argument_names_the_function(String key, String problem) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RuleKey.ofMethod(key, KeyTemplateTest.method("two")))
                .withMessageContaining(problem);
    }

    static Stream<Arguments> templates() {
        return KeyTemplateTest.table("""
                header:X-Phone                            | 0171
                #{cookie('sid').trim()}                   | s1
                param:n                                   | 7
                claim:tenant                              | ACME
                claim:https://a.b/plan                    | pro
                #{header('X-Phone')}                      | 0171
                #{ip()}                                   | 1.2.3.4
                #{user()}                                 | ann
                #{user() != null ? user() : 'guest'}      | ann
                #{method()}:#{path()}                     | GET:/a/b
                #{claim('tenant')}                        | ACME
                #{claim('https://a.b/plan')}              | pro
                #{(header('X-Phone'))}                    | 0171
                #{header('X-Phone')?.length()}            | 4
                #{param('n')}                             | 7
                #{number(param('n')) + 1}                 | 8
                #{header('X-Phone')[0]}                   | 0
                #{header('X-Phone')[number(param('n')) - 6]} | 1
                #{header('X-None') ?: 'none'}             | none
                #{number(param('n')) > 5 ? user() : 'few'} | ann
                #{!(param('n') == '8') ? 'no' : 'yes'}    | no
                #{{user(), param('n')}}                   | [ann, 7]
                #{header('X-Phone').length()}             | 4
                #{header('X-Phone').length}               | 4
                #{cookie('sid').trim()}/#{cookie('sid').strip()} | s1/s1
                #{claim('tenant').trim().toLowerCase()}   | acme
                #{user().length()}/#{path().length()}     | 3/4
                #{param('list').isEmpty() ? 'none' : 'some'} | some
                #{normalize(claim('tenant'))}             | acme
                #{param('none') == null ? 'none' : 'some'} | none
                sms:#{header('X-Phone')}                  | sms:0171
                sms:#{header('X-Phone')}/#{user()}.       | sms:0171/ann.
                """);
    }

    static Stream<Arguments> rejections() {
        return KeyTemplateTest.table("""
                header:                                   | must be
                header:a b                                | must be
                cookie:a;b                                | must be
                #{user()                                  | cannot be parsed
                #{}                                       | cannot be parsed
                #{user()..x}                              | cannot be parsed
                #{fone}                                   | uses 'fone'
                #{#fone}                                  | uses 'fone'
                #{user() + fone}                          | uses 'fone'
                #{path()[fone + 1]}                       | uses 'fone'
                #{#root.user()}                           | must not use #root
                #{#this}                                  | must not use #this
                #{header('a')}#{user()}                   | two values side by side
                #{T(java.lang.Runtime).getRuntime()}      | must not use T(java.lang.Runtime)
                #{T(java.lang.System).exit(1)}            | must not use T(java.lang.System)
                #{new java.io.File(path())}               | must not use new java.io.File(path())
                #{@bean}                                  | must not use @bean
                #{&bean}                                  | must not use &bean
                #{user() = 'x'}                           | must not use
                #{number(param('n'))++}                   | must not use
                #{user().touch()}                         | must not use touch()
                #{user().toUpperCase()}                   | must not use toUpperCase()
                #{user().trim(1)}                         | must not use trim(1)
                #{trim()}                                 | must not use trim()
                #{user().toString}                        | must not use toString
                #{user().intern}                          | must not use intern
                #{user()?.intern}                         | must not use intern
                #{user().length(1)}                       | must not use length(1)
                #{size()}                                 | must not use size()
                #{user().size(touch())}                   | must not use size(touch())
                #{#touch(user())}                         | must not use
                #{user() instanceof T(String)}            | must not use T(String)
                #{{x:user()}}                             | must not use
                #{user().![touch()]}                      | must not use touch()
                #{user().?[true]}                         | must not use
                #{getHeader('a')}                         | must not use getHeader('a')
                #{header()}                               | must not use header(): write header('X-Tenant')
                #{header('a', 'b')}                       | must not use header('a','b'): write header('X-Tenant')
                #{header(user())}                         | must not use header(user()): write header('X-Tenant')
                #{header('a b')}                          | must not use header('a b'): write header('X-Tenant')
                #{param(' ')}                             | must not use param(' '): write param('id')
                #{ip('x')}                                | must not use ip('x'): write ip()
                #{1}                                      | same for all calls, because it reads nothing of the
                #{'x'}                                    | same for all calls, because it reads nothing
                a#{'x'.length()}:#{2 * 3}                 | same for all calls, because it reads nothing
                #{normalize('x')}                         | same for all calls, because it reads nothing
                #{user().class}                           | uses 'class', which is not a property of java.lang.String
                #{user().home}                            | uses 'home', which is not a property of java.lang.String
                #{user().bytes}                           | a byte[] has no toString() of its own
                #{user().trim().bytes}                    | a byte[] has no toString() of its own
                #{param('n') * 2}                         | which is a text: write number(param('n'))
                #{param('n') + 1}                         | which is a text: write number(param('n'))
                """);
    }
}
