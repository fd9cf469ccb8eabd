SELECT printf('%.*c', 1048576, 'x') AS x, CAST(x'41ff' AS VARCHAR(4)) AS odd FROM rdb$database
