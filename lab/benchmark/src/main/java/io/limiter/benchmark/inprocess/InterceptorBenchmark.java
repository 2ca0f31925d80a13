package io.limiter.benchmark.inprocess;

import io.limiter.LimiterFactory;
import io.limiter.RateLimitExceededException;
import io.limiter.spring.annotation.LimitType;
import io.limiter.spring.annotation.RateLimit;
import io.limiter.spring.aop.LimitAdvisor;
import io.limiter.spring.internal.aop.AnnotationLimitAdvisor;
import io.limiter.spring.internal.key.CallerFacts;
import io.limiter.spring.internal.key.PrincipalUser;
import io.limiter.spring.internal.key.address.CallerAddress;
import io.limiter.spring.internal.key.address.ForwardedHeader;
import io.limiter.spring.internal.settings.ConfiguredLimits;
import io.limiter.spring.internal.web.servlet.CurrentRequest;
import io.limiter.spring.key.ClientAddress;
import io.limiter.spring.key.CurrentUser;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.springframework.aop.Advisor;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/**
 * A call of a limited bean whose limiter is a stub. What the interceptor costs is the difference to
 * {@link Call#NO_OP_INTERCEPTOR}, which is what Spring's proxy costs anyway.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class InterceptorBenchmark {

    private final LimitedService bare = new LimitedService();
    private final LimitedService unlimited = unlimited();
    private final LimitedService limited = limited();

    private String phone = "01715550123";
    private LimitedService.User user = new LimitedService.User("alice", new LimitedService.Address("Ulm"));
    private Map<String, String> params = Map.of("phone", "01715550123");
    private int level = 7;

    /** A request like most: it comes straight from a caller, or from a proxy that the server has resolved already. */
    @Setup
    public void request() {
        RequestContextHolder.setRequestAttributes(new ServletRequestAttributes(Stubs.request()));
    }

    @Param
    public Call call = Call.BARE_METHOD;

    @Benchmark
    public Object call() {
        try {
            return call.code.apply(this);
        } catch (RateLimitExceededException e) {
            return e;
        }
    }

    /** What is called. */
    public enum Call {
        BARE_METHOD(of -> of.bare.unlimited(of.phone)),
        NO_OP_INTERCEPTOR(of -> of.unlimited.unlimited(of.phone)),
        METHOD(of -> of.limited.method(of.phone)),
        IP(of -> of.limited.ip(of.phone)),
        USER(of -> of.limited.user(of.phone)),
        CUSTOM_ARGUMENT(of -> of.limited.argument(of.phone)),
        CUSTOM_EXPRESSION(of -> of.limited.expression(of.user, of.params, of.level)),
        REJECTED(of -> of.limited.rejected(of.phone));

        private final Function<InterceptorBenchmark, Object> code;

        Call(Function<InterceptorBenchmark, Object> code) {
            this.code = code;
        }
    }

    private static LimitedService unlimited() {
        return proxied(new DefaultPointcutAdvisor((MethodInterceptor) MethodInvocation::proceed));
    }

    private static LimitedService limited() {
        return proxied(new AnnotationConfigApplicationContext(Application.class).getBean(LimitAdvisor.class));
    }

    private static LimitedService proxied(Advisor advisor) {
        ProxyFactory proxy = new ProxyFactory(new LimitedService());
        proxy.addAdvisor(advisor);
        return (LimitedService) proxy.getProxy();
    }

    /** The beans as the starter defines them, but for the stub. */
    @Configuration(proxyBeanMethods = false)
    static class Application {

        @Bean
        static LimitAdvisor limitAdvisor(
                ObjectProvider<LimiterFactory> factory,
                ObjectProvider<ClientAddress> clientAddress,
                ObjectProvider<CurrentUser> currentUser) {
            CallerFacts caller =
                    new CallerFacts(clientAddress::getIfAvailable, currentUser::getIfAvailable, () -> null);
            return new AnnotationLimitAdvisor(
                    factory::getObject, caller, LimitAdvisor.DEFAULT_ORDER, new ConfiguredLimits(Map.of()));
        }

        @Bean
        LimiterFactory limiterFactory() {
            return Stubs.limiters();
        }

        @Bean
        ClientAddress clientAddress() {
            CallerAddress addresses = new CallerAddress(List.of("10.0.0.0/8"), 64, ForwardedHeader.ANY);
            return () -> CurrentRequest.address(addresses);
        }

        @Bean
        CurrentUser currentUser() {
            return new PrincipalUser(CurrentRequest::user);
        }
    }

    /** Methods that do nothing, each limited in another way. */
    public static class LimitedService {

        public record User(String id, Address home) {}

        public record Address(String city) {}

        public String unlimited(String phone) {
            return phone;
        }

        @RateLimit(rate = 1)
        public String method(String phone) {
            return phone;
        }

        @RateLimit(rate = 1, limitType = LimitType.IP)
        public String ip(String phone) {
            return phone;
        }

        @RateLimit(rate = 1, limitType = LimitType.USER)
        public String user(String phone) {
            return phone;
        }

        @RateLimit(rate = 1, limitType = LimitType.CUSTOM, key = "#{phone}")
        public String argument(String phone) {
            return phone;
        }

        @RateLimit(
                rate = 1,
                limitType = LimitType.CUSTOM,
                key = "#{params['phone'] ?: 'none'}/#{level > 5 ? user.id + '+' + user.home.city : 'few'}")
        public String expression(User user, Map<String, String> params, int level) {
            return user.id();
        }

        @RateLimit(rate = 1, name = Stubs.REJECTING)
        public String rejected(String phone) {
            return phone;
        }
    }
}
