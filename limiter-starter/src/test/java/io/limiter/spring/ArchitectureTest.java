package io.limiter.spring;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;

class ArchitectureTest {

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(location -> !location.contains("/test-classes/") && !location.contains("-tests.jar"))
            .importPackages("io.limiter.spring");

    @Test
    void no_cycles_between_packages() {
        slices().matching("io.limiter.spring.(**)").should().beFreeOfCycles().check(CLASSES);
    }

    @Test
    void only_auto_configurations_are_public_where_beans_are_set_up() {
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
                        "io.limiter.spring.client",
                        "io.limiter.spring.cloud",
                        "io.limiter.spring.internal.actuate",
                        "io.limiter.spring.internal.condition",
                        "io.limiter.spring.internal.live",
                        "io.limiter.spring.internal.settings")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.springframework.boot..")
                .check(CLASSES);
    }

    /** All other names are the application's: two beans of one name do not start. */
    @Test
    void names_of_beans_begin_with_limiter() {
        methods()
                .that()
                .areAnnotatedWith(Bean.class)
                .should()
                .haveNameStartingWith("limiter")
                .check(CLASSES);
    }

    @Test
    void annotations_need_nothing() {
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
    void only_the_web_packages_know_servlets() {
        noClasses()
                .that()
                .resideInAnyPackage(
                        "io.limiter.spring.aop..", "io.limiter.spring.internal.aop..", "io.limiter.spring.annotation")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("jakarta.servlet..", "org.springframework.web..")
                .check(CLASSES);
    }

    /** Those that are missing together in an application of {@link OptionalLibrariesTest}. */
    @Test
    void no_class_uses_two_optional_libraries_that_are_missing_together() {
        String actuator = "org.springframework.boot.actuate";
        String security = "org.springframework.security";
        assertThat(users("org.aspectj")).isEmpty();
        notTogether("org.springframework.web.servlet", "io.micrometer.core");
        notTogether(actuator, security);
        notTogether("jakarta.servlet", security);
    }

    private static void notTogether(String one, String other) {
        assertThat(users(one)).isNotEmpty().doesNotContainAnyElementsOf(users(other));
        assertThat(users(other)).isNotEmpty();
    }

    private static Set<String> users(String library) {
        return CLASSES.stream()
                .filter(type -> type.getDirectDependenciesFromSelf().stream()
                        .anyMatch(used -> used.getTargetClass().getPackageName().startsWith(library)))
                .map(JavaClass::getName)
                .collect(Collectors.toSet());
    }
}
