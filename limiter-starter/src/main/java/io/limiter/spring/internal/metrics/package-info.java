/** The limiters' meters, for Micrometer. */
@NullMarked
package io.limiter.spring.internal.metrics;

import org.jspecify.annotations.NullMarked;
