-- bigquery
WITH l1 AS (SELECT r.d1, SUM(CASE WHEN r.w1 = 1 AND r.t1 IS NOT NULL THEN r.v1 END) AS m1, COUNT(r.v2) AS m2 FROM (SELECT q.d1, q.v1, q.t1, q.p1_1, q.v2, RANK() OVER (PARTITION BY q.d1, q.p1_1 ORDER BY q.t1 DESC NULLS LAST) AS w1 FROM (SELECT DATE_TRUNC(CAST(`stock`.`day` AS DATE), MONTH) AS d1, `stock`.`on_hand` AS v1, `stock`.`day` AS t1, `stock`.`sku` AS p1_1, 1 AS v2 FROM `stock` AS `stock`) AS q) AS r GROUP BY r.d1)
SELECT f.d1 AS `day_month`, f.m1 AS `closing_per_sku`, f.m2 AS `readings` FROM l1 AS f
ORDER BY f.d1 ASC NULLS LAST
LIMIT 1000

-- clickhouse
WITH l1 AS (SELECT r.d1, sumOrNull(CASE WHEN r.w1 = 1 AND r.t1 IS NOT NULL THEN r.v1 END * toDecimal256(1, 0)) AS m1, toInt64(count(r.v2)) AS m2 FROM (SELECT q.d1, q.v1, q.t1, q.p1_1, q.v2, RANK() OVER (PARTITION BY q.d1, q.p1_1 ORDER BY q.t1 DESC NULLS LAST) AS w1 FROM (SELECT makeDate32(toYear(`stock`.`day`), toMonth(`stock`.`day`), 1) AS d1, toNullable(`stock`.`on_hand`) AS v1, toNullable(`stock`.`day`) AS t1, toNullable(`stock`.`sku`) AS p1_1, toNullable(1) AS v2 FROM `stock` AS `stock`) AS q) AS r GROUP BY r.d1)
SELECT f.d1 AS `day_month`, f.m1 AS `closing_per_sku`, f.m2 AS `readings` FROM l1 AS f
ORDER BY f.d1 ASC NULLS LAST
LIMIT 1000

-- duckdb
WITH l1 AS (SELECT r.d1, SUM(CASE WHEN r.w1 = 1 AND r.t1 IS NOT NULL THEN r.v1 END) AS m1, COUNT(r.v2) AS m2 FROM (SELECT q.d1, q.v1, q.t1, q.p1_1, q.v2, RANK() OVER (PARTITION BY q.d1, q.p1_1 ORDER BY q.t1 DESC NULLS LAST) AS w1 FROM (SELECT CAST(date_trunc('month', "stock"."day") AS DATE) AS d1, "stock"."on_hand" AS v1, "stock"."day" AS t1, "stock"."sku" AS p1_1, 1 AS v2 FROM "stock" AS "stock") AS q) AS r GROUP BY r.d1)
SELECT f.d1 AS "day_month", f.m1 AS "closing_per_sku", f.m2 AS "readings" FROM l1 AS f
ORDER BY f.d1 ASC NULLS LAST
LIMIT 1000

-- mysql
WITH l1 AS (SELECT r.d1, SUM(CASE WHEN r.w1 = 1 AND r.t1 IS NOT NULL THEN r.v1 END) AS m1, COUNT(r.v2) AS m2 FROM (SELECT q.d1, q.v1, q.t1, q.p1_1, q.v2, RANK() OVER (PARTITION BY q.d1, q.p1_1 ORDER BY q.t1 IS NULL, q.t1 DESC) AS w1 FROM (SELECT CAST(DATE_FORMAT(`stock`.`day`, '%Y-%m-01') AS DATE) AS d1, `stock`.`on_hand` AS v1, `stock`.`day` AS t1, `stock`.`sku` AS p1_1, 1 AS v2 FROM `stock` AS `stock`) AS q) AS r GROUP BY r.d1)
SELECT f.d1 AS `day_month`, f.m1 AS `closing_per_sku`, f.m2 AS `readings` FROM l1 AS f
ORDER BY f.d1 IS NULL, f.d1 ASC
LIMIT 1000

-- postgres
WITH l1 AS (SELECT r.d1, SUM(CASE WHEN r.w1 = 1 AND r.t1 IS NOT NULL THEN r.v1 END) AS m1, COUNT(r.v2) AS m2 FROM (SELECT q.d1, q.v1, q.t1, q.p1_1, q.v2, RANK() OVER (PARTITION BY q.d1, q.p1_1 ORDER BY q.t1 DESC NULLS LAST) AS w1 FROM (SELECT CAST(date_trunc('month', "stock"."day") AS date) AS d1, "stock"."on_hand" AS v1, "stock"."day" AS t1, "stock"."sku" AS p1_1, 1 AS v2 FROM "stock" AS "stock") AS q) AS r GROUP BY r.d1)
SELECT f.d1 AS "day_month", f.m1 AS "closing_per_sku", f.m2 AS "readings" FROM l1 AS f
ORDER BY f.d1 ASC NULLS LAST
LIMIT 1000

-- snowflake
WITH l1 AS (SELECT r.d1, SUM(CASE WHEN r.w1 = 1 AND r.t1 IS NOT NULL THEN r.v1 END) AS m1, COUNT(r.v2) AS m2 FROM (SELECT q.d1, q.v1, q.t1, q.p1_1, q.v2, RANK() OVER (PARTITION BY q.d1, q.p1_1 ORDER BY q.t1 DESC NULLS LAST) AS w1 FROM (SELECT DATE_TRUNC('MONTH', "stock"."DAY")::DATE AS d1, "stock"."ON_HAND" AS v1, "stock"."DAY" AS t1, "stock"."SKU" AS p1_1, 1 AS v2 FROM "STOCK" AS "stock") AS q) AS r GROUP BY r.d1)
SELECT f.d1 AS "day_month", f.m1 AS "closing_per_sku", f.m2 AS "readings" FROM l1 AS f
ORDER BY f.d1 ASC NULLS LAST
LIMIT 1000

-- sqlite
WITH l1 AS (SELECT r.d1, SUM(CASE WHEN r.w1 = 1 AND r.t1 IS NOT NULL THEN r.v1 END) AS m1, COUNT(r.v2) AS m2 FROM (SELECT q.d1, q.v1, q.t1, q.p1_1, q.v2, RANK() OVER (PARTITION BY q.d1, q.p1_1 ORDER BY q.t1 DESC NULLS LAST) AS w1 FROM (SELECT date("stock"."day", 'start of month') AS d1, "stock"."on_hand" AS v1, "stock"."day" AS t1, "stock"."sku" AS p1_1, 1 AS v2 FROM "stock" AS "stock") AS q) AS r GROUP BY r.d1)
SELECT f.d1 AS "day_month", f.m1 AS "closing_per_sku", f.m2 AS "readings" FROM l1 AS f
ORDER BY f.d1 ASC NULLS LAST
LIMIT 1000

-- sqlserver
WITH l1 AS (SELECT r.d1, SUM(CASE WHEN r.w1 = 1 AND r.t1 IS NOT NULL THEN r.v1 END) AS m1, COUNT(r.v2) AS m2 FROM (SELECT q.d1, q.v1, q.t1, q.p1_1, q.v2, RANK() OVER (PARTITION BY q.d1, q.p1_1 ORDER BY CASE WHEN q.t1 IS NULL THEN 1 ELSE 0 END, q.t1 DESC) AS w1 FROM (SELECT DATETRUNC(month, CAST([stock].[day] AS date)) AS d1, [stock].[on_hand] AS v1, [stock].[day] AS t1, [stock].[sku] AS p1_1, 1 AS v2 FROM [stock] AS [stock]) AS q) AS r GROUP BY r.d1)
SELECT TOP (1000) f.d1 AS [day_month], f.m1 AS [closing_per_sku], f.m2 AS [readings] FROM l1 AS f
ORDER BY CASE WHEN f.d1 IS NULL THEN 1 ELSE 0 END, f.d1 ASC

