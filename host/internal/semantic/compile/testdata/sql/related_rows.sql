-- bigquery
WITH l1 AS (SELECT COUNT(r.v1) AS m1 FROM (SELECT 1 AS v1 FROM `orders` AS `orders` WHERE (EXISTS (SELECT 1 FROM `items` AS `items` WHERE `items`.`order_id` = `orders`.`id` AND `items`.`qty` = 1 AND `items`.`category` = 'food'))) AS r)
SELECT f.m1 AS `order_count` FROM l1 AS f
LIMIT 1000

-- clickhouse
WITH l1 AS (SELECT toInt64(count(r.v1)) AS m1 FROM (SELECT toNullable(1) AS v1 FROM `orders` AS `orders` WHERE (EXISTS (SELECT 1 FROM (SELECT toNullable(`items`.`order_id`) AS `order_id`, toNullable(`items`.`qty`) AS `qty`, toNullable(`items`.`category`) AS `category` FROM `items` AS `items`) AS `items` WHERE `items`.`order_id` = `orders`.`id` AND `items`.`qty` = 1 AND `items`.`category` = 'food'))) AS r)
SELECT f.m1 AS `order_count` FROM l1 AS f
LIMIT 1000

-- duckdb
WITH l1 AS (SELECT COUNT(r.v1) AS m1 FROM (SELECT 1 AS v1 FROM "orders" AS "orders" WHERE (EXISTS (SELECT 1 FROM "items" AS "items" WHERE "items"."order_id" = "orders"."id" AND "items"."qty" = 1 AND "items"."category" = 'food'))) AS r)
SELECT f.m1 AS "order_count" FROM l1 AS f
LIMIT 1000

-- mysql
WITH l1 AS (SELECT COUNT(r.v1) AS m1 FROM (SELECT 1 AS v1 FROM `orders` AS `orders` WHERE (EXISTS (SELECT 1 FROM `items` AS `items` WHERE `items`.`order_id` = `orders`.`id` AND `items`.`qty` = 1 AND `items`.`category` = 'food'))) AS r)
SELECT f.m1 AS `order_count` FROM l1 AS f
LIMIT 1000

-- postgres
WITH l1 AS (SELECT COUNT(r.v1) AS m1 FROM (SELECT 1 AS v1 FROM "orders" AS "orders" WHERE (EXISTS (SELECT 1 FROM "items" AS "items" WHERE "items"."order_id" = "orders"."id" AND "items"."qty" = 1 AND "items"."category" = 'food'))) AS r)
SELECT f.m1 AS "order_count" FROM l1 AS f
LIMIT 1000

-- snowflake
WITH l1 AS (SELECT COUNT(r.v1) AS m1 FROM (SELECT 1 AS v1 FROM "ORDERS" AS "orders" WHERE (EXISTS (SELECT 1 FROM "ITEMS" AS "items" WHERE "items"."ORDER_ID" = "orders"."ID" AND "items"."QTY" = 1 AND "items"."CATEGORY" = 'food'))) AS r)
SELECT f.m1 AS "order_count" FROM l1 AS f
LIMIT 1000

-- sqlite
WITH l1 AS (SELECT COUNT(r.v1) AS m1 FROM (SELECT 1 AS v1 FROM "orders" AS "orders" WHERE (EXISTS (SELECT 1 FROM "items" AS "items" WHERE "items"."order_id" = "orders"."id" AND "items"."qty" = 1 AND "items"."category" = 'food'))) AS r)
SELECT f.m1 AS "order_count" FROM l1 AS f
LIMIT 1000

-- sqlserver
WITH l1 AS (SELECT COUNT(r.v1) AS m1 FROM (SELECT 1 AS v1 FROM [orders] AS [orders] WHERE (EXISTS (SELECT 1 FROM [items] AS [items] WHERE [items].[order_id] = [orders].[id] AND [items].[qty] = 1 AND [items].[category] = N'food'))) AS r)
SELECT TOP (1000) f.m1 AS [order_count] FROM l1 AS f

