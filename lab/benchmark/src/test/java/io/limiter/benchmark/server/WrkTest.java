package io.limiter.benchmark.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class WrkTest {

    private static final String OUTPUT = """
            Running 2s test @ http://127.0.0.1:8080/hello
              1 threads and 32 connections
              Thread Stats   Avg      Stdev     Max   +/- Stdev
                Latency     1.05ms  612.00us   9.12ms   88.12%
                Req/Sec    30.11k     1.20k   33.00k    70.00%
              Latency Distribution
                 50%  981.00us
                 75%    1.21ms
                 90%    1.53ms
                 99%    3.46ms
              60221 requests in 2.00s, 8.21MB read
            Requests/sec:  30079.61
            Transfer/sec:      4.10MB
            """;

    @Test
    void what_it_prints_is_read() {
        assertThat(Wrk.parse(OUTPUT)).isEqualTo(new Wrk(30_079.61, 981, 3460, 60_221));
        assertThat(Wrk.parse(OUTPUT.replace("3.46ms", "1.02s")).p99()).isEqualTo(1_020_000);
    }

    @Test
    void failed_requests_are_an_error() {
        assertThatThrownBy(() -> Wrk.parse(OUTPUT + "  Non-2xx or 3xx responses: 12\n"))
                .hasMessage("wrk: Non-2xx or 3xx responses: 12");
        assertThatThrownBy(() -> Wrk.parse(OUTPUT.replace("60221 requests", "0 requests")))
                .hasMessageStartingWith("wrk: no request was answered");
        assertThatThrownBy(() -> Wrk.parse("unable to connect to 127.0.0.1:8080 Connection refused"))
                .hasMessageContaining("Connection refused");
    }
}
