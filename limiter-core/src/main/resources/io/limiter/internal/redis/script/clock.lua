-- The clock of all scripts: the server's, in whole microseconds since the epoch.
-- Read once for each call: before Redis 7.2 time moves on while a script runs.

local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
