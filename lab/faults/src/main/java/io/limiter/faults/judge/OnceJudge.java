package io.limiter.faults.judge;

import io.limiter.Limiter;
import io.limiter.faults.account.Accounts;
import io.limiter.faults.account.Answer;
import io.limiter.faults.account.Entry;
import io.limiter.faults.account.Limiters;
import io.limiter.faults.experiment.Experiment;
import io.limiter.faults.experiment.Measure;
import io.limiter.faults.experiment.Observer;
import io.limiter.faults.experiment.Scene;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.BiConsumer;

/**
 * Judges how often each call of {@link Limiters#ONCE} was executed: once if it was granted, once or not at all if it is ambiguous, and
 * never if its caller knows that it was not. Over all calls together, one that was executed twice would hide behind one that is
 * ambiguous and was not executed.
 */
final class OnceJudge {

    /** Fewer ambiguous calls show nothing, as a fault may send again a few of them only. */
    private static final int FEWEST_AMBIGUOUS = 200;

    private static final int SHOWN = 3;

    private final Experiment experiment;
    private final Scene scene;
    private final Accounts accounts;
    private final BiConsumer<Measure, String> violations;

    OnceJudge(Experiment experiment, Scene scene, Accounts accounts, BiConsumer<Measure, String> violations) {
        this.experiment = experiment;
        this.scene = scene;
        this.accounts = accounts;
        this.violations = violations;
    }

    void judge() {
        if (!experiment.calls(Limiters.ONCE)) {
            return;
        }
        List<Entry> calls = Accounts.of(
                accounts.all(),
                entry -> entry.limiter() == Limiters.ONCE
                        && entry.answer() != Answer.CONTROL
                        && entry.answer() != Answer.CLOSING);
        List<String> wrong = new ArrayList<>();
        long ambiguous = 0;
        long executed = 0;
        try (Observer observer = new Observer(scene.endpoint())) {
            Limiter limiter =
                    observer.limiters().build(Limiters.ONCE.name().toLowerCase(Locale.ROOT), Limiters.ONCE.limit());
            for (Entry call : calls) {
                long taken = (long) Limiters.ONCE.capacity()
                        - limiter.on(Limiters.ONCE.key(call.key())).peek(1).remaining();
                boolean mayBe = call.answer() == Answer.AMBIGUOUS || call.answer() == Answer.PENDING;
                ambiguous += mayBe ? 1 : 0;
                executed += mayBe && taken > 0 ? 1 : 0;
                boolean right =
                        mayBe ? taken == 0 || taken == call.permits() : taken == (call.granted() ? call.permits() : 0);
                if (!right) {
                    wrong.add("a call of " + call.permits() + " that is "
                            + call.answer().name().toLowerCase(Locale.ROOT).replace('_', ' ') + " took " + taken);
                }
            }
        }
        scene.note(String.format(
                Locale.ROOT,
                "%,d calls with a key of their own, %,d of them ambiguous, of which %,d were executed",
                calls.size(),
                ambiguous,
                executed));
        if (executed < FEWEST_AMBIGUOUS) {
            violations.accept(Measure.VALIDITY, "only " + executed + " ambiguous calls were executed");
        }
        if (!wrong.isEmpty()) {
            violations.accept(
                    Measure.ONCE,
                    wrong.size() + " calls took other permits than their callers know: "
                            + String.join(", ", wrong.subList(0, Math.min(SHOWN, wrong.size()))));
        }
    }
}
