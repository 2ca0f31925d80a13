package io.limiter;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.codeUnits;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.io.Serializable;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

@AnalyzeClasses(packages = "io.limiter", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

    private static final String ALGORITHM = "io.limiter.algorithm..";
    private static final String INTERNAL = "io.limiter.internal..";
    private static final String REDIS = "io.limiter.redis..";

    @ArchTest
    static final ArchRule algorithmsDependOnNothingButJavaAndAnnotations = noClasses()
            .that()
            .resideInAPackage(ALGORITHM)
            .should()
            .dependOnClassesThat(DescribedPredicate.not(JavaClass.Predicates.type(Serializable.class)
                    .or(JavaClass.Predicates.resideInAnyPackage(
                            ALGORITHM,
                            "java.lang..",
                            "java.time..",
                            "java.util..",
                            "com.fasterxml.jackson.annotation..",
                            "org.jspecify.annotations.."))));

    @ArchTest
    static final ArchRule typesOfLiveLimitsDependOnPublicOnes = noClasses()
            .that()
            .resideInAPackage("io.limiter.live")
            .should()
            .dependOnClassesThat()
            .resideOutsideOfPackages("io.limiter.live", "io.limiter", "java..", "org.jspecify.annotations..");

    @ArchTest
    static final ArchRule algorithmsUseNoThreads = noClasses()
            .that()
            .resideInAPackage(ALGORITHM)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("java.util.concurrent..")
            .orShould()
            .dependOnClassesThat()
            .areAssignableTo(Thread.class)
            .orShould()
            .dependOnClassesThat()
            .areAssignableTo(ThreadLocal.class);

    @ArchTest
    static final ArchRule algorithmsReadNoClock = noClasses()
            .that()
            .resideInAPackage(ALGORITHM)
            .should()
            .callMethod(System.class, "nanoTime")
            .orShould()
            .callMethod(System.class, "currentTimeMillis")
            .orShould()
            .callMethod(Instant.class, "now")
            .orShould()
            .dependOnClassesThat()
            .haveFullyQualifiedName("java.time.Clock")
            .orShould()
            .dependOnClassesThat()
            .haveFullyQualifiedName("java.time.InstantSource");

    /** Only these packages call Redis clients. */
    @ArchTest
    static final ArchRule onlyTheClientUsesLettuceAndJedis = noClasses()
            .that()
            .resideOutsideOfPackages("io.limiter.internal.redis.client..", REDIS)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.springframework.data..", "org.redisson..", "io.lettuce..", "redis.clients..");

    /** Callers must not wait for an appender. What is shown of a key depends on a level, and logs nothing. */
    @ArchTest
    static final ArchRule onlyTheAsynchronousLogKnowsTheLogger = noClasses()
            .that()
            .resideOutsideOfPackages("io.limiter.internal.log..", "io.limiter.internal.key..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.slf4j..");

    /** From the bottom up, so that there are no cycles; docs/architecture.md lists them from the top down. */
    private static final List<String> PACKAGES = List.of(
            "io.limiter.algorithm",
            "io.limiter.internal.key",
            "io.limiter",
            "io.limiter.live",
            "io.limiter.spi",
            "io.limiter.internal.engine",
            "io.limiter.internal.backend",
            "io.limiter.internal.log",
            "io.limiter.internal.time",
            "io.limiter.internal.statistics",
            "io.limiter.internal.resilience",
            "io.limiter.internal.cache",
            "io.limiter.internal.batch",
            "io.limiter.internal.prefetch",
            "io.limiter.internal.lease",
            "io.limiter.internal.override",
            "io.limiter.internal.limiter",
            "io.limiter.internal.redis.client",
            "io.limiter.internal.redis.script",
            "io.limiter.internal.redis.lock",
            "io.limiter.internal.redis",
            "io.limiter.internal.live",
            "io.limiter.internal.local",
            "io.limiter.local",
            "io.limiter.redis",
            "io.limiter.live.redis");

    @ArchTest
    static void dependenciesPointDown(JavaClasses classes) {
        for (JavaClass from : classes) {
            int layer = PACKAGES.indexOf(from.getPackageName());
            assertThat(layer).as("%s is in a listed package", from.getName()).isNotNegative();
            for (Dependency to : from.getDirectDependenciesFromSelf()) {
                assertThat(PACKAGES.indexOf(to.getTargetClass().getPackageName()))
                        .as(to.getDescription())
                        .isLessThanOrEqualTo(layer);
            }
        }
    }

    /** Packages stay small enough to be read at once. */
    @ArchTest
    static void noPackageHasTooManyClasses(JavaClasses classes) {
        Map<String, Long> counts = classes.stream()
                .filter(each -> each.isTopLevelClass() && !each.getSimpleName().equals("package-info"))
                .collect(Collectors.groupingBy(JavaClass::getPackageName, Collectors.counting()));
        assertThat(counts)
                .allSatisfy((name, count) ->
                        assertThat(count).as("classes in %s", name).isLessThanOrEqualTo(20));
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
