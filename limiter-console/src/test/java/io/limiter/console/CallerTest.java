package io.limiter.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.security.Principal;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.http.HttpHeaders;
import org.springframework.security.authentication.AnonymousAuthenticationToken;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.authority.SimpleGrantedAuthority;

class CallerTest {

    @ParameterizedTest
    @CsvSource({
        "same-origin, , true",
        "same-origin, https://evil.example, true",
        "same-site, https://shop.example, false",
        "cross-site, https://evil.example, false",
        "none, , false",
        ", , true",
        ", https://shop.example, true",
        ", https://shop.example:443, true",
        ", https://SHOP.example, true",
        ", https://shop.example:8443, false",
        ", http://shop.example, false",
        ", https://evil.example, false",
        ", null, false",
        ", 'https://shop.example^', false"
    })
    void only_the_same_origin_and_clients_without_one_may_write(String site, String origin, boolean same) {
        HttpHeaders headers = new HttpHeaders();
        if (site != null) {
            headers.set("Sec-Fetch-Site", site);
        }
        if (origin != null) {
            headers.set("Origin", origin);
        }
        Caller caller = new Caller("ann", List.of(), headers::getFirst, URI.create("https://shop.example:443"), null);
        assertThat(caller.isSameOrigin()).isEqualTo(same);
    }

    @ParameterizedTest
    @CsvSource({
        "http://my_app:8080, http://my_app:8080, true",
        "http://my_app:8080, http://MY_app:8080, true",
        "http://my_app:8080, http://other_app:8080, false",
        "http://my_app:8080, http://my_app:8081, false",
        "http://my_app:8080, http://my_app, false",
        "http://my_app, http://my_app:80, true",
        "http://[::1]:8080, http://[::1]:8080, true",
        "http://[::1], http://[::1]:80, true",
        "http://[::1], http://[::2], false"
    })
    void hosts_with_underscores_and_addresses_are_compared(URI server, String origin, boolean same) {
        HttpHeaders headers = new HttpHeaders();
        headers.set("Origin", origin);
        assertThat(new Caller("ann", List.of(), headers::getFirst, server, null).isSameOrigin())
                .isEqualTo(same);
    }

    @ParameterizedTest
    @CsvSource({
        "application/json, true",
        "Application/JSON; charset=UTF-8, true",
        "text/plain, false",
        "application/x-www-form-urlencoded, false",
        ", false"
    })
    void only_json_is_read(String type, boolean json) {
        HttpHeaders headers = new HttpHeaders();
        if (type != null) {
            headers.set("Content-Type", type);
        }
        assertThat(new Caller(null, List.of(), headers::getFirst, URI.create("http://localhost"), null).sendsJson())
                .isEqualTo(json);
    }

    @Test
    void an_anonymous_login_is_none_and_others_have_their_authorities() {
        Caller anonymous = caller(new AnonymousAuthenticationToken(
                "key", "anonymousUser", List.of(new SimpleGrantedAuthority("ROLE_ANONYMOUS"))));
        assertThat(anonymous.user()).isNull();
        assertThat(anonymous.authorities()).isEmpty();
        assertThat(caller(null)).hasToString(anonymous.toString());
        Caller container = caller(() -> "ann");
        assertThat(container.user()).isEqualTo("ann");
        assertThat(container.authorities()).isEmpty();
        Caller login = caller(UsernamePasswordAuthenticationToken.authenticated(
                "ann", "", List.of(new SimpleGrantedAuthority("ROLE_OPERATOR"))));
        assertThat(login.hasOneOf(List.of("ROLE_VIEWER", "ROLE_OPERATOR"))).isTrue();
        assertThat(login.hasOneOf(List.of("ROLE_ANONYMOUS", "OPERATOR"))).isFalse();
    }

    private static final Function<String, String> NO_HEADER = any -> null;

    private static Caller caller(Principal principal) {
        return Caller.of(principal, NO_HEADER, URI.create("http://localhost"), null);
    }

    @Test
    void the_name_in_the_history_fits() {
        assertThat(new Caller("x".repeat(300), List.of(), any -> null, URI.create("http://localhost"), null).name())
                .hasSize(100);
        assertThat(new Caller(null, List.of(), any -> null, URI.create("http://localhost"), null).name())
                .isEqualTo("anonymous");
    }
}
