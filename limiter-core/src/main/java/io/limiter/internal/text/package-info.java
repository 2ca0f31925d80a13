/** Texts that people write, and may misspell. */
@NullMarked
package io.limiter.internal.text;

import org.jspecify.annotations.NullMarked;
