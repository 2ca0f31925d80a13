package io.limiter;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.codeUnits;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnitAccess;
import com.tngtech.archunit.core.domain.JavaConstructor;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.limiter.step.LimitStep;
import java.util.List;
import java.util.Timer;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.regex.Pattern;

/** What holds in the core and in the modules that are built on its internal types. */
public final class ArchitectureRules {

    private static final String INTERNAL = "io.limiter.internal..";

    private static final Pattern TIMED_OR_ASYNC =
            Pattern.compile("orTimeout|completeOnTimeout|delayedExecutor|[a-zA-Z]+Async");

    private ArchitectureRules() {}

    /** Callers must not wait for an appender. What is shown of a key depends on a level, and logs nothing. */
    @ArchTest
    static final ArchRule onlyTheAsynchronousLogKnowsTheLogger = noClasses()
            .that()
            .resideOutsideOfPackages("io.limiter.internal.log..", "io.limiter.internal.key..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.slf4j..");

    /**
     * Packages depend on those before them, and on other modules.
     *
     * @param packages all of the module
     */
    public static void dependenciesPointDown(JavaClasses classes, List<String> packages) {
        for (JavaClass from : classes) {
            int layer = packages.indexOf(from.getPackageName());
            assertThat(layer).as("%s is in a listed package", from.getName()).isNotNegative();
            for (Dependency to : from.getDirectDependenciesFromSelf()) {
                assertThat(packages.indexOf(to.getTargetClass().getPackageName()))
                        .as(to.getDescription())
                        .isLessThanOrEqualTo(layer);
            }
        }
    }

    /**
     * All threads are made in one place, because a thread inherits from the caller that happens to start it. So do those that the
     * JDK starts for a pool without a factory, for stages without an executor where there are two processors or one, and for timers
     * of futures.
     */
    @ArchTest
    public static void threadsInheritNothing(JavaClasses classes) {
        for (JavaClass from : classes) {
            if (!from.getPackageName().equals("io.limiter.internal.thread")) {
                assertThat(from.getCodeUnitCallsFromSelf())
                        .as("calls of %s that start threads", from.getName())
                        .noneMatch(ArchitectureRules::makesThreads);
            }
        }
    }

    private static boolean makesThreads(JavaCodeUnitAccess<?> call) {
        JavaClass owner = call.getTargetOwner();
        String name = call.getTarget().getName();
        List<String> parameters = call.getTarget().getRawParameterTypes().stream()
                .map(JavaClass::getName)
                .toList();
        if (name.equals(JavaConstructor.CONSTRUCTOR_NAME)) {
            return owner.isAssignableTo(Thread.class) || owner.isEquivalentTo(Timer.class);
        }
        if (owner.isEquivalentTo(Executors.class)) {
            return !parameters.contains(ThreadFactory.class.getName());
        }
        return owner.isAssignableTo(CompletionStage.class)
                && !owner.getPackageName().startsWith("io.limiter")
                && TIMED_OR_ASYNC.matcher(name).matches()
                && !parameters.contains(Executor.class.getName());
    }

    @ArchTest
    static final ArchRule publicSignaturesHaveNoInternalTypes = codeUnits()
            .that()
            .arePublic()
            .and()
            .areDeclaredInClassesThat()
            .arePublic()
            .and()
            .areDeclaredInClassesThat()
            .resideOutsideOfPackage(INTERNAL)
            .should()
            .notHaveRawReturnType(JavaClass.Predicates.resideInAPackage(INTERNAL))
            .andShould()
            .notHaveRawParameterTypes(
                    DescribedPredicate.anyElementThat(JavaClass.Predicates.resideInAPackage(INTERNAL)));

    /** A copy differs from a component by its name. What is derived, such as a share of a limit, is no copy. */
    @ArchTest
    static final ArchRule copiesOfPublicValuesBeginWithWith = methods()
            .that()
            .arePublic()
            .and()
            .areNotStatic()
            .and(DescribedPredicate.describe(
                    "copy a public value",
                    method -> method.getOwner()
                                    .tryGetMethod("equals", Object.class)
                                    .isPresent()
                            && !JavaClass.Predicates.resideInAPackage(INTERNAL).test(method.getOwner())
                            && method.getRawReturnType().equals(method.getOwner())))
            .should()
            .haveNameMatching("with([A-Z].*)?|as[A-Z].*|scaled|plus|waited|orNull|next|in|from");

    /** A record has its components for ever: its constructor and its pattern would change with one more. */
    @ArchTest
    static final ArchRule publicValuesAreNoRecords = classes()
            .that()
            .arePublic()
            .and()
            .resideInAnyPackage(
                    "io.limiter",
                    "io.limiter.spi",
                    "io.limiter.step",
                    "io.limiter.live..",
                    "io.limiter.spring.internal.event")
            .or(JavaClass.Predicates.assignableTo(LimitStep.class))
            .should()
            .notBeRecords()
            .allowEmptyShould(true);

    /** Else what is inherited from there would be public too. */
    @ArchTest
    static final ArchRule publicClassesHaveNoInternalSupertypes = classes()
            .that()
            .arePublic()
            .and()
            .resideOutsideOfPackage(INTERNAL)
            .should()
            .notBeAssignableTo(JavaClass.Predicates.resideInAPackage(INTERNAL));
}
