package io.limiter.benchmark.outage;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.benchmark.subject.Allowance;
import io.limiter.benchmark.subject.RedisClients;
import io.limiter.faults.process.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FleetOutageTest {

    private static final Allowance ONE = new Allowance(1, Duration.ofHours(1));
    private static final Allowance MANY = Allowance.perHour(1000);

    @ParameterizedTest
    @EnumSource(Library.class)
    void redis_decides_for_all_instances_of_a_library(Library library) throws Exception {
        try (RedisServer redis = RedisServer.start();
                Closing opened = new Closing()) {
            Function<Allowance, Decider> first = open(library, redis, "first", opened);
            Function<Allowance, Decider> second = open(library, redis, "second", opened);
            assertThat(first.apply(ONE).decide()).isEqualTo(Answer.GRANTED);
            assertThat(second.apply(ONE).decide()).isEqualTo(Answer.REJECTED);
            assertThat(second.apply(MANY).decide()).isEqualTo(Answer.GRANTED);
        }
    }

    private static Function<Allowance, Decider> open(Library library, RedisServer redis, String name, Closing opened) {
        RedisClients clients = new RedisClients("127.0.0.1", redis.port());
        opened.add(clients::close);
        return library.open(clients, name, opened);
    }

    @ParameterizedTest
    @EnumSource(Fault.class)
    void a_fault_ends_and_each_limit_has_a_result(Fault fault) throws Exception {
        List<FleetResult> results = FleetOutage.run(Library.LIMITER, 2, fault, 0.5, 0.1);
        assertThat(results).extracting(FleetResult::limit).containsExactly("1,000/s", "1/min");
        assertThat(results).allSatisfy(result -> {
            assertThat(result.library()).isEqualTo("limiter");
            assertThat(result.instances()).isEqualTo(2);
            assertThat(result.fault()).isEqualTo(fault.title());
            assertThat(result.calls()).isPositive();
            assertThat(result.failed() + result.unanswered()).isZero();
            assertThat(result.seconds()).isGreaterThan(fault == Fault.FAILED_OVER ? 0 : 0.1);
        });
        // A permit for each of the two instances, and one more if Redis has lost its data.
        assertThat(results.get(1).documented()).isEqualTo(fault == Fault.STOPPED ? 2 : 3);
    }

    @Test
    void callers_that_wait_for_ever_do_not_hold_up_the_end() throws Exception {
        Load load = new Load(10);
        CountDownLatch waiting = new CountDownLatch(2);
        List<Calls> calls = load.start(2, i -> () -> waitForEver(waiting), Duration.ofMillis(1));
        waiting.await();
        load.end(Duration.ofMillis(1));
        assertThat(calls).allSatisfy(each -> assertThat(answers(each)).containsExactly(Answer.NONE));
    }

    private static Answer waitForEver(CountDownLatch waiting) {
        waiting.countDown();
        try {
            Thread.sleep(Long.MAX_VALUE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return Answer.GRANTED;
    }

    @Test
    void an_exception_is_the_answer_of_a_call() throws Exception {
        Load load = new Load(1000);
        List<Calls> calls = load.start(
                1,
                i -> () -> {
                    throw new IllegalStateException("no Redis");
                },
                Duration.ofMillis(1));
        while (answers(calls.get(0)).isEmpty()) {
            Thread.onSpinWait();
        }
        load.end(Duration.ofSeconds(10));
        assertThat(answers(calls.get(0))).containsOnly(Answer.FAILED);
    }

    private static List<Answer> answers(Calls calls) {
        Stream.Builder<Answer> answers = Stream.builder();
        calls.forEach(call -> answers.add(call.answer()));
        return answers.build().toList();
    }
}
