package io.limiter.spring.cloud;

class ReactiveRouteLimitTest extends RouteLimitContract {

    ReactiveRouteLimitTest() {
        super(TestGateway.Server.WEBFLUX);
    }
}
