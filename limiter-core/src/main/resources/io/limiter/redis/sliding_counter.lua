-- The sliding window counter, as io.limiter.algorithm.SlidingCounter computes it. Change neither without the other. See
-- batch.lua, in which its parts are put.
--
-- Numbers of a limit, as little-endian doubles: limit, periodMicros. The requests' timeouts make no difference here.
--
-- The value is read in either spelling and written packed: byte 4, then the doubles previous, current, startMicros,
-- periodMicros, and until when the key is kept, in seconds since the epoch (4 bytes). While that is long enough, the value
-- is overwritten in place, which leaves the expiry alone and costs a third of a SET with a new one.

--[constants]
local MOST, LATEST = 2 ^ 52, 2 ^ 53
local SECOND = 1000000
local PACKED = '<BddddI4'

--[limit]
  local limit, period
  limit, period, at = unpack_bytes('<dd', arg, at)
  local start = math.floor(now / period) * period

--[decide]
      local previous, current, kept_until, must_save = 0, 0, 0, false
      if value then
        local spelling, found_start, found_period
        if #value == 37 then
          spelling, previous, current, found_start, found_period, kept_until = unpack_bytes(PACKED, value)
        end
        if spelling ~= 4 then
          found_start = nil
          local ok, json = pcall(cjson.decode, value)
          if ok and type(json) == 'table' then
            previous, current, found_start, found_period = json.previous, json.current, json.startMicros, json.periodMicros
          end
          kept_until = 0
          spelling = type(previous) == 'number' and type(current) == 'number' and type(found_start) == 'number'
            and type(found_period) == 'number' and 4
        end
        if not (spelling == 4 and previous >= 0 and previous <= MOST and current >= 0 and current <= MOST
          and found_start >= 0 and found_start < LATEST and found_period >= 1 and found_period < LATEST) then
          found = '!UNREADABLE'
          break
        end
        -- at
        local own_start = math.floor(now / found_period) * found_period
        if own_start < found_start then
          previous, current, must_save = 0, math.min(previous + current, MOST), true
        elseif own_start > found_start then
          previous, current = own_start == found_start + found_period and current or 0, 0
        end
        if found_period ~= period then
          -- asTakenNow
          previous, current, must_save = 0, math.min(previous + current, MOST), true
        end
      end

      local left = period - (now - start)
      local carried = math.ceil(previous * left / period)
      local changed, only_peeks = must_save, true
      local permits, timeout, times, next_run = permits_1, timeout_1, times_1, run_2
      for run = 1, runs do
        if run > 1 then
          permits, timeout, times, next_run = unpack_bytes('<i4dI4', arg, next_run)
        end
        if permits > 0 then
          only_peeks = false
          if timeout == GIVE_BACK then
            if previous + current > 0 then
              local back = permits * times
              local newest = math.min(current, back)
              previous, current = math.max(0, previous - (back - newest)), current - newest
              carried, changed = math.ceil(previous * left / period), true
            end
          elseif timeout == CHARGE then
            current, changed = math.min(current + permits * times, MOST), true
          else
            -- Once one is refused, so are all that are like it.
            local taken = math.max(0, math.min(times, math.floor((limit - carried - current) / permits)))
            if taken > 0 then
              current, granted, changed = current + taken * permits, granted + taken, true
            end
          end
        end
      end

--[save]
      if changed and not only_peeks then
        -- Nothing counts any more two windows later. One window more, and the next needs no new expiry.
        local keep_until = start + 2 * period + SECOND
        local saved
        if kept_until * SECOND >= keep_until then
          saved = redis_pcall('SETRANGE', key, '0', pack_bytes(PACKED, 4, previous, current, start, period, kept_until))
        else
          keep_until = keep_until + period + SECOND
          saved = redis_pcall(
            'SET', key, pack_bytes(PACKED, 4, previous, current, start, period, math.floor(keep_until / SECOND)),
            'PX', string.format('%.0f', math.ceil((keep_until - now) / 1000)))
        end
        if type(saved) == 'table' and saved.err then
          found, granted = '!' .. saved.err, granted_before
        end
      end
