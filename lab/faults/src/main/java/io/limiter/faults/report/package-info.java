/** What is shown while experiments run, and the page about their results. */
@NullMarked
package io.limiter.faults.report;

import org.jspecify.annotations.NullMarked;
