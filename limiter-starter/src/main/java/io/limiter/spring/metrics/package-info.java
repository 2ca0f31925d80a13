/** The observation of waits for permits, whose names an application can change. */
@NullMarked
package io.limiter.spring.metrics;

import org.jspecify.annotations.NullMarked;
