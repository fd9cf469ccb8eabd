SELECT map('b', 1, 'a', 2) AS words, map(1, [NULL, 'x']) AS numbers, map() AS none, map('k', map(toDate('2024-02-29'), 1.5)) AS deep, [map('x', 1)] AS list,
  CAST(map('a', 1), 'Map(LowCardinality(String), Nullable(UInt64))') AS low
