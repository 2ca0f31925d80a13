-- Cancels one reservation of a token bucket. Java twin: TokenBucketStep.cancel.
              times = times - 1
              local tail = next_free + (remainder - (warm_up and 0 or stored) * interval_micros)
              local tolerance = math.min(1.25, 0.75 * interval_micros)
              local overlaps = overlap > 0 and ticket <= last_ticket
              local is_last = not overlaps and tail - ticket < tolerance
              local cost = math.min(ticket, permits * limit_micros)
              if warm_up and is_last and stored > 0 and same_definition then
                local left = stored
                stored = math.min(max, stored + permits)
                local above = math.max(0, stored - threshold)
                local taken_above = math.min(above, stored - left)
                local highest = interval_micros + above * slope
                local lowest = interval_micros + (above - taken_above) * slope
                cost = taken_above * (highest + lowest) / 2 + (stored - left - taken_above) * interval_micros
              end
              local restored = cost
              if not is_last then
                -- roomMicros
                local most = caller_waits and math.max(max, permits) or max
                local quickest = math.min(limit_micros, interval_micros)
                quickest = fastest > 0 and math.min(quickest, fastest) or quickest
                local room = warm_up and 0 or most * quickest
                local after = reserved_until - ticket + (overlaps and overlap or 0)
                cancelled_from = last_ticket == 0 and ticket - cost or math.min(cancelled_from, ticket - cost)
                if cancelled_from > 0 then
                  after = math.min(after, reserved_until - cancelled_from - cancelled - cost)
                end
                restored = math.min(cost, math.max(0, room - after))
                -- withCancelled
                if reserved_until - last_ticket >= max * interval_micros then
                  overlap = 0
                end
                if restored > 0 or overlap == 0 then
                  last_ticket = math.max(last_ticket, tail)
                end
                overlap = math.min(MOST_CANCELLED, overlap + restored)
                cancelled = cancelled_from > 0 and math.min(MOST_CANCELLED, cancelled + (cost - restored)) or 0
              end
              -- liveMicros
              if tail - restored - cancelled_from - cancelled < tolerance then
                restored = restored + cancelled
                last_ticket, overlap, cancelled_from, cancelled = 0, 0, 0, 0
              end
              -- restore
              local ahead = next_free - now + remainder
              if restored < ahead then
                local micros = remainder - restored
                local part = micros % 1
                next_free, remainder = next_free + (micros - part), part
              else
                local per_permit = math.max(limit_micros, interval_micros) * cool_down_intervals
                stored = stored + (restored - math.max(0, ahead)) / per_permit
                if stored > max then
                  cancelled_from = cancelled_from > 0 and cancelled_from + (stored - max) * per_permit or 0
                  stored = max
                end
                if ahead > 0 then
                  next_free, remainder = now, 0
                end
              end
              changed, only_peeks, found_until = true, false, nil
              --include token_bucket_held.lua
