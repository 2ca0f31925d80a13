package io.limiter.spring.internal.web;

import static io.limiter.testing.Expected.decision;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.limiter.Decision;
import io.limiter.LimiterBackendException;
import io.limiter.RateLimitExceededException;
import io.limiter.algorithm.FixedWindow;
import io.limiter.internal.log.AsyncLog;
import io.limiter.spring.LogLines;
import io.limiter.spring.check.InternalLimitExceededException;
import io.limiter.spring.internal.check.DecisionRecorder;
import io.limiter.spring.internal.check.LimitDecision;
import io.limiter.spring.internal.check.LimitName;
import io.limiter.spring.internal.check.PermitRequest;
import io.limiter.spring.key.MissingLimitKeyException;
import io.limiter.spring.web.RejectionResponse;
import io.limiter.step.Verdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.springframework.context.support.StaticMessageSource;

class RejectionResponsesTest {

    private static final Decision REJECTED = decision(false, 5, 0, 4_200_000, 4_200_000, 9_000_000);
    private static final Decision GRANTED = decision(true, 5, 2, 0, 0, 90_000_000);
    private static final FixedWindow LIMIT = FixedWindow.of(5, Duration.ofMinutes(1));

    private final StaticMessageSource messages = new StaticMessageSource();
    private final RequestRecord decisions = new RequestRecord(HeaderSet.RATELIMIT);

    @Test
    void the_application_has_messages_for_all_limits_and_for_one() throws Exception {
        messages.addMessage("limiter.message", Locale.ENGLISH, "wait {0}");
        messages.addMessage("limiter.message.login", Locale.ENGLISH, "login in {0}");
        messages.addMessage("limiter.message.login", Locale.GERMAN, "Anmelden in {0}");
        assertThat(detail(rejection(request("r:", "search")), Locale.ENGLISH)).isEqualTo("wait 5");
        assertThat(detail(rejection(request("r:", "login")), Locale.ENGLISH)).isEqualTo("login in 5");
        assertThat(detail(rejection(request("r:", "login")), Locale.GERMAN)).isEqualTo("Anmelden in 5");
    }

    @Test
    void default_messages_are_used_where_the_application_has_none() throws Exception {
        assertThat(detail(rejection(request("r:", "a")), Locale.SIMPLIFIED_CHINESE))
                .isEqualTo("请求过于频繁，请在 5 秒后重试");
        assertThat(detail(rejection(request("r:", "a")), Locale.ROOT)).isEqualTo("Too many requests, try again in 5 s");
        messages.setUseCodeAsDefaultMessage(true);
        assertThat(detail(rejection(request("r:", "a")), Locale.ROOT)).isEqualTo("Too many requests, try again in 5 s");
    }

    @Test
    void a_message_of_the_annotation_is_a_text_or_a_code() throws Exception {
        messages.addMessage("sms.often", Locale.ENGLISH, "one sms in {0} s");
        assertThat(detail(new RateLimitExceededException("k", List.of(), REJECTED, "{sms.often}"), Locale.ENGLISH))
                .isEqualTo("one sms in 5 s");
        assertThat(detail(new RateLimitExceededException("k", List.of(), REJECTED, "{sms.unknown}"), Locale.ENGLISH))
                .as("callers do not see codes")
                .isEqualTo("Too many requests, try again in 5 s");
        assertThat(detail(new RateLimitExceededException("k", List.of(), REJECTED, "{0} s"), Locale.ENGLISH))
                .isEqualTo("5 s");
        assertThat(detail(new RateLimitExceededException("k", List.of(), REJECTED, "it's {0}"), Locale.ENGLISH))
                .isEqualTo("it's 5");
        Decision never = decision(false, 5, 0, 0, Verdict.NEVER_MICROS, 0);
        assertThat(detail(new RateLimitExceededException("k", List.of(), never, "in {0} s"), Locale.ENGLISH))
                .isEqualTo("The request can never be granted, so trying again does not help");
    }

    @Test
    void a_call_that_will_never_be_granted_has_no_retry_after() throws Exception {
        Decision never = decision(false, 5, 0, 0, Verdict.NEVER_MICROS, 0);
        RejectionResponse answer = answer(new RateLimitExceededException("k", never), Locale.ENGLISH);
        assertThat(answer.headers()).doesNotContainKey("Retry-After");
        assertThat(json(answer).get("detail").asText())
                .isEqualTo("The request can never be granted, so trying again does not help");
    }

    @Test
    void only_the_limits_that_rejected_this_call_are_violated() throws Exception {
        RateLimitExceededException answered = rejection(request("r:", "answered"));
        Decision whole = decision(false, 5, 0, 4_200_000, 4_200_000, 9_000_000);
        decisions.add(
                whole,
                List.of(
                        new LimitDecision(request("r:", "grants"), LIMIT, GRANTED),
                        new LimitDecision(request("r:", "rejects"), LIMIT, REJECTED)),
                this);
        RejectionResponse answer = answer(new RateLimitExceededException("k", whole), Locale.ENGLISH);
        assertThat(json(answer).get("violated-policies")).hasToString("[\"rejects\"]");
        assertThat(json(answer(answered, Locale.ENGLISH)).get("violated-policies"))
                .hasToString("[\"answered\"]");
        assertThat(answer.headers()).containsEntry("Retry-After", "5");
        assertThat(answer.headers().get("RateLimit"))
                .isEqualTo("\"answered\";r=0;t=5, \"grants\";r=2, \"rejects\";r=0;t=5");
    }

    @Test
    void a_rejection_that_no_limit_of_the_request_made_names_none() throws Exception {
        RejectionResponse answer = answer(new RateLimitExceededException("secret", REJECTED), Locale.ENGLISH);
        assertThat(json(answer).has("violated-policies")).isFalse();
        assertThat(new String(answer.body(), java.nio.charset.StandardCharsets.UTF_8))
                .doesNotContain("secret");
    }

    @Test
    void a_rejection_of_an_internal_limit_is_not_the_callers_and_is_not_shown() throws Exception {
        Decision inner = decision(false, 5, 0, 0, 4_200_000, 9_000_000);
        decisions.add(null, List.of(new LimitDecision(request("r:", "outer"), LIMIT, GRANTED)), this);
        decisions.add(inner, List.of(new LimitDecision(request("r:", "inner"), LIMIT, inner, true)), this);
        RejectionResponse answer =
                answer(new InternalLimitExceededException("k", List.of(), inner, "quota of maps"), Locale.ENGLISH);
        assertThat(answer.status()).isEqualTo(503);
        assertThat(answer.headers()).containsEntry("Retry-After", "5");
        assertThat(answer.headers().get("RateLimit")).isEqualTo("\"outer\";r=2");
        assertThat(json(answer).get("type").asText()).endsWith("#temporary-reduced-capacity");
        assertThat(json(answer).has("violated-policies")).isFalse();
        assertThat(json(answer).get("detail").asText()).doesNotContain("maps");
    }

    @Test
    void a_rejection_because_redis_does_not_answer_is_reduced_capacity() throws Exception {
        Decision policy = REJECTED.withSource(Decision.Source.POLICY);
        decisions.add(policy, List.of(new LimitDecision(request("r:", "x"), LIMIT, policy)), this);
        RejectionResponse answer = answer(new RateLimitExceededException("k", policy), Locale.SIMPLIFIED_CHINESE);
        assertThat(answer.status()).isEqualTo(503);
        assertThat(answer.headers()).containsEntry("Retry-After", "5");
        assertThat(json(answer).get("type").asText()).endsWith("#temporary-reduced-capacity");
        assertThat(json(answer).get("violated-policies")).hasToString("[\"x\"]");
        assertThat(json(answer).get("detail").asText()).isEqualTo("服务暂时不可用，请稍后重试");
    }

    @Test
    void only_a_rejection_hides_the_status_of_the_response() {
        Decision policy = REJECTED.withSource(Decision.Source.POLICY);
        assertThat(outcome(new RateLimitExceededException("k", REJECTED))).isEqualTo(DecisionRecorder.REJECTED);
        assertThat(outcome(new RateLimitExceededException("k", policy))).isEqualTo(DecisionRecorder.REJECTED);
        assertThat(outcome(new MissingLimitKeyException("no key"))).isEqualTo(400);
        assertThat(outcome(new LimiterBackendException(
                        LimiterBackendException.Kind.RETRYABLE, "timeout", "p:k", "no answer", null, null)))
                .isEqualTo(503);
    }

    private int outcome(RuntimeException answered) {
        RequestRecord ofRequest = new RequestRecord(HeaderSet.NONE);
        List<Integer> statuses = new ArrayList<>();
        ofRequest.whenDone(statuses::add);
        RejectionResponse answer = new RejectionResponses(RejectionResponses.Settings.DEFAULT, messages)
                .of(answered, ofRequest, Locale.ENGLISH, "/x");
        ofRequest.done(answer.status(), name -> null);
        return statuses.get(0);
    }

    @Test
    void limits_of_one_name_have_two_policies_and_a_repeated_limit_has_one() {
        decisions.add(null, List.of(new LimitDecision(request("rate:", "x"), LIMIT, GRANTED)), this);
        decisions.add(REJECTED, List.of(new LimitDecision(request("count:", "x"), LIMIT, REJECTED)), this);
        decisions.add(REJECTED, List.of(new LimitDecision(request("rate:", "x"), LIMIT, REJECTED)), this);
        assertThat(decisions.headers().get("RateLimit")).isEqualTo("\"x\";r=0;t=5, \"x/2\";r=0;t=5");
    }

    @Test
    void headers_with_unknown_values_are_removed() {
        RequestRecord both = new RequestRecord(HeaderSet.BOTH);
        both.add(null, List.of(new LimitDecision(request("r:", "x"), LIMIT, GRANTED)), this);
        assertThat(both.headers()).doesNotContainValue(null);
        Decision allowed = GRANTED.withSource(Decision.Source.POLICY);
        both.add(null, List.of(new LimitDecision(request("r:", "x"), LIMIT, allowed)), this);
        assertThat(both.headers())
                .containsEntry("RateLimit-Policy", "\"x\";q=5;w=60")
                .containsEntry("RateLimit", null)
                .containsEntry("X-RateLimit-Limit", null)
                .containsEntry("X-RateLimit-Reset", null);
    }

    @Test
    void without_a_decision_headers_that_others_may_have_set_stay() {
        assertThat(new RequestRecord(HeaderSet.BOTH).headers()).isEmpty();
    }

    @Test
    void another_dispatch_repeats_the_decision() {
        PermitRequest request = request("r:", "x");
        decisions.add(null, List.of(new LimitDecision(request, LIMIT, GRANTED)), "request");
        assertThat(decisions.earlier(request, "request")).isNull();
        assertThat(decisions.earlier(request, "error")).isSameAs(GRANTED);
        assertThat(decisions.earlier(new PermitRequest(LimitName.chosen("r:", "x"), List.of("other"), 1), "error"))
                .isNull();
        assertThat(decisions.earlier(new PermitRequest(LimitName.chosen("r:", "x"), List.of("k"), 2), "error"))
                .isNull();
    }

    @Test
    void grants_of_a_rejected_set_are_not_repeated_in_another_dispatch() {
        decisions.add(
                REJECTED,
                List.of(
                        new LimitDecision(request("r:", "grants"), LIMIT, GRANTED),
                        new LimitDecision(request("r:", "rejects"), LIMIT, REJECTED)),
                "request");
        assertThat(decisions.earlier(request("r:", "grants"), "error")).isNull();
        assertThat(decisions.earlier(request("r:", "rejects"), "error")).isSameAs(REJECTED);
    }

    @Test
    void an_application_changes_status_media_type_and_body() {
        RejectionResponses own = new RejectionResponses(
                RejectionResponses.Settings.DEFAULT,
                null,
                (rejection, usual) -> RejectionResponse.of(420, usual.headers(), "text/html", new byte[] {1}));
        RejectionResponse response = own.of(rejection(request("r:", "search")), decisions, Locale.ENGLISH, "/x");
        assertThat(response.status()).isEqualTo(420);
        assertThat(response.contentType()).isEqualTo("text/html");
        assertThat(response.body()).containsExactly(1);
        assertThat(response.headers()).containsEntry("Retry-After", "5");
        assertThat(own.mayBlock()).isTrue();
    }

    @Test
    @SuppressWarnings("NullAway")
    void a_customizer_that_returns_nothing_leaves_the_response_as_it_is() {
        RejectionResponses own =
                new RejectionResponses(RejectionResponses.Settings.DEFAULT, null, (rejection, usual) -> null);
        assertThat(own.of(rejection(request("r:", "search")), decisions, Locale.ENGLISH, "/x")
                        .status())
                .isEqualTo(429);
    }

    @Test
    void a_customizer_that_throws_leaves_the_response_as_it_is() {
        RejectionResponses own =
                new RejectionResponses(RejectionResponses.Settings.DEFAULT, null, (rejection, usual) -> {
                    throw new IllegalStateException("no template");
                });
        try (LogLines log = new LogLines(RejectionResponses.class)) {
            assertThat(own.of(rejection(request("r:", "search")), decisions, Locale.ENGLISH, "/x")
                            .status())
                    .isEqualTo(429);
            assertThat(AsyncLog.flush(Duration.ofMinutes(1))).isTrue();
            assertThat(log.all())
                    .singleElement()
                    .asString()
                    .startsWith("ERROR The RejectionResponseCustomizer has thrown");
        }
    }

    @Test
    void a_minute_of_requests_that_could_not_be_decided_is_one_line_of_the_log() {
        RejectionResponses responses = new RejectionResponses(RejectionResponses.Settings.DEFAULT, messages);
        RuntimeException undecided = new LimiterBackendException(
                LimiterBackendException.Kind.RETRYABLE, "timeout", "p:k", "no reply\u202e", null, null);
        try (LogLines log = new LogLines(RejectionResponses.class)) {
            for (int i = 0; i < 3; i++) {
                responses.of(undecided, null, Locale.ENGLISH, "/x");
            }
            assertThat(AsyncLog.flush(Duration.ofMinutes(1))).isTrue();
            assertThat(log.all())
                    .containsExactly("WARN Rejected a request because its limit could not be decided:"
                            + " no decision for key 'p:k': no reply?");
        }
    }

    private static PermitRequest request(String prefix, String name) {
        return new PermitRequest(LimitName.chosen(prefix, name), List.of("k"), 1);
    }

    private RateLimitExceededException rejection(PermitRequest request) {
        Decision decision = decision(false, 5, 0, 4_200_000, 4_200_000, 9_000_000);
        decisions.add(decision, List.of(new LimitDecision(request, LIMIT, decision)), this);
        return new RateLimitExceededException("k", decision);
    }

    private String detail(RateLimitExceededException rejection, Locale locale) throws Exception {
        return json(answer(rejection, locale)).get("detail").asText();
    }

    private RejectionResponse answer(RateLimitExceededException rejection, Locale locale) {
        return new RejectionResponses(RejectionResponses.Settings.DEFAULT, messages)
                .of(rejection, decisions, locale, "/x");
    }

    private static JsonNode json(RejectionResponse answer) throws Exception {
        return new ObjectMapper().readTree(answer.body());
    }
}
