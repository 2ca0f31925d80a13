/** The experiments, one class for each family of faults. */
@NullMarked
package io.limiter.faults.experiment;

import org.jspecify.annotations.NullMarked;
