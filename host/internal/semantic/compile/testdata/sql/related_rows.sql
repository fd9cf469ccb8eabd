-- bigquery
SELECT COUNT(1) AS `order_count`
FROM `orders`
WHERE (EXISTS (SELECT 1 FROM `items` WHERE `items`.`order_id` = `orders`.`id` AND `items`.`qty` = 1 AND `items`.`category` = 'food'))
LIMIT 1000

-- clickhouse
SELECT toInt64(count(toNullable(1))) AS `order_count`
FROM `orders`
WHERE (EXISTS (SELECT 1 FROM (SELECT toNullable(`items`.`order_id`) AS `order_id`, toNullable(`items`.`qty`) AS `qty`, toNullable(`items`.`category`) AS `category` FROM `items`) AS `items` WHERE `items`.`order_id` = `orders`.`id` AND `items`.`qty` = 1 AND `items`.`category` = 'food'))
LIMIT 1000

-- duckdb
SELECT COUNT(1) AS "order_count"
FROM "orders"
WHERE (EXISTS (SELECT 1 FROM "items" WHERE "items"."order_id" = "orders"."id" AND "items"."qty" = 1 AND "items"."category" = 'food'))
LIMIT 1000

-- mysql
SELECT COUNT(1) AS `order_count`
FROM `orders`
WHERE (EXISTS (SELECT 1 FROM `items` WHERE `items`.`order_id` = `orders`.`id` AND `items`.`qty` = 1 AND `items`.`category` = 'food'))
LIMIT 1000

-- postgres
SELECT COUNT(1) AS "order_count"
FROM "orders"
WHERE (EXISTS (SELECT 1 FROM "items" WHERE "items"."order_id" = "orders"."id" AND "items"."qty" = 1 AND "items"."category" = 'food'))
LIMIT 1000

-- snowflake
SELECT COUNT(1) AS "order_count"
FROM "ORDERS" AS "orders"
WHERE (EXISTS (SELECT 1 FROM "ITEMS" AS "items" WHERE "items"."ORDER_ID" = "orders"."ID" AND "items"."QTY" = 1 AND "items"."CATEGORY" = 'food'))
LIMIT 1000

-- sqlite
SELECT COUNT(1) AS "order_count"
FROM "orders"
WHERE (EXISTS (SELECT 1 FROM "items" WHERE "items"."order_id" = "orders"."id" AND "items"."qty" = 1 AND "items"."category" = 'food'))
LIMIT 1000

-- sqlserver
SELECT TOP (1000) COUNT_BIG(1) AS [order_count]
FROM [orders]
WHERE (EXISTS (SELECT 1 FROM [items] WHERE [items].[order_id] = [orders].[id] AND [items].[qty] = 1 AND [items].[category] = N'food'))

