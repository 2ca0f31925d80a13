package io.limiter.faults.report;

import io.limiter.faults.judge.Result;
import io.limiter.faults.planted.BugResult;

/** One word about a result. */
final class Verdict {

    /** It has not run since it was planted. */
    static final String NOT_RUN = "NOT RUN";

    /** The machine was too busy. */
    static final String NOT_JUDGED = "NOT JUDGED";

    private Verdict() {}

    static String of(Result result) {
        if (result.skipped() != null) {
            return "SKIPPED";
        }
        if (result.isUnknown()) {
            return NOT_JUDGED;
        }
        return result.holds() ? "held" : "BROKEN";
    }

    static String of(BugResult result) {
        if (result.result().skipped() != null) {
            return "SKIPPED";
        }
        if (!result.isCaught() && result.result().saysNothing()) {
            return NOT_JUDGED;
        }
        return result.isCaught() ? "caught" : "MISSED";
    }
}
