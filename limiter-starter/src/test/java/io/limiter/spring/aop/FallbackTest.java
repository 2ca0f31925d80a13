package io.limiter.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.algorithm.Decision;
import io.limiter.spring.Contexts;
import io.limiter.spring.annotation.CountLimit;
import java.io.IOException;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** What answers a refused call. */
class FallbackTest {

    interface Source<T> {

        String find(T what);
    }

    abstract static class Base {

        String inherited(String what) {
            return "inherited " + what;
        }
    }

    static class Index extends Base implements Source<String> {

        private final String state = "cached ";

        @Override
        @CountLimit(period = 3600, fallback = "cached")
        public String find(String what) {
            return "found " + what;
        }

        private String cached(String what) {
            return state + what;
        }

        @CountLimit(period = 3600, fallback = "count")
        public long count(int what) {
            return what;
        }

        long count(int what, Decision refusal) {
            return what * -refusal.limit();
        }

        @CountLimit(period = 3600, fallback = "inherited")
        public Object fromAbove(String what) {
            return what;
        }

        @CountLimit(period = 3600, fallback = "fails")
        public void failing() {}

        private void fails() throws IOException {
            throw new IOException("from the fallback");
        }

        @CountLimit(period = 3600, fallback = "limitedToo")
        public int limited() {
            return 1;
        }

        @CountLimit(period = 3600, limit = 1)
        public int limitedToo() {
            return 2;
        }
    }

    @Test
    void a_private_method_of_the_bean_answers_on_the_bean_itself() {
        run(index -> {
            assertThat(index.find("x")).isEqualTo("found x");
            assertThat(index.find("x")).isEqualTo("cached x");
        });
    }

    @Test
    void it_can_have_the_decision() {
        run(index -> {
            assertThat(index.count(7)).isEqualTo(7);
            assertThat(index.count(7)).isEqualTo(-7);
        });
    }

    @Test
    void it_can_be_inherited_and_return_less() {
        run(index -> {
            index.fromAbove("x");
            assertThat(index.fromAbove("x")).isEqualTo("inherited x");
        });
    }

    @Test
    void what_it_throws_is_thrown() {
        run(index -> {
            index.failing();
            assertThatThrownBy(index::failing)
                    .extracting(e -> e instanceof IOException ? e : e.getCause())
                    .isInstanceOfSatisfying(
                            IOException.class, e -> assertThat(e).hasMessage("from the fallback"));
        });
    }

    @Test
    void its_own_limits_do_nothing_then() {
        run(index -> {
            index.limited();
            assertThat(index.limited()).isEqualTo(2);
            assertThat(index.limited()).isEqualTo(2);
        });
    }

    @Test
    void it_works_behind_an_interface() {
        runner().withPropertyValues("spring.aop.proxy-target-class=false").run(context -> {
            @SuppressWarnings("unchecked")
            Source<String> source = context.getBean(Source.class);
            source.find("x");
            assertThat(source.find("x")).isEqualTo("cached x");
        });
    }

    private static ApplicationContextRunner runner() {
        return Contexts.local().withBean(Index.class);
    }

    private static void run(Consumer<Index> test) {
        runner().run(context -> test.accept(context.getBean(Index.class)));
    }
}
