SELECT arrayStringConcat(arrayMap(x -> 'x', range(1048576))) AS t
