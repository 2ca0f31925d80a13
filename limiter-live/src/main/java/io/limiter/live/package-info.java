/** Limits of a fleet that are changed while it runs, and what its instances report. */
@NullMarked
package io.limiter.live;

import org.jspecify.annotations.NullMarked;
