package io.limiter.console;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;

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

    /** Modules of Java reject that, and so does OSGi. Names of files tell it; reading all classes took nine seconds. */
    @Test
    void no_package_is_in_two_jars() throws IOException {
        Map<String, Set<String>> jars = new HashMap<>();
        for (Resource file :
                new PathMatchingResourcePatternResolver().getResources("classpath*:io/limiter/**/*.class")) {
            String url = file.getURL().toString();
            if (!url.contains("/test-classes/") && !url.contains("-tests.jar")) {
                int classes = url.indexOf("io/limiter/", Math.max(url.indexOf("!/"), url.indexOf("/classes/")));
                jars.computeIfAbsent(
                                url.substring(classes, url.lastIndexOf('/')).replace('/', '.'), none -> new HashSet<>())
                        .add(url.substring(0, classes));
            }
        }
        assertThat(jars).containsKeys("io.limiter", "io.limiter.live", "io.limiter.spring.aop", "io.limiter.console");
        assertThat(jars).allSatisfy((name, found) -> assertThat(found).as(name).hasSize(1));
    }
}
