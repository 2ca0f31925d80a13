/** Bugs that are planted into the limiter, and must be convicted by an experiment. */
@NullMarked
package io.limiter.faults.planted;

import org.jspecify.annotations.NullMarked;
