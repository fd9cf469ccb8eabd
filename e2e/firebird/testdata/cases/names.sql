SELECT 1 AS a, 2 AS a, 3 AS "a" FROM rdb$database
