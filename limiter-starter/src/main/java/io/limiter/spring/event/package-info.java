/** What happens to limiters, as events of the application. */
@NullMarked
package io.limiter.spring.event;

import org.jspecify.annotations.NullMarked;
