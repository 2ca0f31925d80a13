/** The limiters' meters, for Micrometer. */
@NullMarked
package io.limiter.spring.metrics;

import org.jspecify.annotations.NullMarked;
