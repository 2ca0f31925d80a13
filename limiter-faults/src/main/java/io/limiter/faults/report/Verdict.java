package io.limiter.faults.report;

import io.limiter.faults.experiment.Result;

/** One word about a result. */
final class Verdict {

    private Verdict() {}

    static String of(Result result) {
        if (result.skipped() != null) {
            return "SKIPPED";
        }
        return result.holds() ? "held" : "BROKEN";
    }
}
