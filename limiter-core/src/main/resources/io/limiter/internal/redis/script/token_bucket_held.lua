-- What overflows because instances hold a part of the capacity. Java twins: Demand.heldPermits, RedisPermits.leavingRoomForHeld.
              local held_now = now >= next_call and 0 or held * ((next_call - now) / (next_call - called))
              local most_stored = next_call > 0 and math.max(0, max - held_now) or max
              if stored > most_stored then
                cancelled_from = cancelled_from > 0
                  and cancelled_from + (stored - most_stored) * (interval_micros * cool_down_intervals) or 0
                stored = most_stored
              end
