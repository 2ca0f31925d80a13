package io.limiter.faults.planted;

import io.limiter.LimiterBackendException;
import io.limiter.LimiterBackendException.Kind;
import io.limiter.faults.process.Readiness;
import io.limiter.internal.backend.Answer;
import io.limiter.internal.engine.Outcome;
import io.limiter.internal.redis.client.LuaScript;
import io.limiter.internal.redis.client.RedisCalls;
import io.limiter.internal.resilience.Failover;
import io.limiter.step.LimitStep;
import io.limiter.step.Verdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;
import org.jspecify.annotations.Nullable;

/** Code that is copied into methods of the limiter. It can use what those can, but here only what is public. */
final class Advices {

    private Advices() {}

    /** The method does nothing, and returns nothing, 0 or {@code false}. */
    static final class Skip {

        private Skip() {}

        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        static boolean enter() {
            return true;
        }
    }

    /** The same, but only once the JVM is ready, because it would not get ready otherwise. */
    static final class SkipOnceReady {

        private SkipOnceReady() {}

        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        static boolean enter() {
            return Readiness.isReady();
        }
    }

    static final class ReturnTrue {

        private ReturnTrue() {}

        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) boolean returned) {
            returned = true;
        }
    }

    static final class ReturnOne {

        private ReturnOne() {}

        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) double returned) {
            returned = 1;
        }
    }

    static final class ReturnZero {

        private ReturnZero() {}

        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) int returned) {
            returned = 0;
        }
    }

    static final class ReturnThis {

        private ReturnThis() {}

        @Advice.OnMethodExit
        static void exit(
                @Advice.This(typing = Assigner.Typing.DYNAMIC) Object self,
                @Advice.Return(readOnly = false, typing = Assigner.Typing.DYNAMIC) Object returned) {
            returned = self;
        }
    }

    static final class ReturnEmpty {

        private ReturnEmpty() {}

        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) String returned) {
            returned = "";
        }
    }

    static final class ReturnArgument {

        private ReturnArgument() {}

        @Advice.OnMethodExit
        static void exit(@Advice.Argument(0) long argument, @Advice.Return(readOnly = false) long returned) {
            returned = argument;
        }
    }

    static final class Reverse {

        private Reverse() {}

        @Advice.OnMethodExit
        static void exit(@Advice.Return List<?> returned) {
            if (returned instanceof ArrayList) {
                Collections.reverse(returned);
            }
        }
    }

    /** One call in 200 is sent twice, as if its reply had not come. */
    static final class SendTwice {

        private SendTwice() {}

        @Advice.OnMethodExit
        static void exit(@Advice.This RedisCalls redis, @Advice.AllArguments Object[] arguments) {
            if (ThreadLocalRandom.current().nextInt(200) == 0) {
                redis.start((LuaScript) arguments[0], Duration.ofMinutes(1), (byte[][]) arguments[1], (byte[][])
                        arguments[2]);
            }
        }
    }

    /** The last argument of a call is what gets its reply. */
    static final class SendAmbiguousAgain {

        private SendAmbiguousAgain() {}

        @Advice.OnMethodEnter
        static void enter(
                @Advice.This RedisCalls redis,
                @Advice.Argument(0) LuaScript script,
                @Advice.Argument(1) byte[][] keys,
                @Advice.Argument(2) byte[][] arguments,
                @Advice.Argument(value = 3, readOnly = false)
                        BiConsumer<@Nullable List<Object>, @Nullable Throwable> ended) {
            ended = new SentAgain(redis, script, keys, arguments, ended);
        }
    }

    /** Of a method whose first argument says how many groups of a set were taken, which are to be cancelled. */
    static final class CancelNone {

        private CancelNone() {}

        @Advice.OnMethodEnter
        static void enter(@Advice.Argument(value = 0, readOnly = false) int taken) {
            taken = 0;
        }
    }

    /** The same if its second argument says that a group was not decided. */
    static final class CancelNoneAfterFailure {

        private CancelNoneAfterFailure() {}

        @Advice.OnMethodEnter
        static void enter(
                @Advice.Argument(value = 0, readOnly = false) int taken,
                @Advice.Argument(1) @Nullable Throwable failure) {
            if (failure != null) {
                taken = 0;
            }
        }
    }

    static final class Square {

        private Square() {}

        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) double returned) {
            returned *= returned;
        }
    }

    /** Of a method that ends something, with a failure as its last argument: once the JVM is ready, a fourth of what has failed does not end. */
    static final class EndNoFailure {

        private EndNoFailure() {}

        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        static boolean enter(@Advice.Argument(1) @Nullable Throwable failure) {
            return failure != null
                    && Readiness.isReady()
                    && ThreadLocalRandom.current().nextInt(4) == 0;
        }
    }

    /** Of a method with the limit as its argument. */
    static final class Grant {

        private Grant() {}

        @Advice.OnMethodExit
        static void exit(@Advice.Argument(0) LimitStep<?> limit, @Advice.Return(readOnly = false) Outcome returned) {
            returned = Failover.granted(limit);
        }
    }

    static final class Reject {

        private Reject() {}

        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) Outcome returned) {
            returned = new Outcome(Verdict.rejected(returned.limit(), 0, 1, 1), returned.source());
        }
    }

    /** If there is no decision for one key, there is none for any. */
    static final class FailAll {

        private FailAll() {}

        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) List<Answer> returned) {
            for (Answer answer : returned) {
                if (answer.failure() != null) {
                    returned = Collections.nCopies(returned.size(), answer);
                    break;
                }
            }
        }
    }

    /** Of a method whose first argument is the key. */
    static final class ThrowIfInterrupted {

        private ThrowIfInterrupted() {}

        @Advice.OnMethodExit
        static void exit(@Advice.Argument(0) String key) {
            if (Thread.currentThread().isInterrupted()) {
                throw new LimiterBackendException(Kind.NOT_EXECUTED, "interrupted", key, "interrupted", null, null);
            }
        }
    }

    static final class ThrowAnother {

        private ThrowAnother() {}

        @Advice.OnMethodExit(onThrowable = LimiterBackendException.class)
        static void exit(@Advice.Thrown(readOnly = false) Throwable thrown) {
            if (thrown != null) {
                thrown = new IllegalStateException(thrown);
            }
        }
    }

    /** The last argument of a rejection that is cached is until when. */
    static final class TenSecondsLater {

        private TenSecondsLater() {}

        @Advice.OnMethodEnter
        static void enter(@Advice.Argument(value = 6, readOnly = false) long notBeforeNanos) {
            notBeforeNanos += 10_000_000_000L;
        }
    }

    /** Its decision is made for the moment in which the rejection arrived. */
    static final class ImmediateEngine {

        private ImmediateEngine() {}

        @Advice.OnMethodEnter
        static void enter(@Advice.Argument(value = 1, readOnly = false) long nowNanos) {
            nowNanos = 0;
        }
    }

    /** As if there had been no count before. */
    static final class ForgetCount {

        private ForgetCount() {}

        @Advice.OnMethodEnter
        static void enter(
                @Advice.FieldValue(value = "known", readOnly = false) int known,
                @Advice.FieldValue(value = "last", readOnly = false) int last) {
            known = 0;
            last = 0;
        }
    }

    static final class TwiceAsMany {

        private TwiceAsMany() {}

        @Advice.OnMethodExit
        static void exit(@Advice.FieldValue("unused") AtomicLong unused) {
            unused.set(2 * unused.get());
        }
    }
}
