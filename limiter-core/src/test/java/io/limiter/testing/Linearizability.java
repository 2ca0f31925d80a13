package io.limiter.testing;

import static org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt.forClasses;

import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.resilience.Guard;
import java.util.ArrayList;
import java.util.List;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Options;
import org.jetbrains.lincheck.datastructures.StressOptions;

/**
 * Runs the linearizability checks, in a JVM of its own: Lincheck rewrites classes, those of the JDK too. Each is the
 * class of its operations; the nested class {@code Sequential}, if there is one, does the same without concurrency.
 *
 * <p>The model checker tries thread switches in a fixed order. Stress runs find what the model checker does not model, such as
 * reordered writes.
 */
public final class Linearizability {

    static final String SHORT = "short";
    static final String LONG = "long";
    static final String PLANTED = "planted";

    /** Lincheck takes 5 s for a hang, which a busy machine exceeds. */
    private static final long INVOCATION_TIMEOUT_MILLIS = 600_000;

    private Linearizability() {}

    /**
     * Prints each order of events that could not be, and ends with an exception if there is one.
     *
     * @param args {@link #SHORT}, {@link #LONG} or {@link #PLANTED}, and the names of the classes. If planted, each must fail
     */
    public static void main(String[] args) throws ClassNotFoundException {
        List<String> wrong = new ArrayList<>();
        for (String name : List.of(args).subList(1, args.length)) {
            try {
                run(Class.forName(name), args[0]);
            } catch (LincheckAssertionError | IllegalStateException e) {
                // The latter if it found one and the replay that is to show it took another order.
                wrong.add(name);
                e.printStackTrace();
            }
        }
        List<String> expected = args[0].equals(PLANTED) ? List.of(args).subList(1, args.length) : List.of();
        if (!wrong.equals(expected)) {
            throw new AssertionError("A race was found in " + wrong + ", expected in " + expected);
        }
    }

    private static void run(Class<?> operations, String how) {
        switch (how) {
            case SHORT -> {
                check(operations, modelChecking(2, 20));
                check(operations, stress(3, 50));
            }
            case LONG -> {
                // Ends in about five minutes: one order of threads that share a lane takes a tenth of a second.
                check(operations, modelChecking(15, 100));
                check(operations, stress(30, 500));
            }
            default -> check(operations, modelChecking(20, 200));
        }
    }

    private static void check(Class<?> operations, Options<?, ?> options) {
        for (Class<?> nested : operations.getDeclaredClasses()) {
            if (nested.getSimpleName().equals("Sequential")) {
                options.sequentialSpecification(nested);
            }
        }
        options.minimizeFailedScenario(false)
                .invocationTimeout$lincheck(INVOCATION_TIMEOUT_MILLIS)
                .check(operations);
    }

    private static Options<?, ?> modelChecking(int scenarios, int orders) {
        return new ModelCheckingOptions()
                .threads(2)
                .actorsPerThread(2)
                .actorsBefore(1)
                // None that could set right what the others have done wrong.
                .actorsAfter(0)
                .iterations(scenarios)
                .invocationsPerIteration(orders)
                .addGuarantee(forClasses(Linearizability::cannotBeInterleaved)
                        .allMethods()
                        .ignore());
    }

    private static Options<?, ?> stress(int scenarios, int runs) {
        return new StressOptions()
                .threads(3)
                .actorsPerThread(3)
                .actorsBefore(2)
                .actorsAfter(1)
                .iterations(scenarios)
                .invocationsPerIteration(runs);
    }

    /** Arithmetic on values, and deadlines, which have a thread of their own and are far off here. */
    private static boolean cannotBeInterleaved(String className) {
        return className.startsWith(TokenBucket.class.getPackageName())
                || className.startsWith(Guard.class.getPackageName())
                || className.startsWith("java.util.Imm")
                || className.startsWith("java.security.")
                || className.startsWith("org.slf4j.")
                || className.startsWith("ch.qos.logback.");
    }
}
