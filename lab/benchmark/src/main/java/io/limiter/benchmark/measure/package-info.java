/** Takes the figures of one subject under one load. */
@NullMarked
package io.limiter.benchmark.measure;

import org.jspecify.annotations.NullMarked;
