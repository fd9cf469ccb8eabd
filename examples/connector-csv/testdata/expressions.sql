SELECT count(*) AS n, sum(part) AS total, 9007199254740993 AS large, 9e999 AS up, -9e999 AS down, x'00ff' AS raw, '' AS none FROM kinds
