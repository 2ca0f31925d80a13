/** What configuration and annotations say about one limit, and the checks of what they say. */
@NullMarked
package io.limiter.spring.settings;

import org.jspecify.annotations.NullMarked;
