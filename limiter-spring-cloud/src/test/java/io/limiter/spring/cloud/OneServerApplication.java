package io.limiter.spring.cloud;

import java.util.List;
import org.apache.catalina.webresources.TomcatURLStreamHandlerFactory;

/** A gateway that is called on a class path with one server. */
public final class OneServerApplication {

    static final List<String> RULE = List.of(
            "limiter.http.one.key=header:X-Caller",
            "limiter.http.one.limits.one.limit=1",
            "limiter.http.one.limits.one.per=1h");

    private OneServerApplication() {}

    /** The statuses of two calls of each route: by the filter Limit, and by RequestRateLimiter. */
    public static String webflux(String... settings) {
        TestGateway.Server server = TestGateway.Server.WEBFLUX;
        try (TestGateway gateway = server.start(
                server.route(0, "one", "filters[0]=Limit=one"),
                TestGateway.limited(1, "own", "replenishRate=1", "burstCapacity=60", "requestedTokens=60"),
                List.of(TestGateway.REPLACING),
                RULE,
                List.of(settings))) {
            return twice(gateway, "/one") + " " + twice(gateway, "/own");
        }
    }

    /** The statuses of two calls of a route with the filter Limit. */
    public static String webmvc(String... settings) {
        TestGateway.Server server = TestGateway.Server.WEBMVC;
        registerNoUrls();
        try (TestGateway gateway =
                server.start(server.route(0, "one", "filters[0]=Limit=one"), RULE, List.of(settings))) {
            return twice(gateway, "/one");
        }
    }

    /** Tomcat registers handlers of URLs for the whole JVM, and fails if another class loader has done so. */
    static void registerNoUrls() {
        TomcatURLStreamHandlerFactory.disable();
    }

    static String twice(TestGateway gateway, String path) {
        String caller = TestGateway.anyone();
        return gateway.send(path, caller).statusCode() + " "
                + gateway.send(path, caller).statusCode();
    }
}
