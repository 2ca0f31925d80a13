/** The exception for invalid settings. */
@NullMarked
package io.limiter.spring.settings;

import org.jspecify.annotations.NullMarked;
