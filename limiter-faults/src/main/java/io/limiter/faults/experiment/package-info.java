/** The experiments, one class for each family of faults, and how one is run and judged. */
@NullMarked
package io.limiter.faults.experiment;

import org.jspecify.annotations.NullMarked;
