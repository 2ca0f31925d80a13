package io.limiter.spring.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import feign.AsyncFeign;
import feign.Feign;
import feign.FeignException;
import feign.RequestLine;
import feign.RetryableException;
import feign.Retryer;
import feign.Target;
import io.limiter.RateLimitExceededException;
import io.limiter.spring.Contexts;
import io.limiter.spring.check.InternalLimitExceededException;
import io.limiter.spring.internal.check.Facts;
import io.limiter.spring.web.RuleLimits.Left;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Limits of the calls of Feign clients, with a server that is called. */
class FeignCallsTest {

    private final AtomicInteger called = new AtomicInteger();

    private volatile int status = 200;
    private HttpServer server;
    private String host;

    /** What is called. */
    interface Api {

        @RequestLine("GET /")
        String call();
    }

    @BeforeEach
    void open() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            called.incrementAndGet();
            exchange.getResponseHeaders().set("Retry-After", "30");
            exchange.sendResponseHeaders(status, -1);
            exchange.close();
        });
        server.start();
        host = "localhost:" + server.getAddress().getPort();
    }

    @AfterEach
    void close() {
        server.stop(0);
    }

    /** A client of limiter.clients with so many calls a day. */
    private static String[] day(String name, int limit) {
        return new String[] {
            "limiter.clients." + name + ".timeout=0",
            "limiter.clients." + name + ".limits.day.limit=" + limit,
            "limiter.clients." + name + ".limits.day.per=1d"
        };
    }

    private ApplicationContextRunner byHost(int limit) {
        return Contexts.local()
                .withPropertyValues(day("partner", limit))
                .withPropertyValues("limiter.clients.partner.hosts=" + host);
    }

    private Api api(BeanFactory beans, String name) {
        return api(beans, name, Retryer.NEVER_RETRY);
    }

    private Api api(BeanFactory beans, String name, Retryer retryer) {
        return Feign.builder()
                .retryer(retryer)
                .addCapability(beans.getBean(ClientLimitCapability.class))
                .target(new Target.HardCodedTarget<>(Api.class, name, "http://" + host));
    }

    private static void assertRejects(Api api, int limit) {
        assertThatExceptionOfType(InternalLimitExceededException.class)
                .isThrownBy(api::call)
                .satisfies(e -> assertThat(e.decision().limit()).isEqualTo(limit));
    }

    @Test
    void all_clients_share_the_permits_of_a_host() {
        byHost(3).run(context -> {
            Api one = api(context, "one");
            Api other = api(context, "other");
            one.call();
            other.call();
            one.call();
            assertRejects(one, 3);
            assertRejects(other, 3);
            assertThat(called).hasValue(3);
        });
    }

    @Test
    void a_client_has_the_limits_of_its_name_whatever_the_host() {
        Contexts.local().withPropertyValues(day("maps", 2)).run(context -> {
            Api maps = api(context, "maps");
            maps.call();
            maps.call();
            assertRejects(maps, 2);
            assertThat(api(context, "other").call()).isEmpty();
            assertThat(called).hasValue(3);
        });
    }

    @Test
    void a_call_takes_permits_of_its_name_and_of_its_host() {
        byHost(3).withPropertyValues(day("maps", 2)).run(context -> {
            Api maps = api(context, "maps");
            maps.call();
            maps.call();
            assertRejects(maps, 2);
            Api other = api(context, "other");
            other.call();
            assertRejects(other, 3);
            assertThat(called).hasValue(3);
        });
    }

    private void assertThatThreeRejectedCallsTakeNoPermitOfTheirName(BeanFactory beans, int limit) {
        Api maps = api(beans, "maps");
        for (int i = 0; i < 3; i++) {
            assertRejects(maps, limit);
        }
        assertThat(called).as("without them").hasValue(1);
        assertThat(beans.getBean(ClientRules.class)
                        .named("maps")
                        .rule()
                        .peek(Facts.NONE)
                        .join())
                .extracting(Left::used)
                .containsExactly(0L);
    }

    @Test
    void a_call_that_the_limit_of_its_host_rejects_takes_no_permit_of_its_name() {
        byHost(1).withPropertyValues(day("maps", 10)).run(context -> {
            api(context, "other").call();
            assertThatThreeRejectedCallsTakeNoPermitOfTheirName(context, 1);
        });
    }

    @Test
    void a_call_in_a_pause_of_its_host_takes_no_permit_of_its_name() {
        byHost(1000).withPropertyValues(day("maps", 10)).run(context -> {
            status = 429;
            assertThatExceptionOfType(FeignException.class)
                    .isThrownBy(() -> api(context, "other").call());
            assertThatThreeRejectedCallsTakeNoPermitOfTheirName(context, 1000);
        });
    }

    @Test
    void a_client_whose_name_and_host_are_of_one_limit_is_charged_once() {
        byHost(2).run(context -> {
            Api partner = api(context, "partner");
            partner.call();
            partner.call();
            assertRejects(partner, 2);
        });
    }

    @Test
    void a_call_that_is_repeated_is_charged_again() {
        status = 503;
        byHost(3).withPropertyValues("limiter.clients.partner.pause-at-most=0").run(context -> {
            Api repeating = api(context, "one", new AtOnce());
            assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(repeating::call);
            assertThat(called).hasValue(3);
        });
    }

    /** Repeats a call nine times without a pause. */
    private static final class AtOnce implements Retryer {

        private int attempts = 1;

        @Override
        public void continueOrPropagate(RetryableException e) {
            if (attempts++ == 10) {
                throw e;
            }
        }

        @Override
        public Retryer clone() {
            return new AtOnce();
        }
    }

    @Test
    void the_calls_of_a_host_pause_when_it_answers_429_with_retry_after() {
        byHost(1000).withPropertyValues(day("maps", 1000)).run(context -> {
            status = 429;
            assertThatExceptionOfType(FeignException.class)
                    .isThrownBy(() -> api(context, "maps").call());
            for (String name : new String[] {"maps", "other"}) {
                assertThatExceptionOfType(InternalLimitExceededException.class)
                        .isThrownBy(() -> api(context, name).call())
                        .satisfies(
                                e -> assertThat(e.decision().retryAfterSeconds().orElseThrow())
                                        .isBetween(25L, 35L));
            }
            assertThat(called).hasValue(1);
        });
    }

    @Test
    void an_asynchronous_client_cannot_be_built() {
        byHost(1)
                .run(context -> assertThatThrownBy(() -> AsyncFeign.builder()
                                .addCapability(context.getBean(ClientLimitCapability.class))
                                .target(Api.class, "http://" + host))
                        .rootCause()
                        .hasMessageStartingWith("AsyncFeign has no limits: use Feign.builder()"));
    }

    @Test
    void an_application_without_feign_starts() {
        Contexts.local()
                .withClassLoader(new FilteredClassLoader("feign"))
                .withPropertyValues(day("maps", 1))
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasSingleBean(ClientLimitInterceptor.class)
                        .doesNotHaveBean("limiterClientCapability"));
    }
}
