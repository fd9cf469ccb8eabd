-- bigquery
SELECT COUNT(1) AS `order_count`
FROM `orders`
WHERE NOT (EXISTS (SELECT 1 FROM `items` WHERE `items`.`order_id` = `orders`.`id` AND `items`.`qty` = 1)) AND NOT (EXISTS (SELECT 1 FROM `items` AS `items_2` WHERE `items_2`.`order_id` = `orders`.`id` AND CASE WHEN `items_2`.`category` = 'food' THEN 0 ELSE 1 END = 1))
LIMIT 1000

-- clickhouse
SELECT toInt64(count(toNullable(1))) AS `order_count`
FROM `orders`
WHERE NOT (EXISTS (SELECT 1 FROM (SELECT toNullable(`items`.`order_id`) AS `order_id`, toNullable(`items`.`qty`) AS `qty` FROM `items`) AS `items` WHERE `items`.`order_id` = `orders`.`id` AND `items`.`qty` = 1)) AND NOT (EXISTS (SELECT 1 FROM (SELECT toNullable(`items`.`order_id`) AS `order_id`, toNullable(`items`.`category`) AS `category` FROM `items`) AS `items_2` WHERE `items_2`.`order_id` = `orders`.`id` AND CASE WHEN `items_2`.`category` = 'food' THEN 0 ELSE 1 END = 1))
LIMIT 1000

-- duckdb
SELECT COUNT(1) AS "order_count"
FROM "orders"
WHERE NOT (EXISTS (SELECT 1 FROM "items" WHERE "items"."order_id" = "orders"."id" AND "items"."qty" = 1)) AND NOT (EXISTS (SELECT 1 FROM "items" AS "items_2" WHERE "items_2"."order_id" = "orders"."id" AND CASE WHEN "items_2"."category" = 'food' THEN 0 ELSE 1 END = 1))
LIMIT 1000

-- mysql
SELECT COUNT(1) AS `order_count`
FROM `orders`
WHERE NOT (EXISTS (SELECT 1 FROM `items` WHERE `items`.`order_id` = `orders`.`id` AND `items`.`qty` = 1)) AND NOT (EXISTS (SELECT 1 FROM `items` AS `items_2` WHERE `items_2`.`order_id` = `orders`.`id` AND CASE WHEN `items_2`.`category` = 'food' THEN 0 ELSE 1 END = 1))
LIMIT 1000

-- postgres
SELECT COUNT(1) AS "order_count"
FROM "orders"
WHERE NOT (EXISTS (SELECT 1 FROM "items" WHERE "items"."order_id" = "orders"."id" AND "items"."qty" = 1)) AND NOT (EXISTS (SELECT 1 FROM "items" AS "items_2" WHERE "items_2"."order_id" = "orders"."id" AND CASE WHEN "items_2"."category" = 'food' THEN 0 ELSE 1 END = 1))
LIMIT 1000

-- snowflake
SELECT COUNT(1) AS "order_count"
FROM "ORDERS" AS "orders"
WHERE NOT (EXISTS (SELECT 1 FROM "ITEMS" AS "items" WHERE "items"."ORDER_ID" = "orders"."ID" AND "items"."QTY" = 1)) AND NOT (EXISTS (SELECT 1 FROM "ITEMS" AS "items_2" WHERE "items_2"."ORDER_ID" = "orders"."ID" AND CASE WHEN "items_2"."CATEGORY" = 'food' THEN 0 ELSE 1 END = 1))
LIMIT 1000

-- sqlite
SELECT COUNT(1) AS "order_count"
FROM "orders"
WHERE NOT (EXISTS (SELECT 1 FROM "items" WHERE "items"."order_id" = "orders"."id" AND "items"."qty" = 1)) AND NOT (EXISTS (SELECT 1 FROM "items" AS "items_2" WHERE "items_2"."order_id" = "orders"."id" AND CASE WHEN "items_2"."category" = 'food' THEN 0 ELSE 1 END = 1))
LIMIT 1000

-- sqlserver
SELECT TOP (1000) COUNT_BIG(1) AS [order_count]
FROM [orders]
WHERE NOT (EXISTS (SELECT 1 FROM [items] WHERE [items].[order_id] = [orders].[id] AND [items].[qty] = 1)) AND NOT (EXISTS (SELECT 1 FROM [items] AS [items_2] WHERE [items_2].[order_id] = [orders].[id] AND CASE WHEN [items_2].[category] = N'food' THEN 0 ELSE 1 END = 1))

