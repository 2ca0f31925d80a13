package io.limiter.algorithm;

import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * Who holds permits of a {@link ConcurrencyLimit}, and until when.
 *
 * @param id chosen by the holder, from 1 to {@link Request#MAX_ID}
 * @param permits how many, at least 1
 * @param expiresMicros when they are nobody's again unless renewed, in microseconds since the epoch
 * @param leaseMicros how long they are held from each renewal on, in microseconds: the expiry never lies further ahead
 */
public record Holder(
        @JsonProperty(required = true) long id,
        @JsonProperty(required = true) int permits,
        @JsonProperty(required = true) long expiresMicros,
        @JsonProperty(required = true) long leaseMicros) {

    private static final long MAX_MICROS = (1L << 53) - 1;

    public Holder {
        if (!(id >= 1
                && id <= Request.MAX_ID
                && permits >= 1
                && expiresMicros >= 0
                && expiresMicros <= MAX_MICROS
                && leaseMicros >= 1
                && leaseMicros <= MAX_MICROS)) {
            throw new IllegalArgumentException("not a holder: id " + id + ", permits " + permits + ", expiresMicros "
                    + expiresMicros + ", leaseMicros " + leaseMicros);
        }
    }

    boolean isLive(long nowMicros) {
        return expiresMicros > nowMicros;
    }

    /** This one, with an expiry no further ahead than one lease, which only a clock that stepped back can put there. */
    Holder bound(long nowMicros) {
        return expiresMicros - nowMicros > leaseMicros
                ? new Holder(id, permits, nowMicros + leaseMicros, leaseMicros)
                : this;
    }
}
