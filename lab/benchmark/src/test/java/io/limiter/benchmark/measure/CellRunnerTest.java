package io.limiter.benchmark.measure;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.benchmark.load.Cell;
import io.limiter.benchmark.load.Cell.Waiting;
import io.limiter.benchmark.load.KeySpace;
import io.limiter.benchmark.load.Outcome;
import io.limiter.benchmark.subject.Allowance;
import io.limiter.benchmark.subject.Contender;
import io.limiter.benchmark.subject.Contender.Guarantee;
import io.limiter.benchmark.subject.Contenders;
import io.limiter.benchmark.subject.RedisClients;
import io.limiter.benchmark.subject.Subject;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** That figures mean what they say; how large they are depends on the machine. */
class CellRunnerTest {

    private static BenchmarkRedis redis;

    @BeforeAll
    static void start() throws InterruptedException {
        redis = BenchmarkRedis.open("");
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    @Test
    void every_subject_grants_all_that_threads_request() throws InterruptedException {
        Cell cell = new Cell(KeySpace.HOT, Outcome.GRANTED, Waiting.THREADS, 2);
        assertDecides(cell, run(cell, Contenders.ALL), Contenders.ALL);
    }

    @Test
    void every_asynchronous_subject_grants_all_that_is_requested_for_many_ids() throws InterruptedException {
        Cell cell = new Cell(KeySpace.UNIFORM, Outcome.GRANTED, Waiting.ASYNC, 8);
        assertDecides(
                cell,
                run(cell, Contenders.ALL),
                Contenders.ALL.stream().filter(Contender::async).toList());
    }

    @Test
    void every_subject_rejects_when_its_permits_are_used_up() throws InterruptedException {
        Cell cell = new Cell(KeySpace.HOT, Outcome.REJECTED, Waiting.THREADS, 2);
        CellResult result = run(cell, Contenders.ALL);
        assertDecides(cell, result, Contenders.ALL);
        for (Contender contender : Contenders.ALL) {
            if (!contender.isFloor()) {
                assertThat(result.spread(contender, Slice::granted).most())
                        .as(contender.name())
                        .isZero();
            }
        }
    }

    @Test
    void virtual_threads_wait_for_answers_where_there_are_any() throws InterruptedException {
        Waiting kind = Runtime.version().feature() >= 21 ? Waiting.VIRTUAL : Waiting.THREADS;
        assertThat(Cell.all().stream().anyMatch(cell -> cell.waiting() == Waiting.VIRTUAL))
                .isEqualTo(kind == Waiting.VIRTUAL);
        Cell cell = new Cell(KeySpace.HOT, Outcome.GRANTED, kind, 50);
        assertDecides(cell, run(cell, List.of(Contenders.RAW_EVALSHA)), List.of(Contenders.RAW_EVALSHA));
    }

    @Test
    void the_floor_is_one_call_a_decision_and_its_own_measure() throws InterruptedException {
        Cell cell = new Cell(KeySpace.HOT, Outcome.GRANTED, Waiting.THREADS, 1);
        CellResult result = run(cell, List.of(Contenders.RAW_EVALSHA));
        assertThat(result.ratio(Contenders.RAW_EVALSHA, Contenders.RAW_EVALSHA)).isEqualTo(new Spread(1, 1, 1));
        assertThat(result.spread(Contenders.RAW_EVALSHA, slice -> slice.perDecision(slice.commandsSent()))
                        .median())
                .isBetween(0.8, 1.2);
    }

    @Test
    void too_many_grants_are_noticed_and_the_right_number_is_not_held_against_anyone() throws InterruptedException {
        for (Waiting waiting : List.of(Waiting.THREADS, Waiting.ASYNC)) {
            Cell cell = new Cell(KeySpace.HOT, Outcome.LIMITED, waiting, 4);
            CellResult result = run(cell, List.of(Fakes.exact(), Fakes.tooGenerous()));
            assertThat(result.above(Fakes.exact())).isZero();
            assertThat(result.above(Fakes.tooGenerous())).isPositive();
        }
    }

    /** Until it is noticed: a pause of the machine at the wrong moment makes any contender look exact. */
    @Test
    void a_clock_of_whole_seconds_is_noticed_in_the_end() throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (aboveAcrossASecond("gateway-script") == 0) {
            assertThat(System.nanoTime()).isLessThan(deadline);
        }
    }

    @Test
    void a_clock_of_microseconds_is_never_too_generous() throws InterruptedException {
        assertThat(aboveAcrossASecond("limiter")).isZero();
    }

    private static long aboveAcrossASecond(String name) throws InterruptedException {
        redis.deleteAllKeys();
        Allowance allowance = Allowance.perSecond(10);
        Contender contender = contender(name);
        try (RedisClients clients = redis.clients(Cell.HOT_1_THREAD);
                Subject subject = contender.opener().open(clients, allowance, OpenSubject.ids(contender, 1))) {
            redis.awaitLateInASecond();
            LimitCheck check = new LimitCheck(allowance, 1);
            long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(600);
            while (System.nanoTime() - end < 0) {
                if (subject.tryAcquire(0)) {
                    check.granted(0);
                }
            }
            return check.above();
        }
    }

    @Test
    void a_limit_above_the_demand_is_checked_with_one_below_it() throws InterruptedException {
        for (KeySpace keys : List.of(KeySpace.HOT, KeySpace.UNIFORM)) {
            Cell cell = new Cell(keys, Outcome.GRANTED, Waiting.ASYNC, 4);
            CellResult result = run(cell, List.of(Fakes.tooGenerous()));
            assertThat(result.problems()).isEmpty();
            assertThat(result.above(Fakes.tooGenerous())).as(cell.name()).isPositive();
        }
    }

    @Test
    void a_rejection_where_all_is_to_be_granted_makes_figures_worthless() throws InterruptedException {
        Cell cell = new Cell(KeySpace.HOT, Outcome.GRANTED, Waiting.THREADS, 1);
        assertThat(run(cell, List.of(Fakes.rejecting())).problems())
                .singleElement()
                .asString()
                .startsWith("rejecting in hot-granted-1-threads rejected ");
    }

    @Test
    void an_exception_is_no_decision() throws InterruptedException {
        for (Waiting kind : List.of(Waiting.THREADS, Waiting.ASYNC)) {
            Cell cell = new Cell(KeySpace.HOT, Outcome.GRANTED, kind, 2);
            Contender failing = Fakes.failing();
            CellResult result = run(cell, List.of(failing));
            assertThat(result.spread(failing, Slice::failed).least()).isPositive();
            assertThat(result.spread(failing, Slice::decisions).most()).isZero();
            assertThat(result.problems())
                    .containsExactly("failing in " + cell.name() + " decided nothing in at least one round");
            assertThat(result.failureByContender())
                    .containsExactly(Map.entry("failing", "java.lang.IllegalStateException: out of order"));
        }
    }

    @Test
    void a_subject_that_cannot_be_opened_leaves_the_cell_to_the_others() throws InterruptedException {
        Contender broken = new Contender(
                "broken", Contender.Family.PEER, true, false, Guarantee.EXACT, (clients, allowance, ids) -> {
                    throw new IllegalStateException("no way");
                });
        Cell cell = new Cell(KeySpace.HOT, Outcome.GRANTED, Waiting.THREADS, 1);
        CellResult result = run(cell, List.of(broken, Fakes.exact()));
        assertThat(result.slicesByContender()).containsOnlyKeys("exact");
        assertThat(result.problems())
                .containsExactly("broken in hot-granted-1-threads: java.lang.IllegalStateException: no way");
    }

    @Test
    void keys_are_weighed_and_gone_afterwards() {
        KeyMemory memory = KeyMemory.measure(contender("limiter"), redis);
        assertThat(memory.afterOne()).isBetween(50L, 500L);
        assertThat(memory.afterThousand()).isBetween(memory.afterOne() - 8, memory.afterOne() + 8);
        assertThat(redis.bytesOfAllKeys()).isZero();
    }

    private static Contender contender(String name) {
        return Contenders.ALL.stream()
                .filter(contender -> contender.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static CellResult run(Cell cell, List<Contender> contenders) throws InterruptedException {
        return new CellRunner(redis, new Timing(1, 0.05, 0.05)).run(cell, contenders);
    }

    private static void assertDecides(Cell cell, CellResult result, List<Contender> contenders) {
        assertThat(result.problems()).as(cell.name()).isEmpty();
        assertThat(result.slicesByContender())
                .containsOnlyKeys(contenders.stream().map(Contender::name).toList());
        for (Contender contender : contenders) {
            assertThat(result.spread(contender, Slice::decisions).least())
                    .as(contender.name())
                    .isPositive();
            assertThat(result.spread(contender, Slice::failed).most())
                    .as(contender.name())
                    .isZero();
            if (contender.family() == Contender.Family.OURS
                    || contender.guarantee().exact()) {
                assertThat(result.above(contender)).as(contender.name()).isZero();
            }
        }
    }
}
