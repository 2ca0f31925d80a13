-- A pause between calls. Java twin: Cooldown. Parameters of a limit, little-endian doubles: pauseMicros.
-- The value is byte 99 and the double lastMicros.

--[constants]
local MARGIN_MILLIS = 1000

--[limit]
  local pause
  pause, at = unpack_bytes('<d', arg, at)

--[decide]
      local last, changed = -pause, false
      if value then
        local encoding
        encoding, last = 0, 0
        if #value == 9 then
          encoding, last = unpack_bytes('<Bd', value)
        end
        if encoding ~= 99 then
          found = '!UNREADABLE'
          break
        end
      end
      local permits, timeout, times, next_run = permits_1, timeout_1, times_1, run_2
      for run = 1, runs do
        if run > 1 then
          permits, timeout, times, next_run = unpack_bytes('<ddI4', arg, next_run)
        end
        if timeout == REFUND then
          last, changed = -pause, true
        elseif timeout == CHARGE then
          last, changed = now, true
        elseif permits == 1 and now - last >= pause then
          -- Only the first of equal requests is granted, because a pause is more than 0.
          last, changed, granted = now, true, granted + 1
        end
      end

--[save]
      if changed then
        local saved = redis_pcall('SET', key, pack_bytes('<Bd', 99, last),
          'PX', string.format('%.0f', math.ceil(pause / 1000) + MARGIN_MILLIS))
        if saved.err then
          found, granted = '!' .. saved.err, granted_before
        end
      end
