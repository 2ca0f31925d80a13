-- The fixed window, as io.limiter.algorithm.FixedWindow computes it. Change neither without the other.
--
-- decide(key, arg, now, reply)
--   key    the window's key
--   arg    little-endian doubles: limit, periodMicros; then for each request: permits (negative to peek) and a timeout,
--          which makes no difference here
--   now    microseconds since the epoch
--   reply  gets for each request: granted (1 or 0), remaining, waitMicros, retryAfterMicros, resetAfterMicros, where
--          -1 means never; or a single string if the key could not be read or written
--
-- The value is read in either spelling and written packed: byte 2, then the doubles count, windowEndMillis. A plain
-- number is read as a counter whose window ends with its TTL, or one period from now if it has none.

-- Count and end of the stored window, and whether it must be written again whatever comes; nothing if there is no such
-- key; nil and why if it holds something else.
local function read_window(key, now, period)
  local value = redis.pcall('GET', key)
  if not value then
    return
  end
  if type(value) == 'table' then
    return nil, value.err
  end
  local count, window_end, counter
  local first = string.byte(value, 1)
  if first == 2 and #value == 17 then
    count, window_end = struct.unpack('<dd', value, 2)
  elseif first == 123 then
    local ok, json = pcall(cjson.decode, value)
    if ok then
      count, window_end = json.count, json.windowEndMillis
    end
  elseif string.find(value, '^%d+$') then
    local ttl = redis.call('PTTL', key)
    count = tonumber(value)
    window_end = (ttl >= 0 and now + ttl * 1000 or now + period) / 1000
    counter = true
  end
  if type(count) == 'number' and type(window_end) == 'number'
    and count >= 0 and count < math.huge and window_end >= 0 and window_end < math.huge then
    return count, math.floor(window_end * 1000 + 0.5), counter
  end
  return nil, 'UNREADABLE'
end

local function decide(key, arg, now, reply)
  local limit, period, at = struct.unpack('<dd', arg)
  local count, window_end, must_save = read_window(key, now, period)
  if not count and window_end then
    reply[#reply + 1] = window_end
    return
  end
  local found = count ~= nil
  local open = found and window_end > now
  if not open then
    count, window_end = 0, now + period
  elseif window_end > now + period then
    window_end = now + period
    must_save = true
  end

  local only_peeks = true
  local save = false
  local first_reply = #reply + 1

  while at < #arg do
    local permits, timeout
    permits, timeout, at = struct.unpack('<dd', arg, at)
    local peek = permits < 0
    if peek then
      permits = -permits
    end
    local granted = count + permits <= limit
    local taken = granted and not peek
    if taken then
      count = count + permits
      open = true
      save = true
    elseif must_save and not peek then
      save = true
    end
    local until_reset = open and window_end - now or 0
    local retry = 0
    if not granted then
      retry = permits > limit and -1 or until_reset
    end
    only_peeks = only_peeks and peek

    local n = #reply
    reply[n + 1] = granted and 1 or 0
    reply[n + 2] = math.max(0, limit - count)
    reply[n + 3] = retry
    reply[n + 4] = retry
    reply[n + 5] = until_reset
  end

  -- A value that was left without a TTL would stay for ever if only refusals follow.
  if found and open and not save and not only_peeks and redis.call('PTTL', key) == -1 then
    save = true
  end
  if save then
    local value = struct.pack('<Bdd', 2, count, window_end / 1000)
    local lifetime = math.max(0, math.ceil((window_end - now) / 1000)) + 1000
    local saved = redis.pcall('SET', key, value, 'PX', lifetime)
    replace_if_failed(reply, first_reply, saved.err)
  end
end
