package io.limiter.spring.internal.check;

import io.limiter.internal.log.AsyncLog;
import io.limiter.internal.log.LogThrottle;
import io.limiter.spring.internal.settings.ConfiguredLimits;
import io.limiter.spring.key.MissingLimitKeyException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the plans of the calls of one limit, and logs why a call has none. Callers may send the names of plans, so few unknown ones
 * are kept and logged. Safe for use by many threads.
 */
final class PlanFinder {

    private static final Logger log = LoggerFactory.getLogger(PlanFinder.class);

    private static final int MOST_UNKNOWN = 10;
    private static final int LONGEST = 50;

    private final String limit;
    private final Set<String> plans;

    private final Set<String> unknown = ConcurrentHashMap.newKeySet();
    private final LogThrottle failures = new LogThrottle(System::nanoTime);

    /** @param plans that are known */
    PlanFinder(String limit, Set<String> plans) {
        this.limit = limit;
        this.plans = plans;
    }

    /** The plan of a call; {@code null} if the definition of the limit itself applies. */
    @Nullable
    String find(Supplier<@Nullable String> planOfCall) {
        String plan;
        try {
            plan = planOfCall.get();
        } catch (MissingLimitKeyException e) {
            // A caller without a plan has no value here.
            return null;
        } catch (RuntimeException e) {
            failed(e);
            return null;
        }
        if (plan == null || plan.isBlank()) {
            return null;
        }
        if (plans.contains(plan)) {
            return plan;
        }
        // A plan that an environment variable names has no capitals, dashes or dots; others are compared as they are
        // written.
        String uniform = ConfiguredLimits.uniform(plan);
        if (plans.contains(uniform)) {
            return uniform;
        }
        unknown(plan);
        return null;
    }

    private void unknown(String plan) {
        String shown = AsyncLog.oneLine(plan.length() > LONGEST ? plan.substring(0, LONGEST) + "..." : plan);
        if (unknown.size() < MOST_UNKNOWN && unknown.add(shown)) {
            log.warn(
                    "The limit '{}' has no plan '{}', so its own definition applies to such calls. Its plans are {}.{}",
                    limit,
                    shown,
                    plans,
                    unknown.size() < MOST_UNKNOWN ? "" : " No further unknown plans are logged.");
        }
    }

    private void failed(RuntimeException failure) {
        long before = failures.suppressed(1);
        if (before != LogThrottle.NOT_NOW) {
            log.warn(
                    "The plan of a call could not be found, and {} before it since the last such line, so the definition"
                            + " of the limit '{}' itself applies: {}",
                    before,
                    limit,
                    AsyncLog.oneLine(failure.toString()));
        }
    }
}
