-- bigquery
WITH l1 AS (SELECT r.d1, SUM(r.v1) AS m1 FROM (SELECT DISTINCT `orders`.`id` AS k1, `items`.`category` AS d1, `orders`.`amount` AS v1 FROM `orders` AS `orders` JOIN `items` AS `items` ON `items`.`order_id` = `orders`.`id` WHERE `orders`.`status` = 'paid' AND `items`.`qty` > 1) AS r GROUP BY r.d1),
l2 AS (SELECT r.d1, SUM(r.v2) AS m2 FROM (SELECT `items`.`category` AS d1, `items`.`qty` AS v2 FROM `items` AS `items` LEFT JOIN `orders` AS `orders` ON `items`.`order_id` = `orders`.`id` WHERE `orders`.`status` = 'paid' AND `items`.`qty` > 1) AS r GROUP BY r.d1),
u AS (SELECT d1, m1, CAST(NULL AS NUMERIC) AS m2 FROM l1
UNION ALL SELECT d1, (SELECT MAX(m1) FROM l1 WHERE 1 = 0), m2 FROM l2),
s AS (SELECT d1, MAX(m1) AS m1, MAX(m2) AS m2 FROM u GROUP BY d1)
SELECT f.d1 AS `category`, f.m1 AS `revenue`, f.m2 AS `units` FROM s AS f
ORDER BY f.d1 ASC NULLS LAST
LIMIT 1000

-- clickhouse
WITH l1 AS (SELECT r.d1, sumOrNull(r.v1) AS m1 FROM (SELECT DISTINCT `orders`.`id` AS k1, `items`.`category` AS d1, toNullable(`orders`.`amount`) AS v1 FROM `orders` AS `orders` JOIN (SELECT toNullable(`items`.`order_id`) AS `order_id`, toNullable(`items`.`category`) AS `category`, toNullable(`items`.`qty`) AS `qty` FROM `items` AS `items`) AS `items` ON `items`.`order_id` = `orders`.`id` WHERE `orders`.`status` = 'paid' AND `items`.`qty` > 1) AS r GROUP BY r.d1),
l2 AS (SELECT r.d1, sumOrNull(r.v2 * toDecimal256(1, 0)) AS m2 FROM (SELECT `items`.`category` AS d1, toNullable(`items`.`qty`) AS v2 FROM `items` AS `items` LEFT JOIN (SELECT toNullable(`orders`.`id`) AS `id`, toNullable(`orders`.`status`) AS `status` FROM `orders` AS `orders`) AS `orders` ON `items`.`order_id` = `orders`.`id` WHERE `orders`.`status` = 'paid' AND `items`.`qty` > 1) AS r GROUP BY r.d1),
u AS (SELECT d1, m1, (SELECT MAX(m2) FROM l2 WHERE 1 = 0) AS m2 FROM l1
UNION ALL SELECT d1, (SELECT MAX(m1) FROM l1 WHERE 1 = 0), m2 FROM l2),
s AS (SELECT d1, MAX(m1) AS m1, MAX(m2) AS m2 FROM u GROUP BY d1)
SELECT f.d1 AS `category`, f.m1 AS `revenue`, f.m2 AS `units` FROM s AS f
ORDER BY f.d1 ASC NULLS LAST
LIMIT 1000

-- duckdb
WITH l1 AS (SELECT r.d1, SUM(r.v1) AS m1 FROM (SELECT DISTINCT "orders"."id" AS k1, "items"."category" AS d1, "orders"."amount" AS v1 FROM "orders" AS "orders" JOIN "items" AS "items" ON "items"."order_id" = "orders"."id" WHERE "orders"."status" = 'paid' AND "items"."qty" > 1) AS r GROUP BY r.d1),
l2 AS (SELECT r.d1, SUM(r.v2) AS m2 FROM (SELECT "items"."category" AS d1, "items"."qty" AS v2 FROM "items" AS "items" LEFT JOIN "orders" AS "orders" ON "items"."order_id" = "orders"."id" WHERE "orders"."status" = 'paid' AND "items"."qty" > 1) AS r GROUP BY r.d1),
u AS (SELECT d1, m1, CAST(NULL AS DECIMAL(30,10)) AS m2 FROM l1
UNION ALL SELECT d1, (SELECT MAX(m1) FROM l1 WHERE 1 = 0), m2 FROM l2),
s AS (SELECT d1, MAX(m1) AS m1, MAX(m2) AS m2 FROM u GROUP BY d1)
SELECT f.d1 AS "category", f.m1 AS "revenue", f.m2 AS "units" FROM s AS f
ORDER BY f.d1 ASC NULLS LAST
LIMIT 1000

-- mysql
WITH l1 AS (SELECT r.d1, SUM(r.v1) AS m1 FROM (SELECT DISTINCT `orders`.`id` AS k1, `items`.`category` AS d1, `orders`.`amount` AS v1 FROM `orders` AS `orders` JOIN `items` AS `items` ON `items`.`order_id` = `orders`.`id` WHERE `orders`.`status` = 'paid' AND `items`.`qty` > 1) AS r GROUP BY r.d1),
l2 AS (SELECT r.d1, SUM(r.v2) AS m2 FROM (SELECT `items`.`category` AS d1, `items`.`qty` AS v2 FROM `items` AS `items` LEFT JOIN `orders` AS `orders` ON `items`.`order_id` = `orders`.`id` WHERE `orders`.`status` = 'paid' AND `items`.`qty` > 1) AS r GROUP BY r.d1),
u AS (SELECT d1, m1, CAST(NULL AS DECIMAL(65,30)) AS m2 FROM l1
UNION ALL SELECT d1, (SELECT MAX(m1) FROM l1 WHERE 1 = 0), m2 FROM l2),
s AS (SELECT d1, MAX(m1) AS m1, MAX(m2) AS m2 FROM u GROUP BY d1)
SELECT f.d1 AS `category`, f.m1 AS `revenue`, f.m2 AS `units` FROM s AS f
ORDER BY f.d1 IS NULL, f.d1 ASC
LIMIT 1000

-- postgres
WITH l1 AS (SELECT r.d1, SUM(r.v1) AS m1 FROM (SELECT DISTINCT "orders"."id" AS k1, "items"."category" AS d1, "orders"."amount" AS v1 FROM "orders" AS "orders" JOIN "items" AS "items" ON "items"."order_id" = "orders"."id" WHERE "orders"."status" = 'paid' AND "items"."qty" > 1) AS r GROUP BY r.d1),
l2 AS (SELECT r.d1, SUM(r.v2) AS m2 FROM (SELECT "items"."category" AS d1, "items"."qty" AS v2 FROM "items" AS "items" LEFT JOIN "orders" AS "orders" ON "items"."order_id" = "orders"."id" WHERE "orders"."status" = 'paid' AND "items"."qty" > 1) AS r GROUP BY r.d1),
u AS (SELECT d1, m1, CAST(NULL AS numeric) AS m2 FROM l1
UNION ALL SELECT d1, (SELECT MAX(m1) FROM l1 WHERE 1 = 0), m2 FROM l2),
s AS (SELECT d1, MAX(m1) AS m1, MAX(m2) AS m2 FROM u GROUP BY d1)
SELECT f.d1 AS "category", f.m1 AS "revenue", f.m2 AS "units" FROM s AS f
ORDER BY f.d1 ASC NULLS LAST
LIMIT 1000

-- snowflake
WITH l1 AS (SELECT r.d1, SUM(r.v1) AS m1 FROM (SELECT DISTINCT "orders"."ID" AS k1, "items"."CATEGORY" AS d1, "orders"."AMOUNT" AS v1 FROM "ORDERS" AS "orders" JOIN "ITEMS" AS "items" ON "items"."ORDER_ID" = "orders"."ID" WHERE "orders"."STATUS" = 'paid' AND "items"."QTY" > 1) AS r GROUP BY r.d1),
l2 AS (SELECT r.d1, SUM(r.v2) AS m2 FROM (SELECT "items"."CATEGORY" AS d1, "items"."QTY" AS v2 FROM "ITEMS" AS "items" LEFT JOIN "ORDERS" AS "orders" ON "items"."ORDER_ID" = "orders"."ID" WHERE "orders"."STATUS" = 'paid' AND "items"."QTY" > 1) AS r GROUP BY r.d1),
u AS (SELECT d1, m1, CAST(NULL AS NUMBER(38,10)) AS m2 FROM l1
UNION ALL SELECT d1, (SELECT MAX(m1) FROM l1 WHERE 1 = 0), m2 FROM l2),
s AS (SELECT d1, MAX(m1) AS m1, MAX(m2) AS m2 FROM u GROUP BY d1)
SELECT f.d1 AS "category", f.m1 AS "revenue", f.m2 AS "units" FROM s AS f
ORDER BY f.d1 ASC NULLS LAST
LIMIT 1000

-- sqlite
WITH l1 AS (SELECT r.d1, SUM(r.v1) AS m1 FROM (SELECT DISTINCT "orders"."id" AS k1, "items"."category" AS d1, "orders"."amount" AS v1 FROM "orders" AS "orders" JOIN "items" AS "items" ON "items"."order_id" = "orders"."id" WHERE "orders"."status" = 'paid' AND "items"."qty" > 1) AS r GROUP BY r.d1),
l2 AS (SELECT r.d1, SUM(r.v2) AS m2 FROM (SELECT "items"."category" AS d1, "items"."qty" AS v2 FROM "items" AS "items" LEFT JOIN "orders" AS "orders" ON "items"."order_id" = "orders"."id" WHERE "orders"."status" = 'paid' AND "items"."qty" > 1) AS r GROUP BY r.d1),
u AS (SELECT d1, m1, CAST(NULL AS NUMERIC) AS m2 FROM l1
UNION ALL SELECT d1, (SELECT MAX(m1) FROM l1 WHERE 1 = 0), m2 FROM l2),
s AS (SELECT d1, MAX(m1) AS m1, MAX(m2) AS m2 FROM u GROUP BY d1)
SELECT f.d1 AS "category", f.m1 AS "revenue", f.m2 AS "units" FROM s AS f
ORDER BY f.d1 ASC NULLS LAST
LIMIT 1000

-- sqlserver
WITH l1 AS (SELECT r.d1, SUM(r.v1) AS m1 FROM (SELECT DISTINCT [orders].[id] AS k1, [items].[category] AS d1, [orders].[amount] AS v1 FROM [orders] AS [orders] JOIN [items] AS [items] ON [items].[order_id] = [orders].[id] WHERE [orders].[status] = N'paid' AND [items].[qty] > 1) AS r GROUP BY r.d1),
l2 AS (SELECT r.d1, SUM(r.v2) AS m2 FROM (SELECT [items].[category] AS d1, [items].[qty] AS v2 FROM [items] AS [items] LEFT JOIN [orders] AS [orders] ON [items].[order_id] = [orders].[id] WHERE [orders].[status] = N'paid' AND [items].[qty] > 1) AS r GROUP BY r.d1),
u AS (SELECT d1, m1, CAST(NULL AS decimal(38,10)) AS m2 FROM l1
UNION ALL SELECT d1, (SELECT MAX(m1) FROM l1 WHERE 1 = 0), m2 FROM l2),
s AS (SELECT d1, MAX(m1) AS m1, MAX(m2) AS m2 FROM u GROUP BY d1)
SELECT TOP (1000) f.d1 AS [category], f.m1 AS [revenue], f.m2 AS [units] FROM s AS f
ORDER BY CASE WHEN f.d1 IS NULL THEN 1 ELSE 0 END, f.d1 ASC

