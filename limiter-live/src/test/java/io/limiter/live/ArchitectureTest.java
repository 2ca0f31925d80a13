package io.limiter.live;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.ArchTests;
import com.tngtech.archunit.lang.ArchRule;
import io.limiter.ArchitectureRules;
import java.util.List;

@AnalyzeClasses(
        packages = {"io.limiter.live", "io.limiter.internal.live", "io.limiter.internal.parameters"},
        importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

    @ArchTest
    static final ArchTests OF_EVERY_MODULE = ArchTests.in(ArchitectureRules.class);

    @ArchTest
    static void dependenciesPointDown(JavaClasses classes) {
        ArchitectureRules.dependenciesPointDown(
                classes,
                List.of(
                        "io.limiter.live",
                        "io.limiter.internal.parameters",
                        "io.limiter.internal.live.store",
                        "io.limiter.internal.live",
                        "io.limiter.live.redis"));
    }

    @ArchTest
    static final ArchRule typesOfLiveLimitsDependOnPublicOnes = noClasses()
            .that()
            .resideInAPackage("io.limiter.live")
            .should()
            .dependOnClassesThat()
            .resideOutsideOfPackages(
                    "io.limiter.live",
                    "io.limiter",
                    "io.limiter.algorithm",
                    // How a key path is one text.
                    "io.limiter.internal.key",
                    "java..",
                    "org.jspecify.annotations..");

    /** All other calls of Redis are the core's. */
    @ArchTest
    static final ArchRule onlyHintsUseTheClient = noClasses()
            .that()
            .doNotHaveFullyQualifiedName("io.limiter.internal.live.store.RedisHints")
            .and()
            .haveNameNotMatching(".*\\.RedisHints\\$.*")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.springframework.data..", "io.lettuce..", "redis.clients..");
}
