/** Fleets of instances while their Redis fails: this library and others under the same faults. */
@NullMarked
package io.limiter.benchmark.outage;

import org.jspecify.annotations.NullMarked;
