-- The sliding window counter. Java twin: io.limiter.algorithm.SlidingCounter; change both together. Its parts are inserted
-- into batch.lua.
--
-- Parameters of a limit, little-endian doubles: limit, periodMicros. Timeouts are ignored.
--
-- The script reads both encodings and writes the packed one: byte 4; the doubles previous, current, startMicros,
-- periodMicros; and the expiry of the key, in seconds since the epoch (4 bytes). While limiters with two periods share it, the
-- doubles of the other windows follow: previous, current, startMicros, periodMicros, usedMicros. If the expiry is late
-- enough, the value is overwritten in place, which keeps the expiry and costs a third of a SET with a new one.

--[constants]
local MOST, LATEST = 2 ^ 53 - 1, 2 ^ 53
local SECOND = 1000000
local PACKED, PACKED_OTHER = '<BddddI4', '<ddddd'
local PACKED_BYTES, BOTH_BYTES = 37, 77

--[limit]
  local limit, limit_period
  limit, limit_period, at = unpack_bytes('<dd', arg, at)

--[decide]
      local previous, current, period, kept_until, must_save = 0, 0, limit_period, 0, false
      local start = not value and math.floor(now / period) * period
      local other_previous, other_current, other_start, other_period, other_used
      local both = false
      if value then
        local encoding
        if #value == PACKED_BYTES or #value == BOTH_BYTES then
          encoding, previous, current, start, period, kept_until = unpack_bytes(PACKED, value)
          both = #value == BOTH_BYTES
          if both then
            other_previous, other_current, other_start, other_period, other_used
              = unpack_bytes(PACKED_OTHER, value, PACKED_BYTES + 1)
          end
        end
        if encoding ~= 4 then
          local ok, json = pcall(cjson.decode, value)
          both, kept_until = false, 0
          if ok and type(json) == 'table' then
            previous, current, start, period = json.previous, json.current, json.startMicros, json.periodMicros
            encoding = type(previous) == 'number' and type(current) == 'number' and type(start) == 'number'
              and type(period) == 'number' and 4
            local other = json.other
            if other ~= nil and other ~= cjson.null then
              local pair = type(other) == 'table' and other.pair
              if type(pair) == 'table' then
                other_previous, other_current, other_start = pair.previous, pair.current, pair.startMicros
                other_period, other_used = pair.periodMicros, other.usedMicros
              end
              both = type(other_previous) == 'number' and type(other_current) == 'number'
                and type(other_start) == 'number' and type(other_period) == 'number' and type(other_used) == 'number'
              encoding = both and encoding
            end
          end
        end
        if not (encoding == 4 and previous >= 0 and previous <= MOST and previous % 1 == 0
          and current >= 0 and current <= MOST and current % 1 == 0
          and start >= 0 and start < LATEST and period >= 1 and period < LATEST
          and (not both or other_previous >= 0 and other_previous <= MOST and other_previous % 1 == 0
            and other_current >= 0 and other_current <= MOST and other_current % 1 == 0
            and other_start >= 0 and other_start < LATEST and other_period >= 1 and other_period < LATEST
            and other_used >= 0 and other_used < LATEST)) then
          found = '!UNREADABLE'
          break
        end
        -- at
        for _ = 1, both and 2 or 1 do
          local now_start = math.floor(now / period) * period
          if now_start < start then
            previous, current, must_save = 0, math.min(previous + current, MOST), true
          elseif now_start > start then
            previous, current = now_start == start + period and current or 0, 0
          end
          start = now_start
          if both then
            previous, current, start, period, other_previous, other_current, other_start, other_period
              = other_previous, other_current, other_start, other_period, previous, current, start, period
          end
        end
        -- under
        local longest = both and math.max(period, other_period) or period
        local unused = both and now - other_used or 0
        if both and unused >= 2 * longest and (period == limit_period or other_period ~= limit_period) then
          both = false
        end
        if period ~= limit_period then
          local longer = not both or period >= other_period
          local swaps, rearranges = false, not both
          if both then
            rearranges = longest < limit_period
            if other_period == limit_period then
              rearranges, swaps = false, true
            elseif rearranges then
              swaps = not longer
            else
              swaps = longer ~= (math.min(period, other_period) < limit_period)
            end
          end
          if swaps then
            must_save = must_save or unused >= longest
            previous, current, start, period, other_previous, other_current, other_start, other_period, other_used
              = other_previous, other_current, other_start, other_period, previous, current, start, period, now
          end
          if rearranges then
            if not both then
              both = true
              other_previous, other_current, other_start, other_period, other_used = previous, current, start, period, now
            end
            -- rearranged
            local now_start = math.floor(now / limit_period) * limit_period
            if start > now_start then
              previous, current = 0, math.min(previous + current, MOST)
            elseif start <= now_start - limit_period then
              previous = 0
            end
            start, period, must_save = now_start, limit_period, true
          end
        end
      end

      local left = period - (now - start)
      local carried = math.ceil(previous * left / period)
      local changed, only_peeks = must_save, true
      local permits, timeout, times, next_run = permits_1, timeout_1, times_1, run_2
      local fewest, leave, is_note = false, 0, false
      for run = 1, runs do
        --include run.lua
        if permits > 0 and not is_note then
          only_peeks = false
          if timeout == REFUND then
            if previous + current > 0 or both and other_previous + other_current > 0 then
              local returned = permits * times
              for _ = 1, both and 2 or 1 do
                local older = returned - current
                if returned > MOST then
                  -- The product may be rounded, this is not: what the request after those that empty the window leaves, and
                  -- all later ones.
                  older = permits - current % permits + permits * (times - 1 - math.floor(current / permits))
                end
                previous, current = math.max(0, previous - math.max(0, older)), math.max(0, current - returned)
                if both then
                  previous, current, other_previous, other_current = other_previous, other_current, previous, current
                end
              end
              carried, changed = math.ceil(previous * left / period), true
            end
          elseif timeout < CHARGE then
            -- without
            local ticket, returned = CHARGE - timeout, permits * times
            for _ = 1, both and 2 or 1 do
              local since = ticket - start
              if since >= 0 and since < period and current > 0 then
                current, changed = math.max(0, current - returned), true
              elseif since < 0 and since >= -period and previous > 0 then
                previous, changed = math.max(0, previous - returned), true
              end
              if both then
                previous, current, start, period, other_previous, other_current, other_start, other_period
                  = other_previous, other_current, other_start, other_period, previous, current, start, period
              end
            end
            carried = math.ceil(previous * left / period)
          else
            local taken = 0
            if timeout == CHARGE then
              taken, changed = permits * times, true
            else
              -- After one rejection, all equal requests are rejected.
              local free = limit - carried - current - leave
              local fit = math.max(0, math.min(times, math.floor(free / permits)))
              taken = fit * permits
              if fewest and fit < times and free - taken >= fewest then
                taken, fit = free, fit + 1
              end
              if fit > 0 then
                granted, changed = granted + fit, true
              end
            end
            current = math.min(current + taken, MOST)
            if both then
              other_current = math.min(other_current + taken, MOST)
            end
          end
        end
      end

--[save]
      if changed and not only_peeks then
        -- No permit counts any more two windows later. One window longer, so that the next one needs no new expiry.
        local keep_until = start + 2 * period + SECOND
        local saved
        local bytes = PACKED_BYTES
        if both then
          keep_until, bytes = math.max(keep_until, other_start + 2 * other_period + SECOND), BOTH_BYTES
        end
        -- SETRANGE cannot shorten a value.
        local in_place = kept_until * SECOND >= keep_until and bytes >= #value
        local expires
        if not in_place then
          expires = keep_until + period + SECOND
          kept_until = math.floor(expires / SECOND)
        end
        local packed = pack_bytes(PACKED, 4, previous, current, start, period, kept_until)
        if both then
          packed = packed
            .. pack_bytes(PACKED_OTHER, other_previous, other_current, other_start, other_period, other_used)
        end
        if in_place then
          saved = redis_pcall('SETRANGE', key, '0', packed)
        else
          saved = redis_pcall('SET', key, packed, 'PX', string.format('%.0f', math.ceil((expires - now) / 1000)))
        end
        if type(saved) == 'table' and saved.err then
          found, granted = '!' .. saved.err, granted_before
        end
      end
