-- bigquery
-- unsupported_on_dialect: coalesce("f.m1", 0) cannot be written in the bigquery dialect
-- write it in another way, or as a definition in the engine's own SQL

-- clickhouse
WITH l1 AS (SELECT toInt64(count(r.v1)) AS m1 FROM (SELECT toNullable(1) AS v1 FROM `orders` AS `orders` LEFT JOIN (SELECT toNullable(`customers`.`id`) AS `id`, toNullable(`customers`.`region_id`) AS `region_id` FROM `customers` AS `customers`) AS `customers` ON `orders`.`customer_id` = `customers`.`id` LEFT JOIN (SELECT toNullable(`regions`.`id`) AS `id`, toNullable(`regions`.`title`) AS `title` FROM `regions` AS `regions`) AS `regions` ON `customers`.`region_id` = `regions`.`id` WHERE `regions`.`title` IS NULL) AS r),
l2 AS (SELECT toInt64(count(r.v2)) AS m2 FROM (SELECT toNullable(1) AS v2 FROM `tickets` AS `tickets` LEFT JOIN (SELECT toNullable(`customers`.`id`) AS `id`, toNullable(`customers`.`region_id`) AS `region_id` FROM `customers` AS `customers`) AS `customers` ON `tickets`.`customer_id` = `customers`.`id` LEFT JOIN (SELECT toNullable(`regions`.`id`) AS `id`, toNullable(`regions`.`title`) AS `title` FROM `regions` AS `regions`) AS `regions` ON `customers`.`region_id` = `regions`.`id` WHERE `regions`.`title` IS NULL) AS r),
u AS (SELECT m1, CAST(NULL AS Nullable(Int64)) AS m2 FROM l1
UNION ALL SELECT CAST(NULL AS Nullable(Int64)), m2 FROM l2),
s AS (SELECT MAX(m1) AS m1, MAX(m2) AS m2 FROM u)
SELECT coalesce(f.m1, 0) AS `order_count`, coalesce(f.m2, 0) AS `ticket_count` FROM s AS f
LIMIT 1000

-- duckdb
WITH l1 AS (SELECT COUNT(r.v1) AS m1 FROM (SELECT 1 AS v1 FROM "orders" AS "orders" LEFT JOIN "customers" AS "customers" ON "orders"."customer_id" = "customers"."id" LEFT JOIN "regions" AS "regions" ON "customers"."region_id" = "regions"."id" WHERE "regions"."title" IS NULL) AS r),
l2 AS (SELECT COUNT(r.v2) AS m2 FROM (SELECT 1 AS v2 FROM "tickets" AS "tickets" LEFT JOIN "customers" AS "customers" ON "tickets"."customer_id" = "customers"."id" LEFT JOIN "regions" AS "regions" ON "customers"."region_id" = "regions"."id" WHERE "regions"."title" IS NULL) AS r),
u AS (SELECT m1, CAST(NULL AS BIGINT) AS m2 FROM l1
UNION ALL SELECT CAST(NULL AS BIGINT), m2 FROM l2),
s AS (SELECT MAX(m1) AS m1, MAX(m2) AS m2 FROM u)
SELECT coalesce(f.m1, 0) AS "order_count", coalesce(f.m2, 0) AS "ticket_count" FROM s AS f
LIMIT 1000

-- mysql
WITH l1 AS (SELECT COUNT(r.v1) AS m1 FROM (SELECT 1 AS v1 FROM `orders` AS `orders` LEFT JOIN `customers` AS `customers` ON `orders`.`customer_id` = `customers`.`id` LEFT JOIN `regions` AS `regions` ON `customers`.`region_id` = `regions`.`id` WHERE `regions`.`title` IS NULL) AS r),
l2 AS (SELECT COUNT(r.v2) AS m2 FROM (SELECT 1 AS v2 FROM `tickets` AS `tickets` LEFT JOIN `customers` AS `customers` ON `tickets`.`customer_id` = `customers`.`id` LEFT JOIN `regions` AS `regions` ON `customers`.`region_id` = `regions`.`id` WHERE `regions`.`title` IS NULL) AS r),
u AS (SELECT m1, CAST(NULL AS SIGNED) AS m2 FROM l1
UNION ALL SELECT CAST(NULL AS SIGNED), m2 FROM l2),
s AS (SELECT MAX(m1) AS m1, MAX(m2) AS m2 FROM u)
SELECT COALESCE(f.m1, 0) AS `order_count`, COALESCE(f.m2, 0) AS `ticket_count` FROM s AS f
LIMIT 1000

-- postgres
WITH l1 AS (SELECT COUNT(r.v1) AS m1 FROM (SELECT 1 AS v1 FROM "orders" AS "orders" LEFT JOIN "customers" AS "customers" ON "orders"."customer_id" = "customers"."id" LEFT JOIN "regions" AS "regions" ON "customers"."region_id" = "regions"."id" WHERE "regions"."title" IS NULL) AS r),
l2 AS (SELECT COUNT(r.v2) AS m2 FROM (SELECT 1 AS v2 FROM "tickets" AS "tickets" LEFT JOIN "customers" AS "customers" ON "tickets"."customer_id" = "customers"."id" LEFT JOIN "regions" AS "regions" ON "customers"."region_id" = "regions"."id" WHERE "regions"."title" IS NULL) AS r),
u AS (SELECT m1, CAST(NULL AS bigint) AS m2 FROM l1
UNION ALL SELECT CAST(NULL AS bigint), m2 FROM l2),
s AS (SELECT MAX(m1) AS m1, MAX(m2) AS m2 FROM u)
SELECT coalesce(f.m1, 0) AS "order_count", coalesce(f.m2, 0) AS "ticket_count" FROM s AS f
LIMIT 1000

-- snowflake
-- unsupported_on_dialect: coalesce("f.m1", 0) cannot be written in the snowflake dialect
-- write it in another way, or as a definition in the engine's own SQL

-- sqlite
WITH l1 AS (SELECT COUNT(r.v1) AS m1 FROM (SELECT 1 AS v1 FROM "orders" AS "orders" LEFT JOIN "customers" AS "customers" ON "orders"."customer_id" = "customers"."id" LEFT JOIN "regions" AS "regions" ON "customers"."region_id" = "regions"."id" WHERE "regions"."title" IS NULL) AS r),
l2 AS (SELECT COUNT(r.v2) AS m2 FROM (SELECT 1 AS v2 FROM "tickets" AS "tickets" LEFT JOIN "customers" AS "customers" ON "tickets"."customer_id" = "customers"."id" LEFT JOIN "regions" AS "regions" ON "customers"."region_id" = "regions"."id" WHERE "regions"."title" IS NULL) AS r),
u AS (SELECT m1, CAST(NULL AS INTEGER) AS m2 FROM l1
UNION ALL SELECT CAST(NULL AS INTEGER), m2 FROM l2),
s AS (SELECT MAX(m1) AS m1, MAX(m2) AS m2 FROM u)
SELECT coalesce(f.m1, 0) AS "order_count", coalesce(f.m2, 0) AS "ticket_count" FROM s AS f
LIMIT 1000

-- sqlserver
-- unsupported_on_dialect: coalesce("f.m1", 0) cannot be written in the sqlserver dialect
-- write it in another way, or as a definition in the engine's own SQL

