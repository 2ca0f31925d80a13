package io.limiter.spring.internal.web;

import io.limiter.spring.internal.check.Charge;
import io.limiter.spring.internal.check.Facts;
import io.limiter.spring.internal.web.usage.UsageReader;
import io.limiter.spring.internal.web.usage.UsageSources;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Charges requests what their responses say that they have cost. A response without a number leaves the estimate charged, and one that
 * breaks off charges at least the estimate.
 *
 * @param statuses decides which responses are charged at all; {@code null} if all are
 * @param missing called once for each request whose response has no number
 */
public record ResponseCharge(UsageSources sources, @Nullable ChargeWatch statuses, Runnable missing) {

    /** The charge of a request, whose response says how much it is. */
    public Charge charge(Facts facts, List<String> keys, long taken) {
        UsageReader reader = new UsageReader(sources, keys);
        AtomicBoolean isMissing = new AtomicBoolean();
        return new Charge(
                Charge.When.BODY,
                outcome -> {
                    // Without a status, nobody knows whether the response would have been charged.
                    if (statuses != null && outcome.status() != 0 && !statuses.test(outcome.status())) {
                        return 0;
                    }
                    long cost = reader.number();
                    if (cost != UsageReader.NONE) {
                        // A caller must not get the estimate back by leaving before the last number.
                        return reader.isBrokenOff() ? Math.max(taken, cost) : cost;
                    }
                    // Each limit of the rule asks.
                    if (isMissing.compareAndSet(false, true)) {
                        missing.run();
                    }
                    return taken;
                },
                reader);
    }
}
