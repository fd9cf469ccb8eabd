-- bigquery
-- unsupported_on_dialect: coalesce("f.m3", 0) cannot be written in the bigquery dialect
-- write it in another way, or as a definition in the engine's own SQL

-- clickhouse
WITH l1 AS (SELECT r.d1, sumOrNull(r.v1) AS m1, toInt64(count(r.v3)) AS m3 FROM (SELECT `customers`.`segment` AS d1, toNullable(`orders`.`amount`) AS v1, toNullable(1) AS v3 FROM `orders` AS `orders` LEFT JOIN (SELECT toNullable(`customers`.`id`) AS `id`, toNullable(`customers`.`segment`) AS `segment` FROM `customers` AS `customers`) AS `customers` ON `orders`.`customer_id` = `customers`.`id`) AS r GROUP BY r.d1),
l2 AS (SELECT r.d1, sumOrNull(r.v2) AS m2, toInt64(count(r.v4)) AS m4 FROM (SELECT `customers`.`segment` AS d1, toNullable(`tickets`.`hours`) AS v2, toNullable(1) AS v4 FROM `tickets` AS `tickets` LEFT JOIN (SELECT toNullable(`customers`.`id`) AS `id`, toNullable(`customers`.`segment`) AS `segment` FROM `customers` AS `customers`) AS `customers` ON `tickets`.`customer_id` = `customers`.`id`) AS r GROUP BY r.d1),
u AS (SELECT d1, m1, m3, (SELECT MAX(m2) FROM l2 WHERE 1 = 0) AS m2, CAST(NULL AS Nullable(Int64)) AS m4 FROM l1
UNION ALL SELECT d1, (SELECT MAX(m1) FROM l1 WHERE 1 = 0), CAST(NULL AS Nullable(Int64)), m2, m4 FROM l2),
s AS (SELECT d1, MAX(m1) AS m1, MAX(m3) AS m3, MAX(m2) AS m2, MAX(m4) AS m4 FROM u GROUP BY d1)
SELECT f.d1 AS `segment`, f.m1 AS `revenue`, f.m2 AS `hours`, (toFloat64(f.m2) / nullIf(toFloat64(coalesce(f.m3, 0)), 0)) AS `hours_per_order` FROM s AS f WHERE coalesce(f.m4, 0) > 1
ORDER BY f.m2 DESC NULLS LAST, f.d1 ASC NULLS LAST
LIMIT 1000

-- duckdb
WITH l1 AS (SELECT r.d1, SUM(r.v1) AS m1, COUNT(r.v3) AS m3 FROM (SELECT "customers"."segment" AS d1, "orders"."amount" AS v1, 1 AS v3 FROM "orders" AS "orders" LEFT JOIN "customers" AS "customers" ON "orders"."customer_id" = "customers"."id") AS r GROUP BY r.d1),
l2 AS (SELECT r.d1, SUM(r.v2) AS m2, COUNT(r.v4) AS m4 FROM (SELECT "customers"."segment" AS d1, "tickets"."hours" AS v2, 1 AS v4 FROM "tickets" AS "tickets" LEFT JOIN "customers" AS "customers" ON "tickets"."customer_id" = "customers"."id") AS r GROUP BY r.d1),
u AS (SELECT d1, m1, m3, (SELECT MAX(m2) FROM l2 WHERE 1 = 0) AS m2, CAST(NULL AS BIGINT) AS m4 FROM l1
UNION ALL SELECT d1, (SELECT MAX(m1) FROM l1 WHERE 1 = 0), CAST(NULL AS BIGINT), m2, m4 FROM l2),
s AS (SELECT d1, MAX(m1) AS m1, MAX(m3) AS m3, MAX(m2) AS m2, MAX(m4) AS m4 FROM u GROUP BY d1)
SELECT f.d1 AS "segment", f.m1 AS "revenue", f.m2 AS "hours", (CAST(f.m2 AS DOUBLE) / NULLIF(coalesce(f.m3, 0), 0)) AS "hours_per_order" FROM s AS f WHERE coalesce(f.m4, 0) > 1
ORDER BY f.m2 DESC NULLS LAST, f.d1 ASC NULLS LAST
LIMIT 1000

-- mysql
WITH l1 AS (SELECT r.d1, SUM(r.v1) AS m1, COUNT(r.v3) AS m3 FROM (SELECT `customers`.`segment` AS d1, `orders`.`amount` AS v1, 1 AS v3 FROM `orders` AS `orders` LEFT JOIN `customers` AS `customers` ON `orders`.`customer_id` = `customers`.`id`) AS r GROUP BY r.d1),
l2 AS (SELECT r.d1, SUM(r.v2) AS m2, COUNT(r.v4) AS m4 FROM (SELECT `customers`.`segment` AS d1, `tickets`.`hours` AS v2, 1 AS v4 FROM `tickets` AS `tickets` LEFT JOIN `customers` AS `customers` ON `tickets`.`customer_id` = `customers`.`id`) AS r GROUP BY r.d1),
u AS (SELECT d1, m1, m3, (SELECT MAX(m2) FROM l2 WHERE 1 = 0) AS m2, CAST(NULL AS SIGNED) AS m4 FROM l1
UNION ALL SELECT d1, (SELECT MAX(m1) FROM l1 WHERE 1 = 0), CAST(NULL AS SIGNED), m2, m4 FROM l2),
s AS (SELECT d1, MAX(m1) AS m1, MAX(m3) AS m3, MAX(m2) AS m2, MAX(m4) AS m4 FROM u GROUP BY d1)
SELECT f.d1 AS `segment`, f.m1 AS `revenue`, f.m2 AS `hours`, ((f.m2 * 1e0) / NULLIF(COALESCE(f.m3, 0), 0)) AS `hours_per_order` FROM s AS f WHERE COALESCE(f.m4, 0) > 1
ORDER BY f.m2 IS NULL, f.m2 DESC, f.d1 IS NULL, f.d1 ASC
LIMIT 1000

-- postgres
WITH l1 AS (SELECT r.d1, SUM(r.v1) AS m1, COUNT(r.v3) AS m3 FROM (SELECT "customers"."segment" AS d1, "orders"."amount" AS v1, 1 AS v3 FROM "orders" AS "orders" LEFT JOIN "customers" AS "customers" ON "orders"."customer_id" = "customers"."id") AS r GROUP BY r.d1),
l2 AS (SELECT r.d1, SUM(r.v2) AS m2, COUNT(r.v4) AS m4 FROM (SELECT "customers"."segment" AS d1, "tickets"."hours" AS v2, 1 AS v4 FROM "tickets" AS "tickets" LEFT JOIN "customers" AS "customers" ON "tickets"."customer_id" = "customers"."id") AS r GROUP BY r.d1),
u AS (SELECT d1, m1, m3, (SELECT MAX(m2) FROM l2 WHERE 1 = 0) AS m2, CAST(NULL AS bigint) AS m4 FROM l1
UNION ALL SELECT d1, (SELECT MAX(m1) FROM l1 WHERE 1 = 0), CAST(NULL AS bigint), m2, m4 FROM l2),
s AS (SELECT d1, MAX(m1) AS m1, MAX(m3) AS m3, MAX(m2) AS m2, MAX(m4) AS m4 FROM u GROUP BY d1)
SELECT f.d1 AS "segment", f.m1 AS "revenue", f.m2 AS "hours", (CAST(f.m2 AS double precision) / NULLIF(coalesce(f.m3, 0), 0)) AS "hours_per_order" FROM s AS f WHERE coalesce(f.m4, 0) > 1
ORDER BY f.m2 DESC NULLS LAST, f.d1 ASC NULLS LAST
LIMIT 1000

-- snowflake
-- unsupported_on_dialect: coalesce("f.m3", 0) cannot be written in the snowflake dialect
-- write it in another way, or as a definition in the engine's own SQL

-- sqlite
WITH l1 AS (SELECT r.d1, SUM(r.v1) AS m1, COUNT(r.v3) AS m3 FROM (SELECT "customers"."segment" AS d1, "orders"."amount" AS v1, 1 AS v3 FROM "orders" AS "orders" LEFT JOIN "customers" AS "customers" ON "orders"."customer_id" = "customers"."id") AS r GROUP BY r.d1),
l2 AS (SELECT r.d1, SUM(r.v2) AS m2, COUNT(r.v4) AS m4 FROM (SELECT "customers"."segment" AS d1, "tickets"."hours" AS v2, 1 AS v4 FROM "tickets" AS "tickets" LEFT JOIN "customers" AS "customers" ON "tickets"."customer_id" = "customers"."id") AS r GROUP BY r.d1),
u AS (SELECT d1, m1, m3, (SELECT MAX(m2) FROM l2 WHERE 1 = 0) AS m2, CAST(NULL AS INTEGER) AS m4 FROM l1
UNION ALL SELECT d1, (SELECT MAX(m1) FROM l1 WHERE 1 = 0), CAST(NULL AS INTEGER), m2, m4 FROM l2),
s AS (SELECT d1, MAX(m1) AS m1, MAX(m3) AS m3, MAX(m2) AS m2, MAX(m4) AS m4 FROM u GROUP BY d1)
SELECT f.d1 AS "segment", f.m1 AS "revenue", f.m2 AS "hours", (CAST(f.m2 AS REAL) / NULLIF(coalesce(f.m3, 0), 0)) AS "hours_per_order" FROM s AS f WHERE coalesce(f.m4, 0) > 1
ORDER BY f.m2 DESC NULLS LAST, f.d1 ASC NULLS LAST
LIMIT 1000

-- sqlserver
-- unsupported_on_dialect: coalesce("f.m3", 0) cannot be written in the sqlserver dialect
-- write it in another way, or as a definition in the engine's own SQL

