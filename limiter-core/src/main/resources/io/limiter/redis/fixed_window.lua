-- The fixed window, as io.limiter.algorithm.FixedWindow computes it. Change neither without the other.
--
-- Numbers of a limit, as little-endian doubles: limit, periodMicros. The requests' timeouts make no difference here.
--
-- The value is read in either spelling and written packed: byte 2, then the doubles count, windowEndMillis. A plain
-- number is read as a counter whose window ends with its TTL, or one period from now if it has none.

-- What the caller's limit says.
local limit, period

-- Returns where in arg the numbers end.
local function read_limit(arg, at)
  limit, period, at = struct.unpack('<dd', arg, at)
  return at
end

-- Count and end in milliseconds of a value that is not packed, and whether it is a plain counter; nothing if it is no
-- window.
local function read_other(key, value, now)
  if string.byte(value, 1) == 123 then
    local ok, json = pcall(cjson.decode, value)
    if ok and type(json) == 'table' and type(json.count) == 'number' and type(json.windowEndMillis) == 'number' then
      return json.count, json.windowEndMillis, false
    end
  elseif string.find(value, '^%d+$') then
    local ttl = redis.call('PTTL', key)
    return tonumber(value), (ttl >= 0 and now + ttl * 1000 or now + period) / 1000, true
  end
end

-- Decides for one key; asked holds permits, timeout and number of each run of like requests. Returns what the caller is to
-- read, and how many requests were granted.
local function decide(key, value, now, asked)
  local count, window_end, must_save, open = 0, now + period, false, false
  if value then
    local spelling, found, millis, counter
    if #value == 17 then
      spelling, found, millis = struct.unpack('<Bdd', value)
    end
    if spelling ~= 2 then
      found, millis, counter = read_other(key, value, now)
    end
    if not (found and found >= 0 and found < math.huge and millis >= 0 and millis < math.huge) then
      return '!UNREADABLE', 0
    end
    if spelling ~= 2 then
      value = struct.pack('<Bdd', 2, found, millis)
    end
    local found_end = math.floor(millis * 1000 + 0.5)
    if found_end > now then
      open, count, must_save = true, found, counter
      if found_end > window_end then
        must_save = true
      else
        window_end = found_end
      end
    end
  end

  local granted, changed, only_peeks = 0, must_save, true
  local was_open = open
  for i = 1, #asked, 3 do
    local permits, timeout, times = asked[i], asked[i + 1], asked[i + 2]
    if permits > 0 then
      only_peeks = false
      if timeout < 0 then
        -- giveBack
        if open then
          count, changed = math.max(0, count - permits * times), true
        end
      else
        -- Once one is refused, so are all that are like it.
        local taken = math.max(0, math.min(times, math.floor((limit - count) / permits)))
        if taken > 0 then
          count, granted, changed, open = count + taken * permits, granted + taken, true, true
        end
      end
    end
  end

  -- A value that was left without a TTL would stay for ever if only refusals follow.
  if not only_peeks and (changed or was_open and redis.call('PTTL', key) == -1) then
    local lifetime = math.max(0, math.ceil((window_end - now) / 1000)) + 1000
    local saved = redis.pcall(
      'SET', key, struct.pack('<Bdd', 2, count, window_end / 1000), 'PX', string.format('%.0f', lifetime))
    if saved.err then
      return '!' .. saved.err, 0
    end
  end
  return value, granted
end
