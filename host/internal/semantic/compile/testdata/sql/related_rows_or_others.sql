-- bigquery
SELECT COUNT(1) AS `order_count`
FROM `orders`
WHERE `orders`.`status` = 'paid' OR (EXISTS (SELECT 1 FROM `items` WHERE `items`.`order_id` = `orders`.`id` AND `items`.`qty` = 1))
LIMIT 1000

-- clickhouse
SELECT toInt64(count(toNullable(1))) AS `order_count`
FROM `orders`
WHERE `orders`.`status` = 'paid' OR (EXISTS (SELECT 1 FROM (SELECT toNullable(`items`.`order_id`) AS `order_id`, toNullable(`items`.`qty`) AS `qty` FROM `items`) AS `items` WHERE `items`.`order_id` = `orders`.`id` AND `items`.`qty` = 1))
LIMIT 1000

-- duckdb
SELECT COUNT(1) AS "order_count"
FROM "orders"
WHERE "orders"."status" = 'paid' OR (EXISTS (SELECT 1 FROM "items" WHERE "items"."order_id" = "orders"."id" AND "items"."qty" = 1))
LIMIT 1000

-- mysql
SELECT COUNT(1) AS `order_count`
FROM `orders`
WHERE `orders`.`status` = 'paid' OR (EXISTS (SELECT 1 FROM `items` WHERE `items`.`order_id` = `orders`.`id` AND `items`.`qty` = 1))
LIMIT 1000

-- postgres
SELECT COUNT(1) AS "order_count"
FROM "orders"
WHERE "orders"."status" = 'paid' OR (EXISTS (SELECT 1 FROM "items" WHERE "items"."order_id" = "orders"."id" AND "items"."qty" = 1))
LIMIT 1000

-- snowflake
SELECT COUNT(1) AS "order_count"
FROM "ORDERS" AS "orders"
WHERE "orders"."STATUS" = 'paid' OR (EXISTS (SELECT 1 FROM "ITEMS" AS "items" WHERE "items"."ORDER_ID" = "orders"."ID" AND "items"."QTY" = 1))
LIMIT 1000

-- sqlite
SELECT COUNT(1) AS "order_count"
FROM "orders"
WHERE "orders"."status" = 'paid' OR (EXISTS (SELECT 1 FROM "items" WHERE "items"."order_id" = "orders"."id" AND "items"."qty" = 1))
LIMIT 1000

-- sqlserver
SELECT TOP (1000) COUNT_BIG(1) AS [order_count]
FROM [orders]
WHERE [orders].[status] = N'paid' OR (EXISTS (SELECT 1 FROM [items] WHERE [items].[order_id] = [orders].[id] AND [items].[qty] = 1))

