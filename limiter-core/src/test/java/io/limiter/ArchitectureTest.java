package io.limiter;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.ArchTests;
import com.tngtech.archunit.lang.ArchRule;
import java.io.Serializable;
import java.time.Instant;
import java.util.List;

@AnalyzeClasses(packages = "io.limiter", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

    private static final String[] ALGORITHM = {
        "io.limiter.algorithm..", "io.limiter.step..", "io.limiter.internal.arithmetic.."
    };
    private static final String REDIS = "io.limiter.redis..";

    @ArchTest
    static final ArchRule algorithmsDependOnNothingButJavaAndAnnotations = noClasses()
            .that()
            .resideInAnyPackage(ALGORITHM)
            .should()
            .dependOnClassesThat(DescribedPredicate.not(JavaClass.Predicates.type(Serializable.class)
                    .or(JavaClass.Predicates.resideInAnyPackage(ALGORITHM))
                    .or(JavaClass.Predicates.resideInAnyPackage(
                            "java.lang..",
                            "java.math..",
                            "java.time..",
                            "java.util..",
                            "com.fasterxml.jackson.annotation..",
                            "org.jspecify.annotations.."))));

    @ArchTest
    static final ArchRule algorithmsUseNoThreads = noClasses()
            .that()
            .resideInAnyPackage(ALGORITHM)
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
            .resideInAnyPackage(ALGORITHM)
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

    /** From the bottom up, so that there are no cycles. */
    private static final List<String> PACKAGES = List.of(
            "io.limiter.internal.arithmetic",
            "io.limiter.internal.text",
            "io.limiter.step",
            "io.limiter.algorithm",
            "io.limiter.internal.step",
            "io.limiter.internal.key",
            "io.limiter",
            "io.limiter.spi",
            "io.limiter.internal.thread",
            "io.limiter.internal.engine",
            "io.limiter.internal.backend",
            "io.limiter.internal.log",
            "io.limiter.internal.time",
            "io.limiter.internal.waiting",
            "io.limiter.internal.statistics",
            "io.limiter.internal.resilience",
            "io.limiter.internal.cache",
            "io.limiter.internal.batch",
            "io.limiter.internal.prefetch",
            "io.limiter.internal.lease",
            "io.limiter.internal.named",
            "io.limiter.internal.limiter",
            "io.limiter.internal.factory",
            "io.limiter.internal.redis.client",
            "io.limiter.internal.redis.script",
            "io.limiter.internal.redis.lock",
            "io.limiter.internal.redis",
            "io.limiter.internal.local",
            "io.limiter.local",
            "io.limiter.redis");

    @ArchTest
    static final ArchTests OF_EVERY_MODULE = ArchTests.in(ArchitectureRules.class);

    @ArchTest
    static void dependenciesPointDown(JavaClasses classes) {
        ArchitectureRules.dependenciesPointDown(classes, PACKAGES);
    }
}
