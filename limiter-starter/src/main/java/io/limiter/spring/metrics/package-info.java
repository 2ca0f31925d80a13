/** How waits for permits are observed, which an application may rename. */
@NullMarked
package io.limiter.spring.metrics;

import org.jspecify.annotations.NullMarked;
