SELECT 1 AS n, 'x' AS n
