-- bigquery
WITH l1 AS (SELECT COUNT(r.v1) AS m1 FROM (SELECT 1 AS v1 FROM `orders` AS `orders` WHERE (EXISTS (SELECT 1 FROM `items` AS `items` WHERE `items`.`order_id` = `orders`.`id` AND (`orders`.`status` = 'paid' OR `items`.`qty` = 1)))) AS r)
SELECT f.m1 AS `order_count` FROM l1 AS f
LIMIT 1000

-- clickhouse
-- unsupported_on_dialect: a condition that mixes fields of related rows with others, other than comparing two, is not possible on clickhouse
-- write its parts as filters of their own

-- duckdb
WITH l1 AS (SELECT COUNT(r.v1) AS m1 FROM (SELECT 1 AS v1 FROM "orders" AS "orders" WHERE (EXISTS (SELECT 1 FROM "items" AS "items" WHERE "items"."order_id" = "orders"."id" AND ("orders"."status" = 'paid' OR "items"."qty" = 1)))) AS r)
SELECT f.m1 AS "order_count" FROM l1 AS f
LIMIT 1000

-- mysql
WITH l1 AS (SELECT COUNT(r.v1) AS m1 FROM (SELECT 1 AS v1 FROM `orders` AS `orders` WHERE (EXISTS (SELECT 1 FROM `items` AS `items` WHERE `items`.`order_id` = `orders`.`id` AND (`orders`.`status` = 'paid' OR `items`.`qty` = 1)))) AS r)
SELECT f.m1 AS `order_count` FROM l1 AS f
LIMIT 1000

-- postgres
WITH l1 AS (SELECT COUNT(r.v1) AS m1 FROM (SELECT 1 AS v1 FROM "orders" AS "orders" WHERE (EXISTS (SELECT 1 FROM "items" AS "items" WHERE "items"."order_id" = "orders"."id" AND ("orders"."status" = 'paid' OR "items"."qty" = 1)))) AS r)
SELECT f.m1 AS "order_count" FROM l1 AS f
LIMIT 1000

-- snowflake
WITH l1 AS (SELECT COUNT(r.v1) AS m1 FROM (SELECT 1 AS v1 FROM "ORDERS" AS "orders" WHERE (EXISTS (SELECT 1 FROM "ITEMS" AS "items" WHERE "items"."ORDER_ID" = "orders"."ID" AND ("orders"."STATUS" = 'paid' OR "items"."QTY" = 1)))) AS r)
SELECT f.m1 AS "order_count" FROM l1 AS f
LIMIT 1000

-- sqlite
WITH l1 AS (SELECT COUNT(r.v1) AS m1 FROM (SELECT 1 AS v1 FROM "orders" AS "orders" WHERE (EXISTS (SELECT 1 FROM "items" AS "items" WHERE "items"."order_id" = "orders"."id" AND ("orders"."status" = 'paid' OR "items"."qty" = 1)))) AS r)
SELECT f.m1 AS "order_count" FROM l1 AS f
LIMIT 1000

-- sqlserver
WITH l1 AS (SELECT COUNT(r.v1) AS m1 FROM (SELECT 1 AS v1 FROM [orders] AS [orders] WHERE (EXISTS (SELECT 1 FROM [items] AS [items] WHERE [items].[order_id] = [orders].[id] AND ([orders].[status] = N'paid' OR [items].[qty] = 1)))) AS r)
SELECT TOP (1000) f.m1 AS [order_count] FROM l1 AS f

