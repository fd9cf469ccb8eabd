SELECT CAST('b\'s' AS Enum8('a' = -1, 'b\'s' = 2)) AS e8, CAST('grün' AS Enum16('rot' = -32768, 'grün' = 300)) AS e16, CAST(NULL AS Nullable(Enum8('a' = 1))) AS missing
