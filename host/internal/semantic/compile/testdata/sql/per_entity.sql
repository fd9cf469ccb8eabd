-- bigquery
WITH l1 AS (SELECT o.d1, AVG(CAST(o.m1 AS FLOAT64)) AS m1 FROM (SELECT r.d1, r.e1, SUM(r.v1) AS m1 FROM (SELECT `orders`.`status` = 'paid' AS d1, `customers`.`id` AS e1, `orders`.`amount` AS v1 FROM `orders` AS `orders` LEFT JOIN `customers` AS `customers` ON `orders`.`customer_id` = `customers`.`id`) AS r GROUP BY r.d1, r.e1) AS o GROUP BY o.d1)
SELECT f.d1 AS `is_paid`, f.m1 AS `per_customer` FROM l1 AS f
ORDER BY f.d1 ASC NULLS LAST
LIMIT 1000

-- clickhouse
WITH l1 AS (SELECT o.d1, avgOrNull(toFloat64(o.m1)) AS m1 FROM (SELECT r.d1, r.e1, sumOrNull(r.v1) AS m1 FROM (SELECT `orders`.`status` = 'paid' AS d1, toNullable(`customers`.`id`) AS e1, toNullable(`orders`.`amount`) AS v1 FROM `orders` AS `orders` LEFT JOIN (SELECT toNullable(`customers`.`id`) AS `id` FROM `customers` AS `customers`) AS `customers` ON `orders`.`customer_id` = `customers`.`id`) AS r GROUP BY r.d1, r.e1) AS o GROUP BY o.d1)
SELECT f.d1 AS `is_paid`, f.m1 AS `per_customer` FROM l1 AS f
ORDER BY f.d1 ASC NULLS LAST
LIMIT 1000

-- duckdb
WITH l1 AS (SELECT o.d1, AVG(o.m1) AS m1 FROM (SELECT r.d1, r.e1, SUM(r.v1) AS m1 FROM (SELECT "orders"."status" = 'paid' AS d1, "customers"."id" AS e1, "orders"."amount" AS v1 FROM "orders" AS "orders" LEFT JOIN "customers" AS "customers" ON "orders"."customer_id" = "customers"."id") AS r GROUP BY r.d1, r.e1) AS o GROUP BY o.d1)
SELECT f.d1 AS "is_paid", f.m1 AS "per_customer" FROM l1 AS f
ORDER BY f.d1 ASC NULLS LAST
LIMIT 1000

-- mysql
WITH l1 AS (SELECT o.d1, AVG(o.m1 * 1e0) AS m1 FROM (SELECT r.d1, r.e1, SUM(r.v1) AS m1 FROM (SELECT `orders`.`status` = 'paid' AS d1, `customers`.`id` AS e1, `orders`.`amount` AS v1 FROM `orders` AS `orders` LEFT JOIN `customers` AS `customers` ON `orders`.`customer_id` = `customers`.`id`) AS r GROUP BY r.d1, r.e1) AS o GROUP BY o.d1)
SELECT f.d1 AS `is_paid`, f.m1 AS `per_customer` FROM l1 AS f
ORDER BY f.d1 IS NULL, f.d1 ASC
LIMIT 1000

-- postgres
WITH l1 AS (SELECT o.d1, CAST(AVG(o.m1) AS double precision) AS m1 FROM (SELECT r.d1, r.e1, SUM(r.v1) AS m1 FROM (SELECT "orders"."status" = 'paid' AS d1, "customers"."id" AS e1, "orders"."amount" AS v1 FROM "orders" AS "orders" LEFT JOIN "customers" AS "customers" ON "orders"."customer_id" = "customers"."id") AS r GROUP BY r.d1, r.e1) AS o GROUP BY o.d1)
SELECT f.d1 AS "is_paid", f.m1 AS "per_customer" FROM l1 AS f
ORDER BY f.d1 ASC NULLS LAST
LIMIT 1000

-- snowflake
WITH l1 AS (SELECT o.d1, AVG(o.m1::FLOAT) AS m1 FROM (SELECT r.d1, r.e1, SUM(r.v1) AS m1 FROM (SELECT "orders"."STATUS" = 'paid' AS d1, "customers"."ID" AS e1, "orders"."AMOUNT" AS v1 FROM "ORDERS" AS "orders" LEFT JOIN "CUSTOMERS" AS "customers" ON "orders"."CUSTOMER_ID" = "customers"."ID") AS r GROUP BY r.d1, r.e1) AS o GROUP BY o.d1)
SELECT f.d1 AS "is_paid", f.m1 AS "per_customer" FROM l1 AS f
ORDER BY f.d1 ASC NULLS LAST
LIMIT 1000

-- sqlite
WITH l1 AS (SELECT o.d1, AVG(o.m1) AS m1 FROM (SELECT r.d1, r.e1, SUM(r.v1) AS m1 FROM (SELECT "orders"."status" = 'paid' AS d1, "customers"."id" AS e1, "orders"."amount" AS v1 FROM "orders" AS "orders" LEFT JOIN "customers" AS "customers" ON "orders"."customer_id" = "customers"."id") AS r GROUP BY r.d1, r.e1) AS o GROUP BY o.d1)
SELECT f.d1 AS "is_paid", f.m1 AS "per_customer" FROM l1 AS f
ORDER BY f.d1 ASC NULLS LAST
LIMIT 1000

-- sqlserver
WITH l1 AS (SELECT o.d1, AVG(CAST(o.m1 AS float)) AS m1 FROM (SELECT r.d1, r.e1, SUM(r.v1) AS m1 FROM (SELECT CASE WHEN ([orders].[status] = N'paid') THEN 1 WHEN NOT ([orders].[status] = N'paid') THEN 0 END AS d1, [customers].[id] AS e1, [orders].[amount] AS v1 FROM [orders] AS [orders] LEFT JOIN [customers] AS [customers] ON [orders].[customer_id] = [customers].[id]) AS r GROUP BY r.d1, r.e1) AS o GROUP BY o.d1)
SELECT TOP (1000) f.d1 AS [is_paid], f.m1 AS [per_customer] FROM l1 AS f
ORDER BY CASE WHEN f.d1 IS NULL THEN 1 ELSE 0 END, f.d1 ASC

