SELECT CAST((1, 'x'), 'Tuple(a Int8, `b c` String)') AS named, tuple() AS empty, CAST([(1, NULL)], 'Nested(a Int8, b Nullable(String))') AS nested,
  CAST((1, [('y', 2.5)]), 'Tuple(id Int64, rows Array(Tuple(name LowCardinality(String), x Float32)))') AS deep
