SELECT 1 AS n, 'x' AS s, [1] AS l WHERE false
