/** Turns figures into a page and a chart. */
@NullMarked
package io.limiter.benchmark.report;

import org.jspecify.annotations.NullMarked;
