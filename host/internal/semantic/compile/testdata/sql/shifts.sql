-- bigquery
WITH l1 AS (SELECT r.d1, SUM(r.v1) AS m1 FROM (SELECT DATE_TRUNC(CAST(`orders`.`day` AS DATE), MONTH) AS d1, `orders`.`amount` AS v1 FROM `orders` AS `orders` WHERE `orders`.`day` >= CAST('2024-02-01' AS DATE) AND `orders`.`day` < CAST('2024-04-01' AS DATE)) AS r GROUP BY r.d1),
l2 AS (SELECT r.d1, SUM(r.v2) AS m2 FROM (SELECT DATE_ADD(DATE_TRUNC(CAST(`orders`.`day` AS DATE), MONTH), INTERVAL 1 MONTH) AS d1, `orders`.`amount` AS v2 FROM `orders` AS `orders` WHERE `orders`.`day` >= CAST('2024-01-01' AS DATE) AND `orders`.`day` < CAST('2024-03-01' AS DATE)) AS r GROUP BY r.d1),
u AS (SELECT d1, m1, (SELECT MAX(m2) FROM l2 WHERE 1 = 0) AS m2 FROM l1
UNION ALL SELECT d1, (SELECT MAX(m1) FROM l1 WHERE 1 = 0), m2 FROM l2),
s AS (SELECT d1, MAX(m1) AS m1, MAX(m2) AS m2 FROM u GROUP BY d1)
SELECT f.d1 AS `day_month`, f.m1 AS `revenue`, f.m2 AS `revenue_prev_month` FROM s AS f
ORDER BY f.d1 ASC NULLS LAST
LIMIT 1000

-- clickhouse
WITH l1 AS (SELECT r.d1, sumOrNull(r.v1) AS m1 FROM (SELECT makeDate32(toYear(`orders`.`day`), toMonth(`orders`.`day`), 1) AS d1, toNullable(`orders`.`amount`) AS v1 FROM `orders` AS `orders` WHERE `orders`.`day` >= toDate32('2024-02-01') AND `orders`.`day` < toDate32('2024-04-01')) AS r GROUP BY r.d1),
l2 AS (SELECT r.d1, sumOrNull(r.v2) AS m2 FROM (SELECT addMonths(makeDate32(toYear(`orders`.`day`), toMonth(`orders`.`day`), 1), 1) AS d1, toNullable(`orders`.`amount`) AS v2 FROM `orders` AS `orders` WHERE `orders`.`day` >= toDate32('2024-01-01') AND `orders`.`day` < toDate32('2024-03-01')) AS r GROUP BY r.d1),
u AS (SELECT d1, m1, (SELECT MAX(m2) FROM l2 WHERE 1 = 0) AS m2 FROM l1
UNION ALL SELECT d1, (SELECT MAX(m1) FROM l1 WHERE 1 = 0), m2 FROM l2),
s AS (SELECT d1, MAX(m1) AS m1, MAX(m2) AS m2 FROM u GROUP BY d1)
SELECT f.d1 AS `day_month`, f.m1 AS `revenue`, f.m2 AS `revenue_prev_month` FROM s AS f
ORDER BY f.d1 ASC NULLS LAST
LIMIT 1000

-- duckdb
WITH l1 AS (SELECT r.d1, SUM(r.v1) AS m1 FROM (SELECT CAST(date_trunc('month', "orders"."day") AS DATE) AS d1, "orders"."amount" AS v1 FROM "orders" AS "orders" WHERE "orders"."day" >= CAST('2024-02-01' AS DATE) AND "orders"."day" < CAST('2024-04-01' AS DATE)) AS r GROUP BY r.d1),
l2 AS (SELECT r.d1, SUM(r.v2) AS m2 FROM (SELECT CAST(CAST(date_trunc('month', "orders"."day") AS DATE) + INTERVAL (1) month AS DATE) AS d1, "orders"."amount" AS v2 FROM "orders" AS "orders" WHERE "orders"."day" >= CAST('2024-01-01' AS DATE) AND "orders"."day" < CAST('2024-03-01' AS DATE)) AS r GROUP BY r.d1),
u AS (SELECT d1, m1, (SELECT MAX(m2) FROM l2 WHERE 1 = 0) AS m2 FROM l1
UNION ALL SELECT d1, (SELECT MAX(m1) FROM l1 WHERE 1 = 0), m2 FROM l2),
s AS (SELECT d1, MAX(m1) AS m1, MAX(m2) AS m2 FROM u GROUP BY d1)
SELECT f.d1 AS "day_month", f.m1 AS "revenue", f.m2 AS "revenue_prev_month" FROM s AS f
ORDER BY f.d1 ASC NULLS LAST
LIMIT 1000

-- mysql
WITH l1 AS (SELECT r.d1, SUM(r.v1) AS m1 FROM (SELECT CAST(DATE_FORMAT(`orders`.`day`, '%Y-%m-01') AS DATE) AS d1, `orders`.`amount` AS v1 FROM `orders` AS `orders` WHERE `orders`.`day` >= DATE '2024-02-01' AND `orders`.`day` < DATE '2024-04-01') AS r GROUP BY r.d1),
l2 AS (SELECT r.d1, SUM(r.v2) AS m2 FROM (SELECT DATE_ADD(CAST(DATE_FORMAT(`orders`.`day`, '%Y-%m-01') AS DATE), INTERVAL 1 MONTH) AS d1, `orders`.`amount` AS v2 FROM `orders` AS `orders` WHERE `orders`.`day` >= DATE '2024-01-01' AND `orders`.`day` < DATE '2024-03-01') AS r GROUP BY r.d1),
u AS (SELECT d1, m1, (SELECT MAX(m2) FROM l2 WHERE 1 = 0) AS m2 FROM l1
UNION ALL SELECT d1, (SELECT MAX(m1) FROM l1 WHERE 1 = 0), m2 FROM l2),
s AS (SELECT d1, MAX(m1) AS m1, MAX(m2) AS m2 FROM u GROUP BY d1)
SELECT f.d1 AS `day_month`, f.m1 AS `revenue`, f.m2 AS `revenue_prev_month` FROM s AS f
ORDER BY f.d1 IS NULL, f.d1 ASC
LIMIT 1000

-- postgres
WITH l1 AS (SELECT r.d1, SUM(r.v1) AS m1 FROM (SELECT CAST(date_trunc('month', "orders"."day") AS date) AS d1, "orders"."amount" AS v1 FROM "orders" AS "orders" WHERE "orders"."day" >= DATE '2024-02-01' AND "orders"."day" < DATE '2024-04-01') AS r GROUP BY r.d1),
l2 AS (SELECT r.d1, SUM(r.v2) AS m2 FROM (SELECT CAST(CAST(date_trunc('month', "orders"."day") AS date) + make_interval(months => 1) AS date) AS d1, "orders"."amount" AS v2 FROM "orders" AS "orders" WHERE "orders"."day" >= DATE '2024-01-01' AND "orders"."day" < DATE '2024-03-01') AS r GROUP BY r.d1),
u AS (SELECT d1, m1, (SELECT MAX(m2) FROM l2 WHERE 1 = 0) AS m2 FROM l1
UNION ALL SELECT d1, (SELECT MAX(m1) FROM l1 WHERE 1 = 0), m2 FROM l2),
s AS (SELECT d1, MAX(m1) AS m1, MAX(m2) AS m2 FROM u GROUP BY d1)
SELECT f.d1 AS "day_month", f.m1 AS "revenue", f.m2 AS "revenue_prev_month" FROM s AS f
ORDER BY f.d1 ASC NULLS LAST
LIMIT 1000

-- snowflake
WITH l1 AS (SELECT r.d1, SUM(r.v1) AS m1 FROM (SELECT DATE_TRUNC('MONTH', "orders"."DAY")::DATE AS d1, "orders"."AMOUNT" AS v1 FROM "ORDERS" AS "orders" WHERE "orders"."DAY" >= CAST('2024-02-01' AS DATE) AND "orders"."DAY" < CAST('2024-04-01' AS DATE)) AS r GROUP BY r.d1),
l2 AS (SELECT r.d1, SUM(r.v2) AS m2 FROM (SELECT DATEADD(MONTH, 1, DATE_TRUNC('MONTH', "orders"."DAY")::DATE) AS d1, "orders"."AMOUNT" AS v2 FROM "ORDERS" AS "orders" WHERE "orders"."DAY" >= CAST('2024-01-01' AS DATE) AND "orders"."DAY" < CAST('2024-03-01' AS DATE)) AS r GROUP BY r.d1),
u AS (SELECT d1, m1, (SELECT MAX(m2) FROM l2 WHERE 1 = 0) AS m2 FROM l1
UNION ALL SELECT d1, (SELECT MAX(m1) FROM l1 WHERE 1 = 0), m2 FROM l2),
s AS (SELECT d1, MAX(m1) AS m1, MAX(m2) AS m2 FROM u GROUP BY d1)
SELECT f.d1 AS "day_month", f.m1 AS "revenue", f.m2 AS "revenue_prev_month" FROM s AS f
ORDER BY f.d1 ASC NULLS LAST
LIMIT 1000

-- sqlite
WITH l1 AS (SELECT r.d1, SUM(r.v1) AS m1 FROM (SELECT date("orders"."day", 'start of month') AS d1, "orders"."amount" AS v1 FROM "orders" AS "orders" WHERE "orders"."day" >= date('2024-02-01') AND "orders"."day" < date('2024-04-01')) AS r GROUP BY r.d1),
l2 AS (SELECT r.d1, SUM(r.v2) AS m2 FROM (SELECT date(date("orders"."day", 'start of month'), (1) || ' months') AS d1, "orders"."amount" AS v2 FROM "orders" AS "orders" WHERE "orders"."day" >= date('2024-01-01') AND "orders"."day" < date('2024-03-01')) AS r GROUP BY r.d1),
u AS (SELECT d1, m1, (SELECT MAX(m2) FROM l2 WHERE 1 = 0) AS m2 FROM l1
UNION ALL SELECT d1, (SELECT MAX(m1) FROM l1 WHERE 1 = 0), m2 FROM l2),
s AS (SELECT d1, MAX(m1) AS m1, MAX(m2) AS m2 FROM u GROUP BY d1)
SELECT f.d1 AS "day_month", f.m1 AS "revenue", f.m2 AS "revenue_prev_month" FROM s AS f
ORDER BY f.d1 ASC NULLS LAST
LIMIT 1000

-- sqlserver
WITH l1 AS (SELECT r.d1, SUM(r.v1) AS m1 FROM (SELECT DATETRUNC(month, CAST([orders].[day] AS date)) AS d1, [orders].[amount] AS v1 FROM [orders] AS [orders] WHERE [orders].[day] >= CAST(N'2024-02-01' AS date) AND [orders].[day] < CAST(N'2024-04-01' AS date)) AS r GROUP BY r.d1),
l2 AS (SELECT r.d1, SUM(r.v2) AS m2 FROM (SELECT DATEADD(MONTH, 1, DATETRUNC(month, CAST([orders].[day] AS date))) AS d1, [orders].[amount] AS v2 FROM [orders] AS [orders] WHERE [orders].[day] >= CAST(N'2024-01-01' AS date) AND [orders].[day] < CAST(N'2024-03-01' AS date)) AS r GROUP BY r.d1),
u AS (SELECT d1, m1, (SELECT MAX(m2) FROM l2 WHERE 1 = 0) AS m2 FROM l1
UNION ALL SELECT d1, (SELECT MAX(m1) FROM l1 WHERE 1 = 0), m2 FROM l2),
s AS (SELECT d1, MAX(m1) AS m1, MAX(m2) AS m2 FROM u GROUP BY d1)
SELECT TOP (1000) f.d1 AS [day_month], f.m1 AS [revenue], f.m2 AS [revenue_prev_month] FROM s AS f
ORDER BY CASE WHEN f.d1 IS NULL THEN 1 ELSE 0 END, f.d1 ASC

