/** Texts that people write: durations, and names that may be misspelt. */
@NullMarked
package io.limiter.spring.text;

import org.jspecify.annotations.NullMarked;
