package io.limiter.spring.internal.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.spring.internal.check.CallOutcome;
import io.limiter.spring.internal.check.Charge;
import io.limiter.spring.internal.check.Facts;
import io.limiter.spring.internal.web.usage.UsageReader;
import io.limiter.spring.internal.web.usage.UsageSources;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ResponseChargeTest {

    /** Otherwise a caller would get its estimate back by leaving before the last number. */
    @ParameterizedTest
    @CsvSource({"1, false, 1", "1, true, 50", "700, true, 700"})
    void a_response_that_breaks_off_charges_at_least_the_estimate(long tokens, boolean breaksOff, long charged) {
        ResponseCharge charges =
                new ResponseCharge(UsageSources.parse(List.of("response-json:/total")), null, () -> {});
        Charge charge = charges.charge(Facts.NONE, List.of(), 50);
        UsageReader reader = Objects.requireNonNull(charge.reader());
        byte[] body = ("{\"total\":" + tokens + "}").getBytes(StandardCharsets.UTF_8);
        reader.read(ByteBuffer.wrap(body), name -> name.equals("Content-Type") ? "application/json" : null);
        if (breaksOff) {
            reader.breakOff();
        }
        assertThat(charge.permits().applyAsLong(new CallOutcome(null, null, 200)))
                .isEqualTo(charged);
    }
}
