/** Bugs that are planted into the limiter, and must be caught by an experiment. */
@NullMarked
package io.limiter.faults.planted;

import org.jspecify.annotations.NullMarked;
