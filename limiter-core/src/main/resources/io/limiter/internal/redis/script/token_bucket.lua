-- The token bucket. Java twins: io.limiter.algorithm.TokenBucket and RedisPermits, with the same operations on the same doubles
-- in the same order, so that the results are bit-identical; change both together. Comments name the twin of each step. The
-- parts are inserted into batch.lua, and the files that they include into them.
--
-- Times are microseconds as whole doubles, exact below 2^53; only the stored state is in milliseconds. The common path avoids
-- function calls: x - x % 1 is floor(x).
--
-- Parameters of a limit, little-endian doubles: maxPermits, intervalMillis, flags, maxWaitMicros, maxReservedMicros,
-- expireMillis; with a warm-up also thresholdPermits, slopeMicros, coolDownIntervals.
--
-- The script reads both encodings and writes the packed one: byte 1; the doubles maxPermits, storedPermits, intervalMillis,
-- nextFreeTicketMillis, remainderMicros; the expiry of the key in seconds modulo 2^24 (3 bytes); if there are any, the
-- first six doubles of Reservations; after these, if there is any, the four of Demand; and last otherSinceMicros, unless it is 0. If the expiry is late enough, the value is
-- overwritten in place, which keeps the expiry and costs a third of a SET with a new one. So each new expiry is later than
-- necessary.

--[constants]
local CALLER_WAITS, STARTS_FULL, WARM_UP = 1, 2, 4
local NEGLIGIBLE_PERMITS, NEGLIGIBLE_MICROS = 1e-9, 0.5
local EXPIRE_MARGIN_MILLIS = 1000
local SECONDS, HALF = 2 ^ 24, 2 ^ 23
local HUGE = math.huge
local PACKED, PACKED_WITH_RESERVATIONS, PACKED_WITH_DEMAND = '<BdddddI3', '<BdddddI3dddddd', '<BdddddI3dddddddddd'
-- A usual decision overwrites from storedPermits on to remainderMicros; only the first differs between the keys of a section.
local CHANGES_AT, CHANGES = '9', '<dc24'
local NOW_MILLIS, NOW_SECONDS = now / 1000, now / 1000000
local HOUR, LATEST = 3600000000, 2 ^ 53
-- Of a prefetch, the time and the time between calls are one number: more than REFUND and less than 0.
local PREFETCH_UNIT, PREFETCH_TIMES, PREFETCH_PAUSE = 2 ^ 44, 2 ^ 24, 0.25
local MOST_AHEAD, MOST_DEMAND, MOST_CANCELLED = 60000000, 2 ^ 52, 2 ^ 52
-- Far more than a call has. A garbled number would keep Redis busy.
local MOST_REQUESTS = 2 ^ 16

--[limit]
  -- The definition of the caller. A bucket that is full again before expire_covers is kept for expire.
  local limit_max, limit_interval, flags, max_wait, max_reserved, expire
  local threshold, slope, cool_down_intervals = 0, 0, 1
  limit_max, limit_interval, flags, max_wait, max_reserved, expire, at = unpack_bytes('<dddddd', arg, at)
  local caller_waits, starts_full, warm_up = flags % 2 >= CALLER_WAITS, flags % 4 >= STARTS_FULL, flags >= WARM_UP
  if warm_up then
    threshold, slope, cool_down_intervals, at = unpack_bytes('<ddd', arg, at)
  end
  local limit_micros = limit_interval * 1000
  local limit_negligible = NEGLIGIBLE_PERMITS * limit_micros
  if limit_negligible > NEGLIGIBLE_MICROS then
    limit_negligible = NEGLIGIBLE_MICROS
  end
  local expire_covers = (expire - EXPIRE_MARGIN_MILLIS - 1) * 1000
  -- For usual decisions, see decide.
  local permits_of_all, timeout_of_all, times_of_all = unpack_bytes('<ddI4', arg, at)
  local plain = runs == 1 and permits_of_all > 0 and timeout_of_all >= 0 and not warm_up
  local wanted = permits_of_all * times_of_all
  -- A wait of two microseconds more than allowed is too long however it is rounded.
  local rejected_from = (caller_waits and math.min(timeout_of_all, max_wait) or HUGE) + 2
  local rest = pack_bytes('<ddd', limit_interval, NOW_MILLIS, 0)
  -- The bytes last written: buckets that were full have the same.
  local packed_left, packed

--[decide]
      local encoding, max, stored, interval, next_free, remainder, kept_until
      if value and #value == 44 then
        encoding, max, stored, interval, next_free, remainder, kept_until = unpack_bytes(PACKED, value)
      end

      -- Usual decisions take a third of the time here. Usual is one run, the definition as stored, nothing reserved ahead, and a
      -- late expiry. Of the steps below only these have an effect then: the test of the values, resync, and either reserve of
      -- stored permits and SETRANGE, or a rejection. Anything else is left to the steps below. Here usual becomes true if the
      -- decision is made, and left the stored permits after a grant.
      local usual, left = false, nil
      if max == limit_max and interval == limit_interval and plain and encoding == 1
        and stored >= 0 and stored <= max and next_free >= 0 and remainder == 0 then
        local free = next_free * 1000 + 0.5
        free = free - free % 1
        if now > free then
          local available = stored + (now - free) / limit_micros
          if available > max then
            available = max
            if starts_full then
              -- Java comes to the same decisions from no state, and needs no value.
              found, again = false, value
            end
          end
          if available >= wanted then
            local kept = (kept_until - NOW_SECONDS) % SECONDS
            if (max - (available - wanted)) * limit_micros < expire_covers and kept * 1000 >= expire and kept < HALF then
              usual, left, granted = true, available - wanted, granted + times_1
            end
          else
            usual = (permits_1 - available) * limit_micros >= rejected_from
          end
        end
      end

      local must_save, other_definition, changed, only_peeks = false, false, false, true
      local interval_micros, negligible = limit_micros, limit_negligible
      -- Reservations: lastTicketMicros, overlapMicros, cancelledFromMicros, cancelledMicros, furthestMicros, fastestMicros,
      -- otherSinceMicros
      local last_ticket, overlap, cancelled_from, cancelled, furthest, fastest, other_since = 0, 0, 0, 0, 0, 0, 0
      -- Demand: calledMicros, nextCallMicros, permits, heldPermits; 0 if there is none
      local called, next_call, demand, held = 0, 0, 0, 0
      if not usual then
        -- The end of reservations as found, for cancellations; nil after the first change
        local exists, found_until = value, nil
        -- The state as it was before the conversion to the definition of the caller, which holds once the caller takes permits.
        local before, is_converted = nil, false

        if not value then
          -- initial
          max, stored, interval, next_free, remainder = limit_max, starts_full and limit_max or 0, limit_interval, now, 0
          must_save = not starts_full
        else
          --include token_bucket_read.lua
          if not (encoding == 1 and stored >= 0 and stored <= max and max > 0 and max < HUGE
            and interval > 0 and interval < HUGE and next_free >= 0 and next_free * 1000 < HUGE
            and remainder >= 0 and remainder < 1 and last_ticket >= 0 and last_ticket < LATEST
            and overlap >= 0 and overlap < LATEST and cancelled_from >= 0 and cancelled_from < LATEST
            and cancelled >= 0 and cancelled < LATEST and furthest >= 0 and furthest < LATEST
            and fastest >= 0 and fastest < LATEST and other_since >= 0 and other_since < LATEST
            and called >= 0 and called < LATEST and next_call >= 0 and next_call < LATEST
            and demand >= 0 and demand < LATEST and held >= 0 and held < LATEST) then
            found = '!UNREADABLE'
            break
          end
          next_free = next_free * 1000 + 0.5
          next_free = next_free - next_free % 1
          if max ~= limit_max or interval ~= limit_interval then
            other_definition = true
            interval_micros = interval * 1000
            negligible = math.min(NEGLIGIBLE_PERMITS * interval_micros, NEGLIGIBLE_MICROS)
          end
          -- boundClockStep
          if next_call > 0 and now < called then
            called, next_call, must_save = now, now + (next_call - called), true
          end
          if called + next_call > 0
            and (not (next_call > 0) or next_call - now > MOST_AHEAD or now - next_call > MOST_AHEAD) then
            called, next_call, demand, held, must_save = 0, 0, 0, 0, true
          end
          if next_free - now > 2 * HOUR then
            local most = furthest > HOUR and furthest or HOUR
            if next_free - now > most + HOUR then
              next_free, remainder, must_save = now + most, 0, true
              cancelled_from, cancelled = 0, 0
            end
          end
          -- reservedUntilMicros
          found_until = math.max(next_free + remainder, last_ticket)
          if other_definition then
            before = {max, stored, interval, next_free, remainder, last_ticket, overlap, cancelled_from, cancelled, furthest, fastest}
          end
          local settled_to = now
          --include token_bucket_resync.lua
        end

        changed = must_save
        local permits, timeout, times, next_run = permits_1, timeout_1, times_1, run_2
        local fewest, leave, is_note = false, 0, false
        for run = 1, runs do
          --include run.lua
          if permits > 0 and not is_note then
            if times > MOST_REQUESTS then
              return {err = 'ERR the argument has more than ' .. MOST_REQUESTS .. ' equal requests'}
            end
            local allowed, reservable, charged = timeout < max_wait and timeout or max_wait, max_reserved, false
            local ticket = timeout < CHARGE and CHARGE - timeout
            local same_definition = not is_converted and max == limit_max and interval == limit_interval
            local acts = not (ticket or timeout == REFUND and warm_up)
            if acts and same_definition then
              other_since = 0
            elseif acts and not is_converted then
              before = before
                or {max, stored, interval, next_free, remainder, last_ticket, overlap, cancelled_from, cancelled, furthest, fastest}
              max, stored, interval, next_free, remainder, last_ticket, overlap, cancelled_from, cancelled, furthest, fastest =
                unpack(before)
              -- otherSinceMicros
              local settled_to = other_since > 0 and math.min(other_since, now) or now
              changed = changed or settled_to ~= other_since
              other_since, is_converted = settled_to, true
              --include token_bucket_resync.lua
              -- rescale
              local quickest = fastest > 0 and fastest or interval_micros
              if quickest >= limit_micros or stored == max and last_ticket == 0 then
                quickest = 0
              end
              fastest = quickest
              local share = limit_max / max
              if interval / limit_interval > share * 1.000000001 then
                stored = math.min(limit_max, stored * share)
              else
                stored = math.min(limit_max, stored * interval / limit_interval)
              end
              max, interval, interval_micros, negligible = limit_max, limit_interval, limit_micros, limit_negligible
              cancelled_from, cancelled = 0, 0
              settled_to = now
              --include token_bucket_resync.lua
            end
            repeat
              local reserved_until = found_until or math.max(next_free + remainder, last_ticket)
              local cancels = ticket and exists and times > 0 and ticket <= reserved_until
                and not (warm_up and ticket <= now)
              if cancels then
                if is_converted then
                  max, stored, interval, next_free, remainder, last_ticket, overlap, cancelled_from, cancelled, furthest, fastest =
                    unpack(before)
                  interval_micros = interval * 1000
                  negligible = math.min(NEGLIGIBLE_PERMITS * interval_micros, NEGLIGIBLE_MICROS)
                  local settled_to = now
                  --include token_bucket_resync.lua
                end
                before, is_converted, other_since = nil, false, 0
              end
              if cancels or acts then
                --include token_bucket_held.lua
              end
              -- Java forgets in every step that changes the state, and after it.
              if last_ticket > 0 and (cancels or acts or not found_until) then
                -- forget
                local until_full =
                  math.max(0, next_free - now + (remainder + (max - stored) * (interval_micros * cool_down_intervals)))
                if now - last_ticket >= max * interval_micros then
                  last_ticket, overlap, cancelled_from, cancelled = 0, 0, 0, 0
                elseif cancelled > until_full then
                  cancelled_from, cancelled = cancelled_from + (cancelled - until_full), until_full
                end
              end
              if not cancels then
                break
              end
              --include token_bucket_cancel.lua
            until false
            if ticket then
              times = 0
            elseif timeout < 0 then
              if timeout == CHARGE then
                allowed, reservable, charged = HUGE, HUGE, granted
              elseif timeout > REFUND then
                --include token_bucket_prefetch.lua
              else
                if exists and not warm_up then
                  for _ = 1, times do
                    --include token_bucket_held.lua
                    stored = math.min(max, stored + permits)
                  end
                  cancelled_from, cancelled = 0, 0
                  --include token_bucket_held.lua
                  changed, only_peeks, found_until = true, false, nil
                  is_converted, other_since = false, 0
                end
                times = 0
              end
            end
            local takes, asked = times > 0, times
            if takes then
              only_peeks = false
            end
            -- Equal requests that stored permits cover are granted together. Whole numbers are subtracted from a larger double
            -- without rounding, so the result is the same as one after the other.
            if times > 1 and permits + leave <= stored and not warm_up then
              local taken = (stored - leave) / permits
              taken = math.min(times, taken - taken % 1)
              if taken * permits > stored - leave then
                taken = taken - 1
              end
              stored = stored - taken * permits
              granted, times, changed = granted + taken, times - taken, true
            end
            -- After one rejection, all equal requests are rejected.
            local most = permits
            while times > 0 do
              local taken = most
              if fewest then
                -- takenOf
                local whole = stored + negligible / interval_micros
                taken = math.max(fewest, math.min(most, whole - whole % 1 - leave))
              end
              local needed = taken + leave
              -- reserve
              local from_stored = needed < stored and needed or stored
              local cost = (needed - from_stored) * interval_micros
              if warm_up then
                -- storedToMicros
                local above = math.max(0, stored - threshold)
                local taken_above = math.min(above, from_stored)
                local highest = interval_micros + above * slope
                local lowest = interval_micros + (above - taken_above) * slope
                cost = taken_above * (highest + lowest) / 2 + (from_stored - taken_above) * interval_micros + cost
              end
              local micros = remainder + cost
              local part = micros % 1
              local free = next_free + (micros - part)
              local reserved = free - now + (part > negligible and 1 or 0)
              local wait = caller_waits and reserved or next_free - now + (remainder > negligible and 1 or 0)
              -- Stored permits are granted whatever is reserved. Java counts a negative reservation as 0, which every bound
              -- allows.
              local is_granted = true
              if reserved > 0 and (warm_up or needed > stored + negligible / interval_micros) then
                is_granted = wait <= allowed and reserved <= reservable
                if charged then
                  -- boundReservation
                  local furthest_ahead = math.max(max_reserved, next_free - now + (remainder > negligible and 1 or 0))
                  if free - now > furthest_ahead then
                    free, part = now + furthest_ahead, 0
                  end
                  reserved = math.min(furthest_ahead, reserved)
                end
                if is_granted and reserved > HOUR and reserved > furthest then
                  furthest = reserved
                end
              end
              if is_granted then
                if leave > 0 then
                  from_stored = taken < stored and taken or stored
                  micros = remainder + (taken - from_stored) * interval_micros
                  part = micros % 1
                  free = next_free + (micros - part)
                end
                stored, next_free, remainder = stored - from_stored, free, part
                granted, times, changed = granted + 1, times - 1, true
              elseif fewest and taken > fewest then
                -- In a warm-up, all that is stored can take longer than the longest wait.
                most = fewest
              else
                break
              end
            end
            if times < asked then
              is_converted, other_since = false, 0
            end
            if takes and changed and not is_converted then
              exists, found_until = true, nil
            end
            granted = charged or granted
          end
        end
        if is_converted then
          max, stored, interval, next_free, remainder, last_ticket, overlap, cancelled_from, cancelled, furthest, fastest =
            unpack(before)
          interval_micros = interval * 1000
          negligible = math.min(NEGLIGIBLE_PERMITS * interval_micros, NEGLIGIBLE_MICROS)
        end
      end

--[save]
      if left then
        if left ~= packed_left then
          packed_left, packed = left, pack_bytes(CHANGES, left, rest)
        end
        local saved = redis_pcall('SETRANGE', key, CHANGES_AT, packed)
        if saved ~= 44 then
          found, granted = '!' .. saved.err, granted_before
        end
      elseif changed and not only_peeks then
        -- resetMicros
        local keep = expire
        local filling = remainder + (max - stored) * (interval_micros * cool_down_intervals)
        if next_free - now + filling >= expire_covers then
          local over = filling % 1
          local reset = math.max(0, next_free - now + filling - over + (over > negligible and 1 or 0))
          keep = math.max(expire, math.ceil(reset / 1000) + EXPIRE_MARGIN_MILLIS)
        end
        local has_reservations = last_ticket > 0 or furthest > 0 or fastest > 0 or other_since > 0
        local packed_as, length = PACKED, 44
        local packed_since = other_since > 0 and pack_bytes('<d', other_since) or ''
        if next_call > 0 then
          packed_as, length = PACKED_WITH_DEMAND, 124 + #packed_since
          keep = math.max(keep, math.ceil((next_call - now) / 1000) + EXPIRE_MARGIN_MILLIS)
        elseif has_reservations then
          packed_as, length = PACKED_WITH_RESERVATIONS, 92 + #packed_since
        end
        if last_ticket > 0 then
          -- If the state expired while earlier tickets matter, a cancellation could restore too much.
          local needed = last_ticket - now + max * interval_micros
          keep = math.max(keep, math.ceil(needed / 1000) + EXPIRE_MARGIN_MILLIS)
        end
        local seconds = now / 1000000
        local kept = kept_until and (kept_until - seconds) % SECONDS or SECONDS
        local saved
        if kept * 1000 >= keep and kept < SECONDS / 2 and #value == length and not other_definition then
          saved = redis_pcall('SETRANGE', key, '0', pack_bytes(
            packed_as, 1, max, stored, interval, next_free / 1000, remainder, kept_until,
            last_ticket, overlap, cancelled_from, cancelled, furthest, fastest, called, next_call, demand, held) .. packed_since)
        else
          -- A quarter longer, so that the next calls need no new expiry; at least a second, the resolution of kept_until.
          keep = keep + math.max(math.floor(expire / 4), EXPIRE_MARGIN_MILLIS)
          if other_definition or value and #value ~= length then
            -- A state stored under another definition may have to be kept longer than this one needs. Not longer than its TTL,
            -- or two limits that take turns would keep it for ever.
            keep = math.max(keep, redis_call('PTTL', key))
          end
          kept_until = math.floor(seconds + keep / 1000) % SECONDS
          saved = redis_pcall('SET', key, pack_bytes(
            packed_as, 1, max, stored, interval, next_free / 1000, remainder, kept_until,
            last_ticket, overlap, cancelled_from, cancelled, furthest, fastest, called, next_call, demand, held) .. packed_since,
            'PX', string.format('%.0f', keep))
        end
        if type(saved) == 'table' and saved.err then
          found, granted = '!' .. saved.err, granted_before
        end
      end
