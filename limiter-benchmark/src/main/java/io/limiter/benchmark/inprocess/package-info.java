/** What one call costs without Redis, by JMH. */
@NullMarked
package io.limiter.benchmark.inprocess;

import org.jspecify.annotations.NullMarked;
