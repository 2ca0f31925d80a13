package io.limiter.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.util.Collections;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import org.springframework.mock.web.MockHttpServletRequest;

class ProxiesTest {

    @ParameterizedTest
    @CsvSource({
        "127.0.0.1, true",
        "127.8.0.1, true",
        "::1, true",
        "0:0:0:0:0:0:0:1, true",
        "0:0:0:0:0:0:0:1%lo, true",
        "::ffff:127.0.0.1, true",
        "10.0.0.1, false",
        "0.0.0.0, false",
        "::, false",
        "fe80::1%eth0, false",
        "localhost, false",
        "'', false",
        ", false"
    })
    void only_loopback_addresses_are_of_this_machine(String address, boolean local) {
        assertThat(Proxies.remote(address, Collections.emptyEnumeration(), name -> null) == null)
                .isEqualTo(local);
    }

    /** Anybody can send this host. */
    @Test
    void a_request_from_another_machine_is_not_local_whatever_host_it_names() {
        MockHttpServletRequest request = new MockHttpServletRequest();
        request.addHeader("Host", "localhost");
        request.setRemoteAddr("203.0.113.7");
        assertThat(ServletConsole.remote(request)).isEqualTo("comes from 203.0.113.7");
        assertThat(remotePeer(new InetSocketAddress("203.0.113.7", 4711))).isEqualTo("comes from 203.0.113.7");
        assertThat(remotePeer(new InetSocketAddress("127.0.0.1", 4711))).isNull();
        assertThat(remotePeer(null)).isEqualTo("comes from null");
    }

    private static String remotePeer(InetSocketAddress address) {
        return ReactiveConsole.remotePeer(MockServerHttpRequest.get("/")
                .header("Host", "localhost")
                .remoteAddress(address)
                .build());
    }
}
