SELECT 1 AS a, 'x' AS b, toDate('2024-01-01') AS c WHERE 0 -- and a comment
