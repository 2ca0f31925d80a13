package io.limiter.console;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class ArchitectureTest {

    private static final ClassFileImporter MAIN_CLASSES = new ClassFileImporter()
            .withImportOption(location -> !location.contains("/test-classes/") && !location.contains("-tests.jar"));

    /** Then an application could replace the console by one of its own. Only threads are made as in the other modules. */
    @Test
    void the_console_needs_only_what_is_public() {
        noClasses()
                .should()
                .dependOnClassesThat(JavaClass.Predicates.resideInAPackage("io.limiter.internal..")
                        .and(JavaClass.Predicates.resideOutsideOfPackage("io.limiter.internal.thread")))
                .check(MAIN_CLASSES.importPackages("io.limiter.console"));
    }

    /** Modules of Java reject that, and so does OSGi. */
    @Test
    void no_package_is_in_two_jars() {
        Map<String, Set<String>> jars = MAIN_CLASSES.importPackages("io.limiter").stream()
                .collect(Collectors.groupingBy(
                        JavaClass::getPackageName, Collectors.mapping(ArchitectureTest::jar, Collectors.toSet())));
        assertThat(jars).containsKeys("io.limiter", "io.limiter.live", "io.limiter.spring.aop", "io.limiter.console");
        assertThat(jars).allSatisfy((name, found) -> assertThat(found).as(name).hasSize(1));
    }

    private static String jar(JavaClass each) {
        String file = each.getSource().orElseThrow().getUri().toString();
        return file.substring(0, file.length() - (each.getName() + ".class").length());
    }
}
