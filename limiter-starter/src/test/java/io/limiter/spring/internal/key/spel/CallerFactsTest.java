package io.limiter.spring.internal.key.spel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.spring.annotation.LimitType;
import io.limiter.spring.internal.key.CallerFacts;
import io.limiter.spring.internal.key.SecurityPrincipals;
import io.limiter.spring.internal.web.servlet.CurrentRequest;
import io.limiter.spring.key.ClientAddress;
import io.limiter.spring.key.CurrentUser;
import io.limiter.spring.key.MissingLimitKeyException;
import java.lang.reflect.Method;
import java.security.Principal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.security.authentication.AnonymousAuthenticationToken;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

class CallerFactsTest {

    private static final Object[] NO_ARGUMENTS = {};

    private final CurrentUser security =
            SecurityPrincipals.currentUser(SecurityContextHolder::getContextHolderStrategy, CurrentRequest::user);

    @AfterEach
    void clear() {
        SecurityContextHolder.clearContext();
        RequestContextHolder.resetRequestAttributes();
    }

    @Test
    void method_has_no_key() throws Exception {
        assertThat(RuleKey.ofMethod(LimitType.METHOD, List.of(), method()).isShared())
                .isTrue();
    }

    @Test
    void ip() throws Exception {
        assertThat(RuleKey.ofMethod(LimitType.IP, List.of(), method()).of(NO_ARGUMENTS, facts(() -> "1.2.3.4", null)))
                .containsExactly("1.2.3.4");
    }

    @Test
    void user_and_anonymous_never_share_a_key() throws Exception {
        assertThat(user(() -> "1.2.3.4", () -> "bob")).isEqualTo("user:bob");
        assertThat(user(() -> "1.2.3.4", () -> "ip:1.2.3.4")).isEqualTo("user:ip:1.2.3.4");
        assertThat(user(() -> "1.2.3.4", () -> null)).isEqualTo("ip:1.2.3.4");
    }

    @Test
    void no_key_is_rejected() {
        assertThatThrownBy(() -> user(() -> "1.2.3.4", () -> " ")).isInstanceOf(MissingLimitKeyException.class);
        assertThatThrownBy(() -> user(null, () -> null))
                .isInstanceOf(MissingLimitKeyException.class)
                .hasMessageContaining("no request");
        assertThatThrownBy(() -> user(() -> "", () -> null)).isInstanceOf(MissingLimitKeyException.class);
    }

    @ParameterizedTest
    @EnumSource(value = LimitType.class, mode = EnumSource.Mode.EXCLUDE, names = "CUSTOM")
    void key_is_for_custom_only(LimitType type) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RuleKey.ofMethod(type, List.of("#{phone}"), method()))
                .withMessageContaining("key '#{phone}' has no effect with limitType " + type)
                .withMessageContaining("leave the limitType out, or leave the key out");
    }

    @Test
    void a_missing_bean_is_named() {
        checkAvailable(LimitType.METHOD);
        checkAvailable(LimitType.CUSTOM, "#{phone}");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> checkAvailable(LimitType.IP))
                .withMessageStartingWith("limitType IP needs a web application, and there is none: define a bean of")
                .withMessageContaining(ClientAddress.class.getName());
        assertThatIllegalArgumentException()
                .isThrownBy(() -> checkAvailable(LimitType.USER))
                .withMessageContaining(CurrentUser.class.getName());
        assertThatIllegalArgumentException()
                .isThrownBy(() -> checkAvailable(LimitType.CUSTOM, "#{phone}/#{ip()}"))
                .withMessageStartingWith("ip() needs a web application, and there is none: define a bean of type "
                        + ClientAddress.class.getName());
        assertThatIllegalArgumentException()
                .isThrownBy(() -> checkAvailable(LimitType.CUSTOM, "claim:tenant"))
                .withMessageStartingWith("claim() needs Spring Security or a web application, and there is none");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> checkAvailable(LimitType.CUSTOM, "header:X-Api-Key"))
                .withMessage("header() needs a web application, and there is none: use the arguments of the method");
    }

    private static void checkAvailable(LimitType type, String... path) {
        RuleKey.ofMethod(type, List.of(path), ofPhone()).needs().checkAvailable(facts(null, null), type);
    }

    @Test
    void without_a_request_there_are_no_facts_of_one() {
        CallerFacts none = new CallerFacts(() -> () -> "1.2.3.4", () -> () -> null, () -> () -> null);
        for (String text :
                List.of("header:X", "#{cookie('X') ?: 'none'}", "#{param('X')}", "#{method()}", "#{path()}")) {
            KeyTemplate key = RuleKey.ofMethod(text, method());
            assertThatThrownBy(() -> key.of(NO_ARGUMENTS, none))
                    .isInstanceOf(MissingLimitKeyException.class)
                    .hasMessageStartingWith("there is no request that has ")
                    .hasMessageContaining("call the limited method in the thread of a request");
        }
        assertThat(RuleKey.ofMethod("#{user() ?: ip()}", method()).of(NO_ARGUMENTS, none))
                .isEqualTo("1.2.3.4");
    }

    @Test
    void beans_are_looked_up_until_they_exist() throws Exception {
        List<ClientAddress> results = new ArrayList<>(Arrays.asList(null, () -> "1.2.3.4"));
        CallerFacts facts = new CallerFacts(() -> results.remove(0), () -> null, () -> null);
        assertThat(results).hasSize(2);
        assertThatThrownBy(facts::ip).isInstanceOf(MissingLimitKeyException.class);
        assertThat(facts.ip()).isEqualTo("1.2.3.4");
        assertThat(facts.ip()).as("not looked up again").isEqualTo("1.2.3.4");
    }

    static Stream<Arguments> authentications() {
        TestingAuthenticationToken unproven = new TestingAuthenticationToken("bob", "x");
        unproven.setAuthenticated(false);
        return Stream.of(
                Arguments.of(new TestingAuthenticationToken("bob", "x", "USER"), "bob"),
                Arguments.of(unproven, null),
                Arguments.of(
                        new AnonymousAuthenticationToken(
                                "k", "anonymousUser", AuthorityUtils.createAuthorityList("ROLE_ANONYMOUS")),
                        null),
                Arguments.of(null, null));
    }

    @ParameterizedTest
    @MethodSource("authentications")
    void the_user_of_spring_security_is_authenticated(Authentication authentication, String user) {
        SecurityContextHolder.getContext().setAuthentication(authentication);
        assertThat(security.name()).isEqualTo(user);
    }

    @Test
    void the_user_of_a_request_is_its_principal() {
        MockHttpServletRequest request = new MockHttpServletRequest();
        RequestContextHolder.setRequestAttributes(new ServletRequestAttributes(request));
        assertThat(CurrentRequest.user()).isNull();
        request.setUserPrincipal(() -> "alice");
        assertThat(CurrentRequest.user()).extracting(Principal::getName).isEqualTo("alice");
    }

    @Test
    void the_user_of_spring_security_precedes_that_of_the_request() {
        MockHttpServletRequest request = new MockHttpServletRequest();
        request.setUserPrincipal(() -> "alice");
        RequestContextHolder.setRequestAttributes(new ServletRequestAttributes(request));
        assertThat(security.name()).isEqualTo("alice");
        SecurityContextHolder.getContext().setAuthentication(new TestingAuthenticationToken("bob", "x", "USER"));
        assertThat(security.name()).isEqualTo("bob");
    }

    private static String user(ClientAddress address, CurrentUser user) throws Exception {
        return RuleKey.ofMethod(LimitType.USER, List.of(), method())
                .of(NO_ARGUMENTS, facts(address, user))
                .get(0);
    }

    private static CallerFacts facts(ClientAddress address, CurrentUser user) {
        return new CallerFacts(() -> address, () -> user, () -> null);
    }

    @SuppressWarnings("unused")
    static void call(String phone) {}

    private static Method ofPhone() {
        try {
            return CallerFactsTest.class.getDeclaredMethod("call", String.class);
        } catch (NoSuchMethodException e) {
            throw new AssertionError(e);
        }
    }

    private static Method method() {
        try {
            return Runnable.class.getMethod("run");
        } catch (NoSuchMethodException e) {
            throw new AssertionError(e);
        }
    }
}
