/** Limits in tests with an application context of Spring. */
@NullMarked
package io.limiter.test.spring;

import org.jspecify.annotations.NullMarked;
