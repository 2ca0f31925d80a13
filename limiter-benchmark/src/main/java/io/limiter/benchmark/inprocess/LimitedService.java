package io.limiter.benchmark.inprocess;

import io.limiter.spring.annotation.LimitType;
import io.limiter.spring.annotation.RateLimit;
import java.util.Map;

/** Methods that do nothing, each limited in another way. */
public class LimitedService {

    public record User(String id, Address home) {}

    public record Address(String city) {}

    public String unlimited(String phone) {
        return phone;
    }

    @RateLimit
    public String method(String phone) {
        return phone;
    }

    @RateLimit(limitType = LimitType.IP)
    public String ip(String phone) {
        return phone;
    }

    @RateLimit(limitType = LimitType.USER)
    public String user(String phone) {
        return phone;
    }

    @RateLimit(limitType = LimitType.CUSTOM, key = "#{phone}")
    public String argument(String phone) {
        return phone;
    }

    @RateLimit(limitType = LimitType.CUSTOM, key = "#{#p0}")
    public String position(String phone) {
        return phone;
    }

    @RateLimit(limitType = LimitType.CUSTOM, key = "sms:#{country}-#{phone}")
    public String text(String country, String phone) {
        return phone;
    }

    @RateLimit(limitType = LimitType.CUSTOM, key = "#{user.id}")
    public String property(User user) {
        return user.id();
    }

    @RateLimit(limitType = LimitType.CUSTOM, key = "#{#user.home.city}")
    public String propertyOfProperty(User user) {
        return user.id();
    }

    @RateLimit(
            limitType = LimitType.CUSTOM,
            key = "#{params['phone'] ?: 'none'}/#{level > 5 ? user.id + '+' + user.home.city : 'few'}")
    public String expression(User user, Map<String, String> params, int level) {
        return user.id();
    }

    @RateLimit(name = StubLimiters.REJECTING)
    public String rejected(String phone) {
        return phone;
    }
}
