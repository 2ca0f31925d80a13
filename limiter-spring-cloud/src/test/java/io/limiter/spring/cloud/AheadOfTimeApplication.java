package io.limiter.spring.cloud;

import java.util.List;

/** A gateway that is processed ahead of time. */
public class AheadOfTimeApplication extends TestGateway.Application {

    private static final TestGateway.Server SERVER = TestGateway.Server.WEBFLUX;

    private static TestGateway started;

    static String[] arguments(String... settings) {
        return SERVER.arguments(
                SERVER.route(0, "one", "filters[0]=Limit=one"),
                TestGateway.limited(1, "own", "replenishRate=1", "burstCapacity=60", "requestedTokens=60"),
                List.of(TestGateway.REPLACING),
                OneServerApplication.RULE,
                List.of(settings));
    }

    public static void main(String[] arguments) {
        started = TestGateway.start(SERVER, AheadOfTimeApplication.class, arguments);
    }

    /** The statuses of two calls of each route: by the filter Limit, and by RequestRateLimiter. */
    public static String call(String... settings) {
        OneServerApplication.registerNoUrls();
        main(arguments(settings));
        try (TestGateway gateway = started) {
            return OneServerApplication.twice(gateway, "/one") + " " + OneServerApplication.twice(gateway, "/own");
        }
    }
}
