-- Each request has one of 10,000 keys at random; most limits do not look at it.
request = function()
  return wrk.format("GET", wrk.path .. "?k=" .. math.random(10000))
end
