-- bigquery
WITH `order_count_by_id` AS (
  SELECT `orders`.`customer_id` AS `id_2`, COUNT(1) AS `order_count`
  FROM `orders` JOIN `customers` ON `orders`.`customer_id` = `customers`.`id`
  WHERE `customers`.`segment` = 'retail'
  GROUP BY `orders`.`customer_id`
)
SELECT SUM(`orders`.`amount`) AS `revenue`
FROM `orders` JOIN `customers` ON `orders`.`customer_id` = `customers`.`id` LEFT JOIN `order_count_by_id` ON `order_count_by_id`.`id_2` = `customers`.`id`
WHERE `customers`.`segment` = 'retail' AND CASE WHEN `customers`.`id` IS NOT NULL THEN COALESCE(`order_count_by_id`.`order_count`, 0) END > 2
LIMIT 1000

-- clickhouse
WITH `order_count_by_id` AS (
  SELECT `orders`.`customer_id` AS `id_2`, toInt64(count(toNullable(1))) AS `order_count`
  FROM `orders` JOIN (SELECT toNullable(`customers`.`id`) AS `id`, toNullable(`customers`.`segment`) AS `segment` FROM `customers`) AS `customers` ON `orders`.`customer_id` = `customers`.`id`
  WHERE `customers`.`segment` = 'retail'
  GROUP BY `orders`.`customer_id`
)
SELECT sumOrNull(toNullable(`orders`.`amount`)) AS `revenue`
FROM `orders` JOIN (SELECT toNullable(`customers`.`id`) AS `id`, toNullable(`customers`.`segment`) AS `segment` FROM `customers`) AS `customers` ON `orders`.`customer_id` = `customers`.`id` LEFT JOIN `order_count_by_id` ON `order_count_by_id`.`id_2` = `customers`.`id`
WHERE `customers`.`segment` = 'retail' AND CASE WHEN `customers`.`id` IS NOT NULL THEN coalesce(`order_count_by_id`.`order_count`, 0) END > 2
LIMIT 1000

-- duckdb
WITH "order_count_by_id" AS (
  SELECT "orders"."customer_id" AS "id_2", COUNT(1) AS "order_count"
  FROM "orders" JOIN "customers" ON "orders"."customer_id" = "customers"."id"
  WHERE "customers"."segment" = 'retail'
  GROUP BY "orders"."customer_id"
)
SELECT SUM("orders"."amount") AS "revenue"
FROM "orders" JOIN "customers" ON "orders"."customer_id" = "customers"."id" LEFT JOIN "order_count_by_id" ON "order_count_by_id"."id_2" = "customers"."id"
WHERE "customers"."segment" = 'retail' AND CASE WHEN "customers"."id" IS NOT NULL THEN coalesce("order_count_by_id"."order_count", 0) END > 2
LIMIT 1000

-- mysql
WITH `order_count_by_id` AS (
  SELECT `orders_2`.`id_2` AS `id`, COUNT(`orders_2`.`order_count`) AS `order_count`
  FROM (SELECT `orders`.`customer_id` AS `id_2`, 1 AS `order_count` FROM `orders` JOIN `customers` ON `orders`.`customer_id` = `customers`.`id` WHERE `customers`.`segment` = 'retail') AS `orders_2`
  GROUP BY `orders_2`.`id_2`
)
SELECT SUM(`orders`.`amount`) AS `revenue`
FROM `orders` JOIN `customers` ON `orders`.`customer_id` = `customers`.`id` LEFT JOIN `order_count_by_id` ON `order_count_by_id`.`id` = `customers`.`id`
WHERE `customers`.`segment` = 'retail' AND CASE WHEN `customers`.`id` IS NOT NULL THEN COALESCE(`order_count_by_id`.`order_count`, 0) END > 2
LIMIT 1000

-- postgres
WITH "order_count_by_id" AS (
  SELECT "orders"."customer_id" AS "id_2", COUNT(1) AS "order_count"
  FROM "orders" JOIN "customers" ON "orders"."customer_id" = "customers"."id"
  WHERE "customers"."segment" = 'retail'
  GROUP BY "orders"."customer_id"
)
SELECT SUM("orders"."amount") AS "revenue"
FROM "orders" JOIN "customers" ON "orders"."customer_id" = "customers"."id" LEFT JOIN "order_count_by_id" ON "order_count_by_id"."id_2" = "customers"."id"
WHERE "customers"."segment" = 'retail' AND CASE WHEN "customers"."id" IS NOT NULL THEN coalesce("order_count_by_id"."order_count", 0) END > 2
LIMIT 1000

-- snowflake
WITH "order_count_by_id" AS (
  SELECT "orders"."CUSTOMER_ID" AS "id_2", COUNT(1) AS "order_count"
  FROM "ORDERS" AS "orders" JOIN "CUSTOMERS" AS "customers" ON "orders"."CUSTOMER_ID" = "customers"."ID"
  WHERE "customers"."SEGMENT" = 'retail'
  GROUP BY "orders"."CUSTOMER_ID"
)
SELECT SUM("orders"."AMOUNT") AS "revenue"
FROM "ORDERS" AS "orders" JOIN "CUSTOMERS" AS "customers" ON "orders"."CUSTOMER_ID" = "customers"."ID" LEFT JOIN "order_count_by_id" ON "order_count_by_id"."id_2" = "customers"."ID"
WHERE "customers"."SEGMENT" = 'retail' AND CASE WHEN "customers"."ID" IS NOT NULL THEN COALESCE("order_count_by_id"."order_count", 0) END > 2
LIMIT 1000

-- sqlite
WITH "order_count_by_id" AS (
  SELECT "orders"."customer_id" AS "id_2", COUNT(1) AS "order_count"
  FROM "orders" JOIN "customers" ON "orders"."customer_id" = "customers"."id"
  WHERE "customers"."segment" = 'retail'
  GROUP BY "orders"."customer_id"
)
SELECT SUM("orders"."amount") AS "revenue"
FROM "orders" JOIN "customers" ON "orders"."customer_id" = "customers"."id" LEFT JOIN "order_count_by_id" ON "order_count_by_id"."id_2" = "customers"."id"
WHERE "customers"."segment" = 'retail' AND CASE WHEN "customers"."id" IS NOT NULL THEN coalesce("order_count_by_id"."order_count", 0) END > 2
LIMIT 1000

-- sqlserver
WITH [order_count_by_id] AS (
  SELECT [orders_2].[id_2] AS [id], COUNT_BIG([orders_2].[order_count]) AS [order_count]
  FROM (SELECT [orders].[customer_id] AS [id_2], 1 AS [order_count] FROM [orders] JOIN [customers] ON [orders].[customer_id] = [customers].[id] WHERE [customers].[segment] = N'retail') AS [orders_2]
  GROUP BY [orders_2].[id_2]
)
SELECT TOP (1000) SUM([orders].[amount]) AS [revenue]
FROM [orders] JOIN [customers] ON [orders].[customer_id] = [customers].[id] LEFT JOIN [order_count_by_id] ON [order_count_by_id].[id] = [customers].[id]
WHERE [customers].[segment] = N'retail' AND CASE WHEN [customers].[id] IS NOT NULL THEN COALESCE([order_count_by_id].[order_count], 0) END > 2

