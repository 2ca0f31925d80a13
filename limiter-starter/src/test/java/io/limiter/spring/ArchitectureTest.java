package io.limiter.spring;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.limiter.ArchitectureRules;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;

class ArchitectureTest {

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(location -> !location.contains("/test-classes/") && !location.contains("-tests.jar"))
            .importPackages("io.limiter.spring");

    @Test
    void noCyclesBetweenPackages() {
        slices().matching("io.limiter.spring.(**)").should().beFreeOfCycles().check(CLASSES);
    }

    @Test
    void noPackageHasTooManyClasses() {
        ArchitectureRules.noPackageHasTooManyClasses(CLASSES);
    }

    @Test
    void onlyAutoConfigurationsArePublicWhereBeansAreSetUp() {
        classes()
                .that()
                .resideInAPackage("io.limiter.spring.autoconfigure")
                .and()
                .areNotAnnotatedWith(AutoConfiguration.class)
                .and()
                .haveSimpleNameNotEndingWith("Customizer")
                .should()
                .notBePublic()
                .check(CLASSES);
        noClasses()
                .that()
                .resideOutsideOfPackages(
                        "io.limiter.spring.autoconfigure",
                        "io.limiter.spring.actuate",
                        "io.limiter.spring.client",
                        "io.limiter.spring.live",
                        "io.limiter.spring.text",
                        "io.limiter.spring.settings")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.springframework.boot..")
                .check(CLASSES);
    }

    /** All other names are the application's: two beans of one name do not start. */
    @Test
    void namesOfBeansBeginWithLimiter() {
        methods()
                .that()
                .areAnnotatedWith(Bean.class)
                .should()
                .haveNameStartingWith("limiter")
                .check(CLASSES);
    }

    @Test
    void annotationsNeedNothing() {
        noClasses()
                .that()
                .resideInAPackage("io.limiter.spring.annotation")
                .should()
                .dependOnClassesThat()
                .resideOutsideOfPackages(
                        "io.limiter.spring.annotation",
                        "java..",
                        "org.jspecify..",
                        // Of a qualifier, which nothing else can be.
                        "org.springframework.beans.factory.annotation")
                .check(CLASSES);
    }

    @Test
    void onlyTheWebPackagesKnowServlets() {
        noClasses()
                .that()
                .resideInAnyPackage("io.limiter.spring.aop..", "io.limiter.spring.annotation")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("jakarta.servlet..", "org.springframework.web..")
                .check(CLASSES);
    }
}
