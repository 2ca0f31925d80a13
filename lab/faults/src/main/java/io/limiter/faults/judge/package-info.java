/** Runs an experiment, and judges what its callers were answered. */
@NullMarked
package io.limiter.faults.judge;

import org.jspecify.annotations.NullMarked;
