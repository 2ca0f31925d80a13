-- The fixed window. Java twin: io.limiter.algorithm.FixedWindow; change both together. Its parts are inserted into batch.lua.
--
-- Parameters of a limit, little-endian doubles: limit, periodMicros, and the sum of 1 if it is a period of the calendar and 2 if it
-- warns. Then, if it is a period of the calendar, when that one starts in which the caller expects the server's time to be, when it
-- ends, and when the next one ends; if the time is outside both, the script replies the problem 'TIME', and the caller repeats the
-- call with the time of the reply. Then, if it warns, at how many used permits; negative to forget such a warning when a grant is
-- cancelled. Whether a request warns, its caller finds out as all else.
-- Timeouts are ignored.
--
-- The script reads both encodings and writes the packed one: byte 2, then for each window the doubles unitMicros, count,
-- endMicros, and sinceMicros if it is one of the calendar; see FixedWindow.State. If one of the windows has warned, it is byte 7, and
-- warnedAt follows in each of them. The first window is that of the last limit, and mostly the only one. A plain number is
-- read as a counter whose window ends with its TTL, or one period from now if it has none.

--[constants]
local LATEST, MOST = 2 ^ 53, 2 ^ 53 - 1
local DAY, EXPIRY_SPREAD = 86400e6, 3600e3
local WINDOW, WINDOW_BYTES, FIRST_BYTE, WITH_WARNINGS = '<ddd', 24, '\002', '\007'

--[limit]
  local limit, period, calendar, starts, ends_at, next_end
  limit, period, calendar, at = unpack_bytes('<ddd', arg, at)
  local warn_at, warns = 0, calendar >= 2
  if warns then
    calendar = calendar - 2
  end
  if calendar == 1 then
    starts, ends_at, next_end, at = unpack_bytes('<ddd', arg, at)
  end
  if warns then
    warn_at, at = unpack_bytes('<d', arg, at)
  end
  local limit_unit = calendar == 1 and -period or period

--[decide]
      -- The window of this limit: open if it is stored, and otherwise as it would open now.
      local open, count, window_start, window_end = false, 0, now, now + period
      if calendar == 1 then
        if now < starts or now >= next_end then
          found = '!TIME'
          break
        end
        window_end = now < ends_at and ends_at or next_end
      end
      local warned_at = 0
      -- The other windows that are open: unit, count, start, end, sinceMicros and warnedAt of each in turn.
      local others, must_save = nil, false
      if value then
        local packed = value
        local first = string.byte(value, 1)
        if first == 123 then
          local ok, json = pcall(cjson.decode, value)
          local parts = {WITH_WARNINGS}
          while ok and type(json) == 'table' and type(json.unitMicros) == 'number' and type(json.count) == 'number'
            and type(json.endMicros) == 'number' do
            local opened = json.sinceMicros
            if opened == nil or opened == cjson.null then
              opened = 0
            end
            local warned = json.warnedAt
            if warned == nil or warned == cjson.null then
              warned = 0
            end
            if type(opened) ~= 'number' or json.unitMicros >= 0 and opened ~= 0 or type(warned) ~= 'number' then
              break
            end
            parts[#parts + 1] = pack_bytes(WINDOW, json.unitMicros, json.count, json.endMicros)
            parts[#parts + 1] = json.unitMicros < 0 and pack_bytes('<d', opened) or ''
            parts[#parts + 1] = pack_bytes('<d', warned)
            json = json.next
          end
          packed = ok and (json == nil or json == cjson.null) and table.concat(parts)
          found = packed
        elseif first ~= 2 and first ~= 7 then
          packed = string.find(value, '^%d+$')
          if packed then
            local ttl = redis_call('PTTL', key)
            packed = FIRST_BYTE .. pack_bytes(WINDOW, 0, math.min(tonumber(value), MOST), ttl >= 0 and now + ttl * 1000 or now + period)
            found = packed
          end
        end
        if not packed or #packed == 1 then
          found = '!UNREADABLE'
          break
        end
        local with_warnings = string.byte(packed, 1) == 7
        local from = 2
        while from <= #packed do
          if from + WINDOW_BYTES - 1 > #packed then
            packed = nil
            break
          end
          local unit, stored, ends = unpack_bytes(WINDOW, packed, from)
          local opened, warned = 0, 0
          from = from + WINDOW_BYTES
          if unit < 0 then
            if from + 7 > #packed then
              packed = nil
              break
            end
            opened = unpack_bytes('<d', packed, from)
            from = from + 8
          end
          if with_warnings then
            if from + 7 > #packed then
              packed = nil
              break
            end
            warned = unpack_bytes('<d', packed, from)
            from = from + 8
          end
          if not (unit > -LATEST and unit < LATEST and unit % 1 == 0 and stored >= 0 and stored <= MOST and stored % 1 == 0
            and ends >= 0 and ends < LATEST and ends % 1 == 0 and opened >= 0 and opened < LATEST and opened % 1 == 0
            and warned >= 0 and warned <= MOST and warned % 1 == 0) then
            packed = nil
            break
          end
          if ends > now then
            -- endAt
            local last = unit > 0 and now + unit or now - 2 * unit
            if unit == 0 then
              must_save = true
            elseif ends > last then
              ends, must_save = last, true
            end
            -- startAt
            local start = math.min(now, opened > 0 and opened or ends - math.abs(unit))
            if not open and (unit == 0 or unit == limit_unit) then
              open, count, window_start, warned_at = true, stored, start, warned
              must_save = must_save or window_end < ends
              window_end = math.min(window_end, ends)
            else
              others = others or {}
              local size = #others
              others[size + 1], others[size + 2] = unit, stored
              others[size + 3], others[size + 4], others[size + 5], others[size + 6] = start, ends, opened, warned
            end
          end
        end
        if not packed then
          found = '!UNREADABLE'
          break
        end
      end
      local other_numbers = others and #others or 0
      if not open then
        for i = 1, other_numbers, 6 do
          if others[i + 2] + period > now then
            window_start, count = math.min(window_start, others[i + 2]), math.max(count, others[i + 1])
          end
        end
        if calendar == 0 then
          window_end = window_start + period
        end
      end
      -- After when a permit counts in the window of this limit.
      local counts_since = calendar == 1 and window_start or window_end - period

      local changed, only_peeks = must_save, true
      local was_open = open or others
      local permits, timeout, times, next_run = permits_1, timeout_1, times_1, run_2
      local fewest, leave, is_note = false, 0, false
      for run = 1, runs do
        --include run.lua
        if permits > 0 and not is_note then
          only_peeks = false
          if timeout == REFUND or timeout < CHARGE then
            -- removed
            local ticket, returned = CHARGE - timeout, permits * times
            if open and count > 0 and (timeout == REFUND or ticket > counts_since and ticket < window_end) then
              count, changed = math.max(0, count - returned), true
              if warn_at < 0 and warned_at == -warn_at then
                warned_at = warned_at - 1
              end
            end
            local left = 0
            for i = 1, other_numbers, 6 do
              local start, ends = others[i + 2], others[i + 3]
              if others[i + 1] > 0 and (timeout == REFUND or ticket > start and ticket < ends) then
                others[i + 1], changed = math.max(0, others[i + 1] - returned), true
              end
              left = start + period > now and math.max(left, others[i + 1]) or left
            end
            count = open and count or left
          else
            local taken = permits * times
            if timeout ~= CHARGE then
              -- After one rejection, all equal requests are rejected.
              local free = limit - count - leave
              local fit = math.max(0, math.min(times, math.floor(free / permits)))
              taken, granted = fit * permits, granted + fit
              if fewest and fit < times and free - taken >= fewest then
                taken, granted = free, granted + 1
              end
            end
            if taken > 0 then
              count, changed, open = math.min(count + taken, MOST), true, true
              if warns and warn_at > warned_at and count >= warn_at then
                warned_at = warn_at
              end
              for i = 1, other_numbers, 6 do
                others[i + 1] = math.min(others[i + 1] + taken, MOST)
              end
            end
          end
        end
      end

--[save]
      -- A value without a TTL would stay for ever if only rejections follow.
      if not only_peeks and (changed or was_open and redis_call('PTTL', key) == -1) then
        local has_warned = open and warned_at > 0
        for i = 6, other_numbers, 6 do
          has_warned = has_warned or others[i] > 0
        end
        local packed, ends = has_warned and WITH_WARNINGS or FIRST_BYTE, 0
        if open then
          packed, ends = packed .. pack_bytes(WINDOW, limit_unit, count, window_end), window_end
          packed = calendar == 1 and packed .. pack_bytes('<d', counts_since) or packed
          packed = has_warned and packed .. pack_bytes('<d', warned_at) or packed
        end
        for i = 1, other_numbers, 6 do
          packed = packed .. pack_bytes(WINDOW, others[i], others[i + 1], others[i + 3])
          packed = others[i] < 0 and packed .. pack_bytes('<d', others[i + 4]) or packed
          packed = has_warned and packed .. pack_bytes('<d', others[i + 5]) or packed
          ends = math.max(ends, others[i + 3])
        end
        local lifetime = math.max(0, math.ceil((ends - now) / 1000)) + 1000
        if calendar == 1 and period >= DAY then
          -- Not all keys of one period at its end.
          lifetime = lifetime + math.floor(now / 1000) % EXPIRY_SPREAD
        end
        local saved = redis_pcall('SET', key, changed and packed or value, 'PX', string.format('%.0f', lifetime))
        if saved.err then
          found, granted = '!' .. saved.err, granted_before
        end
      end
