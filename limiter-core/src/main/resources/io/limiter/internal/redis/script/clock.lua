-- The clock of all scripts: server time, in whole microseconds since the epoch. Read once for each call, because before
-- Redis 7.2 the time advances while a script runs.

local time = redis.pcall('TIME')
if time.err then
  -- The error of redis.call does not name the command.
  return {err = 'NOTIME ' .. time.err}
end
local now = time[1] * 1000000 + time[2]
