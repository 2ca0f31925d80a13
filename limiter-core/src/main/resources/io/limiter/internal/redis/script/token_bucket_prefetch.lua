-- Takes permits ahead for instances that prefetch. Java twin: TokenBucketStep.prefetch.
                local granted_others = granted
                local time = -timeout * PREFETCH_UNIT % PREFETCH_TIMES
                local call = (-timeout * PREFETCH_UNIT - time) / PREFETCH_TIMES
                for _ = times, 1, -1 do
                  --include token_bucket_held.lua
                  local next = math.min(now + MOST_AHEAD, math.max(next_call + call, now + time * PREFETCH_PAUSE))
                  local period = math.max(time, next - now)
                  local passed = next - next_call
                  demand = math.min(MOST_DEMAND, (passed < period and demand * (1 - passed / period) or 0) + permits)
                  local fill = stored / (math.min(max, time / interval_micros) / 2)
                  local share = permits / demand * (period / interval_micros) * fill * fill
                  local taken = math.floor(math.min(math.min(stored, permits), math.max(1, share)))
                  called, next_call, held = now, next, math.min(MOST_DEMAND, held_now + taken)
                  stored, granted = stored - taken, granted + taken
                end
                --include token_bucket_held.lua
                if granted > granted_others then
                  is_converted, other_since = false, 0
                end
                found_until = is_converted and found_until or nil
                exists, changed, only_peeks, times = true, true, false, 0
