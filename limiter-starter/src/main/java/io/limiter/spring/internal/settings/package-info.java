/** The settings of one limit in configuration and annotations, and their checks. */
@NullMarked
package io.limiter.spring.internal.settings;

import org.jspecify.annotations.NullMarked;
