package io.limiter.benchmark.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class RoundTripTest {

    private static final String PONG = "+PONG\r\n";

    private static RedisServer redis;

    @BeforeAll
    static void start() {
        redis = RedisServer.start();
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    @Test
    void bytes_take_the_delay_in_each_direction() throws Exception {
        long delay = TimeUnit.MILLISECONDS.toNanos(100);
        try (RoundTrip network = RoundTrip.open("127.0.0.1", redis.port());
                Socket socket = new Socket("127.0.0.1", network.port())) {
            ping(socket, 1);
            network.delay(delay);
            // The proxy has read the new delay when a reply is late.
            long took = ping(socket, 1);
            while (took < delay) {
                took = ping(socket, 1);
            }
            assertThat(ping(socket, 1)).isGreaterThanOrEqualTo(2 * delay);
            assertThat(ping(socket, 20)).isGreaterThanOrEqualTo(2 * delay);
        }
    }

    @Test
    void a_round_trip_is_measured() {
        try (RoundTrip network = RoundTrip.start("127.0.0.1", redis.port(), 500)) {
            assertThat(network.measured().p50()).isPositive();
        }
    }

    /** Sends as many pings, one after the other, without waiting for replies in between; returns what they took. */
    private static long ping(Socket socket, int times) throws Exception {
        long start = System.nanoTime();
        OutputStream out = socket.getOutputStream();
        for (int i = 0; i < times; i++) {
            out.write("PING\r\n".getBytes(StandardCharsets.US_ASCII));
        }
        byte[] replies = socket.getInputStream().readNBytes(times * PONG.length());
        assertThat(new String(replies, StandardCharsets.US_ASCII)).isEqualTo(PONG.repeat(times));
        return System.nanoTime() - start;
    }
}
