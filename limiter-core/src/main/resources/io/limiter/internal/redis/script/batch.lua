-- Decides the requests of all keys of a call at one time. Runs after clock.lua; LuaScript.fill inserts the parts of one kind
-- of limit at the lines in brackets.
--
-- The script replies the value that it found for each key instead of decisions. From that value and the time, ScriptCall
-- takes the same steps in Java and computes the decisions. Both compute bit-identical results; the number of grants in the
-- reply detects a difference.
--
-- Redis executes the whole script with each call, including its definitions, and creates a function with everything it
-- captures. Therefore there are no functions, and the parts are inserted as text.
--
-- KEYS    one or more
-- ARGV[1] sections, little-endian. Each is for one or more consecutive keys with equal limits and equal requests:
--           number of keys (4 bytes)
--           number of runs (2 bytes)
--           parameters of the limit (see its script)
--           for each run of equal requests:
--             permits (8 bytes, a double; negative to peek)
--             timeoutMicros (8 bytes, a double; -1 to refund, -2 to charge, -2 minus the ticket to cancel, between -1 and 0
--               to prefetch)
--             number of requests in the run (4 bytes); 0 if this is a note on the next run, each of whose requests takes fewer permits
--               if there are not as many, at least as many as the note has, and leaves as many to others as the note's timeout
--         A kind of limit may use the first sixteen bytes of a run differently; its script describes that.
-- ARGV[2] only if the client may send the call again after its reply was lost, and it returns permits: for how many milliseconds
--         the last of the keys, which has no section, is to say that it was executed
-- RETURN  the time in microseconds, the number of grants (of prefetches, of permits), and for each key in order the value that was found, or '!' and the
--         reason why its requests were not decided. Keys without a value are left out; after them, the number of the next key
--         precedes its value
--
-- The parts of a kind of limit:
--   constants  constants of the script
--   limit      reads the parameters of the limit from arg at position at, and advances at
--   decide     decides the requests for one key, without writing. In: key, value (false if there is none), now, and the
--              runs: permits_1, timeout_1 and times_1 are the first; the others start at run_2 of arg, see run.lua. Out: adds the grants
--              to granted, and sets found to the value for the caller, or to false if the caller would come to the same
--              decisions without a value, and again to the value then. On a problem it sets found to '!' and the reason, and
--              breaks. set.lua may run this part a second time before it saves. It then starts from again, or from found if
--              again is nil, and must come to the same result.
--   save       runs after decide and sees its locals. Saves the new state. If that fails, it sets granted to granted_before
--              and found to the problem.

local KEYS, redis_call, redis_pcall = KEYS, redis.call, redis.pcall
local type, pack_bytes, unpack_bytes = type, struct.pack, struct.unpack
local REFUND, CHARGE = -1, -2
--[constants]

local arg, at = ARGV[1], 1
local granted = 0
local reply, replies, next_key = {now, 0}, 2, 1
local values = #KEYS > 1 and redis_call('MGET', unpack(KEYS)) or {}
local last = 0

if ARGV[2] then
  if values[#KEYS] then
    return {err = 'REPEATED this call was executed before, and its reply was lost'}
  end
  redis_call('SET', KEYS[#KEYS], '', 'PX', ARGV[2])
end

while at <= #arg do
  local keys, runs
  keys, runs, at = unpack_bytes('<I4I2', arg, at)
  --[limit]
  local permits_1, timeout_1, times_1, run_2 = unpack_bytes('<ddI4', arg, at)
  at = at + 20 * runs
  local first = last + 1
  last = last + keys
  if last > #KEYS then
    return {err = 'ERR the argument is for more keys than the call has'}
  end
  for i = first, last do
    local key, value = KEYS[i], values[i]
    local found, granted_before, again = value, granted, nil
    repeat
      if not value then
        -- MGET returns nothing for a key of another type; GET returns an error.
        value = redis_pcall('GET', key)
        if type(value) == 'table' then
          found = '!' .. value.err
          break
        end
        found = value
      end
      --[decide]
      --[save]
    until true
    if found then
      if i ~= next_key then
        replies = replies + 1
        reply[replies] = i
      end
      replies, next_key = replies + 1, i + 1
      reply[replies] = found
    end
  end
end
reply[2] = granted
return reply
