-- bigquery
-- unsupported_on_dialect: coalesce("f.m3", 0) cannot be written in the bigquery dialect
-- write it in another way, or as a definition in the engine's own SQL

-- clickhouse
WITH l1 AS (SELECT r.d1, r.d2, sumOrNull(r.v1) AS m1, toInt64(count(r.v2)) AS m2, sumOrNull(r.v3) AS m3, avgOrNull(toFloat64(r.v4)) AS m4 FROM (SELECT `customers`.`segment` AS d1, addDays(toDate32(`orders`.`day`), 1 - toDayOfWeek(`orders`.`day`)) AS d2, toNullable(`orders`.`amount`) AS v1, toNullable(1) AS v2, toNullable(CASE WHEN `orders`.`status` = 'paid' THEN `orders`.`amount` END) AS v3, toNullable(`orders`.`amount`) AS v4 FROM `orders` AS `orders` LEFT JOIN (SELECT toNullable(`customers`.`id`) AS `id`, toNullable(`customers`.`segment`) AS `segment`, toNullable(`customers`.`name`) AS `name` FROM `customers` AS `customers`) AS `customers` ON `orders`.`customer_id` = `customers`.`id` WHERE `orders`.`status` <> 'it''s \\ off' AND (`customers`.`name` LIKE 'a%')) AS r GROUP BY r.d1, r.d2)
SELECT f.d1 AS `segment`, f.d2 AS `day_week`, f.m1 AS `revenue`, f.m2 AS `order_count`, coalesce(f.m3, 0) AS `paid_revenue`, f.m4 AS `average` FROM l1 AS f
ORDER BY f.d1 ASC NULLS LAST, f.d2 ASC NULLS LAST
LIMIT 10 OFFSET 20

-- duckdb
WITH l1 AS (SELECT r.d1, r.d2, SUM(r.v1) AS m1, COUNT(r.v2) AS m2, SUM(r.v3) AS m3, AVG(r.v4) AS m4 FROM (SELECT "customers"."segment" AS d1, CAST(date_trunc('week', "orders"."day") AS DATE) AS d2, "orders"."amount" AS v1, 1 AS v2, CASE WHEN "orders"."status" = 'paid' THEN "orders"."amount" END AS v3, "orders"."amount" AS v4 FROM "orders" AS "orders" LEFT JOIN "customers" AS "customers" ON "orders"."customer_id" = "customers"."id" WHERE "orders"."status" <> 'it''s \ off' AND ("customers"."name" LIKE 'a%' ESCAPE '\')) AS r GROUP BY r.d1, r.d2)
SELECT f.d1 AS "segment", f.d2 AS "day_week", f.m1 AS "revenue", f.m2 AS "order_count", coalesce(f.m3, 0) AS "paid_revenue", f.m4 AS "average" FROM l1 AS f
ORDER BY f.d1 ASC NULLS LAST, f.d2 ASC NULLS LAST
LIMIT 10 OFFSET 20

-- mysql
WITH l1 AS (SELECT r.d1, r.d2, SUM(r.v1) AS m1, COUNT(r.v2) AS m2, SUM(r.v3) AS m3, AVG(r.v4 * 1e0) AS m4 FROM (SELECT `customers`.`segment` AS d1, DATE_SUB(DATE(`orders`.`day`), INTERVAL WEEKDAY(`orders`.`day`) DAY) AS d2, `orders`.`amount` AS v1, 1 AS v2, CASE WHEN `orders`.`status` = 'paid' THEN `orders`.`amount` END AS v3, `orders`.`amount` AS v4 FROM `orders` AS `orders` LEFT JOIN `customers` AS `customers` ON `orders`.`customer_id` = `customers`.`id` WHERE `orders`.`status` <> 'it''s \\ off' AND (CONVERT(`customers`.`name` USING utf8mb4) COLLATE utf8mb4_bin LIKE CONVERT('a%' USING utf8mb4) COLLATE utf8mb4_bin ESCAPE '\\')) AS r GROUP BY r.d1, r.d2)
SELECT f.d1 AS `segment`, f.d2 AS `day_week`, f.m1 AS `revenue`, f.m2 AS `order_count`, COALESCE(f.m3, 0) AS `paid_revenue`, f.m4 AS `average` FROM l1 AS f
ORDER BY f.d1 IS NULL, f.d1 ASC, f.d2 IS NULL, f.d2 ASC
LIMIT 10 OFFSET 20

-- postgres
WITH l1 AS (SELECT r.d1, r.d2, SUM(r.v1) AS m1, COUNT(r.v2) AS m2, SUM(r.v3) AS m3, CAST(AVG(r.v4) AS double precision) AS m4 FROM (SELECT "customers"."segment" AS d1, CAST(date_trunc('week', "orders"."day") AS date) AS d2, "orders"."amount" AS v1, 1 AS v2, CASE WHEN "orders"."status" = 'paid' THEN "orders"."amount" END AS v3, "orders"."amount" AS v4 FROM "orders" AS "orders" LEFT JOIN "customers" AS "customers" ON "orders"."customer_id" = "customers"."id" WHERE "orders"."status" <> 'it''s \ off' AND ("customers"."name" LIKE 'a%' ESCAPE '\')) AS r GROUP BY r.d1, r.d2)
SELECT f.d1 AS "segment", f.d2 AS "day_week", f.m1 AS "revenue", f.m2 AS "order_count", coalesce(f.m3, 0) AS "paid_revenue", f.m4 AS "average" FROM l1 AS f
ORDER BY f.d1 ASC NULLS LAST, f.d2 ASC NULLS LAST
LIMIT 10 OFFSET 20

-- snowflake
-- unsupported_on_dialect: coalesce("f.m3", 0) cannot be written in the snowflake dialect
-- write it in another way, or as a definition in the engine's own SQL

-- sqlite
WITH l1 AS (SELECT r.d1, r.d2, SUM(r.v1) AS m1, COUNT(r.v2) AS m2, SUM(r.v3) AS m3, AVG(r.v4) AS m4 FROM (SELECT "customers"."segment" AS d1, date("orders"."day", 'weekday 0', '-6 days') AS d2, "orders"."amount" AS v1, 1 AS v2, CASE WHEN "orders"."status" = 'paid' THEN "orders"."amount" END AS v3, "orders"."amount" AS v4 FROM "orders" AS "orders" LEFT JOIN "customers" AS "customers" ON "orders"."customer_id" = "customers"."id" WHERE "orders"."status" <> 'it''s \ off' AND ("customers"."name" GLOB replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace('a%', '\\', char(57344)), '\%', char(57345)), '\_', char(57346)), '\', ''), '[', '[[]'), '*', '[*]'), '?', '[?]'), '%', '*'), '_', '?'), char(57344), '\'), char(57345), '%'), char(57346), '_'))) AS r GROUP BY r.d1, r.d2)
SELECT f.d1 AS "segment", f.d2 AS "day_week", f.m1 AS "revenue", f.m2 AS "order_count", coalesce(f.m3, 0) AS "paid_revenue", f.m4 AS "average" FROM l1 AS f
ORDER BY f.d1 ASC NULLS LAST, f.d2 ASC NULLS LAST
LIMIT 10 OFFSET 20

-- sqlserver
-- unsupported_on_dialect: coalesce("f.m3", 0) cannot be written in the sqlserver dialect
-- write it in another way, or as a definition in the engine's own SQL

