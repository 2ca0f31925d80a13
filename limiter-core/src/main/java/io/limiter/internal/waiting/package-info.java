/** Lets callers wait until granted permits come due, or until a rejected request is decided again. */
@NullMarked
package io.limiter.internal.waiting;

import org.jspecify.annotations.NullMarked;
