-- bigquery
SELECT COUNT(`orders_2`.`with_items`) AS `with_items`
FROM (SELECT CASE WHEN (EXISTS (SELECT 1 FROM `items` WHERE `items`.`order_id` = `orders`.`id` AND `items`.`qty` > 1)) THEN 1 END AS `with_items` FROM `orders`) AS `orders_2`
LIMIT 1000

-- clickhouse
SELECT toInt64(count(`orders_2`.`with_items`)) AS `with_items`
FROM (SELECT toNullable(CASE WHEN (EXISTS (SELECT 1 FROM (SELECT toNullable(`items`.`order_id`) AS `order_id`, toNullable(`items`.`qty`) AS `qty` FROM `items`) AS `items` WHERE `items`.`order_id` = `orders`.`id` AND `items`.`qty` > 1)) THEN 1 END) AS `with_items` FROM `orders`) AS `orders_2`
LIMIT 1000

-- duckdb
SELECT COUNT("orders_2"."with_items") AS "with_items"
FROM (SELECT CASE WHEN (EXISTS (SELECT 1 FROM "items" WHERE "items"."order_id" = "orders"."id" AND "items"."qty" > 1)) THEN 1 END AS "with_items" FROM "orders") AS "orders_2"
LIMIT 1000

-- mysql
SELECT COUNT(`orders_2`.`with_items`) AS `with_items`
FROM (SELECT CASE WHEN (EXISTS (SELECT 1 FROM `items` WHERE `items`.`order_id` = `orders`.`id` AND `items`.`qty` > 1)) THEN 1 END AS `with_items` FROM `orders`) AS `orders_2`
LIMIT 1000

-- postgres
SELECT COUNT("orders_2"."with_items") AS "with_items"
FROM (SELECT CASE WHEN (EXISTS (SELECT 1 FROM "items" WHERE "items"."order_id" = "orders"."id" AND "items"."qty" > 1)) THEN 1 END AS "with_items" FROM "orders") AS "orders_2"
LIMIT 1000

-- snowflake
SELECT COUNT("orders_2"."with_items") AS "with_items"
FROM (SELECT CASE WHEN (EXISTS (SELECT 1 FROM "ITEMS" AS "items" WHERE "items"."ORDER_ID" = "orders"."ID" AND "items"."QTY" > 1)) THEN 1 END AS "with_items" FROM "ORDERS" AS "orders") AS "orders_2"
LIMIT 1000

-- sqlite
SELECT COUNT("orders_2"."with_items") AS "with_items"
FROM (SELECT CASE WHEN (EXISTS (SELECT 1 FROM "items" WHERE "items"."order_id" = "orders"."id" AND "items"."qty" > 1)) THEN 1 END AS "with_items" FROM "orders") AS "orders_2"
LIMIT 1000

-- sqlserver
SELECT TOP (1000) COUNT_BIG([orders_2].[with_items]) AS [with_items]
FROM (SELECT CASE WHEN (EXISTS (SELECT 1 FROM [items] WHERE [items].[order_id] = [orders].[id] AND [items].[qty] > 1)) THEN 1 END AS [with_items] FROM [orders]) AS [orders_2]

