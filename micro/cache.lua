-- SPDX-License-Identifier: Apache-2.0
-- What wrk asks the page cache for: seven times of ten a static page, popular ones more often, else one made on demand.
local static = 0.7
local pages = 1000

function init()
    math.randomseed(1)
end

function request()
    if math.random() < static then
        -- Of a share of u the page has the number pages^u: Zipf's law.
        return wrk.format("GET", "/static/" .. math.floor(pages ^ math.random()) - 1)
    end
    return wrk.format("GET", "/dynamic/" .. math.random(0, pages - 1))
end
