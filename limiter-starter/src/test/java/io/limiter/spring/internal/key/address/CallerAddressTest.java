package io.limiter.spring.internal.key.address;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.spring.internal.web.servlet.CurrentRequest;
import io.limiter.spring.key.MissingLimitKeyException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

class CallerAddressTest {

    private static final List<String> PROXIES = List.of("10.0.0.0/8", "2001:db8:aaaa::/48", "192.0.2.7");

    @AfterEach
    void noRequest() {
        RequestContextHolder.resetRequestAttributes();
    }

    /** Where callers can choose an address, none is exempt. */
    @ParameterizedTest(name = "{0} with X-Forwarded-For {1} and Forwarded {2}: {3}")
    @CsvSource(delimiter = '|', quoteCharacter = '^', nullValues = "-", textBlock = """
                    198.51.100.4      | -                         | -               | true
                    ::ffff:198.51.100.4 | -                       | -               | true
                    198.51.101.4      | -                         | -               | false
                    2001:db8::7       | -                         | -               | true
                    # the key of an IPv6 address is its /64, and this is the whole address
                    2001:db8::8       | -                         | -               | false
                    nonsense          | -                         | -               | false
                    # a peer that may be a proxy
                    198.51.100.4      | 203.0.113.9               | -               | false
                    198.51.100.4      | 198.51.100.4              | -               | false
                    198.51.100.4      | -                         | for=203.0.113.9 | false
                    203.0.113.9       | 198.51.100.4              | -               | false
                    # behind trusted proxies
                    10.0.0.1          | -                         | -               | false
                    10.0.0.1          | 198.51.100.4              | -               | true
                    10.0.0.1          | 198.51.100.4, 10.0.0.2    | -               | true
                    10.0.0.1          | 10.0.0.3                  | -               | true
                    10.0.0.1          | 198.51.100.4, 203.0.113.9 | -               | false
                    10.0.0.1          | 198.51.100.4, nonsense    | -               | false
                    10.0.0.1          | -                         | for=198.51.100.4 | true
                    10.0.0.1          | 198.51.100.4              | for=198.51.100.4 | true
                    # one of both is forged
                    10.0.0.1          | 198.51.100.4              | for=203.0.113.9 | false
                    10.0.0.1          | 203.0.113.9               | for=198.51.100.4 | false
                    10.0.0.1          | 198.51.100.4              | for=unknown     | false
                    """)
    void an_address_is_exempt_as_a_whole_and_never_one_that_a_caller_can_choose(
            String remote, String xForwardedFor, String forwarded, boolean exempt) {
        ExemptAddresses addresses = new ExemptAddresses(
                List.of("198.51.100.0/24", "2001:db8::7", "10.0.0.0/8"),
                new CallerAddress(PROXIES, 64, ForwardedHeader.ANY));
        Sender sender = new Sender(
                remote,
                xForwardedFor == null ? List.of() : List.of(xForwardedFor),
                forwarded == null ? List.of() : List.of(forwarded),
                xForwardedFor != null);
        assertThat(addresses.contain(sender)).isEqualTo(exempt);
    }

    /** Its own address may be in the range, and that of the caller is unknown. */
    @ParameterizedTest
    @ValueSource(strings = {"X-Real-IP", "Via", "x-forwarded-proto", "X-Forwarded-Host", "True-Client-IP"})
    void a_proxy_that_is_not_trusted_and_names_no_caller_is_not_exempt(String header) {
        ExemptAddresses addresses =
                new ExemptAddresses(List.of("10.0.0.0/8"), new CallerAddress(List.of(), 64, ForwardedHeader.ANY));
        boolean isPassedOn = Sender.isPassedOn(List.of("Host", header));
        assertThat(addresses.contain(new Sender("10.0.0.9", List.of(), List.of(), isPassedOn)))
                .isFalse();
        assertThat(Sender.isPassedOn(List.of("Host", "X-Tenant"))).isFalse();
        assertThat(addresses.contain(new Sender("10.0.0.9", List.of(), List.of(), false)))
                .isTrue();
    }

    /** A header that the setting does not name is as good as none, and tells that there is a proxy. */
    @Test
    void a_proxy_that_writes_another_header_than_the_setting_says_is_not_exempt() {
        for (ForwardedHeader header : List.of(ForwardedHeader.X_FORWARDED_FOR, ForwardedHeader.FORWARDED)) {
            boolean standard = header == ForwardedHeader.FORWARDED;
            ExemptAddresses addresses =
                    new ExemptAddresses(List.of("10.0.0.0/8"), new CallerAddress(PROXIES, 64, header));
            List<String> other = List.of("203.0.113.9");
            Sender sender = standard
                    ? new Sender("10.0.0.1", other, List.of(), true)
                    : new Sender("10.0.0.1", List.of(), other, false);
            assertThat(addresses.contain(sender)).isFalse();
        }
    }

    @ParameterizedTest(name = "{0} is {1}")
    @CsvSource(delimiter = '|', textBlock = """
                    203.0.113.9                               | 203.0.113.9
                    203.0.113.9:4711                          | 203.0.113.9
                    ::ffff:203.0.113.9                        | 203.0.113.9
                    ::FFFF:cb00:7109                          | 203.0.113.9
                    [::ffff:203.0.113.9]:80                   | 203.0.113.9
                    64:ff9b::203.0.113.9                      | 203.0.113.9
                    2001:db8:1:2:3:4:5:6                      | 2001:db8:1:2::/64
                    2001:0DB8:0001:0002:ffff::                | 2001:db8:1:2::/64
                    [2001:db8:1:2::1]                         | 2001:db8:1:2::/64
                    [2001:db8:1:2::1]:4711                    | 2001:db8:1:2::/64
                    fe80::1%eth0                              | fe80::/64
                    [fe80::1%25eth0]:80                       | fe80::/64
                    ::1                                       | ::/64
                    255.255.255.255                           | 255.255.255.255
                    0.0.0.0                                   | 0.0.0.0
                    128.0.0.1                                 | 128.0.0.1
                    64:ff9b::ff00:1                           | 255.0.0.1
                    64:ff9b:0:0:0:1:ff00:1                    | 64:ff9b::/64
                    # an IPv4 client behind 6to4, of which it has a /48, behind Teredo, or in the old notation
                    2002:cb00:7109::1                         | 203.0.113.9
                    2002:cb00:7109:ffff::1                    | 203.0.113.9
                    2001:0:c000:201:8000:f227:34ff:8ef6       | 203.0.113.9
                    ::203.0.113.9                             | 203.0.113.9
                    [::203.0.113.9]:80                        | 203.0.113.9
                    # behind a gateway of the own network: IPv4 clients that share a /64 do not share a key
                    64:ff9b:1::203.0.113.9                    | 64:ff9b:1::cb00:7109
                    64:ff9b:1:cb00:71:900::                   | 64:ff9b:1:cb00:71:900::
                    64:ff9b:2::203.0.113.9                    | 64:ff9b:2::/64
                    ffff:ffff:ffff:ffff:ffff::                | ffff:ffff:ffff:ffff::/64
                    """)
    void an_address_has_one_notation(String remote, String expected) {
        assertThat(address(resolver(64), remote, List.of(), List.of())).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0.0.0.0",
                "9.10.99.100",
                "255.255.255.255",
                "256.1.1.1",
                "01.2.3.4",
                "1.2.3.00",
                "1.2.3",
                "1.2.3.4.5",
                "1..3.4",
                "1.2.3.4.",
                ".1.2.3",
                "1.2.3.4%eth0",
                "1.2.3.4:5",
                "1.2.3.+4",
                "1.2.3.4 ",
                "::1",
                "1.2.3.99999999999",
                "١.2.3.4",
                ""
            })
    void an_ipv4_address_that_is_not_parsed_is_in_its_one_notation(String text) {
        InetAddress parsed = IpAddresses.parse(text);
        boolean canonical =
                parsed instanceof Inet4Address && parsed.getHostAddress().equals(text);
        assertThat(IpAddresses.isCanonicalIpv4(text)).isEqualTo(canonical);
    }

    @ParameterizedTest
    @CsvSource({"128, 2001:db8:1:2:3:4:5:6", "64, 2001:db8:1:2::/64", "56, 2001:db8:1::/56", "1, ::/1"})
    void groups_ipv6(int prefixLength, String expected) {
        assertThat(address(resolver(prefixLength), "2001:db8:1:2:3:4:5:6", List.of(), List.of()))
                .isEqualTo(expected);
        assertThat(address(resolver(prefixLength), "203.0.113.9", List.of(), List.of()))
                .isEqualTo("203.0.113.9");
    }

    @ParameterizedTest(name = "{0} with {1} is {2}")
    @CsvSource(delimiter = '|', textBlock = """
                    # not a trusted proxy: whatever it says
                    203.0.113.9  | 198.51.100.1                              | 203.0.113.9
                    203.0.113.9  | 10.0.0.1                                  | 203.0.113.9
                    192.0.2.8    | 198.51.100.1                              | 192.0.2.8
                    11.0.0.1     | 198.51.100.1                              | 11.0.0.1
                    # a trusted one: from the right, past other trusted ones
                    10.0.0.1     | 198.51.100.1                              | 198.51.100.1
                    192.0.2.7    | 198.51.100.1                              | 198.51.100.1
                    ::ffff:10.0.0.1 | 198.51.100.1                           | 198.51.100.1
                    10.0.0.1     | 198.51.100.1:5555                         | 198.51.100.1
                    10.0.0.1     | 2001:db8:1:2::9                           | 2001:db8:1:2::/64
                    10.0.0.1     | [2001:db8:1:2::9]:5555                    | 2001:db8:1:2::/64
                    10.0.0.1     | 198.51.100.1, 10.9.9.9                    | 198.51.100.1
                    10.0.0.1     | 198.51.100.1,2001:db8:aaaa::1 , 10.9.9.9  | 198.51.100.1
                    # what the caller made up stands further left
                    10.0.0.1     | 1.1.1.1, 198.51.100.1                     | 198.51.100.1
                    10.0.0.1     | 10.3.3.3, 198.51.100.1                    | 198.51.100.1
                    10.0.0.1     | 1.1.1.1, 10.3.3.3, 198.51.100.1, 10.9.9.9 | 198.51.100.1
                    10.0.0.1     | evil, 198.51.100.1                        | 198.51.100.1
                    # all trusted: the first of them
                    10.0.0.1     | 10.3.3.3, 10.4.4.4                        | 10.3.3.3
                    # not readable: the last that was
                    10.0.0.1     | evil                                      | 10.0.0.1
                    10.0.0.1     | unknown                                   | 10.0.0.1
                    10.0.0.1     | ''                                        | 10.0.0.1
                    10.0.0.1     | ','                                       | 10.0.0.1
                    10.0.0.1     | 198.51.100.1,                             | 10.0.0.1
                    10.0.0.1     | 198.51.100.1, evil, 10.9.9.9              | 10.9.9.9
                    10.0.0.1     | 198.51.100.1, localhost                   | 10.0.0.1
                    10.0.0.1     | 999.1.1.1                                 | 10.0.0.1
                    10.0.0.1     | 010.1.1.1                                 | 10.0.0.1
                    10.0.0.1     | 1                                         | 10.0.0.1
                    10.0.0.1     | 00001::1                                  | 10.0.0.1
                    10.0.0.1     | ::ffff:010.1.1.1                          | 10.0.0.1
                    10.0.0.1     | 198.51.100.1, ١٠.0.0.9                    | 10.0.0.1
                    10.0.0.1     | 198.51.100.1, fe80::%nowhere              | fe80::/64
                    # an IPv4 address within IPv6 makes nobody a proxy
                    10.0.0.1     | 198.51.100.1, 2002:a00:2::                | 10.0.0.2
                    10.0.0.1     | 198.51.100.1, ::10.0.0.2                  | 10.0.0.2
                    """)
    void x_forwarded_for(String remote, String header, String expected) {
        assertThat(address(resolver(64), remote, List.of(header), List.of())).isEqualTo(expected);
    }

    @ParameterizedTest(name = "{0} with {1} is {2}")
    @CsvSource(delimiter = '|', quoteCharacter = '!', textBlock = """
                    203.0.113.9 | for=198.51.100.1                                      | 203.0.113.9
                    10.0.0.1    | for=198.51.100.1                                      | 198.51.100.1
                    10.0.0.1    | For="198.51.100.1:80";proto=https;by=10.0.0.1         | 198.51.100.1
                    10.0.0.1    | proto=https; FOR="[2001:db8:1:2::9]:80"               | 2001:db8:1:2::/64
                    10.0.0.1    | for="[2001:db8:1:2::9]"                               | 2001:db8:1:2::/64
                    10.0.0.1    | for="[2001:db8:1:2::9]:_x1"                           | 2001:db8:1:2::/64
                    10.0.0.1    | for=1.1.1.1, for=198.51.100.1;by=10.9.9.9, for=10.9.9.9 | 198.51.100.1
                    10.0.0.1    | for=1.1.1.1;host="a,b;for=2.2.2.2", for=198.51.100.1  | 198.51.100.1
                    # hidden, missing, twice or not readable: the last that was
                    10.0.0.1    | for=_hidden                                           | 10.0.0.1
                    10.0.0.1    | for=unknown                                           | 10.0.0.1
                    10.0.0.1    | proto=https                                           | 10.0.0.1
                    10.0.0.1    | for=                                                  | 10.0.0.1
                    10.0.0.1    | for=198.51.100.1;for=1.1.1.1                          | 10.0.0.1
                    10.0.0.1    | for=1.1.1.1, for=_hidden, for=10.9.9.9                | 10.9.9.9
                    # an open quote that would swallow what the proxy appended
                    10.0.0.1    | for=1.1.1.1;x=", for=198.51.100.1                     | 10.0.0.1
                    10.0.0.1    | for=1.1.1.1;x=", for="198.51.100.1"                   | 10.0.0.1
                    10.0.0.1    | for=1.1.1.1;x="\\, for="198.51.100.1"                 | 10.0.0.1
                    """)
    void forwarded(String remote, String header, String expected) {
        assertThat(address(resolver(64), remote, List.of(), List.of(header))).isEqualTo(expected);
    }

    /** A caller may send thousands; of the elements that are read, each costs about as much as an address. */
    @Test
    void elements_in_front_of_the_caller_are_not_read() {
        String many = "x,".repeat(4000);
        assertThat(read(ForwardedElements.ofXForwardedFor(List.of(many + "198.51.100.1, 10.9.9.9"))))
                .isEqualTo(2);
        assertThat(read(ForwardedElements.ofForwarded(List.of(many + "for=198.51.100.1, for=10.9.9.9"))))
                .isEqualTo(2);
    }

    @Test
    void proxies_in_a_row_are_bounded() {
        String many = "10.0.0.2,".repeat(4000) + "10.0.0.3";
        assertThat(read(ForwardedElements.ofXForwardedFor(List.of(many)))).isEqualTo(ForwardedElements.MOST);
        assertThat(address(resolver(64), "10.0.0.1", List.of(many), List.of())).isEqualTo("10.0.0.2");
    }

    private static int read(ForwardedElements elements) {
        int read = 0;
        InetAddress address = IpAddresses.parse("10.0.0.1");
        while (address != null && address.getHostAddress().startsWith("10.") && elements.hasNext()) {
            address = elements.next();
            read++;
        }
        return read;
    }

    @Test
    void later_lines_are_nearer() {
        assertThat(address(resolver(64), "10.0.0.1", List.of("1.1.1.1", "198.51.100.1, 10.2.2.2"), List.of()))
                .isEqualTo("198.51.100.1");
        assertThat(address(resolver(64), "10.0.0.1", List.of(), List.of("for=1.1.1.1;x=\"", "for=198.51.100.1")))
                .isEqualTo("198.51.100.1");
    }

    @Test
    void the_header_that_no_proxy_writes_cannot_decide() {
        List<String> proxys = List.of("198.51.100.1");
        List<String> callers = List.of("for=1.1.1.1");
        assertThat(address(resolver(64), "10.0.0.1", proxys, callers)).isEqualTo("10.0.0.1");
        assertThat(address(resolver(64), "10.0.0.1", proxys, List.of("for=198.51.100.1")))
                .isEqualTo("198.51.100.1");
        assertThat(address(with(ForwardedHeader.X_FORWARDED_FOR), "10.0.0.1", proxys, callers))
                .isEqualTo("198.51.100.1");
        assertThat(address(with(ForwardedHeader.FORWARDED), "10.0.0.1", callers, List.of("for=198.51.100.1")))
                .isEqualTo("198.51.100.1");
        assertThat(address(with(ForwardedHeader.X_FORWARDED_FOR), "10.0.0.1", List.of(), callers))
                .isEqualTo("10.0.0.1");
    }

    @Test
    void without_proxies_no_header_counts() {
        CallerAddress resolver = new CallerAddress(List.of(), 64, ForwardedHeader.ANY);
        assertThat(address(resolver, "127.0.0.1", List.of("1.1.1.1"), List.of()))
                .isEqualTo("127.0.0.1");
    }

    @Test
    void headers_that_do_not_count_are_not_read() {
        assertThat(resolver(64).of("203.0.113.9", name -> {
                    throw new AssertionError("read " + name);
                }))
                .isEqualTo("203.0.113.9");
    }

    @ParameterizedTest
    @CsvSource({
        "0.0.0.0/0, 203.0.113.9, true",
        "203.0.113.8/29, 203.0.113.15, true",
        "203.0.113.8/29, 203.0.113.16, false",
        "255.255.255.255, 255.255.255.255, true",
        "128.0.0.0/1, 127.255.255.255, false",
        "0.0.0.0/0, 2001:db8::1, false",
        "::/0, 2001:db8::1, true",
        "::/0, 203.0.113.9, false",
        "2001:db8::/63, 2001:db8:0:1::, true",
        "2001:db8::/64, 2001:db8:0:1::, false",
        "2001:db8::/65, 2001:db8::8000:0:0:0, false",
        "2001:db8::/65, 2001:db8::7fff:0:0:0, true",
        "2001:db8::8/127, 2001:db8::9, true",
        "2001:db8::8, 2001:db8::9, false",
        "8000::/1, ffff::, true",
    })
    void a_range_is_all_that_share_its_first_bits(String range, String address, boolean contained) {
        assertThat(IpAddresses.parseRange(range).contains(IpAddresses.parse(address)))
                .isEqualTo(contained);
    }

    @ParameterizedTest
    @ValueSource(strings = {"unknown", "localhost", "evil", "_hidden", "300.1.1.1"})
    void remote_addresses_that_cannot_be_parsed_share_one_key(String remote) {
        assertThat(address(resolver(64), remote, List.of("10.0.0.1"), List.of()))
                .isEqualTo("unknown");
    }

    @Test
    void an_address_with_its_port_can_be_in_brackets() {
        assertThat(address(resolver(64), "[198.51.100.1:4444]", List.of(), List.of()))
                .isEqualTo("198.51.100.1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " "})
    void there_must_be_a_remote_address(String remote) {
        assertThatThrownBy(() -> address(resolver(64), remote, List.of(), List.of()))
                .isInstanceOf(MissingLimitKeyException.class);
    }

    @Test
    void reads_the_current_request() {
        assertThatThrownBy(() -> CurrentRequest.address(resolver(64)))
                .isInstanceOf(MissingLimitKeyException.class)
                .hasMessageContaining("no request");
        MockHttpServletRequest request = new MockHttpServletRequest();
        request.setRemoteAddr("10.0.0.1");
        request.addHeader("X-Forwarded-For", "1.1.1.1");
        request.addHeader("X-Forwarded-For", "198.51.100.1");
        RequestContextHolder.setRequestAttributes(new ServletRequestAttributes(request));
        assertThat(CurrentRequest.address(resolver(64))).isEqualTo("198.51.100.1");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "x", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "10.0.0.0/8/8", "::/129", "proxy.local"})
    void rejects_what_is_no_range(String range) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new CallerAddress(List.of(range), 64, ForwardedHeader.ANY))
                .withMessageContaining("'" + range + "'");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, 129})
    void rejects_prefix_length_out_of_range(int length) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> resolver(length))
                .withMessageContaining("between 1 and 128, was " + length);
    }

    private static String address(
            CallerAddress resolver, String remote, List<String> xForwardedFor, List<String> forwarded) {
        Map<String, List<String>> headers = Map.of("X-Forwarded-For", xForwardedFor, "Forwarded", forwarded);
        return resolver.of(remote, headers::get);
    }

    private static CallerAddress resolver(int ipv6PrefixLength) {
        return new CallerAddress(PROXIES, ipv6PrefixLength, ForwardedHeader.ANY);
    }

    private static CallerAddress with(ForwardedHeader header) {
        return new CallerAddress(PROXIES, 64, header);
    }
}
