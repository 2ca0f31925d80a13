/** Reads durations and names that people write, and suggests the nearest name for a misspelt one. */
@NullMarked
package io.limiter.internal.text;

import org.jspecify.annotations.NullMarked;
