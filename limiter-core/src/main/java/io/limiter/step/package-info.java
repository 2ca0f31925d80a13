/** The contract between an engine and a limit: a request, the step of the limit, and its verdict. Implement it for a limit of your own. */
@NullMarked
package io.limiter.step;

import org.jspecify.annotations.NullMarked;
