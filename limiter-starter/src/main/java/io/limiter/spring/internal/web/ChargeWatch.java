package io.limiter.spring.internal.web;

import io.limiter.spring.internal.check.Charge;
import io.limiter.spring.internal.check.Facts;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntPredicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Decides which responses a rule charges, and warns once if it has charged none of the first hundred. */
public final class ChargeWatch {

    private static final Logger log = LoggerFactory.getLogger(ChargeWatch.class);

    private static final int FIRST = 100;

    private final String property;
    private final IntPredicate charged;
    private final Map<Integer, Integer> statuses = new TreeMap<>();
    private int seen;
    private volatile boolean done;

    /** @param property with which messages name the setting and its value */
    public ChargeWatch(String property, IntPredicate charged) {
        this.property = property;
        this.charged = charged;
    }

    /** The charge of a request: all of its permits, or none. */
    public Charge charge(Facts facts, List<String> keys, long taken) {
        return new Charge(Charge.When.STATUS, outcome -> test(outcome.status()) ? taken : 0);
    }

    boolean test(int status) {
        boolean charges = charged.test(status);
        if (!done) {
            see(status, charges);
        }
        return charges;
    }

    private synchronized void see(int status, boolean charges) {
        if (charges) {
            done = true;
        } else if (status > 0 && !done) {
            statuses.merge(status, 1, Integer::sum);
            seen++;
            if (seen == FIRST) {
                done = true;
                log.warn(
                        "{} has charged none of its first {} requests, so it has limited nothing. Their statuses and how many had"
                                + " each were {}; a failed authentication counts as 401. If none of them should be charged, this"
                                + " is correct",
                        property,
                        FIRST,
                        statuses);
            }
        }
    }
}
