package io.limiter.benchmark.load;

import io.limiter.benchmark.subject.Contender;

/** One comparison: a load, its keys, and the decisions it gets. */
public record Cell(KeySpace keys, Outcome outcome, Load load) {

    /** Such as {@code hot-granted-64-threads}. */
    public String name() {
        return keys.label() + "-" + outcome.label() + "-" + load.name();
    }

    /** The same demand on a limit below it. */
    public Cell limited() {
        return new Cell(keys, Outcome.LIMITED, load);
    }

    /** The floor has no part in what is to be exact, and instances in one process are no fleet. */
    public boolean suits(Contender contender) {
        return load.suits(contender)
                && (outcome.hasFloor() || !contender.isFloor())
                && (outcome.instances() == 1 || !contender.inProcess());
    }
}
