package io.limiter.spring.web;

import com.google.common.hash.Hashing;
import io.limiter.spring.aop.LimitAsked;
import java.nio.charset.StandardCharsets;

/** What limits are called in answers. */
final class PolicyNames {

    private static final int HASH_LENGTH = 8;

    private PolicyNames() {}

    /**
     * The name that somebody chose. A name made of a class and a method is nobody's business, so of those it is a hash,
     * the same in all instances.
     */
    static String of(LimitAsked asked) {
        return asked.named()
                ? asked.name()
                : "limit-"
                        + Hashing.sha256()
                                .hashString(asked.prefix() + asked.name(), StandardCharsets.UTF_8)
                                .toString()
                                .substring(0, HASH_LENGTH);
    }
}
