-- Settles the bucket up to settled_to. Java twin: RedisPermits.resync.
          if settled_to > (remainder > negligible and next_free + 1 or next_free) then
            stored = stored + (settled_to - next_free - remainder) / (interval_micros * cool_down_intervals)
            if stored > max then
              local overflow = (stored - max) * (interval_micros * cool_down_intervals)
              cancelled_from = cancelled_from > 0 and cancelled_from + overflow or 0
              stored = max
            end
            next_free, remainder = settled_to, 0
            if settled_to >= last_ticket then
              furthest = 0
              if stored == max then
                fastest = 0
              end
            end
          end
