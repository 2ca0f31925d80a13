package io.limiter.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.spring.Contexts;
import io.limiter.spring.annotation.ConcurrentLimit;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.InvalidLimitException;
import io.limiter.spring.annotation.LimitType;
import io.limiter.spring.annotation.RateLimit;
import io.limiter.spring.settings.InvalidSettingException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The page of startup errors has what the application really says. */
class StartupErrorsTest {

    private static final Path PAGE = DocsTest.ROOT.resolve("docs/reference/startup-errors.md");
    private static final Path SOURCE = Path.of("src/test/java/io/limiter/docs/StartupErrorsTest.java");

    /** The annotations, with each of which the application fails to start. */
    private static final List<Class<?>> ANNOTATIONS = List.of(
            NoRate.class,
            IntegerDivision.class,
            CapacityAndBurst.class,
            TooSmall.class,
            TooExpensive.class,
            CalendarRate.class,
            NoPeriod.class,
            PeriodAndPer.class,
            ZoneAlone.class,
            Month.class,
            LargeLog.class,
            NoKey.class,
            KeyOfIp.class,
            WordUser.class,
            UnknownArgument.class,
            BareFact.class,
            Calculated.class,
            SameKey.class,
            UnknownPolicy.class,
            UnknownCode.class,
            Charged.class,
            ShortLease.class,
            Placeholder.class);

    private static final List<String> PROPERTIES = List.of(
            "limiter.on-failre=deny",
            "limiter.on-failure=maybe",
            "limiter.failure.decision-timeout=2h",
            "limiter.key.trusted-proxies=10.0.0.0/33",
            "limiter.limits.search.rate=1.0/60",
            "limiter.http.api.path=api limiter.http.api.limits.second.rate=10",
            "limiter.http.api.path=/api/**",
            "limiter.http[0].path=/api/**",
            "limiter.http.api.path=/api/** limiter.http.api.limits.day.limit=1000",
            "limiter.http.api.path=/api/** limiter.http.api.key=phone limiter.http.api.limits.second.rate=10",
            "limiter.http.api.path=/api/** limiter.http.api.cost=#{param('n')*2} limiter.http.api.limits.second.rate=10",
            "limiter.http.api.path=/api/** limiter.http.api.plan=header:X-Plan limiter.http.api.limits.second.rate=10 limiter.http.api.limits.second.plans.staff.unlimited=true",
            "limiter.http.api.path=/api/** limiter.http.api.settle=usage.total_tokens limiter.http.api.limits.second.rate=10",
            "limiter.http.api.path=/api/** limiter.http.api.limits.second.rate=10 limiter.http.api.limits.second.plans.pro.rate=50");

    // annotations
    static class NoRate {
        @RateLimit
        public void call() {}
    }

    static class IntegerDivision {
        @RateLimit(rate = 1 / 60)
        public void call() {}
    }

    static class CapacityAndBurst {
        @RateLimit(rate = 10, capacity = 60, burst = 30)
        public void call() {}
    }

    static class TooSmall {
        @RateLimit(rate = 1.0 / 60, burst = 30)
        public void call() {}
    }

    static class TooExpensive {
        @RateLimit(rate = 10, cost = "50")
        public void call() {}
    }

    static class CalendarRate {
        @RateLimit(rate = 10, per = "day")
        public void call() {}
    }

    static class NoPeriod {
        @CountLimit(limit = 5)
        public void call() {}
    }

    static class PeriodAndPer {
        @CountLimit(limit = 5, period = 60, per = "1m")
        public void call() {}
    }

    static class ZoneAlone {
        @CountLimit(limit = 5, per = "1d", zone = "Europe/Berlin")
        public void call() {}
    }

    static class Month {
        @CountLimit(limit = 5, per = "month", kind = CountLimit.Kind.SLIDING_LOG)
        public void call() {}
    }

    static class AnchorOfDay {
        @CountLimit(limit = 5, per = "day", anchor = "2026-01-15")
        public void call() {}
    }

    static class LargeLog {
        @CountLimit(limit = 1_000_000, per = "1h", kind = CountLimit.Kind.SLIDING_LOG)
        public void call() {}
    }

    static class NoKey {
        @RateLimit(rate = 1, limitType = LimitType.CUSTOM)
        public void call() {}
    }

    static class KeyOfIp {
        @RateLimit(rate = 1, key = "#{phone}", limitType = LimitType.IP)
        public void call(String phone) {}
    }

    static class WordUser {
        @RateLimit(rate = 1, key = "user")
        public void call() {}
    }

    static class UnknownArgument {
        @RateLimit(rate = 1, key = "#{fone}")
        public void call(String phone) {}
    }

    static class BareFact {
        @RateLimit(rate = 1, key = "#{ip}")
        public void call() {}
    }

    static class Calculated {
        @RateLimit(rate = 10, cost = "#{param('n') * 2}")
        public void call() {}
    }

    static class SameKey {
        @RateLimit(rate = 1, key = "#{1}")
        public void call() {}
    }

    static class UnknownPolicy {
        @RateLimit(rate = 1, onFailure = "maybe")
        public void call() {}
    }

    static class UnknownCode {
        @RateLimit(rate = 1, message = "{no.such.code}")
        public void call() {}
    }

    static class Charged {
        @RateLimit(rate = 1, chargeOn = "errors")
        public void call() {}
    }

    static class ShortLease {
        @ConcurrentLimit(limit = 1, lease = 0.01)
        public void call() {}
    }

    static class Placeholder {
        @RateLimit(rate = 1, per = "${no.such.property}")
        public void call() {}
    }
    // end

    @Test
    void the_page_says_what_the_application_says() throws IOException {
        List<String> lines = new ArrayList<>();
        lines.add("## Annotations");
        lines.add("");
        lines.add("| written | the application does not start, and says |");
        lines.add("| --- | --- |");
        for (Class<?> type : ANNOTATIONS) {
            lines.add("| `" + annotation(type) + "` | " + message(type) + " |");
        }
        lines.add("");
        lines.add("## Properties");
        lines.add("");
        lines.add("| written | the application does not start, and says |");
        lines.add("| --- | --- |");
        for (String properties : PROPERTIES) {
            lines.add("| "
                    + Stream.of(properties.split(" "))
                            .map(each -> "`" + each + "`")
                            .collect(Collectors.joining("<br>"))
                    + " | " + message(properties.split(" ")) + " |");
        }
        String page = Files.readString(PAGE);
        String generated = String.join("\n", lines) + "\n";
        if (Boolean.getBoolean("contract.write")) {
            Files.writeString(PAGE, page.substring(0, page.indexOf("## Annotations")) + generated);
        }
        assertThat(Files.readString(PAGE))
                .as("write the page with -Dcontract.write=true")
                .endsWith(generated);
    }

    /** The source of the annotation. */
    private static String annotation(Class<?> type) throws IOException {
        var found = Pattern.compile("static class " + type.getSimpleName() + " \\{\n\\s+(@.*)\n")
                .matcher(Files.readString(SOURCE));
        assertThat(found.find()).as(type.getSimpleName()).isTrue();
        return found.group(1).replace("|", "\\|");
    }

    private static String message(Class<?> type) {
        List<String> messages = new ArrayList<>();
        Contexts.local().withBean(type).run(context -> {
            for (Throwable e = context.getStartupFailure(); e != null; e = e.getCause()) {
                if (e instanceof InvalidLimitException) {
                    messages.add(e.getMessage());
                }
            }
        });
        assertThat(messages).as(type.getSimpleName()).isNotEmpty();
        return shown(messages.get(0)
                .replace(type.getName(), "Api")
                .replaceAll("@\\w+ for Api\\.call\\([^)]*\\)", "...")
                .replace("\n", " "));
    }

    private static String message(String... properties) {
        List<String> messages = new ArrayList<>();
        Contexts.web().withPropertyValues(properties).run(context -> {
            for (Throwable e = context.getStartupFailure(); e != null; e = e.getCause()) {
                if (e instanceof InvalidSettingException) {
                    messages.add(e.getMessage());
                }
            }
        });
        assertThat(messages).as(String.join(" ", properties)).isNotEmpty();
        return shown(messages.get(0).replace("\n", " "));
    }

    private static String shown(String message) {
        return message.replace("|", "\\|")
                .replace("<", "&lt;")
                .replace("*", "\\*")
                .replace("_", "\\_")
                .replaceAll(" +", " ");
    }
}
