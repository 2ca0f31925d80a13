/** An account of every decision that knows nothing of how a limiter decides, and what must hold for it. */
@NullMarked
package io.limiter.faults.account;

import org.jspecify.annotations.NullMarked;
