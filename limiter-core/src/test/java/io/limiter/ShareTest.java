package io.limiter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ShareTest {

    /** 7 % of 100 is more than 7 in doubles. */
    @ParameterizedTest
    @CsvSource({
        "80%, 1000, 800",
        "7%, 100, 7",
        "80%, 9, 8",
        "0.1%, 1, 1",
        "12.5%, 1000, 125",
        "100%, 9007199254740991, 9007199254740991",
        "33.3%, 9007199254740991, 2999397351828751",
        "20, 10, 20",
        "0%, 10, 0",
        "0, 10, 0",
        " 20 , 1000, 20"
    })
    void a_share_is_rounded_up(String share, long limit, long permits) {
        assertThat(Share.parse(share).of(limit)).isEqualTo(permits);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "%", "100.1%", "-1%", "+1%", "1e-3%", "x", "1.5", "20 %", "NaN%", "80%%"})
    void another_text_is_an_error(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Share.parse(text))
                .withMessage("a share must be a percentage from 0% to 100%, such as 20%, or a number of"
                        + " permits, such as 20, was '" + text + "'");
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 1L << 53})
    void permits_out_of_range_are_an_error(long permits) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Share.permits(permits))
                .withMessageStartingWith("permits of a share must be between 0 and ");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Share.parse(Long.toString(permits)))
                .withMessageStartingWith("permits of a share must be between 0 and ");
    }

    @Test
    void equal_texts_are_equal_shares() {
        assertThat(Share.parse("20.0%"))
                .isEqualTo(Share.parse("20%"))
                .hasSameHashCodeAs(Share.parse("20%"))
                .hasToString("20%");
        assertThat(Share.parse("100%")).hasToString("100%").isNotEqualTo(Share.permits(100));
        assertThat(Share.parse("20")).isEqualTo(Share.permits(20)).hasToString("20");
    }
}
