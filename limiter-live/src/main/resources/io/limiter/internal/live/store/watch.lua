-- Requests reports of all instances, and reads those that are there: names of instances, each followed by the report. In front of
-- this stand clock.lua and changes.lua.
-- KEYS: watched, fleet, limits. ARGV: channel, how long to report in milliseconds, the secret that the caller knows or empty, random
-- text for another one. Reports that are older are of instances that have ended, and so are those that are ahead by more than that, because
-- the clock was set back after them.

make_secret(KEYS[3], ARGV[3], ARGV[4])
if not redis.call('SET', KEYS[1], '1', 'PX', ARGV[2], 'GET') then
  redis.pcall('PUBLISH', ARGV[1], 'watched')
end
local reports = {}
local all = redis.call('HGETALL', KEYS[2])
for i = 1, #all, 2 do
  -- Other texts are no reports, and are returned as unreadable.
  local at = string.match(all[i + 1], '^(%d+) ')
  if at and #at <= 16 and math.abs(now - tonumber(at)) > tonumber(ARGV[2]) * 1000 then
    redis.call('HDEL', KEYS[2], all[i])
  else
    reports[#reports + 1] = all[i]
    reports[#reports + 1] = all[i + 1]
  end
end
return reports
