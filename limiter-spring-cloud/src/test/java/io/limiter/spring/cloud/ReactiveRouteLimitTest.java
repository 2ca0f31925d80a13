package io.limiter.spring.cloud;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.test.util.ReflectionTestUtils;

class ReactiveRouteLimitTest extends RouteLimitContract {

    ReactiveRouteLimitTest() {
        super(TestGateway.Server.WEBFLUX, TestGateway.Application.class, "Retry=3");
    }

    @Test
    void runs_on_netty() {
        Object server = ReflectionTestUtils.invokeGetterMethod(gateway().context(), "webServer");
        assertThat(server).isNotNull();
        assertThat(server.getClass().getSimpleName()).isEqualTo("NettyWebServer");
    }
}
