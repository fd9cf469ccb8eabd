-- bigquery
SELECT 1 AS direction, SUM(g.n) AS n_rows, SUM(CASE WHEN g.k1 IS NOT NULL THEN 0 ELSE g.n END) AS n_nulls, 0 AS n_orphans, SUM(CASE WHEN g.k1 IS NOT NULL AND g.n > 1 THEN 1 ELSE 0 END) AS n_violations, MAX(g.n) AS most, MIN(CASE WHEN g.k1 IS NOT NULL AND g.n > 1 THEN CAST(g.k1 AS STRING) END) AS example_1, MAX(CASE WHEN g.k1 IS NOT NULL AND g.n > 1 THEN CAST(g.k1 AS STRING) END) AS example_2 FROM (SELECT g.k1 AS k1, COUNT(1) AS n FROM (SELECT `orders`.`id` AS k1, 1 AS hit FROM `sales`.`orders` AS `orders`) AS g GROUP BY g.k1) AS g

-- clickhouse
SELECT 1 AS direction, sumOrNull(toDecimal128(g.n, 0)) AS n_rows, sumOrNull(toDecimal128(CASE WHEN g.k1 IS NOT NULL THEN 0 ELSE g.n END, 0)) AS n_nulls, 0 AS n_orphans, sumOrNull(toDecimal128(CASE WHEN g.k1 IS NOT NULL AND g.n > 1 THEN 1 ELSE 0 END, 0)) AS n_violations, maxOrNull(g.n) AS most, minOrNull(CASE WHEN g.k1 IS NOT NULL AND g.n > 1 THEN CAST(g.k1 AS Nullable(String)) END) AS example_1, maxOrNull(CASE WHEN g.k1 IS NOT NULL AND g.n > 1 THEN CAST(g.k1 AS Nullable(String)) END) AS example_2 FROM (SELECT g.k1 AS k1, toInt64(count(1)) AS n FROM (SELECT `orders`.`id` AS k1, 1 AS hit FROM `sales`.`orders` AS `orders`) AS g GROUP BY g.k1) AS g

-- duckdb
SELECT 1 AS direction, SUM(g.n) AS n_rows, SUM(CASE WHEN g.k1 IS NOT NULL THEN 0 ELSE g.n END) AS n_nulls, 0 AS n_orphans, SUM(CASE WHEN g.k1 IS NOT NULL AND g.n > 1 THEN 1 ELSE 0 END) AS n_violations, MAX(g.n) AS most, MIN(CASE WHEN g.k1 IS NOT NULL AND g.n > 1 THEN CAST(g.k1 AS VARCHAR) END) AS example_1, MAX(CASE WHEN g.k1 IS NOT NULL AND g.n > 1 THEN CAST(g.k1 AS VARCHAR) END) AS example_2 FROM (SELECT g.k1 AS k1, COUNT(1) AS n FROM (SELECT "orders"."id" AS k1, 1 AS hit FROM "sales"."orders" AS "orders") AS g GROUP BY g.k1) AS g

-- mysql
SELECT 1 AS direction, SUM(g.n) AS n_rows, SUM(CASE WHEN g.k1 IS NOT NULL THEN 0 ELSE g.n END) AS n_nulls, 0 AS n_orphans, SUM(CASE WHEN g.k1 IS NOT NULL AND g.n > 1 THEN 1 ELSE 0 END) AS n_violations, MAX(g.n) AS most, MIN(CASE WHEN g.k1 IS NOT NULL AND g.n > 1 THEN CAST(g.k1 AS CHAR) END) AS example_1, MAX(CASE WHEN g.k1 IS NOT NULL AND g.n > 1 THEN CAST(g.k1 AS CHAR) END) AS example_2 FROM (SELECT g.k1 AS k1, COUNT(1) AS n FROM (SELECT `orders`.`id` AS k1, 1 AS hit FROM `sales`.`orders` AS `orders`) AS g GROUP BY g.k1) AS g

-- postgres
SELECT 1 AS direction, SUM(g.n) AS n_rows, SUM(CASE WHEN g.k1 IS NOT NULL THEN 0 ELSE g.n END) AS n_nulls, 0 AS n_orphans, SUM(CASE WHEN g.k1 IS NOT NULL AND g.n > 1 THEN 1 ELSE 0 END) AS n_violations, MAX(g.n) AS most, MIN(CASE WHEN g.k1 IS NOT NULL AND g.n > 1 THEN CAST(g.k1 AS text) END) AS example_1, MAX(CASE WHEN g.k1 IS NOT NULL AND g.n > 1 THEN CAST(g.k1 AS text) END) AS example_2 FROM (SELECT g.k1 AS k1, COUNT(1) AS n FROM (SELECT "orders"."id" AS k1, 1 AS hit FROM "sales"."orders" AS "orders") AS g GROUP BY g.k1) AS g

-- snowflake
SELECT 1 AS direction, SUM(g.n) AS n_rows, SUM(CASE WHEN g.k1 IS NOT NULL THEN 0 ELSE g.n END) AS n_nulls, 0 AS n_orphans, SUM(CASE WHEN g.k1 IS NOT NULL AND g.n > 1 THEN 1 ELSE 0 END) AS n_violations, MAX(g.n) AS most, MIN(CASE WHEN g.k1 IS NOT NULL AND g.n > 1 THEN CAST(g.k1 AS VARCHAR) END) AS example_1, MAX(CASE WHEN g.k1 IS NOT NULL AND g.n > 1 THEN CAST(g.k1 AS VARCHAR) END) AS example_2 FROM (SELECT g.k1 AS k1, COUNT(1) AS n FROM (SELECT "orders"."ID" AS k1, 1 AS hit FROM "SALES"."ORDERS" AS "orders") AS g GROUP BY g.k1) AS g

-- sqlite
SELECT 1 AS direction, SUM(g.n) AS n_rows, SUM(CASE WHEN g.k1 IS NOT NULL THEN 0 ELSE g.n END) AS n_nulls, 0 AS n_orphans, SUM(CASE WHEN g.k1 IS NOT NULL AND g.n > 1 THEN 1 ELSE 0 END) AS n_violations, MAX(g.n) AS most, MIN(CASE WHEN g.k1 IS NOT NULL AND g.n > 1 THEN CAST(g.k1 AS TEXT) END) AS example_1, MAX(CASE WHEN g.k1 IS NOT NULL AND g.n > 1 THEN CAST(g.k1 AS TEXT) END) AS example_2 FROM (SELECT g.k1 AS k1, COUNT(1) AS n FROM (SELECT "orders"."id" AS k1, 1 AS hit FROM "sales"."orders" AS "orders") AS g GROUP BY g.k1) AS g

-- sqlserver
SELECT 1 AS direction, SUM(CAST(g.n AS bigint)) AS n_rows, SUM(CAST(CASE WHEN g.k1 IS NOT NULL THEN 0 ELSE g.n END AS bigint)) AS n_nulls, 0 AS n_orphans, SUM(CAST(CASE WHEN g.k1 IS NOT NULL AND g.n > 1 THEN 1 ELSE 0 END AS bigint)) AS n_violations, MAX(g.n) AS most, MIN(CASE WHEN g.k1 IS NOT NULL AND g.n > 1 THEN CAST(g.k1 AS nvarchar(max)) END) AS example_1, MAX(CASE WHEN g.k1 IS NOT NULL AND g.n > 1 THEN CAST(g.k1 AS nvarchar(max)) END) AS example_2 FROM (SELECT g.k1 AS k1, COUNT(1) AS n FROM (SELECT [orders].[id] AS k1, 1 AS hit FROM [sales].[orders] AS [orders]) AS g GROUP BY g.k1) AS g

