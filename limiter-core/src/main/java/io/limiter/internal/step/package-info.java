/** Runs the steps of several requests in one call, with few objects, and gives limit sets the steps that they start with. */
@NullMarked
package io.limiter.internal.step;

import org.jspecify.annotations.NullMarked;
