package io.limiter.benchmark.measure;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.benchmark.load.Cell;
import io.limiter.internal.batch.GroupCommit;
import io.limiter.internal.engine.Pending;
import io.limiter.internal.redis.script.ScriptBackend;
import java.util.List;
import org.junit.jupiter.api.Test;

class StageTest {

    @Test
    void the_innermost_class_of_a_stage_counts() {
        String queue = GroupCommit.class.getName();
        String load = Cell.class.getName();
        assertThat(Stage.of(List.of("java.lang.Object", queue, load))).isEqualTo(Stage.QUEUE);
        assertThat(Stage.of(List.of("java.util.HashMap", load, queue))).isEqualTo(Stage.LOAD);
        assertThat(Stage.of(List.of("sun.nio.ch.SocketDispatcher", "io.netty.channel.Channel", queue)))
                .isEqualTo(Stage.SYSTEM_CALLS);
        assertThat(Stage.of(List.of("java.lang.Object"))).isEqualTo(Stage.OTHER);
        assertThat(Stage.of(List.of(Pending.class.getName()))).isEqualTo(Stage.FUTURE);
        assertThat(Stage.of(List.of(ScriptBackend.class.getName()))).isEqualTo(Stage.ENCODING);
    }
}
