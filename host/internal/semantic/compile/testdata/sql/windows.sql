-- bigquery
WITH l1x AS (SELECT CAST(`orders`.`day` AS DATE) AS t0, `orders`.`status` AS d2, `orders`.`amount` AS v1 FROM `orders` AS `orders` WHERE `orders`.`day` < CAST('2024-02-05' AS DATE)),
l1p AS (SELECT q.period AS period, DATE_ADD(DATE_ADD(q.period, INTERVAL 1 DAY), INTERVAL -3 DAY) AS lo, DATE_ADD(q.period, INTERVAL 1 DAY) AS hi FROM (SELECT period FROM UNNEST(GENERATE_DATE_ARRAY(CAST('2024-01-31' AS DATE), CAST('2024-02-04' AS DATE), INTERVAL 1 DAY)) AS period) AS q),
l1j AS (SELECT p.period AS d1, q.d2, q.v1 FROM l1p AS p JOIN l1x AS q ON q.t0 >= p.lo AND q.t0 < p.hi),
l1 AS (SELECT r.d1, r.d2, SUM(r.v1) AS m1 FROM (SELECT d1, d2, v1 FROM l1j UNION ALL SELECT p.period, g.d2, (SELECT MAX(v1) FROM l1j WHERE 1 = 0) FROM l1p AS p CROSS JOIN (SELECT DISTINCT d2 FROM l1j) AS g) AS r GROUP BY r.d1, r.d2),
l2x AS (SELECT CAST(`orders`.`day` AS DATE) AS t0, `orders`.`status` AS d2, `orders`.`amount` AS v2 FROM `orders` AS `orders` WHERE `orders`.`day` < CAST('2024-02-05' AS DATE)),
l2p AS (SELECT q.period AS period, DATE_TRUNC(CAST(q.period AS DATE), MONTH) AS lo, DATE_ADD(q.period, INTERVAL 1 DAY) AS hi FROM (SELECT period FROM UNNEST(GENERATE_DATE_ARRAY(CAST('2024-01-31' AS DATE), CAST('2024-02-04' AS DATE), INTERVAL 1 DAY)) AS period) AS q),
l2j AS (SELECT p.period AS d1, q.d2, q.v2 FROM l2p AS p JOIN l2x AS q ON q.t0 >= p.lo AND q.t0 < p.hi),
l2 AS (SELECT r.d1, r.d2, SUM(r.v2) AS m2 FROM (SELECT d1, d2, v2 FROM l2j UNION ALL SELECT p.period, g.d2, (SELECT MAX(v2) FROM l2j WHERE 1 = 0) FROM l2p AS p CROSS JOIN (SELECT DISTINCT d2 FROM l2j) AS g) AS r GROUP BY r.d1, r.d2),
u AS (SELECT d1, d2, m1, (SELECT MAX(m2) FROM l2 WHERE 1 = 0) AS m2 FROM l1
UNION ALL SELECT d1, d2, (SELECT MAX(m1) FROM l1 WHERE 1 = 0), m2 FROM l2),
s AS (SELECT d1, d2, MAX(m1) AS m1, MAX(m2) AS m2 FROM u GROUP BY d1, d2)
SELECT f.d1 AS `day_day`, f.d2 AS `status`, f.m1 AS `revenue_3d`, f.m2 AS `revenue_mtd` FROM s AS f
ORDER BY f.d1 ASC NULLS LAST, f.d2 ASC NULLS LAST
LIMIT 1000

-- clickhouse
WITH l1x AS (SELECT toDate32(`orders`.`day`) AS t0, `orders`.`status` AS d2, toNullable(`orders`.`amount`) AS v1 FROM `orders` AS `orders` WHERE `orders`.`day` < toDate32('2024-02-05')),
l1p AS (SELECT q.period AS period, addDays(addDays(q.period, 1), -3) AS lo, addDays(q.period, 1) AS hi FROM (SELECT addDays(toDate32('2024-01-31'), number) AS period FROM numbers(toUInt64(ifNull(greatest(dateDiff('day', toDate32('2024-01-31'), toDate32('2024-02-04')) + 1, 0), 0)))) AS q),
l1j AS (SELECT p.period AS d1, q.d2, q.v1 FROM l1p AS p JOIN l1x AS q ON q.t0 >= p.lo AND q.t0 < p.hi),
l1 AS (SELECT r.d1, r.d2, sumOrNull(r.v1) AS m1 FROM (SELECT d1, d2, v1 FROM l1j UNION ALL SELECT p.period, g.d2, (SELECT MAX(v1) FROM l1j WHERE 1 = 0) FROM l1p AS p CROSS JOIN (SELECT DISTINCT d2 FROM l1j) AS g) AS r GROUP BY r.d1, r.d2),
l2x AS (SELECT toDate32(`orders`.`day`) AS t0, `orders`.`status` AS d2, toNullable(`orders`.`amount`) AS v2 FROM `orders` AS `orders` WHERE `orders`.`day` < toDate32('2024-02-05')),
l2p AS (SELECT q.period AS period, makeDate32(toYear(q.period), toMonth(q.period), 1) AS lo, addDays(q.period, 1) AS hi FROM (SELECT addDays(toDate32('2024-01-31'), number) AS period FROM numbers(toUInt64(ifNull(greatest(dateDiff('day', toDate32('2024-01-31'), toDate32('2024-02-04')) + 1, 0), 0)))) AS q),
l2j AS (SELECT p.period AS d1, q.d2, q.v2 FROM l2p AS p JOIN l2x AS q ON q.t0 >= p.lo AND q.t0 < p.hi),
l2 AS (SELECT r.d1, r.d2, sumOrNull(r.v2) AS m2 FROM (SELECT d1, d2, v2 FROM l2j UNION ALL SELECT p.period, g.d2, (SELECT MAX(v2) FROM l2j WHERE 1 = 0) FROM l2p AS p CROSS JOIN (SELECT DISTINCT d2 FROM l2j) AS g) AS r GROUP BY r.d1, r.d2),
u AS (SELECT d1, d2, m1, (SELECT MAX(m2) FROM l2 WHERE 1 = 0) AS m2 FROM l1
UNION ALL SELECT d1, d2, (SELECT MAX(m1) FROM l1 WHERE 1 = 0), m2 FROM l2),
s AS (SELECT d1, d2, MAX(m1) AS m1, MAX(m2) AS m2 FROM u GROUP BY d1, d2)
SELECT f.d1 AS `day_day`, f.d2 AS `status`, f.m1 AS `revenue_3d`, f.m2 AS `revenue_mtd` FROM s AS f
ORDER BY f.d1 ASC NULLS LAST, f.d2 ASC NULLS LAST
LIMIT 1000

-- duckdb
WITH l1x AS (SELECT CAST(date_trunc('day', "orders"."day") AS DATE) AS t0, "orders"."status" AS d2, "orders"."amount" AS v1 FROM "orders" AS "orders" WHERE "orders"."day" < CAST('2024-02-05' AS DATE)),
l1p AS (SELECT q.period AS period, CAST(CAST(q.period + INTERVAL (1) day AS DATE) + INTERVAL (-3) day AS DATE) AS lo, CAST(q.period + INTERVAL (1) day AS DATE) AS hi FROM (SELECT CAST(unnest(generate_series(CAST('2024-01-31' AS DATE), CAST('2024-02-04' AS DATE), INTERVAL 1 day)) AS DATE) AS period) AS q),
l1j AS (SELECT p.period AS d1, q.d2, q.v1 FROM l1p AS p JOIN l1x AS q ON q.t0 >= p.lo AND q.t0 < p.hi),
l1 AS (SELECT r.d1, r.d2, SUM(r.v1) AS m1 FROM (SELECT d1, d2, v1 FROM l1j UNION ALL SELECT p.period, g.d2, (SELECT MAX(v1) FROM l1j WHERE 1 = 0) FROM l1p AS p CROSS JOIN (SELECT DISTINCT d2 FROM l1j) AS g) AS r GROUP BY r.d1, r.d2),
l2x AS (SELECT CAST(date_trunc('day', "orders"."day") AS DATE) AS t0, "orders"."status" AS d2, "orders"."amount" AS v2 FROM "orders" AS "orders" WHERE "orders"."day" < CAST('2024-02-05' AS DATE)),
l2p AS (SELECT q.period AS period, CAST(date_trunc('month', q.period) AS DATE) AS lo, CAST(q.period + INTERVAL (1) day AS DATE) AS hi FROM (SELECT CAST(unnest(generate_series(CAST('2024-01-31' AS DATE), CAST('2024-02-04' AS DATE), INTERVAL 1 day)) AS DATE) AS period) AS q),
l2j AS (SELECT p.period AS d1, q.d2, q.v2 FROM l2p AS p JOIN l2x AS q ON q.t0 >= p.lo AND q.t0 < p.hi),
l2 AS (SELECT r.d1, r.d2, SUM(r.v2) AS m2 FROM (SELECT d1, d2, v2 FROM l2j UNION ALL SELECT p.period, g.d2, (SELECT MAX(v2) FROM l2j WHERE 1 = 0) FROM l2p AS p CROSS JOIN (SELECT DISTINCT d2 FROM l2j) AS g) AS r GROUP BY r.d1, r.d2),
u AS (SELECT d1, d2, m1, (SELECT MAX(m2) FROM l2 WHERE 1 = 0) AS m2 FROM l1
UNION ALL SELECT d1, d2, (SELECT MAX(m1) FROM l1 WHERE 1 = 0), m2 FROM l2),
s AS (SELECT d1, d2, MAX(m1) AS m1, MAX(m2) AS m2 FROM u GROUP BY d1, d2)
SELECT f.d1 AS "day_day", f.d2 AS "status", f.m1 AS "revenue_3d", f.m2 AS "revenue_mtd" FROM s AS f
ORDER BY f.d1 ASC NULLS LAST, f.d2 ASC NULLS LAST
LIMIT 1000

-- mysql
WITH l1x AS (SELECT DATE(`orders`.`day`) AS t0, `orders`.`status` AS d2, `orders`.`amount` AS v1 FROM `orders` AS `orders` WHERE `orders`.`day` < DATE '2024-02-05'),
l1p AS (SELECT q.period AS period, DATE_ADD(DATE_ADD(q.period, INTERVAL 1 DAY), INTERVAL -3 DAY) AS lo, DATE_ADD(q.period, INTERVAL 1 DAY) AS hi FROM (WITH RECURSIVE spine (period) AS (SELECT DATE '2024-01-31' FROM DUAL WHERE DATE '2024-01-31' <= DATE '2024-02-04' UNION ALL SELECT DATE_ADD(period, INTERVAL 1 DAY) FROM spine WHERE DATE_ADD(period, INTERVAL 1 DAY) <= DATE '2024-02-04') SELECT period FROM spine) AS q),
l1j AS (SELECT p.period AS d1, q.d2, q.v1 FROM l1p AS p JOIN l1x AS q ON q.t0 >= p.lo AND q.t0 < p.hi),
l1 AS (SELECT r.d1, r.d2, SUM(r.v1) AS m1 FROM (SELECT d1, d2, v1 FROM l1j UNION ALL SELECT p.period, g.d2, (SELECT MAX(v1) FROM l1j WHERE 1 = 0) FROM l1p AS p CROSS JOIN (SELECT DISTINCT d2 FROM l1j) AS g) AS r GROUP BY r.d1, r.d2),
l2x AS (SELECT DATE(`orders`.`day`) AS t0, `orders`.`status` AS d2, `orders`.`amount` AS v2 FROM `orders` AS `orders` WHERE `orders`.`day` < DATE '2024-02-05'),
l2p AS (SELECT q.period AS period, CAST(DATE_FORMAT(q.period, '%Y-%m-01') AS DATE) AS lo, DATE_ADD(q.period, INTERVAL 1 DAY) AS hi FROM (WITH RECURSIVE spine (period) AS (SELECT DATE '2024-01-31' FROM DUAL WHERE DATE '2024-01-31' <= DATE '2024-02-04' UNION ALL SELECT DATE_ADD(period, INTERVAL 1 DAY) FROM spine WHERE DATE_ADD(period, INTERVAL 1 DAY) <= DATE '2024-02-04') SELECT period FROM spine) AS q),
l2j AS (SELECT p.period AS d1, q.d2, q.v2 FROM l2p AS p JOIN l2x AS q ON q.t0 >= p.lo AND q.t0 < p.hi),
l2 AS (SELECT r.d1, r.d2, SUM(r.v2) AS m2 FROM (SELECT d1, d2, v2 FROM l2j UNION ALL SELECT p.period, g.d2, (SELECT MAX(v2) FROM l2j WHERE 1 = 0) FROM l2p AS p CROSS JOIN (SELECT DISTINCT d2 FROM l2j) AS g) AS r GROUP BY r.d1, r.d2),
u AS (SELECT d1, d2, m1, (SELECT MAX(m2) FROM l2 WHERE 1 = 0) AS m2 FROM l1
UNION ALL SELECT d1, d2, (SELECT MAX(m1) FROM l1 WHERE 1 = 0), m2 FROM l2),
s AS (SELECT d1, d2, MAX(m1) AS m1, MAX(m2) AS m2 FROM u GROUP BY d1, d2)
SELECT f.d1 AS `day_day`, f.d2 AS `status`, f.m1 AS `revenue_3d`, f.m2 AS `revenue_mtd` FROM s AS f
ORDER BY f.d1 IS NULL, f.d1 ASC, f.d2 IS NULL, f.d2 ASC
LIMIT 1000

-- postgres
WITH l1x AS (SELECT CAST("orders"."day" AS date) AS t0, "orders"."status" AS d2, "orders"."amount" AS v1 FROM "orders" AS "orders" WHERE "orders"."day" < DATE '2024-02-05'),
l1p AS (SELECT q.period AS period, CAST(CAST(q.period + make_interval(days => 1) AS date) + make_interval(days => -3) AS date) AS lo, CAST(q.period + make_interval(days => 1) AS date) AS hi FROM (SELECT CAST(p AS date) AS period FROM generate_series(CAST(DATE '2024-01-31' AS timestamp), CAST(DATE '2024-02-04' AS timestamp), INTERVAL '1 day') AS s (p)) AS q),
l1j AS (SELECT p.period AS d1, q.d2, q.v1 FROM l1p AS p JOIN l1x AS q ON q.t0 >= p.lo AND q.t0 < p.hi),
l1 AS (SELECT r.d1, r.d2, SUM(r.v1) AS m1 FROM (SELECT d1, d2, v1 FROM l1j UNION ALL SELECT p.period, g.d2, (SELECT MAX(v1) FROM l1j WHERE 1 = 0) FROM l1p AS p CROSS JOIN (SELECT DISTINCT d2 FROM l1j) AS g) AS r GROUP BY r.d1, r.d2),
l2x AS (SELECT CAST("orders"."day" AS date) AS t0, "orders"."status" AS d2, "orders"."amount" AS v2 FROM "orders" AS "orders" WHERE "orders"."day" < DATE '2024-02-05'),
l2p AS (SELECT q.period AS period, CAST(date_trunc('month', q.period) AS date) AS lo, CAST(q.period + make_interval(days => 1) AS date) AS hi FROM (SELECT CAST(p AS date) AS period FROM generate_series(CAST(DATE '2024-01-31' AS timestamp), CAST(DATE '2024-02-04' AS timestamp), INTERVAL '1 day') AS s (p)) AS q),
l2j AS (SELECT p.period AS d1, q.d2, q.v2 FROM l2p AS p JOIN l2x AS q ON q.t0 >= p.lo AND q.t0 < p.hi),
l2 AS (SELECT r.d1, r.d2, SUM(r.v2) AS m2 FROM (SELECT d1, d2, v2 FROM l2j UNION ALL SELECT p.period, g.d2, (SELECT MAX(v2) FROM l2j WHERE 1 = 0) FROM l2p AS p CROSS JOIN (SELECT DISTINCT d2 FROM l2j) AS g) AS r GROUP BY r.d1, r.d2),
u AS (SELECT d1, d2, m1, (SELECT MAX(m2) FROM l2 WHERE 1 = 0) AS m2 FROM l1
UNION ALL SELECT d1, d2, (SELECT MAX(m1) FROM l1 WHERE 1 = 0), m2 FROM l2),
s AS (SELECT d1, d2, MAX(m1) AS m1, MAX(m2) AS m2 FROM u GROUP BY d1, d2)
SELECT f.d1 AS "day_day", f.d2 AS "status", f.m1 AS "revenue_3d", f.m2 AS "revenue_mtd" FROM s AS f
ORDER BY f.d1 ASC NULLS LAST, f.d2 ASC NULLS LAST
LIMIT 1000

-- snowflake
WITH l1x AS (SELECT DATE_TRUNC('DAY', "orders"."DAY")::DATE AS t0, "orders"."STATUS" AS d2, "orders"."AMOUNT" AS v1 FROM "ORDERS" AS "orders" WHERE "orders"."DAY" < CAST('2024-02-05' AS DATE)),
l1p AS (SELECT q.period AS period, DATEADD(DAY, -3, DATEADD(DAY, 1, q.period)) AS lo, DATEADD(DAY, 1, q.period) AS hi FROM (SELECT DATEADD(DAY, ROW_NUMBER() OVER (ORDER BY NULL) - 1, CAST('2024-01-31' AS DATE)) AS period FROM TABLE(GENERATOR(ROWCOUNT => 100000)) QUALIFY period <= CAST('2024-02-04' AS DATE)) AS q),
l1j AS (SELECT p.period AS d1, q.d2, q.v1 FROM l1p AS p JOIN l1x AS q ON q.t0 >= p.lo AND q.t0 < p.hi),
l1 AS (SELECT r.d1, r.d2, SUM(r.v1) AS m1 FROM (SELECT d1, d2, v1 FROM l1j UNION ALL SELECT p.period, g.d2, (SELECT MAX(v1) FROM l1j WHERE 1 = 0) FROM l1p AS p CROSS JOIN (SELECT DISTINCT d2 FROM l1j) AS g) AS r GROUP BY r.d1, r.d2),
l2x AS (SELECT DATE_TRUNC('DAY', "orders"."DAY")::DATE AS t0, "orders"."STATUS" AS d2, "orders"."AMOUNT" AS v2 FROM "ORDERS" AS "orders" WHERE "orders"."DAY" < CAST('2024-02-05' AS DATE)),
l2p AS (SELECT q.period AS period, DATE_TRUNC('MONTH', q.period)::DATE AS lo, DATEADD(DAY, 1, q.period) AS hi FROM (SELECT DATEADD(DAY, ROW_NUMBER() OVER (ORDER BY NULL) - 1, CAST('2024-01-31' AS DATE)) AS period FROM TABLE(GENERATOR(ROWCOUNT => 100000)) QUALIFY period <= CAST('2024-02-04' AS DATE)) AS q),
l2j AS (SELECT p.period AS d1, q.d2, q.v2 FROM l2p AS p JOIN l2x AS q ON q.t0 >= p.lo AND q.t0 < p.hi),
l2 AS (SELECT r.d1, r.d2, SUM(r.v2) AS m2 FROM (SELECT d1, d2, v2 FROM l2j UNION ALL SELECT p.period, g.d2, (SELECT MAX(v2) FROM l2j WHERE 1 = 0) FROM l2p AS p CROSS JOIN (SELECT DISTINCT d2 FROM l2j) AS g) AS r GROUP BY r.d1, r.d2),
u AS (SELECT d1, d2, m1, (SELECT MAX(m2) FROM l2 WHERE 1 = 0) AS m2 FROM l1
UNION ALL SELECT d1, d2, (SELECT MAX(m1) FROM l1 WHERE 1 = 0), m2 FROM l2),
s AS (SELECT d1, d2, MAX(m1) AS m1, MAX(m2) AS m2 FROM u GROUP BY d1, d2)
SELECT f.d1 AS "day_day", f.d2 AS "status", f.m1 AS "revenue_3d", f.m2 AS "revenue_mtd" FROM s AS f
ORDER BY f.d1 ASC NULLS LAST, f.d2 ASC NULLS LAST
LIMIT 1000

-- sqlite
WITH l1x AS (SELECT date("orders"."day") AS t0, "orders"."status" AS d2, "orders"."amount" AS v1 FROM "orders" AS "orders" WHERE "orders"."day" < date('2024-02-05')),
l1p AS (SELECT q.period AS period, date(date(q.period, (1) || ' days'), (-3) || ' days') AS lo, date(q.period, (1) || ' days') AS hi FROM (WITH RECURSIVE spine (period) AS (SELECT date(date('2024-01-31')) WHERE date(date('2024-01-31')) <= date(date('2024-02-04')) UNION ALL SELECT date(period, (1) || ' days') FROM spine WHERE date(period, (1) || ' days') <= date(date('2024-02-04'))) SELECT period FROM spine) AS q),
l1j AS (SELECT p.period AS d1, q.d2, q.v1 FROM l1p AS p JOIN l1x AS q ON q.t0 >= p.lo AND q.t0 < p.hi),
l1 AS (SELECT r.d1, r.d2, SUM(r.v1) AS m1 FROM (SELECT d1, d2, v1 FROM l1j UNION ALL SELECT p.period, g.d2, (SELECT MAX(v1) FROM l1j WHERE 1 = 0) FROM l1p AS p CROSS JOIN (SELECT DISTINCT d2 FROM l1j) AS g) AS r GROUP BY r.d1, r.d2),
l2x AS (SELECT date("orders"."day") AS t0, "orders"."status" AS d2, "orders"."amount" AS v2 FROM "orders" AS "orders" WHERE "orders"."day" < date('2024-02-05')),
l2p AS (SELECT q.period AS period, date(q.period, 'start of month') AS lo, date(q.period, (1) || ' days') AS hi FROM (WITH RECURSIVE spine (period) AS (SELECT date(date('2024-01-31')) WHERE date(date('2024-01-31')) <= date(date('2024-02-04')) UNION ALL SELECT date(period, (1) || ' days') FROM spine WHERE date(period, (1) || ' days') <= date(date('2024-02-04'))) SELECT period FROM spine) AS q),
l2j AS (SELECT p.period AS d1, q.d2, q.v2 FROM l2p AS p JOIN l2x AS q ON q.t0 >= p.lo AND q.t0 < p.hi),
l2 AS (SELECT r.d1, r.d2, SUM(r.v2) AS m2 FROM (SELECT d1, d2, v2 FROM l2j UNION ALL SELECT p.period, g.d2, (SELECT MAX(v2) FROM l2j WHERE 1 = 0) FROM l2p AS p CROSS JOIN (SELECT DISTINCT d2 FROM l2j) AS g) AS r GROUP BY r.d1, r.d2),
u AS (SELECT d1, d2, m1, (SELECT MAX(m2) FROM l2 WHERE 1 = 0) AS m2 FROM l1
UNION ALL SELECT d1, d2, (SELECT MAX(m1) FROM l1 WHERE 1 = 0), m2 FROM l2),
s AS (SELECT d1, d2, MAX(m1) AS m1, MAX(m2) AS m2 FROM u GROUP BY d1, d2)
SELECT f.d1 AS "day_day", f.d2 AS "status", f.m1 AS "revenue_3d", f.m2 AS "revenue_mtd" FROM s AS f
ORDER BY f.d1 ASC NULLS LAST, f.d2 ASC NULLS LAST
LIMIT 1000

-- sqlserver
WITH l1x AS (SELECT CAST([orders].[day] AS date) AS t0, [orders].[status] AS d2, [orders].[amount] AS v1 FROM [orders] AS [orders] WHERE [orders].[day] < CAST(N'2024-02-05' AS date)),
l1p AS (SELECT q.period AS period, DATEADD(DAY, -3, DATEADD(DAY, 1, q.period)) AS lo, DATEADD(DAY, 1, q.period) AS hi FROM (SELECT TOP (DATEDIFF(DAY, CAST(N'2024-01-31' AS date), CAST(N'2024-02-04' AS date)) + 1) DATEADD(DAY, ROW_NUMBER() OVER (ORDER BY (SELECT NULL)) - 1, CAST(N'2024-01-31' AS date)) AS period FROM sys.all_columns a CROSS JOIN sys.all_columns b) AS q),
l1j AS (SELECT p.period AS d1, q.d2, q.v1 FROM l1p AS p JOIN l1x AS q ON q.t0 >= p.lo AND q.t0 < p.hi),
l1 AS (SELECT r.d1, r.d2, SUM(r.v1) AS m1 FROM (SELECT d1, d2, v1 FROM l1j UNION ALL SELECT p.period, g.d2, (SELECT MAX(v1) FROM l1j WHERE 1 = 0) FROM l1p AS p CROSS JOIN (SELECT DISTINCT d2 FROM l1j) AS g) AS r GROUP BY r.d1, r.d2),
l2x AS (SELECT CAST([orders].[day] AS date) AS t0, [orders].[status] AS d2, [orders].[amount] AS v2 FROM [orders] AS [orders] WHERE [orders].[day] < CAST(N'2024-02-05' AS date)),
l2p AS (SELECT q.period AS period, DATETRUNC(month, CAST(q.period AS date)) AS lo, DATEADD(DAY, 1, q.period) AS hi FROM (SELECT TOP (DATEDIFF(DAY, CAST(N'2024-01-31' AS date), CAST(N'2024-02-04' AS date)) + 1) DATEADD(DAY, ROW_NUMBER() OVER (ORDER BY (SELECT NULL)) - 1, CAST(N'2024-01-31' AS date)) AS period FROM sys.all_columns a CROSS JOIN sys.all_columns b) AS q),
l2j AS (SELECT p.period AS d1, q.d2, q.v2 FROM l2p AS p JOIN l2x AS q ON q.t0 >= p.lo AND q.t0 < p.hi),
l2 AS (SELECT r.d1, r.d2, SUM(r.v2) AS m2 FROM (SELECT d1, d2, v2 FROM l2j UNION ALL SELECT p.period, g.d2, (SELECT MAX(v2) FROM l2j WHERE 1 = 0) FROM l2p AS p CROSS JOIN (SELECT DISTINCT d2 FROM l2j) AS g) AS r GROUP BY r.d1, r.d2),
u AS (SELECT d1, d2, m1, (SELECT MAX(m2) FROM l2 WHERE 1 = 0) AS m2 FROM l1
UNION ALL SELECT d1, d2, (SELECT MAX(m1) FROM l1 WHERE 1 = 0), m2 FROM l2),
s AS (SELECT d1, d2, MAX(m1) AS m1, MAX(m2) AS m2 FROM u GROUP BY d1, d2)
SELECT TOP (1000) f.d1 AS [day_day], f.d2 AS [status], f.m1 AS [revenue_3d], f.m2 AS [revenue_mtd] FROM s AS f
ORDER BY CASE WHEN f.d1 IS NULL THEN 1 ELSE 0 END, f.d1 ASC, CASE WHEN f.d2 IS NULL THEN 1 ELSE 0 END, f.d2 ASC

