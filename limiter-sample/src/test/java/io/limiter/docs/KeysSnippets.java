package io.limiter.docs;

import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.LimitType;
import io.limiter.spring.annotation.RateLimit;
import java.util.ArrayList;
import java.util.List;

/** The Java of docs/keys.md. */
class KeysSnippets {

    interface Index {
        List<String> find(String text);

        List<String> load(List<String> ids);
    }

    interface Report {
        byte[] write();
    }

    interface Gateway {
        void send(String country, String phone);
    }

    private final Index index = new Index() {

        @Override
        public List<String> find(String text) {
            return List.of(text);
        }

        @Override
        public List<String> load(List<String> ids) {
            return ids;
        }
    };
    private final Report report = () -> new byte[0];
    private final Gateway gateway = (country, phone) -> {};
    private final List<String> orders = new ArrayList<>();

    // keys: types
    @RateLimit(limitType = LimitType.IP, rate = 5, capacity = 10)
    public List<String> search(String text) {
        return index.find(text);
    }

    @CountLimit(limitType = LimitType.USER, limit = 100, per = "1h")
    public byte[] export() {
        return report.write();
    }

    @RateLimit(key = "sms:#{country}-#{phone}", rate = 1, per = "1m")
    public void sendCode(String country, String phone) {
        gateway.send(country, phone);
    }

    @CountLimit(key = "header:X-Api-Key", limit = 10_000, per = "day", cost = "#{ids.size()}")
    public List<String> load(List<String> ids) {
        return index.load(ids);
    }
    // end

    // keys: slot
    @RateLimit(
            rate = 10,
            key = {"#{tenant}", "#{user}"})
    @CountLimit(limit = 1000, per = "1d", key = "#{tenant}")
    public void order(String tenant, String user) {
        orders.add(user);
    }
    // end
}
