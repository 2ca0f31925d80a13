package io.limiter.console;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import org.junit.jupiter.api.Test;

class ArchitectureTest {

    /** Then an application could replace the console by one of its own. */
    @Test
    void theConsoleNeedsOnlyWhatIsPublic() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.limiter.internal..")
                .check(new ClassFileImporter()
                        .withImportOption(
                                location -> !location.contains("/test-classes/") && !location.contains("-tests.jar"))
                        .importPackages("io.limiter.console"));
    }
}
