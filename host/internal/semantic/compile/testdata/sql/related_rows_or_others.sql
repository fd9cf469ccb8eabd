-- bigquery
SELECT COUNT(1) AS `order_count`
FROM `orders`
WHERE (EXISTS (SELECT 1 FROM `items` WHERE `items`.`order_id` = `orders`.`id` AND (`orders`.`status` = 'paid' OR `items`.`qty` = 1)))
LIMIT 1000

-- clickhouse
-- unsupported_on_dialect: a condition that mixes fields of related rows with others, other than comparing two, is not possible on clickhouse
-- write its parts as filters of their own

-- duckdb
SELECT COUNT(1) AS "order_count"
FROM "orders"
WHERE (EXISTS (SELECT 1 FROM "items" WHERE "items"."order_id" = "orders"."id" AND ("orders"."status" = 'paid' OR "items"."qty" = 1)))
LIMIT 1000

-- mysql
SELECT COUNT(1) AS `order_count`
FROM `orders`
WHERE (EXISTS (SELECT 1 FROM `items` WHERE `items`.`order_id` = `orders`.`id` AND (`orders`.`status` = 'paid' OR `items`.`qty` = 1)))
LIMIT 1000

-- postgres
SELECT COUNT(1) AS "order_count"
FROM "orders"
WHERE (EXISTS (SELECT 1 FROM "items" WHERE "items"."order_id" = "orders"."id" AND ("orders"."status" = 'paid' OR "items"."qty" = 1)))
LIMIT 1000

-- snowflake
SELECT COUNT(1) AS "order_count"
FROM "ORDERS" AS "orders"
WHERE (EXISTS (SELECT 1 FROM "ITEMS" AS "items" WHERE "items"."ORDER_ID" = "orders"."ID" AND ("orders"."STATUS" = 'paid' OR "items"."QTY" = 1)))
LIMIT 1000

-- sqlite
SELECT COUNT(1) AS "order_count"
FROM "orders"
WHERE (EXISTS (SELECT 1 FROM "items" WHERE "items"."order_id" = "orders"."id" AND ("orders"."status" = 'paid' OR "items"."qty" = 1)))
LIMIT 1000

-- sqlserver
SELECT TOP (1000) COUNT(1) AS [order_count]
FROM [orders]
WHERE (EXISTS (SELECT 1 FROM [items] WHERE [items].[order_id] = [orders].[id] AND ([orders].[status] = N'paid' OR [items].[qty] = 1)))

