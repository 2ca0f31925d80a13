-- Requests reports of all instances, and reads those that are there: names of instances, each followed by the report. In front of
-- this stands clock.lua.
-- KEYS: watched, fleet. ARGV: channel, a secret for the hashes of keys unless there is one, how long to report in
-- milliseconds. Reports that are older are of instances that have ended.

local secret = redis.call('GET', KEYS[1])
redis.call('SET', KEYS[1], secret or ARGV[2], 'PX', ARGV[3])
if not secret then
  redis.pcall('PUBLISH', ARGV[1], 'watched')
end
local reports = {}
local all = redis.call('HGETALL', KEYS[2])
for i = 1, #all, 2 do
  local at = tonumber(string.match(all[i + 1], '^%d+') or now)
  if now - at > tonumber(ARGV[3]) * 1000 then
    redis.call('HDEL', KEYS[2], all[i])
  else
    reports[#reports + 1] = all[i]
    reports[#reports + 1] = all[i + 1]
  end
end
return reports
