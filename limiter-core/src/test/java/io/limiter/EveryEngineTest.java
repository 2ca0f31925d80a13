package io.limiter;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.limiter.engine.Engine;
import io.limiter.redis.DistributedLock;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** No engine and no lock without its contract: a new one fails here until the tests that extend it are there. */
class EveryEngineTest {

    private final JavaClasses classes = new ClassFileImporter().importPackages("io.limiter");

    @Test
    void every_engine_passes_the_contracts() {
        implementations(Engine.class).forEach(engine -> {
            String name = engine.getSimpleName().replace("Engine", "");
            assertThat(contractTests(RateLimiterContract.class)).anyMatch(test -> test.startsWith(name));
            assertThat(contractTests(CountLimiterContract.class)).anyMatch(test -> test.startsWith(name));
        });
    }

    @Test
    void every_lock_passes_its_own_contract_and_carries_the_lock_engine_through_its() {
        implementations(DistributedLock.class).forEach(lock -> {
            String name = lock.getSimpleName().replace("Lock", "");
            assertThat(contractTests("io.limiter.redis.DistributedLockContract"))
                    .contains(name + "LockTest");
            assertThat(contractTests(RateLimiterContract.class)).contains("Lock" + name + "RateLimiterContractTest");
            assertThat(contractTests(CountLimiterContract.class)).contains("Lock" + name + "CountLimiterContractTest");
        });
    }

    private Stream<JavaClass> implementations(Class<?> type) {
        return classes.stream()
                .filter(c -> c.isAssignableTo(type) && !c.isInterface() && !c.isAnonymousClass())
                .filter(c -> !c.getSource().orElseThrow().getUri().toString().contains("test-classes"));
    }

    private java.util.List<String> contractTests(Class<?> contract) {
        return contractTests(contract.getName());
    }

    private java.util.List<String> contractTests(String contract) {
        return classes.stream()
                .filter(c -> c.isAssignableTo(contract) && !c.getModifiers().contains(JavaModifier.ABSTRACT))
                .map(JavaClass::getSimpleName)
                .toList();
    }
}
