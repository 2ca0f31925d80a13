package io.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.limiter.internal.backend.Backend;
import io.limiter.internal.batch.GroupCommit;
import io.limiter.internal.engine.Engine;
import io.limiter.internal.local.LocalEngine;
import io.limiter.internal.log.AsyncLog;
import io.limiter.internal.resilience.Guard;
import io.limiter.testing.Patience;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

class FailureWarmUpTest {

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void goes_from_a_timeout_to_an_open_circuit_breaker(boolean batches) {
        AtomicReference<Guard> guard = new AtomicReference<>();
        LocalEngine local = new LocalEngine();
        String message = FailureWarmUp.run(
                (backend, given) -> {
                    guard.set(given);
                    return engine(batches).apply(backend, given);
                },
                local);
        assertThat(message).contains("the circuit breaker is open");
        assertThat(guard.get().state().up()).isFalse();
        assertThat(local.size()).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void leaves_no_thread(boolean batches) {
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        FailureWarmUp.run(engine(batches), new LocalEngine());
        Awaitility.await()
                .atMost(Duration.ofMinutes(1))
                .until(() -> Thread.getAllStackTraces().keySet().stream()
                        .noneMatch(thread ->
                                thread.getName().startsWith("limiter-deadlines") && !before.contains(thread)));
    }

    @Test
    void logs_nothing() {
        Logger logger = (Logger) LoggerFactory.getLogger("io.limiter.internal.resilience");
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger.addAppender(lines);
        try {
            FailureWarmUp.run(engine(true), new LocalEngine());
            assertThat(AsyncLog.flush(Patience.DECISION_TIMEOUT)).isTrue();
        } finally {
            logger.detachAppender(lines);
        }
        assertThat(lines.list).noneMatch(line -> line.getFormattedMessage().contains("limiter:probe"));
    }

    private static BiFunction<Backend, Guard, Engine> engine(boolean batches) {
        GroupCommit.Settings settings =
                batches ? GroupCommit.Settings.DEFAULT : GroupCommit.Settings.DEFAULT.withOwnCalls();
        return (backend, guard) -> new GroupCommit(backend, settings, Runnable::run, guard);
    }
}
