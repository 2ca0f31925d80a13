package io.limiter.docs;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.limiter.ArchitectureRules;
import org.junit.jupiter.api.Test;

/** The modules of the library together, because some have no test of this kind. */
class ThreadsTest {

    @Test
    void no_thread_of_the_library_inherits_from_a_caller() {
        ArchitectureRules.threadsInheritNothing(new ClassFileImporter()
                .withImportOption(location -> !location.contains("/test-classes/") && !location.contains("-tests.jar"))
                .importPackages("io.limiter")
                .that(JavaClass.Predicates.resideOutsideOfPackage("io.limiter.sample..")));
    }
}
