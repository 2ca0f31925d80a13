package io.limiter.spring.key.spel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.spring.annotation.LimitType;
import io.limiter.spring.key.CallKey;
import io.limiter.spring.key.ClientAddress;
import io.limiter.spring.key.CurrentUser;
import io.limiter.spring.key.MissingLimitKeyException;
import io.limiter.spring.key.SecurityPrincipals;
import io.limiter.spring.web.servlet.CurrentRequest;
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

class CallKeysTest {

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
        assertThat(keys(null, null).of(LimitType.METHOD, List.of(), method())).isEmpty();
    }

    @Test
    void ip() throws Exception {
        assertThat(keys(() -> "1.2.3.4", null)
                        .of(LimitType.IP, List.of(), method())
                        .get(0)
                        .of(NO_ARGUMENTS))
                .isEqualTo("1.2.3.4");
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
                .isThrownBy(() -> keys(null, null).of(type, List.of("#{phone}"), method()))
                .withMessageContaining("key '#{phone}' has no effect with limitType " + type)
                .withMessageContaining("leave the limitType out, or leave the key out");
    }

    @Test
    void a_missing_bean_is_named() {
        keys(null, null).checkAvailable(LimitType.METHOD);
        keys(null, null).checkAvailable(LimitType.CUSTOM);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> keys(null, null).checkAvailable(LimitType.IP))
                .withMessageContaining(ClientAddress.class.getName());
        assertThatIllegalArgumentException()
                .isThrownBy(() -> keys(null, null).checkAvailable(LimitType.USER))
                .withMessageContaining(CurrentUser.class.getName());
    }

    @Test
    void beans_are_looked_up_until_they_exist() throws Exception {
        List<ClientAddress> results = new ArrayList<>(Arrays.asList(null, () -> "1.2.3.4"));
        CallKeys keys = new CallKeys(() -> results.remove(0), () -> null);
        CallKey ip = keys.of(LimitType.IP, List.of(), method()).get(0);
        assertThat(results).hasSize(2);
        assertThatThrownBy(() -> ip.of(NO_ARGUMENTS)).isInstanceOf(MissingLimitKeyException.class);
        assertThat(ip.of(NO_ARGUMENTS)).isEqualTo("1.2.3.4");
        assertThat(ip.of(NO_ARGUMENTS)).as("not looked up again").isEqualTo("1.2.3.4");
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
        return keys(address, user)
                .of(LimitType.USER, List.of(), method())
                .get(0)
                .of(NO_ARGUMENTS);
    }

    private static CallKeys keys(ClientAddress address, CurrentUser user) {
        return new CallKeys(() -> address, () -> user);
    }

    private static Method method() {
        try {
            return Runnable.class.getMethod("run");
        } catch (NoSuchMethodException e) {
            throw new AssertionError(e);
        }
    }
}
