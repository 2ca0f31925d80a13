-- The token bucket, as io.limiter.algorithm.TokenBucket computes it: the same operations on the same doubles in the
-- same order, so that both come to the same bits. Change neither without the other.
--
-- Times are microseconds as whole doubles, which are exact below 2^53; only the stored state counts in milliseconds.
--
-- decide(key, arg, now, reply)
--   key    the bucket's key
--   arg    little-endian doubles: maxPermits, intervalMillis, flags, maxWaitMicros, maxBookedMicros, expireMillis;
--          if warming up: thresholdPermits, slopeMicros, coolDownIntervals;
--          then for each request: permits (negative to peek), timeoutMicros
--   now    microseconds since the epoch
--   reply  gets for each request: granted (1 or 0), remaining, waitMicros, retryAfterMicros, resetAfterMicros, where
--          -1 means never; or a single string if the key could not be read or written
--
-- The value is read in either spelling and written packed: byte 1, then the doubles maxPermits, storedPermits,
-- intervalMillis, nextFreeTicketMillis, remainderMicros.

local OWN_COST, STARTS_FULL, WARM_UP = 1, 2, 4
local NEGLIGIBLE_PERMITS, NEGLIGIBLE_MICROS = 1e-9, 0.5
local NEVER = 9007199254740992

-- The stored doubles; nothing if there is no such key; nil and why if it holds something else.
local function read_permits(key)
  local value = redis.pcall('GET', key)
  if not value then
    return
  end
  if type(value) == 'table' then
    return nil, value.err
  end
  local max, stored, interval, next_free, remainder
  local first = string.byte(value, 1)
  if first == 1 and #value == 41 then
    max, stored, interval, next_free, remainder = struct.unpack('<ddddd', value, 2)
  elseif first == 123 then
    local ok, json = pcall(cjson.decode, value)
    if ok then
      max, stored, interval = json.maxPermits, json.storedPermits, json.intervalMillis
      next_free, remainder = json.nextFreeTicketMillis, json.remainderMicros
      if remainder == nil or remainder == cjson.null then
        remainder = 0
      end
    end
  end
  if type(max) == 'number' and type(stored) == 'number' and type(interval) == 'number'
    and type(next_free) == 'number' and type(remainder) == 'number'
    and max > 0 and max < math.huge and stored >= 0 and stored <= max and interval > 0 and interval < math.huge
    and next_free >= 0 and next_free < math.huge and remainder >= 0 and remainder < 1 then
    return max, stored, interval, next_free, remainder
  end
  return nil, 'UNREADABLE'
end

local function reply_micros(micros)
  return micros >= NEVER and -1 or micros
end

local function negligible_micros(interval_micros)
  return math.min(NEGLIGIBLE_PERMITS * interval_micros, NEGLIGIBLE_MICROS)
end

-- Microseconds that someone has to wait: rounded up, unless what is over is negligible.
local function whole_micros(micros, negligible)
  local whole = math.floor(micros)
  return micros - whole > negligible and whole + 1 or whole
end

local function reset_micros(now, missing_micros, next_free, remainder, negligible)
  return math.max(0, next_free - now + whole_micros(remainder + missing_micros, negligible))
end

local function decide(key, arg, now, reply)
  local new_max, new_interval, flags, max_wait, max_booked, expire, at = struct.unpack('<dddddd', arg)
  local own_cost = flags % 2 >= OWN_COST
  local starts_full = flags % 4 >= STARTS_FULL
  local warm_up = flags >= WARM_UP
  local threshold, slope, cool_down_intervals = 0, 0, 1
  if warm_up then
    threshold, slope, cool_down_intervals, at = struct.unpack('<ddd', arg, at)
  end

  local max, stored, interval, next_free, remainder = read_permits(key)
  local must_save = false
  if not max then
    if stored then
      reply[#reply + 1] = stored
      return
    end
    max, stored, interval = new_max, starts_full and new_max or 0, new_interval
    next_free, remainder = now, 0
  else
    next_free = math.floor(next_free * 1000 + 0.5)
    if next_free - now > max_booked then
      next_free, remainder = now + max_booked, 0
      must_save = true
    end
    if now > next_free + whole_micros(remainder, negligible_micros(interval * 1000)) then
      local idle = now - next_free - remainder
      stored = math.min(max, stored + idle / (interval * 1000 * cool_down_intervals))
      next_free, remainder = now, 0
    end
    if max ~= new_max or interval ~= new_interval then
      stored = math.min(new_max, stored * new_max / max)
      max, interval = new_max, new_interval
      must_save = true
    end
  end

  local interval_micros = interval * 1000
  local cool_down = interval_micros * cool_down_intervals
  local negligible = negligible_micros(interval_micros)
  local save = false
  local first_reply = #reply

  while at < #arg do
    local permits, timeout
    permits, timeout, at = struct.unpack('<dd', arg, at)
    local peek = permits < 0
    if peek then
      permits = -permits
    end

    local from_stored = math.min(permits, stored)
    local cost = 0
    if warm_up then
      local above = math.max(0, stored - threshold)
      local taken_above = math.min(above, from_stored)
      local first = interval_micros + above * slope
      local last = interval_micros + (above - taken_above) * slope
      cost = taken_above * (first + last) / 2 + (from_stored - taken_above) * interval_micros
    end
    cost = cost + (permits - from_stored) * interval_micros

    local micros = remainder + cost
    local whole = math.floor(micros)
    local booked_next_free, booked_remainder = next_free + whole, micros - whole

    local allowed = math.min(timeout, max_wait)
    local booked = math.max(0, booked_next_free - now + whole_micros(booked_remainder, negligible))
    local wait = booked
    if not own_cost then
      wait = math.max(0, next_free - now + whole_micros(remainder, negligible))
    end
    local granted = wait <= allowed and booked <= max_booked

    local retry = 0
    if not granted then
      local best = warm_up and booked - wait or whole_micros(math.max(0, permits - max) * interval_micros, negligible)
      if best > (own_cost and allowed or max_booked) then
        retry = NEVER
      elseif own_cost then
        retry = wait - allowed
      else
        retry = math.max(wait - allowed, booked - max_booked)
      end
    end

    local stored_after, next_free_after, remainder_after = stored, next_free, remainder
    if granted and not peek then
      stored_after, next_free_after, remainder_after = stored - from_stored, booked_next_free, booked_remainder
    end
    local missing_micros = (max - stored_after) * cool_down
    local remaining = next_free_after > now and 0 or math.floor(stored_after + negligible / interval_micros)

    local n = #reply
    reply[n + 1] = granted and 1 or 0
    reply[n + 2] = remaining
    reply[n + 3] = reply_micros(wait)
    reply[n + 4] = reply_micros(retry)
    reply[n + 5] = reply_micros(reset_micros(now, missing_micros, next_free_after, remainder_after, negligible))

    if not peek and (granted or must_save) then
      stored, next_free, remainder = stored_after, next_free_after, remainder_after
      save = true
    end
  end

  if save then
    local reset = reset_micros(now, (max - stored) * cool_down, next_free, remainder, negligible)
    local value = struct.pack('<Bddddd', 1, max, stored, interval, next_free / 1000, remainder)
    local lifetime = math.max(expire, math.ceil(reset / 1000) + 1000)
    local saved = redis.pcall('SET', key, value, 'PX', lifetime)
    if saved.err then
      for i = #reply, first_reply + 1, -1 do
        reply[i] = nil
      end
      reply[first_reply + 1] = saved.err
    end
  end
end
