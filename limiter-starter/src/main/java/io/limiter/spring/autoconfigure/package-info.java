/** The auto-configurations of the starter. Each bean gives way to one of the application. */
@NullMarked
package io.limiter.spring.autoconfigure;

import org.jspecify.annotations.NullMarked;
