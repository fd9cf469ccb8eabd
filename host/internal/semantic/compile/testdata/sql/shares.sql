-- bigquery
WITH l1 AS (SELECT r.d1, SUM(r.v1) AS m1 FROM (SELECT `orders`.`status` AS d1, `orders`.`amount` AS v1 FROM `orders` AS `orders`) AS r GROUP BY r.d1),
l2 AS (SELECT SUM(r.v2) AS m2 FROM (SELECT `orders`.`amount` AS v2 FROM `orders` AS `orders`) AS r),
u AS (SELECT d1, 0 AS z, m1, (SELECT MAX(m2) FROM l2 WHERE 1 = 0) AS m2 FROM l1
UNION ALL SELECT CAST(NULL AS STRING) AS d1, 1 AS z, (SELECT MAX(m1) FROM l1 WHERE 1 = 0), m2 FROM l2),
s AS (SELECT d1, z, MAX(m1) AS m1, MAX(m2) AS m2 FROM u GROUP BY d1, z),
w AS (SELECT z, d1, m1, MAX(m2) OVER () AS m2 FROM s)
SELECT f.d1 AS `status`, f.m1 AS `revenue`, SAFE_DIVIDE(CAST(f.m1 AS FLOAT64), f.m2) AS `revenue_share` FROM w AS f WHERE f.z = 0 AND SAFE_DIVIDE(CAST(f.m1 AS FLOAT64), f.m2) > 0.1
ORDER BY f.d1 ASC NULLS LAST
LIMIT 1000

-- clickhouse
WITH l1 AS (SELECT r.d1, sumOrNull(r.v1) AS m1 FROM (SELECT `orders`.`status` AS d1, toNullable(`orders`.`amount`) AS v1 FROM `orders` AS `orders`) AS r GROUP BY r.d1),
l2 AS (SELECT sumOrNull(r.v2) AS m2 FROM (SELECT toNullable(`orders`.`amount`) AS v2 FROM `orders` AS `orders`) AS r),
u AS (SELECT d1, 0 AS z, m1, (SELECT MAX(m2) FROM l2 WHERE 1 = 0) AS m2 FROM l1
UNION ALL SELECT CAST(NULL AS Nullable(String)) AS d1, 1 AS z, (SELECT MAX(m1) FROM l1 WHERE 1 = 0), m2 FROM l2),
s AS (SELECT d1, z, MAX(m1) AS m1, MAX(m2) AS m2 FROM u GROUP BY d1, z),
w AS (SELECT z, d1, m1, MAX(m2) OVER () AS m2 FROM s)
SELECT f.d1 AS `status`, f.m1 AS `revenue`, (toFloat64(f.m1) / nullIf(toFloat64(f.m2), 0)) AS `revenue_share` FROM w AS f WHERE f.z = 0 AND (toFloat64(f.m1) / nullIf(toFloat64(f.m2), 0)) > toDecimal256('0.1', length(splitByChar('.', '0.1.')[2]))
ORDER BY f.d1 ASC NULLS LAST
LIMIT 1000

-- duckdb
WITH l1 AS (SELECT r.d1, SUM(r.v1) AS m1 FROM (SELECT "orders"."status" AS d1, "orders"."amount" AS v1 FROM "orders" AS "orders") AS r GROUP BY r.d1),
l2 AS (SELECT SUM(r.v2) AS m2 FROM (SELECT "orders"."amount" AS v2 FROM "orders" AS "orders") AS r),
u AS (SELECT d1, 0 AS z, m1, (SELECT MAX(m2) FROM l2 WHERE 1 = 0) AS m2 FROM l1
UNION ALL SELECT CAST(NULL AS VARCHAR) AS d1, 1 AS z, (SELECT MAX(m1) FROM l1 WHERE 1 = 0), m2 FROM l2),
s AS (SELECT d1, z, MAX(m1) AS m1, MAX(m2) AS m2 FROM u GROUP BY d1, z),
w AS (SELECT z, d1, m1, MAX(m2) OVER () AS m2 FROM s)
SELECT f.d1 AS "status", f.m1 AS "revenue", (CAST(f.m1 AS DOUBLE) / NULLIF(f.m2, 0)) AS "revenue_share" FROM w AS f WHERE f.z = 0 AND (CAST(f.m1 AS DOUBLE) / NULLIF(f.m2, 0)) > 0.1
ORDER BY f.d1 ASC NULLS LAST
LIMIT 1000

-- mysql
WITH l1 AS (SELECT r.d1, SUM(r.v1) AS m1 FROM (SELECT `orders`.`status` AS d1, `orders`.`amount` AS v1 FROM `orders` AS `orders`) AS r GROUP BY r.d1),
l2 AS (SELECT SUM(r.v2) AS m2 FROM (SELECT `orders`.`amount` AS v2 FROM `orders` AS `orders`) AS r),
u AS (SELECT d1, 0 AS z, m1, (SELECT MAX(m2) FROM l2 WHERE 1 = 0) AS m2 FROM l1
UNION ALL SELECT CAST(NULL AS CHAR) AS d1, 1 AS z, (SELECT MAX(m1) FROM l1 WHERE 1 = 0), m2 FROM l2),
s AS (SELECT d1, z, MAX(m1) AS m1, MAX(m2) AS m2 FROM u GROUP BY d1, z),
w AS (SELECT z, d1, m1, MAX(m2) OVER () AS m2 FROM s)
SELECT f.d1 AS `status`, f.m1 AS `revenue`, ((f.m1 * 1e0) / NULLIF(f.m2, 0)) AS `revenue_share` FROM w AS f WHERE f.z = 0 AND ((f.m1 * 1e0) / NULLIF(f.m2, 0)) > 0.1
ORDER BY f.d1 IS NULL, f.d1 ASC
LIMIT 1000

-- postgres
WITH l1 AS (SELECT r.d1, SUM(r.v1) AS m1 FROM (SELECT "orders"."status" AS d1, "orders"."amount" AS v1 FROM "orders" AS "orders") AS r GROUP BY r.d1),
l2 AS (SELECT SUM(r.v2) AS m2 FROM (SELECT "orders"."amount" AS v2 FROM "orders" AS "orders") AS r),
u AS (SELECT d1, 0 AS z, m1, (SELECT MAX(m2) FROM l2 WHERE 1 = 0) AS m2 FROM l1
UNION ALL SELECT CAST(NULL AS text) AS d1, 1 AS z, (SELECT MAX(m1) FROM l1 WHERE 1 = 0), m2 FROM l2),
s AS (SELECT d1, z, MAX(m1) AS m1, MAX(m2) AS m2 FROM u GROUP BY d1, z),
w AS (SELECT z, d1, m1, MAX(m2) OVER () AS m2 FROM s)
SELECT f.d1 AS "status", f.m1 AS "revenue", (CAST(f.m1 AS double precision) / NULLIF(f.m2, 0)) AS "revenue_share" FROM w AS f WHERE f.z = 0 AND (CAST(f.m1 AS double precision) / NULLIF(f.m2, 0)) > 0.1
ORDER BY f.d1 ASC NULLS LAST
LIMIT 1000

-- snowflake
WITH l1 AS (SELECT r.d1, SUM(r.v1) AS m1 FROM (SELECT "orders"."STATUS" AS d1, "orders"."AMOUNT" AS v1 FROM "ORDERS" AS "orders") AS r GROUP BY r.d1),
l2 AS (SELECT SUM(r.v2) AS m2 FROM (SELECT "orders"."AMOUNT" AS v2 FROM "ORDERS" AS "orders") AS r),
u AS (SELECT d1, 0 AS z, m1, (SELECT MAX(m2) FROM l2 WHERE 1 = 0) AS m2 FROM l1
UNION ALL SELECT CAST(NULL AS VARCHAR) AS d1, 1 AS z, (SELECT MAX(m1) FROM l1 WHERE 1 = 0), m2 FROM l2),
s AS (SELECT d1, z, MAX(m1) AS m1, MAX(m2) AS m2 FROM u GROUP BY d1, z),
w AS (SELECT z, d1, m1, MAX(m2) OVER () AS m2 FROM s)
SELECT f.d1 AS "status", f.m1 AS "revenue", (f.m1::FLOAT / NULLIF(f.m2, 0)) AS "revenue_share" FROM w AS f WHERE f.z = 0 AND (f.m1::FLOAT / NULLIF(f.m2, 0)) > 0.1
ORDER BY f.d1 ASC NULLS LAST
LIMIT 1000

-- sqlite
WITH l1 AS (SELECT r.d1, SUM(r.v1) AS m1 FROM (SELECT "orders"."status" AS d1, "orders"."amount" AS v1 FROM "orders" AS "orders") AS r GROUP BY r.d1),
l2 AS (SELECT SUM(r.v2) AS m2 FROM (SELECT "orders"."amount" AS v2 FROM "orders" AS "orders") AS r),
u AS (SELECT d1, 0 AS z, m1, (SELECT MAX(m2) FROM l2 WHERE 1 = 0) AS m2 FROM l1
UNION ALL SELECT CAST(NULL AS TEXT) AS d1, 1 AS z, (SELECT MAX(m1) FROM l1 WHERE 1 = 0), m2 FROM l2),
s AS (SELECT d1, z, MAX(m1) AS m1, MAX(m2) AS m2 FROM u GROUP BY d1, z),
w AS (SELECT z, d1, m1, MAX(m2) OVER () AS m2 FROM s)
SELECT f.d1 AS "status", f.m1 AS "revenue", (CAST(f.m1 AS REAL) / NULLIF(f.m2, 0)) AS "revenue_share" FROM w AS f WHERE f.z = 0 AND (CAST(f.m1 AS REAL) / NULLIF(f.m2, 0)) > 0.1
ORDER BY f.d1 ASC NULLS LAST
LIMIT 1000

-- sqlserver
WITH l1 AS (SELECT r.d1, SUM(r.v1) AS m1 FROM (SELECT [orders].[status] AS d1, [orders].[amount] AS v1 FROM [orders] AS [orders]) AS r GROUP BY r.d1),
l2 AS (SELECT SUM(r.v2) AS m2 FROM (SELECT [orders].[amount] AS v2 FROM [orders] AS [orders]) AS r),
u AS (SELECT d1, 0 AS z, m1, (SELECT MAX(m2) FROM l2 WHERE 1 = 0) AS m2 FROM l1
UNION ALL SELECT CAST(NULL AS nvarchar(max)) AS d1, 1 AS z, (SELECT MAX(m1) FROM l1 WHERE 1 = 0), m2 FROM l2),
s AS (SELECT d1, z, MAX(m1) AS m1, MAX(m2) AS m2 FROM u GROUP BY d1, z),
w AS (SELECT z, d1, m1, MAX(m2) OVER () AS m2 FROM s)
SELECT TOP (1000) f.d1 AS [status], f.m1 AS [revenue], (CAST(f.m1 AS float) / NULLIF(f.m2, 0)) AS [revenue_share] FROM w AS f WHERE f.z = 0 AND (CAST(f.m1 AS float) / NULLIF(f.m2, 0)) > 0.1
ORDER BY CASE WHEN f.d1 IS NULL THEN 1 ELSE 0 END, f.d1 ASC

