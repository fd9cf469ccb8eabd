-- bigquery
WITH `order_count_by_id` AS (
  SELECT `orders`.`customer_id` AS `id`, COUNT(1) AS `order_count`
  FROM `orders`
  WHERE `orders`.`status` = 'paid'
  GROUP BY `orders`.`customer_id`
)
SELECT SUM(`orders`.`amount`) AS `revenue`
FROM `orders` LEFT JOIN `customers` ON `orders`.`customer_id` = `customers`.`id` LEFT JOIN `order_count_by_id` ON `order_count_by_id`.`id` = `customers`.`id`
WHERE `orders`.`status` = 'open' OR CASE WHEN `customers`.`id` IS NOT NULL THEN COALESCE(`order_count_by_id`.`order_count`, 0) END NOT IN (1, 2)
LIMIT 1000

-- clickhouse
WITH `order_count_by_id` AS (
  SELECT `orders`.`customer_id` AS `id`, toInt64(count(toNullable(1))) AS `order_count`
  FROM `orders`
  WHERE `orders`.`status` = 'paid'
  GROUP BY `orders`.`customer_id`
)
SELECT sumOrNull(toNullable(`orders`.`amount`)) AS `revenue`
FROM `orders` LEFT JOIN (SELECT toNullable(`customers`.`id`) AS `id` FROM `customers`) AS `customers` ON `orders`.`customer_id` = `customers`.`id` LEFT JOIN `order_count_by_id` ON `order_count_by_id`.`id` = `customers`.`id`
WHERE `orders`.`status` = 'open' OR CASE WHEN `customers`.`id` IS NOT NULL THEN coalesce(`order_count_by_id`.`order_count`, 0) END NOT IN (1, 2)
LIMIT 1000

-- duckdb
WITH "order_count_by_id" AS (
  SELECT "orders"."customer_id" AS "id", COUNT(1) AS "order_count"
  FROM "orders"
  WHERE "orders"."status" = 'paid'
  GROUP BY "orders"."customer_id"
)
SELECT SUM("orders"."amount") AS "revenue"
FROM "orders" LEFT JOIN "customers" ON "orders"."customer_id" = "customers"."id" LEFT JOIN "order_count_by_id" ON "order_count_by_id"."id" = "customers"."id"
WHERE "orders"."status" = 'open' OR CASE WHEN "customers"."id" IS NOT NULL THEN coalesce("order_count_by_id"."order_count", 0) END NOT IN (1, 2)
LIMIT 1000

-- mysql
WITH `order_count_by_id` AS (
  SELECT `orders_2`.`id` AS `id`, COUNT(`orders_2`.`order_count`) AS `order_count`
  FROM (SELECT `orders`.`customer_id` AS `id`, 1 AS `order_count` FROM `orders` WHERE `orders`.`status` = 'paid') AS `orders_2`
  GROUP BY `orders_2`.`id`
)
SELECT SUM(`orders`.`amount`) AS `revenue`
FROM `orders` LEFT JOIN `customers` ON `orders`.`customer_id` = `customers`.`id` LEFT JOIN `order_count_by_id` ON `order_count_by_id`.`id` = `customers`.`id`
WHERE `orders`.`status` = 'open' OR CASE WHEN `customers`.`id` IS NOT NULL THEN COALESCE(`order_count_by_id`.`order_count`, 0) END NOT IN (1, 2)
LIMIT 1000

-- postgres
WITH "order_count_by_id" AS (
  SELECT "orders"."customer_id" AS "id", COUNT(1) AS "order_count"
  FROM "orders"
  WHERE "orders"."status" = 'paid'
  GROUP BY "orders"."customer_id"
)
SELECT SUM("orders"."amount") AS "revenue"
FROM "orders" LEFT JOIN "customers" ON "orders"."customer_id" = "customers"."id" LEFT JOIN "order_count_by_id" ON "order_count_by_id"."id" = "customers"."id"
WHERE "orders"."status" = 'open' OR CASE WHEN "customers"."id" IS NOT NULL THEN coalesce("order_count_by_id"."order_count", 0) END NOT IN (1, 2)
LIMIT 1000

-- snowflake
WITH "order_count_by_id" AS (
  SELECT "orders"."CUSTOMER_ID" AS "id", COUNT(1) AS "order_count"
  FROM "ORDERS" AS "orders"
  WHERE "orders"."STATUS" = 'paid'
  GROUP BY "orders"."CUSTOMER_ID"
)
SELECT SUM("orders"."AMOUNT") AS "revenue"
FROM "ORDERS" AS "orders" LEFT JOIN "CUSTOMERS" AS "customers" ON "orders"."CUSTOMER_ID" = "customers"."ID" LEFT JOIN "order_count_by_id" ON "order_count_by_id"."id" = "customers"."ID"
WHERE "orders"."STATUS" = 'open' OR CASE WHEN "customers"."ID" IS NOT NULL THEN COALESCE("order_count_by_id"."order_count", 0) END NOT IN (1, 2)
LIMIT 1000

-- sqlite
WITH "order_count_by_id" AS (
  SELECT "orders"."customer_id" AS "id", COUNT(1) AS "order_count"
  FROM "orders"
  WHERE "orders"."status" = 'paid'
  GROUP BY "orders"."customer_id"
)
SELECT SUM("orders"."amount") AS "revenue"
FROM "orders" LEFT JOIN "customers" ON "orders"."customer_id" = "customers"."id" LEFT JOIN "order_count_by_id" ON "order_count_by_id"."id" = "customers"."id"
WHERE "orders"."status" = 'open' OR CASE WHEN "customers"."id" IS NOT NULL THEN coalesce("order_count_by_id"."order_count", 0) END NOT IN (1, 2)
LIMIT 1000

-- sqlserver
WITH [order_count_by_id] AS (
  SELECT [orders_2].[id] AS [id], COUNT_BIG([orders_2].[order_count]) AS [order_count]
  FROM (SELECT [orders].[customer_id] AS [id], 1 AS [order_count] FROM [orders] WHERE [orders].[status] = N'paid') AS [orders_2]
  GROUP BY [orders_2].[id]
)
SELECT TOP (1000) SUM([orders].[amount]) AS [revenue]
FROM [orders] LEFT JOIN [customers] ON [orders].[customer_id] = [customers].[id] LEFT JOIN [order_count_by_id] ON [order_count_by_id].[id] = [customers].[id]
WHERE [orders].[status] = N'open' OR CASE WHEN [customers].[id] IS NOT NULL THEN COALESCE([order_count_by_id].[order_count], 0) END NOT IN (1, 2)

