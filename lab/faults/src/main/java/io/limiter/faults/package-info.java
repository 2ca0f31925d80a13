/** Experiments on real processes: what the limiter grants while Redis, the network or a JVM fails. */
@NullMarked
package io.limiter.faults;

import org.jspecify.annotations.NullMarked;
