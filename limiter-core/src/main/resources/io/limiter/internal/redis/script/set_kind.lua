--[constants]
--[limit]
local permits_1, timeout_1, times_1, run_2 = unpack_bytes('<i4dI4', arg, at)
at = at + 16
--[decide]
if saves then
--[save]
end
