package io.limiter;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.reflect.ClassPath;
import io.limiter.internal.backend.Backend;
import io.limiter.internal.engine.Engine;
import io.limiter.spi.DistributedLock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** No engine and no lock without its contract: a new one fails here until the tests that extend it are there. */
class EveryEngineTest {

    /** They stand in front of each backend over Redis, so one contract passes through all of them. */
    private static final Set<String> IN_EACH_ROW =
            Set.of("Failover", "PrefetchEngine", "RejectionCache", "GroupCommit");

    private static final List<Class<?>> CLASSES = classes();

    @Test
    void every_engine_passes_the_contract() {
        List<Class<?>> engines = new ArrayList<>(implementations(Engine.class));
        engines.addAll(implementations(Backend.class));
        assertThat(engines)
                .hasSizeGreaterThan(5)
                // The first grants everything, the second never answers, the third exempts or bans.
                .filteredOn(engine -> !Set.of("UnlimitedEngine", "SilentBackend", "AccessEngine")
                        .contains(engine.getSimpleName()))
                .allSatisfy(engine -> assertThat(subclasses(EngineContract.class.getName()))
                        .anyMatch(test -> test.startsWith(
                                IN_EACH_ROW.contains(engine.getSimpleName())
                                        ? "DefaultSettings"
                                        : engine.getSimpleName())));
    }

    @Test
    void every_lock_passes_its_own_contract_and_the_lock_engine_is_called_with_it() {
        assertThat(implementations(DistributedLock.class)).isNotEmpty().allSatisfy(lock -> {
            assertThat(subclasses("io.limiter.redis.DistributedLockContract")).contains(lock.getSimpleName() + "Test");
            assertThat(subclasses(CallsContract.class.getName()))
                    .contains("LockBackendOn" + lock.getSimpleName() + "ContractTest");
        });
    }

    /** All of the core and its tests, loaded and not initialized. */
    private static List<Class<?>> classes() {
        try {
            return ClassPath.from(EveryEngineTest.class.getClassLoader()).getAllClasses().stream()
                    .filter(info -> info.getName().startsWith("io.limiter."))
                    .<Class<?>>map(ClassPath.ClassInfo::load)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<Class<?>> implementations(Class<?> type) {
        return CLASSES.stream()
                .filter(c -> isConcrete(c, type) && !c.isAnonymousClass())
                .filter(c -> !c.getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .toString()
                        .contains("test-classes"))
                .toList();
    }

    private static List<String> subclasses(String contract) {
        Class<?> type = CLASSES.stream()
                .filter(c -> c.getName().equals(contract))
                .findFirst()
                .orElseThrow();
        return CLASSES.stream()
                .filter(c -> isConcrete(c, type))
                .map(Class::getSimpleName)
                .toList();
    }

    private static boolean isConcrete(Class<?> one, Class<?> type) {
        return type.isAssignableFrom(one) && !Modifier.isAbstract(one.getModifiers());
    }
}
