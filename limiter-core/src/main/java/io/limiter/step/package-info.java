/** What an engine and a limit say to each other: a request, the step of the limit, and its verdict. For limits of one's own. */
@NullMarked
package io.limiter.step;

import org.jspecify.annotations.NullMarked;
