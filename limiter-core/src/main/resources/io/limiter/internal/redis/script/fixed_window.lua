-- The fixed window. Java twin: io.limiter.algorithm.FixedWindow; change both together. Its parts are inserted into batch.lua.
--
-- Parameters of a limit, little-endian doubles: limit, periodMicros, aligned (1 or 0), and if aligned the five of
-- io.limiter.internal.arithmetic.ZoneClock: sinceMicros, offsetMicros, changesAtMicros, nextOffsetMicros, thenUntilMicros. If the time is
-- outside their validity, the script replies the problem 'TIME', and the caller repeats the call with the time of the reply.
-- Timeouts are ignored.
--
-- The script reads both encodings and writes the packed one: byte 2, then the doubles count, windowEndMillis. A plain number
-- is read as a counter whose window ends with its TTL, or one period from now if it has none.

--[constants]
local HUGE = math.huge

--[limit]
  local limit, period, aligned, since, offset, changes_at, next_offset, valid_until
  limit, period, aligned, at = unpack_bytes('<ddd', arg, at)
  if aligned == 1 then
    since, offset, changes_at, next_offset, valid_until, at = unpack_bytes('<ddddd', arg, at)
  end

--[decide]
      local count, window_end, found_end, must_save, open = 0, now + period, 0, false, false
      if aligned == 1 then
        -- windowEnd
        if now < since or now + 2 * period >= valid_until then
          found = '!TIME'
          break
        end
        local current = now < changes_at and offset or next_offset
        local shown = now + current
        local shown_end = shown - shown % period + period
        window_end = shown_end - current
        if now < changes_at and window_end >= changes_at and period > math.abs(next_offset - offset) then
          local changed = shown_end - next_offset
          if changed >= changes_at then
            window_end = changed
          end
        end
      end
      if value then
        local encoding, stored, millis, counter
        if #value == 17 then
          encoding, stored, millis = unpack_bytes('<Bdd', value)
        end
        if encoding ~= 2 then
          stored = nil
          if string.byte(value, 1) == 123 then
            local ok, json = pcall(cjson.decode, value)
            if ok and type(json) == 'table' and type(json.count) == 'number' and type(json.windowEndMillis) == 'number' then
              stored, millis = json.count, json.windowEndMillis
            end
          elseif string.find(value, '^%d+$') then
            local ttl = redis_call('PTTL', key)
            stored, millis, counter = tonumber(value), (ttl >= 0 and now + ttl * 1000 or now + period) / 1000, true
          end
        end
        if not (stored and stored >= 0 and stored % 1 == 0 and millis >= 0 and millis < HUGE) then
          found = '!UNREADABLE'
          break
        end
        if encoding ~= 2 then
          found = pack_bytes('<Bdd', 2, stored, millis)
        end
        found_end = math.floor(millis * 1000 + 0.5)
        if found_end > now then
          open, count, must_save = true, stored, counter
          if found_end > window_end then
            must_save = true
          else
            window_end = found_end
          end
        end
      end

      local changed, only_peeks = must_save, true
      local was_open = open
      -- The end of the stored window, as the next request finds it.
      local stored_end = open and math.max(found_end, window_end) or window_end
      local permits, timeout, times, next_run = permits_1, timeout_1, times_1, run_2
      for run = 1, runs do
        if run > 1 then
          permits, timeout, times, next_run = unpack_bytes('<i4dI4', arg, next_run)
        end
        if permits > 0 then
          only_peeks = false
          if timeout == REFUND then
            if open then
              count, changed = math.max(0, count - permits * times), true
            end
          elseif timeout == CHARGE then
            count, changed, open = count + permits * times, true, true
          elseif timeout < CHARGE then
            local ticket = CHARGE - timeout
            local cancelled = (ticket == stored_end and 1 or 0) + (ticket == window_end and times - 1 or 0)
            if open and cancelled > 0 then
              count, changed = math.max(0, count - permits * cancelled), true
            end
          else
            -- After one rejection, all equal requests are rejected.
            local taken = math.max(0, math.min(times, math.floor((limit - count) / permits)))
            if taken > 0 then
              count, granted, changed, open = count + taken * permits, granted + taken, true, true
            end
          end
          stored_end = window_end
        end
      end

--[save]
      -- A value without a TTL would stay for ever if only rejections follow.
      if not only_peeks and (changed or was_open and redis_call('PTTL', key) == -1) then
        local lifetime = math.max(0, math.ceil((window_end - now) / 1000)) + 1000
        local saved = redis_pcall(
          'SET', key, pack_bytes('<Bdd', 2, count, window_end / 1000), 'PX', string.format('%.0f', lifetime))
        if saved.err then
          found, granted = '!' .. saved.err, granted_before
        end
      end
