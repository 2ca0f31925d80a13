package io.limiter.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.algorithm.Decision;
import io.limiter.spring.Contexts;
import io.limiter.spring.annotation.CountLimit;
import java.io.IOException;
import java.util.function.Consumer;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Fallbacks of rejected calls. */
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

        // Not a constant, which would be there in a proxy too.
        private final String state;

        Index() {
            state = "cached ";
        }

        @Override
        @CountLimit(limit = 1, per = "1h", fallback = "cached")
        public String find(String what) {
            return "found " + what;
        }

        private String cached(String what) {
            return state + what;
        }

        @CountLimit(limit = 1, per = "1h", fallback = "count")
        public long count(int what) {
            return what;
        }

        long count(int what, Decision rejection) {
            return what * -rejection.limit();
        }

        @CountLimit(limit = 1, per = "1h", fallback = "inherited")
        public Object fromAbove(String what) {
            return what;
        }

        @CountLimit(limit = 1, per = "1h", fallback = "fails")
        public void failing() {}

        private void fails() throws IOException {
            throw new IOException("from the fallback");
        }

        @CountLimit(limit = 1, per = "1h", fallback = "limitedToo")
        public int limited() {
            return 1;
        }

        @CountLimit(per = "1h", limit = 1)
        public int limitedToo() {
            return 2;
        }
    }

    abstract static class Shelf<T> {

        @CountLimit(limit = 1, per = "1h", fallback = "spelledOut")
        public String lend(T what, int count) {
            return "lent";
        }

        @CountLimit(limit = 1, per = "1h", fallback = "asDeclared")
        public String sell(T what) {
            return "sold";
        }

        String asDeclared(T what) {
            return "not sold: " + what;
        }

        Object overridden() {
            return "above";
        }

        T substitute() {
            return another();
        }

        abstract T another();
    }

    static class Books extends Shelf<String> {

        private String spelledOut(String what, int count, Decision rejection) {
            return count + " of " + what + ", limit " + rejection.limit();
        }

        @CountLimit(limit = 1, per = "1h", fallback = "overridden")
        public String title() {
            return "title";
        }

        @Override
        String overridden() {
            return "here";
        }

        @CountLimit(limit = 1, per = "1h", fallback = "substitute")
        public String any() {
            return "any";
        }

        @Override
        String another() {
            return "another";
        }
    }

    interface Repository {

        @CountLimit(limit = 1, per = "1h", fallback = "none")
        String find();

        String none();
    }

    @Test
    void a_private_method_of_the_bean_answers_on_the_bean_itself() {
        run(index -> {
            assertThat(index.find("x")).isEqualTo("found x");
            assertThat(index.find("x")).isEqualTo("cached x");
        });
    }

    @Test
    void a_fallback_can_take_the_decision() {
        run(index -> {
            assertThat(index.count(7)).isEqualTo(7);
            assertThat(index.count(7)).isEqualTo(-7);
        });
    }

    @Test
    void a_fallback_can_be_inherited_and_return_a_subtype() {
        run(index -> {
            index.fromAbove("x");
            assertThat(index.fromAbove("x")).isEqualTo("inherited x");
        });
    }

    @Test
    void what_a_fallback_throws_is_thrown() {
        run(index -> {
            index.failing();
            assertThatThrownBy(index::failing)
                    .extracting(e -> e instanceof IOException ? e : e.getCause())
                    .isInstanceOfSatisfying(
                            IOException.class, e -> assertThat(e).hasMessage("from the fallback"));
        });
    }

    @Test
    void limits_of_a_fallback_do_nothing() {
        run(index -> {
            index.limited();
            assertThat(index.limited()).isEqualTo(2);
            assertThat(index.limited()).isEqualTo(2);
        });
    }

    @Test
    void types_can_be_those_of_a_generic_superclass_or_spelled_out() {
        Contexts.local().withBean(Books.class).run(context -> {
            Books books = context.getBean(Books.class);
            books.lend("a", 2);
            assertThat(books.lend("b", 3)).isEqualTo("3 of b, limit 1");
            books.sell("a");
            assertThat(books.sell("b")).isEqualTo("not sold: b");
        });
    }

    @Test
    void what_is_returned_is_what_this_bean_makes_of_it() {
        Contexts.local().withBean(Books.class).run(context -> {
            Books books = context.getBean(Books.class);
            books.title();
            assertThat(books.title()).isEqualTo("here");
            books.any();
            assertThat(books.any()).isEqualTo("another");
        });
    }

    @Test
    void a_fallback_is_called_on_the_bean_inside_another_proxy() {
        Contexts.local()
                .withBean(Index.class, () -> (Index) classProxy(new Index()))
                .run(context -> {
                    Index index = context.getBean(Index.class);
                    index.find("x");
                    assertThat(index.find("x")).isEqualTo("cached x");
                });
    }

    @Test
    void a_fallback_is_called_on_the_proxy_if_only_that_has_the_method() {
        ProxyFactory factory = new ProxyFactory();
        factory.setTarget(new Object());
        factory.setInterfaces(Repository.class);
        factory.addAdvice((MethodInterceptor) call -> call.getMethod().getName());
        Contexts.local()
                .withBean(Repository.class, () -> (Repository) factory.getProxy())
                .run(context -> {
                    Repository repository = context.getBean(Repository.class);
                    assertThat(repository.find()).isEqualTo("find");
                    assertThat(repository.find()).isEqualTo("none");
                });
    }

    private static Object classProxy(Object target) {
        ProxyFactory factory = new ProxyFactory(target);
        factory.setProxyTargetClass(true);
        return factory.getProxy();
    }

    @Test
    void a_fallback_works_behind_an_interface() {
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
