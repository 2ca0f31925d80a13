package io.limiter.spring.cloud;

class ServletRouteLimitTest extends RouteLimitContract {

    ServletRouteLimitTest() {
        super(TestGateway.Server.WEBMVC);
    }
}
