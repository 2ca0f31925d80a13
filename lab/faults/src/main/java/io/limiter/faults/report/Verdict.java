package io.limiter.faults.report;

import io.limiter.faults.judge.Result;
import io.limiter.faults.planted.BugResult;

/** One word about a result. */
final class Verdict {

    private Verdict() {}

    static String of(Result result) {
        if (result.skipped() != null) {
            return "SKIPPED";
        }
        return result.holds() ? "held" : "BROKEN";
    }

    static String of(BugResult result) {
        if (result.result().skipped() != null) {
            return "SKIPPED";
        }
        return result.isCaught() ? "caught" : "MISSED";
    }
}
