package io.limiter.sample;

import io.limiter.spring.annotation.RateLimit;
import io.limiter.spring.key.PlanRequest;
import io.limiter.spring.key.PlanResolver;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** Calls of tenants, each of which has a plan, defined in {@code application.properties}. */
@RestController
class TenantController implements PlanResolver {

    /** Yours would be in a database, and in a cache before it. */
    private static final Map<String, String> PLANS = Map.of("acme", "free", "globex", "pro", "initech", "enterprise");

    @GetMapping(path = "/tenants/{tenant}", produces = MediaType.TEXT_PLAIN_VALUE)
    @RateLimit(name = "tenant", key = "#{tenant}", rate = 1)
    String call(@PathVariable String tenant) {
        return "granted to " + tenant;
    }

    @Override
    public @Nullable String planOf(PlanRequest request) {
        return PLANS.get(request.key());
    }
}
