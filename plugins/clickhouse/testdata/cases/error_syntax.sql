SELECT (1 + ) AS n
