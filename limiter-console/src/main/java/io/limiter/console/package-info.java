/** The console: a page that shows the limits of a fleet and changes them while it runs. */
@NullMarked
package io.limiter.console;

import org.jspecify.annotations.NullMarked;
