/** The rate limiters that are compared, each behind one small interface. */
@NullMarked
package io.limiter.benchmark.subject;

import org.jspecify.annotations.NullMarked;
