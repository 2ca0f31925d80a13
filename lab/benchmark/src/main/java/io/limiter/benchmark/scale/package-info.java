/** A fleet of a thousand instances over a Redis Cluster, simulated in virtual time; its results are in docs/scale.md. */
@NullMarked
package io.limiter.benchmark.scale;

import org.jspecify.annotations.NullMarked;
