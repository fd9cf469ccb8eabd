SELECT [1, NULL, 3] AS optional, [[1, 2], [], [3]] AS grid, emptyArrayString() AS none, ['a"b', 'c\\d', ''] AS texts,
  [toUInt64('18446744073709551615')] AS wide, [toInt64('9007199254740993'), toInt64('-5')] AS long, [toDate('2024-02-29')] AS days,
  [toDateTime('2024-02-29 10:30:00', 'UTC')] AS instants, [0.5, nan, -inf] AS floats, [toDecimal32('1.5', 2)] AS decimals, [(1, 'a'), (2, 'b')] AS pairs,
  (1, ('x', [NULL, 'y'])) AS nested, (1, 'a').2 AS element
