-- Decides for every key of a call at one moment; stands behind clock.lua, and the parts of one kind of limit stand in it.
--
-- The script decides and reserves; it does not say what every single request is answered. From the value it found and the
-- time it read, the caller takes the same steps once more in Java, and so knows each answer. Both compute the same to
-- the last bit, and the number of grants tells if they ever did not.
--
-- Redis runs all of this anew for each call, definitions included, and a function is made of everything that it uses. So
-- there are none: the parts of a kind are put where the lines in brackets are.
--
-- KEYS    one or several
-- ARGV[1] sections, one after the other. A section is for as many of the keys as it says, all with equal requests:
--         how many keys (4 bytes), how many runs (2 bytes), the parameters of the limit (see its script), and the runs: permits
--         (4 bytes, negative to peek), timeoutMicros (8 bytes, a double; -1 to return permits, -2 to charge them, -2 less
--         its ticket to cancel a grant), and how many such requests in a row (4 bytes). All little-endian. A kind may write
--         other things than permits and a timeout into the first twelve bytes; its script says what.
-- RETURN  the time in microseconds, how many requests were granted, and for each key the value that was found (false if
--         there was none), or '!' and the reason why its requests were not decided
--
-- What a kind of limit brings along:
--   constants  what does not change
--   limit      reads its numbers from arg, at at, and moves at behind them
--   decide     decides for one key, by key, value (false if there is none), now, and the runs: permits_1, timeout_1 and
--              times_1 are the first, and if there are more, the second is at run_2 of arg. Adds to granted what is
--              granted. Leaves in found what the caller is to read: the value, or a problem, with which it breaks and
--              grants nothing. Writes nothing: set.lua, in which these parts stand too, decides first and saves later, or
--              not at all. It then decides again from found, or from again if found is not all of it, and must come to the
--              same.
--   save       stands behind decide and sees what that has left. Saves what is to be saved; if that fails, grants nothing
--              (granted_before) and leaves the problem in found

local KEYS, redis_call, redis_pcall = KEYS, redis.call, redis.pcall
local type, pack_bytes, unpack_bytes = type, struct.pack, struct.unpack
local REFUND, CHARGE = -1, -2
--[constants]

local arg, at = ARGV[1], 1
local granted = 0
local reply = {now, 0, false}
local values = #KEYS > 1 and redis_call('MGET', unpack(KEYS))
local last = 0

while at <= #arg do
  local keys, runs
  keys, runs, at = unpack_bytes('<I4I2', arg, at)
  --[limit]
  local permits_1, timeout_1, times_1, run_2 = unpack_bytes('<i4dI4', arg, at)
  at = at + 16 * runs
  local first = last + 1
  last = last + keys
  for i = first, last do
    local key = KEYS[i]
    -- MGET says of another type's key that it is not there.
    local value = values and values[i] or redis_pcall('GET', key)
    local found, granted_before, again = value, granted, nil
    repeat
      if type(value) == 'table' then
        found = '!' .. value.err
        break
      end
      --[decide]
      --[save]
    until true
    reply[i + 2] = found
  end
end
reply[2] = granted
return reply
