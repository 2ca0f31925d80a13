package io.limiter.benchmark.inprocess;

import io.limiter.LimiterFactory;
import io.limiter.RateLimitExceededException;
import io.limiter.spring.aop.LimitAdvisor;
import io.limiter.spring.key.ClientAddress;
import io.limiter.spring.key.CurrentUser;
import io.limiter.spring.key.MissingLimitKeyException;
import io.limiter.spring.key.address.CallerAddress;
import io.limiter.spring.key.address.ForwardedHeader;
import io.limiter.spring.key.spel.CallKeys;
import io.limiter.spring.web.servlet.ServletClientAddress;
import io.limiter.spring.web.servlet.ServletCurrentUser;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.EnableAspectJAutoProxy;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/**
 * A call of a limited bean whose limiter is a stub. What the interceptor costs is the difference to
 * {@link #noOpInterceptor}, which is what Spring's proxy costs anyway.
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

    private String country = "49";
    private String phone = "01715550123";
    private LimitedService.User user = new LimitedService.User("alice", new LimitedService.Address("Ulm"));
    private Map<String, String> params = Map.of("phone", "01715550123");
    private int level = 7;

    /** A request like most: it comes straight from a caller, or from a proxy that the server has resolved already. */
    @Setup
    public void request() {
        StubRequest request = new StubRequest("198.51.100.7", Map.of("X-Forwarded-For", List.of("203.0.113.9")));
        RequestContextHolder.setRequestAttributes(new ServletRequestAttributes(request));
    }

    @Benchmark
    public String bareMethod() {
        return bare.unlimited(phone);
    }

    @Benchmark
    public String noOpInterceptor() {
        return unlimited.unlimited(phone);
    }

    @Benchmark
    public String method() {
        return limited.method(phone);
    }

    @Benchmark
    public String ip() {
        return limited.ip(phone);
    }

    @Benchmark
    public String user() {
        return limited.user(phone);
    }

    @Benchmark
    public String customArgument() {
        return limited.argument(phone);
    }

    @Benchmark
    public String customPosition() {
        return limited.position(phone);
    }

    @Benchmark
    public String customText() {
        return limited.text(country, phone);
    }

    @Benchmark
    public String customProperty() {
        return limited.property(user);
    }

    @Benchmark
    public String customPropertyOfProperty() {
        return limited.propertyOfProperty(user);
    }

    @Benchmark
    public String customExpression() {
        return limited.expression(user, params, level);
    }

    @Benchmark
    public Object rejected() {
        try {
            return limited.rejected(phone);
        } catch (RateLimitExceededException e) {
            return e;
        }
    }

    @Benchmark
    public Object blankKey() {
        try {
            return limited.argument(" ");
        } catch (MissingLimitKeyException e) {
            return e;
        }
    }

    private static LimitedService unlimited() {
        ProxyFactory proxy = new ProxyFactory(new LimitedService());
        MethodInterceptor noOp = MethodInvocation::proceed;
        proxy.addAdvice(noOp);
        return (LimitedService) proxy.getProxy();
    }

    private static LimitedService limited() {
        return new AnnotationConfigApplicationContext(Application.class).getBean(LimitedService.class);
    }

    /** The beans as the starter defines them, but for the stub. */
    @Configuration(proxyBeanMethods = false)
    @EnableAspectJAutoProxy(proxyTargetClass = true)
    static class Application {

        @Bean
        static LimitAdvisor limitAdvisor(
                ObjectProvider<LimiterFactory> factory,
                ObjectProvider<ClientAddress> clientAddress,
                ObjectProvider<CurrentUser> currentUser) {
            CallKeys keys = new CallKeys(clientAddress::getIfAvailable, currentUser::getIfAvailable);
            return new LimitAdvisor(factory::getObject, keys, LimitAdvisor.DEFAULT_ORDER);
        }

        @Bean
        LimiterFactory limiterFactory() {
            return new StubLimiters();
        }

        @Bean
        ClientAddress clientAddress() {
            return new ServletClientAddress(new CallerAddress(List.of("10.0.0.0/8"), 64, ForwardedHeader.ANY));
        }

        @Bean
        CurrentUser currentUser() {
            return new ServletCurrentUser();
        }

        @Bean
        LimitedService limitedService() {
            return new LimitedService();
        }
    }
}
