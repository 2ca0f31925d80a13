/** Limits in tests with a Spring application context. */
@NullMarked
package io.limiter.test.spring;

import org.jspecify.annotations.NullMarked;
