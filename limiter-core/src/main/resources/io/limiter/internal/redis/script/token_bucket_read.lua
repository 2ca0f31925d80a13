-- Reads a token bucket that has reservations or demand, or is stored as JSON; token_bucket.lua has read the packed one without
-- them. If the value is unreadable, encoding is not 1 afterwards. Java twin: TokenBucketScript.readPacked.
          if (#value == 92 or #value == 100) and string.byte(value, 1) == 1 then
            encoding, max, stored, interval, next_free, remainder, kept_until,
              last_ticket, overlap, cancelled_from, cancelled, furthest, fastest = unpack_bytes(PACKED_WITH_RESERVATIONS, value)
          elseif (#value == 124 or #value == 132) and string.byte(value, 1) == 1 then
            encoding, max, stored, interval, next_free, remainder, kept_until,
              last_ticket, overlap, cancelled_from, cancelled, furthest, fastest, called, next_call, demand, held =
              unpack_bytes(PACKED_WITH_DEMAND, value)
            encoding = next_call > 0 and encoding
          elseif #value ~= 44 then
            local ok, json = pcall(cjson.decode, value)
            if ok and type(json) == 'table' then
              max, stored, interval = json.maxPermits, json.storedPermits, json.intervalMillis
              next_free, remainder = json.nextFreeTicketMillis, json.remainderMicros
              if remainder == nil or remainder == cjson.null then
                remainder = 0
              end
              if type(max) == 'number' and type(stored) == 'number' and type(interval) == 'number'
                and type(next_free) == 'number' and type(remainder) == 'number' then
                encoding = 1
              end
              local reservations = json.reservations
              if type(reservations) == 'table' then
                last_ticket, overlap, furthest =
                  reservations.lastTicketMicros, reservations.overlapMicros, reservations.furthestMicros
                cancelled_from, cancelled, fastest =
                  reservations.cancelledFromMicros, reservations.cancelledMicros, reservations.fastestMicros
                other_since = reservations.otherSinceMicros
                if type(last_ticket) ~= 'number' or type(overlap) ~= 'number' or type(furthest) ~= 'number'
                  or type(fastest) ~= 'number' or type(other_since) ~= 'number'
                  or type(cancelled_from) ~= 'number' or type(cancelled) ~= 'number' then
                  encoding = nil
                end
              elseif reservations ~= nil and reservations ~= cjson.null then
                encoding = nil
              end
              local wanted = json.demand
              if type(wanted) == 'table' then
                called, next_call = wanted.calledMicros, wanted.nextCallMicros
                demand, held = wanted.permits, wanted.heldPermits
                if type(called) ~= 'number' or type(next_call) ~= 'number' or type(demand) ~= 'number'
                  or type(held) ~= 'number' or not (next_call > 0) then
                  encoding = nil
                end
              elseif wanted ~= nil and wanted ~= cjson.null then
                encoding = nil
              end
            end
          end
          if string.byte(value, 1) == 1 and (#value == 100 or #value == 132) then
            other_since = unpack_bytes('<d', value, #value - 7)
          end
