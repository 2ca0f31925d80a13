package io.limiter.internal.redis.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.ArrayOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandType;
import io.limiter.internal.resilience.Guard;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.dao.QueryTimeoutException;

class SentCommandsTest {

    private static final Duration TIMEOUT = Duration.ofHours(1);

    private final Guard guard = Guard.silent(TIMEOUT);
    private final SentCommands sent = new SentCommands(guard.deadlines());
    private final AsyncCommand<byte[], byte[], List<Object>> command =
            new AsyncCommand<>(new Command<>(CommandType.EVALSHA, new ArrayOutput<>(ByteArrayCodec.INSTANCE)));
    private final List<Runnable> handedOver = new ArrayList<>();
    private final List<Throwable> failures = new ArrayList<>();

    @AfterEach
    void close() {
        guard.close();
    }

    /** A busy machine takes its time, and the connection may break during it. */
    @Test
    void an_overdue_command_is_cancelled_before_another_thread_tells_its_caller() {
        send();
        passTimeout();
        assertThat(command.isCancelled()).isTrue();
        assertThat(failures).isEmpty();
        handedOver.forEach(Runnable::run);
        assertThat(failures).singleElement().isInstanceOf(QueryTimeoutException.class);
    }

    @Test
    void a_command_that_becomes_overdue_while_it_is_sent_is_cancelled() {
        SentCommands.Sent early = add();
        passTimeout();
        early.as(command);
        assertThat(command.isCancelled()).isTrue();
        assertThat(early.isCancelled()).isTrue();
    }

    @Test
    void an_answer_before_the_deadline_ends_it() {
        send();
        command.complete();
        passTimeout();
        assertThat(handedOver).isEmpty();
        assertThat(command.isCancelled()).isFalse();
    }

    private void send() {
        SentCommands.Sent added = add();
        added.as(command).whenComplete(added::answered);
    }

    private SentCommands.Sent add() {
        return sent.add(
                (reply, error) -> {
                    if (error != null) {
                        failures.add(error);
                    }
                },
                this,
                TIMEOUT.toNanos(),
                handedOver::add);
    }

    private void passTimeout() {
        sent.endOverdue(guard.deadlines().now() + TIMEOUT.toNanos());
    }
}
