/** Texts that people write: durations. */
@NullMarked
package io.limiter.spring.text;

import org.jspecify.annotations.NullMarked;
