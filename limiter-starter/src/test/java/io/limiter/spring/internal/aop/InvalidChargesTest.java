package io.limiter.spring.internal.aop;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.spring.Contexts;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.InvalidLimitException;
import io.reactivex.rxjava3.core.Completable;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.web.context.request.async.DeferredResult;

/** The application fails to start if a {@code chargeOn} or {@code settle} cannot work. */
class InvalidChargesTest {

    static class Unknown {
        @CountLimit(limit = 1, period = 1, chargeOn = "failed")
        public String call() {
            return "";
        }
    }

    static class UnknownName {
        @CountLimit(limit = 1, period = 1, chargeOn = "#{outcome == null}")
        public String call(String phone) {
            return phone;
        }
    }

    static class TwoExpressions {
        @CountLimit(limit = 1, period = 1, chargeOn = "#{result}#{exception}")
        public String call() {
            return "";
        }
    }

    static class SettlesNothing {
        @CountLimit(limit = 1, period = 1, settle = "#{result}")
        public void call() {}
    }

    static class SettlesCompletable {
        @CountLimit(limit = 1, period = 1, settle = "#{result}")
        public Completable call() {
            return Completable.complete();
        }
    }

    static class SettlesFailures {
        @CountLimit(limit = 1, period = 1, chargeOn = "failure", settle = "#{result}")
        public int call() {
            return 1;
        }
    }

    static class SettlesLater {
        @CountLimit(limit = 1, period = 1, chargeOn = "4xx", settle = "#{result}")
        public int call() {
            return 1;
        }
    }

    static class Late {
        @CountLimit(limit = 1, period = 1, chargeOn = "failure")
        public DeferredResult<String> call() {
            return new DeferredResult<>();
        }
    }

    static class Statuses {
        @CountLimit(limit = 1, period = 1, chargeOn = "401, 403")
        public String call() {
            return "";
        }
    }

    static class Writes {
        @CountLimit(limit = 1, period = 1, chargeOn = "#{result.clear()}")
        public Map<String, String> call() {
            return Map.of();
        }
    }

    static List<Arguments> invalid() {
        return List.of(
                Arguments.of(
                        Unknown.class,
                        "chargeOn must be always, failure, success, HTTP statuses such as 401,403 or 4xx"),
                Arguments.of(UnknownName.class, "'outcome', which is not an argument"),
                Arguments.of(
                        TwoExpressions.class,
                        "must be one expression over the result, the exception and the arguments"),
                Arguments.of(SettlesNothing.class, "needs a result, and the method has none"),
                Arguments.of(SettlesCompletable.class, "needs a result, and the method has none"),
                Arguments.of(SettlesFailures.class, "has no effect with chargeOn failure"),
                Arguments.of(SettlesLater.class, "use chargeOn success, or leave one of them out"),
                Arguments.of(Late.class, "settle its permits before the outcome is known"),
                Arguments.of(Statuses.class, "only in a web application"),
                Arguments.of(Writes.class, "must not use clear()"));
    }

    @ParameterizedTest
    @MethodSource("invalid")
    void a_charge_that_cannot_work_fails_at_startup(Class<?> bean, String message) {
        Contexts.local()
                .withBean(bean)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOfAny(InvalidLimitException.class, IllegalArgumentException.class)
                        .hasMessageContaining(message));
    }
}
