-- bigquery
-- unsupported_on_dialect: coalesce("f.m1", 0) cannot be written in the bigquery dialect
-- write it in another way, or as a definition in the engine's own SQL

-- clickhouse
WITH l1 AS (SELECT r.d1, toInt64(count(r.v1)) AS m1 FROM (SELECT makeDate32(toYear(`orders`.`day`), toMonth(`orders`.`day`), 1) AS d1, toNullable(1) AS v1 FROM `orders` AS `orders`) AS r GROUP BY r.d1),
g AS (SELECT q.period AS d1 FROM (SELECT addMonths((SELECT MIN(e.d1) FROM (SELECT b.d1 FROM (SELECT r.d1, toInt64(count(r.v1)) AS m1 FROM (SELECT makeDate32(toYear(`orders`.`day`), toMonth(`orders`.`day`), 1) AS d1, toNullable(1) AS v1 FROM `orders` AS `orders`) AS r GROUP BY r.d1) AS b) AS e), number) AS period FROM numbers(toUInt64(ifNull(greatest(dateDiff('month', (SELECT MIN(e.d1) FROM (SELECT b.d1 FROM (SELECT r.d1, toInt64(count(r.v1)) AS m1 FROM (SELECT makeDate32(toYear(`orders`.`day`), toMonth(`orders`.`day`), 1) AS d1, toNullable(1) AS v1 FROM `orders` AS `orders`) AS r GROUP BY r.d1) AS b) AS e), (SELECT MAX(e.d1) FROM (SELECT b.d1 FROM (SELECT r.d1, toInt64(count(r.v1)) AS m1 FROM (SELECT makeDate32(toYear(`orders`.`day`), toMonth(`orders`.`day`), 1) AS d1, toNullable(1) AS v1 FROM `orders` AS `orders`) AS r GROUP BY r.d1) AS b) AS e)) + 1, 0), 0)))) AS q),
u AS (SELECT d1, m1 FROM l1
UNION ALL SELECT d1, CAST(NULL AS Nullable(Int64)) FROM g),
s AS (SELECT d1, MAX(m1) AS m1 FROM u GROUP BY d1)
SELECT f.d1 AS `day_month`, coalesce(f.m1, 0) AS `order_count` FROM s AS f
ORDER BY f.d1 ASC NULLS LAST
LIMIT 1000

-- duckdb
WITH l1 AS (SELECT r.d1, COUNT(r.v1) AS m1 FROM (SELECT CAST(date_trunc('month', "orders"."day") AS DATE) AS d1, 1 AS v1 FROM "orders" AS "orders") AS r GROUP BY r.d1),
g AS (SELECT q.period AS d1 FROM (SELECT CAST(unnest(generate_series((SELECT MIN(e.d1) FROM (SELECT b.d1 FROM (SELECT r.d1, COUNT(r.v1) AS m1 FROM (SELECT CAST(date_trunc('month', "orders"."day") AS DATE) AS d1, 1 AS v1 FROM "orders" AS "orders") AS r GROUP BY r.d1) AS b) AS e), (SELECT MAX(e.d1) FROM (SELECT b.d1 FROM (SELECT r.d1, COUNT(r.v1) AS m1 FROM (SELECT CAST(date_trunc('month', "orders"."day") AS DATE) AS d1, 1 AS v1 FROM "orders" AS "orders") AS r GROUP BY r.d1) AS b) AS e), INTERVAL 1 month)) AS DATE) AS period) AS q),
u AS (SELECT d1, m1 FROM l1
UNION ALL SELECT d1, CAST(NULL AS BIGINT) FROM g),
s AS (SELECT d1, MAX(m1) AS m1 FROM u GROUP BY d1)
SELECT f.d1 AS "day_month", coalesce(f.m1, 0) AS "order_count" FROM s AS f
ORDER BY f.d1 ASC NULLS LAST
LIMIT 1000

-- mysql
WITH l1 AS (SELECT r.d1, COUNT(r.v1) AS m1 FROM (SELECT CAST(DATE_FORMAT(`orders`.`day`, '%Y-%m-01') AS DATE) AS d1, 1 AS v1 FROM `orders` AS `orders`) AS r GROUP BY r.d1),
g AS (SELECT q.period AS d1 FROM (WITH RECURSIVE spine (period) AS (SELECT (SELECT MIN(e.d1) FROM (SELECT b.d1 FROM (SELECT r.d1, COUNT(r.v1) AS m1 FROM (SELECT CAST(DATE_FORMAT(`orders`.`day`, '%Y-%m-01') AS DATE) AS d1, 1 AS v1 FROM `orders` AS `orders`) AS r GROUP BY r.d1) AS b) AS e) FROM DUAL WHERE (SELECT MIN(e.d1) FROM (SELECT b.d1 FROM (SELECT r.d1, COUNT(r.v1) AS m1 FROM (SELECT CAST(DATE_FORMAT(`orders`.`day`, '%Y-%m-01') AS DATE) AS d1, 1 AS v1 FROM `orders` AS `orders`) AS r GROUP BY r.d1) AS b) AS e) <= (SELECT MAX(e.d1) FROM (SELECT b.d1 FROM (SELECT r.d1, COUNT(r.v1) AS m1 FROM (SELECT CAST(DATE_FORMAT(`orders`.`day`, '%Y-%m-01') AS DATE) AS d1, 1 AS v1 FROM `orders` AS `orders`) AS r GROUP BY r.d1) AS b) AS e) UNION ALL SELECT DATE_ADD(period, INTERVAL 1 MONTH) FROM spine WHERE DATE_ADD(period, INTERVAL 1 MONTH) <= (SELECT MAX(e.d1) FROM (SELECT b.d1 FROM (SELECT r.d1, COUNT(r.v1) AS m1 FROM (SELECT CAST(DATE_FORMAT(`orders`.`day`, '%Y-%m-01') AS DATE) AS d1, 1 AS v1 FROM `orders` AS `orders`) AS r GROUP BY r.d1) AS b) AS e)) SELECT period FROM spine) AS q),
u AS (SELECT d1, m1 FROM l1
UNION ALL SELECT d1, CAST(NULL AS SIGNED) FROM g),
s AS (SELECT d1, MAX(m1) AS m1 FROM u GROUP BY d1)
SELECT f.d1 AS `day_month`, COALESCE(f.m1, 0) AS `order_count` FROM s AS f
ORDER BY f.d1 IS NULL, f.d1 ASC
LIMIT 1000

-- postgres
WITH l1 AS (SELECT r.d1, COUNT(r.v1) AS m1 FROM (SELECT CAST(date_trunc('month', "orders"."day") AS date) AS d1, 1 AS v1 FROM "orders" AS "orders") AS r GROUP BY r.d1),
g AS (SELECT q.period AS d1 FROM (SELECT CAST(p AS date) AS period FROM generate_series(CAST((SELECT MIN(e.d1) FROM (SELECT b.d1 FROM (SELECT r.d1, COUNT(r.v1) AS m1 FROM (SELECT CAST(date_trunc('month', "orders"."day") AS date) AS d1, 1 AS v1 FROM "orders" AS "orders") AS r GROUP BY r.d1) AS b) AS e) AS timestamp), CAST((SELECT MAX(e.d1) FROM (SELECT b.d1 FROM (SELECT r.d1, COUNT(r.v1) AS m1 FROM (SELECT CAST(date_trunc('month', "orders"."day") AS date) AS d1, 1 AS v1 FROM "orders" AS "orders") AS r GROUP BY r.d1) AS b) AS e) AS timestamp), INTERVAL '1 month') AS s (p)) AS q),
u AS (SELECT d1, m1 FROM l1
UNION ALL SELECT d1, CAST(NULL AS bigint) FROM g),
s AS (SELECT d1, MAX(m1) AS m1 FROM u GROUP BY d1)
SELECT f.d1 AS "day_month", coalesce(f.m1, 0) AS "order_count" FROM s AS f
ORDER BY f.d1 ASC NULLS LAST
LIMIT 1000

-- snowflake
-- unsupported_on_dialect: coalesce("f.m1", 0) cannot be written in the snowflake dialect
-- write it in another way, or as a definition in the engine's own SQL

-- sqlite
WITH l1 AS (SELECT r.d1, COUNT(r.v1) AS m1 FROM (SELECT date("orders"."day", 'start of month') AS d1, 1 AS v1 FROM "orders" AS "orders") AS r GROUP BY r.d1),
g AS (SELECT q.period AS d1 FROM (WITH RECURSIVE spine (period) AS (SELECT date((SELECT MIN(e.d1) FROM (SELECT b.d1 FROM (SELECT r.d1, COUNT(r.v1) AS m1 FROM (SELECT date("orders"."day", 'start of month') AS d1, 1 AS v1 FROM "orders" AS "orders") AS r GROUP BY r.d1) AS b) AS e)) WHERE date((SELECT MIN(e.d1) FROM (SELECT b.d1 FROM (SELECT r.d1, COUNT(r.v1) AS m1 FROM (SELECT date("orders"."day", 'start of month') AS d1, 1 AS v1 FROM "orders" AS "orders") AS r GROUP BY r.d1) AS b) AS e)) <= date((SELECT MAX(e.d1) FROM (SELECT b.d1 FROM (SELECT r.d1, COUNT(r.v1) AS m1 FROM (SELECT date("orders"."day", 'start of month') AS d1, 1 AS v1 FROM "orders" AS "orders") AS r GROUP BY r.d1) AS b) AS e)) UNION ALL SELECT date(period, (1) || ' months') FROM spine WHERE date(period, (1) || ' months') <= date((SELECT MAX(e.d1) FROM (SELECT b.d1 FROM (SELECT r.d1, COUNT(r.v1) AS m1 FROM (SELECT date("orders"."day", 'start of month') AS d1, 1 AS v1 FROM "orders" AS "orders") AS r GROUP BY r.d1) AS b) AS e))) SELECT period FROM spine) AS q),
u AS (SELECT d1, m1 FROM l1
UNION ALL SELECT d1, CAST(NULL AS INTEGER) FROM g),
s AS (SELECT d1, MAX(m1) AS m1 FROM u GROUP BY d1)
SELECT f.d1 AS "day_month", coalesce(f.m1, 0) AS "order_count" FROM s AS f
ORDER BY f.d1 ASC NULLS LAST
LIMIT 1000

-- sqlserver
-- unsupported_on_dialect: coalesce("f.m1", 0) cannot be written in the sqlserver dialect
-- write it in another way, or as a definition in the engine's own SQL

