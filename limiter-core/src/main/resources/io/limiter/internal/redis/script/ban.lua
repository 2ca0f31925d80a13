-- Bans of keys that a limit rejects too often. Java twin: io.limiter.algorithm.Ban; change both together. Its parts are
-- inserted into batch.lua and set.lua.
--
-- Parameters of a ban, little-endian doubles: after, withinMicros, lastingMicros, atMostMicros. Timeouts and tickets are ignored.
--
-- The script reads both encodings and writes the packed one: byte 5, then doubles: untilMicros, lengthMicros, and the times of
-- rejectedMicros.

--[constants]
local MAX_TIME, MAX_AFTER = 2 ^ 53, 100

--[limit]
  local after, within, lasting, at_most
  after, within, lasting, at_most, at = unpack_bytes('<dddd', arg, at)
  after = math.min(MAX_AFTER, after)

--[decide]
      local banned_until, length, rejected_at, readable = 0, 0, {}, true
      if value and string.byte(value, 1) == 123 then
        local ok, json = pcall(cjson.decode, value)
        readable = ok and type(json) == 'table' and type(json.rejectedMicros) == 'table'
        if readable then
          banned_until, length, rejected_at = json.untilMicros, json.lengthMicros, json.rejectedMicros
        end
      elseif value then
        readable = string.byte(value, 1) == 5 and #value >= 17 and #value % 8 == 1
        if readable then
          banned_until, length = unpack_bytes('<dd', value, 2)
          for from = 18, #value, 8 do
            rejected_at[#rejected_at + 1] = unpack_bytes('<d', value, from)
          end
        end
      end
      readable = readable and type(banned_until) == 'number' and banned_until >= 0 and banned_until < MAX_TIME
        and type(length) == 'number' and length >= 0 and length < MAX_TIME
      local earlier = 0
      for i = 1, readable and #rejected_at or 0 do
        local time = rejected_at[i]
        if not (type(time) == 'number' and time >= earlier and time < MAX_TIME) then
          readable = false
          break
        end
        earlier = time
      end
      if not readable then
        found = '!UNREADABLE'
        break
      end
      if value and string.byte(value, 1) == 123 then
        local packed = {pack_bytes('<Bdd', 5, banned_until, length)}
        for i = 1, #rejected_at do
          packed[i + 1] = pack_bytes('<d', rejected_at[i])
        end
        found = table.concat(packed)
      end

      local changed, only_peeks = false, true
      if banned_until > now + length then
        -- The clock has stepped back.
        banned_until, changed = now + length, true
        for i = 1, #rejected_at do
          rejected_at[i] = math.min(rejected_at[i], now)
        end
      end
      local permits, timeout, times, next_run = permits_1, timeout_1, times_1, run_2
      for run = 1, runs do
        if run > 1 then
          permits, timeout, times, next_run = unpack_bytes('<ddI4', arg, next_run)
        end
        if permits > 0 then
          only_peeks = false
          if timeout >= 0 and banned_until <= now then
            granted = granted + times
          elseif timeout == CHARGE and banned_until <= now then
            local recent = {}
            for i = 1, #rejected_at do
              local time = math.min(rejected_at[i], now)
              if time > now - within then
                recent[#recent + 1] = time
              end
            end
            -- How many requests of the run can be counted before one bans.
            local most = math.max(0, math.ceil((after - #recent) / permits) - 1)
            changed = true
            if times > most then
              local before = now < banned_until + at_most and length or 0
              length = math.min(math.max(2 * before, lasting), at_most)
              banned_until, rejected_at = now + length, {}
            else
              for _ = 1, times * permits do
                recent[#recent + 1] = now
              end
              rejected_at = recent
            end
          end
        end
      end

--[save]
      -- A value without a TTL would stay for ever if only granted requests follow.
      if not only_peeks and (changed or value and redis_call('PTTL', key) == -1) then
        local good_at = length > 0 and banned_until + at_most or 0
        local packed = {pack_bytes('<Bdd', 5, banned_until, length)}
        for i = 1, #rejected_at do
          packed[i + 1] = pack_bytes('<d', rejected_at[i])
        end
        if #rejected_at > 0 then
          good_at = math.max(good_at, rejected_at[#rejected_at] + within)
        end
        local lifetime = math.max(0, math.ceil((good_at - now) / 1000)) + 1000
        local saved = redis_pcall('SET', key, table.concat(packed), 'PX', string.format('%.0f', lifetime))
        if saved.err then
          found, granted = '!' .. saved.err, granted_before
        end
      end
