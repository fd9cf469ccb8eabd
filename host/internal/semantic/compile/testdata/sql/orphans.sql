-- bigquery
WITH `orders_2` AS (
  SELECT COUNT(1) AS `order_count`
  FROM `orders` LEFT JOIN `customers` ON `orders`.`customer_id` = `customers`.`id` LEFT JOIN `regions` ON `customers`.`region_id` = `regions`.`id`
  WHERE `regions`.`title` IS NULL
),
`tickets_2` AS (
  SELECT COUNT(1) AS `ticket_count`
  FROM `tickets` LEFT JOIN `customers` ON `tickets`.`customer_id` = `customers`.`id` LEFT JOIN `regions` ON `customers`.`region_id` = `regions`.`id`
  WHERE `regions`.`title` IS NULL
)
SELECT COALESCE(MAX(`parts`.`order_count`), 0) AS `order_count`, COALESCE(MAX(`parts`.`ticket_count`), 0) AS `ticket_count`
FROM (SELECT `orders_2`.`order_count` AS `order_count`, CAST(NULL AS INT64) AS `ticket_count` FROM `orders_2`
UNION ALL SELECT CAST(NULL AS INT64) AS `order_count`, `tickets_2`.`ticket_count` AS `ticket_count` FROM `tickets_2`) AS `parts`
LIMIT 1000

-- clickhouse
WITH `orders_2` AS (
  SELECT toInt64(count(toNullable(1))) AS `order_count`
  FROM `orders` LEFT JOIN (SELECT toNullable(`customers`.`id`) AS `id`, toNullable(`customers`.`region_id`) AS `region_id` FROM `customers`) AS `customers` ON `orders`.`customer_id` = `customers`.`id` LEFT JOIN (SELECT toNullable(`regions`.`id`) AS `id`, toNullable(`regions`.`title`) AS `title` FROM `regions`) AS `regions` ON `customers`.`region_id` = `regions`.`id`
  WHERE `regions`.`title` IS NULL
),
`tickets_2` AS (
  SELECT toInt64(count(toNullable(1))) AS `ticket_count`
  FROM `tickets` LEFT JOIN (SELECT toNullable(`customers`.`id`) AS `id`, toNullable(`customers`.`region_id`) AS `region_id` FROM `customers`) AS `customers` ON `tickets`.`customer_id` = `customers`.`id` LEFT JOIN (SELECT toNullable(`regions`.`id`) AS `id`, toNullable(`regions`.`title`) AS `title` FROM `regions`) AS `regions` ON `customers`.`region_id` = `regions`.`id`
  WHERE `regions`.`title` IS NULL
)
SELECT coalesce(maxOrNull(`parts`.`order_count`), 0) AS `order_count`, coalesce(maxOrNull(`parts`.`ticket_count`), 0) AS `ticket_count`
FROM (SELECT `orders_2`.`order_count` AS `order_count`, CAST(NULL AS Nullable(Int64)) AS `ticket_count` FROM `orders_2`
UNION ALL SELECT CAST(NULL AS Nullable(Int64)) AS `order_count`, `tickets_2`.`ticket_count` AS `ticket_count` FROM `tickets_2`) AS `parts`
LIMIT 1000

-- duckdb
WITH "orders_2" AS (
  SELECT COUNT(1) AS "order_count"
  FROM "orders" LEFT JOIN "customers" ON "orders"."customer_id" = "customers"."id" LEFT JOIN "regions" ON "customers"."region_id" = "regions"."id"
  WHERE "regions"."title" IS NULL
),
"tickets_2" AS (
  SELECT COUNT(1) AS "ticket_count"
  FROM "tickets" LEFT JOIN "customers" ON "tickets"."customer_id" = "customers"."id" LEFT JOIN "regions" ON "customers"."region_id" = "regions"."id"
  WHERE "regions"."title" IS NULL
)
SELECT coalesce(MAX("parts"."order_count"), 0) AS "order_count", coalesce(MAX("parts"."ticket_count"), 0) AS "ticket_count"
FROM (SELECT "orders_2"."order_count" AS "order_count", CAST(NULL AS BIGINT) AS "ticket_count" FROM "orders_2"
UNION ALL SELECT CAST(NULL AS BIGINT) AS "order_count", "tickets_2"."ticket_count" AS "ticket_count" FROM "tickets_2") AS "parts"
LIMIT 1000

-- mysql
WITH `orders_2` AS (
  SELECT COUNT(1) AS `order_count`
  FROM `orders` LEFT JOIN `customers` ON `orders`.`customer_id` = `customers`.`id` LEFT JOIN `regions` ON `customers`.`region_id` = `regions`.`id`
  WHERE `regions`.`title` IS NULL
),
`tickets_2` AS (
  SELECT COUNT(1) AS `ticket_count`
  FROM `tickets` LEFT JOIN `customers` ON `tickets`.`customer_id` = `customers`.`id` LEFT JOIN `regions` ON `customers`.`region_id` = `regions`.`id`
  WHERE `regions`.`title` IS NULL
)
SELECT COALESCE(MAX(`parts`.`order_count`), 0) AS `order_count`, COALESCE(MAX(`parts`.`ticket_count`), 0) AS `ticket_count`
FROM (SELECT `orders_2`.`order_count` AS `order_count`, CAST(NULL AS SIGNED) AS `ticket_count` FROM `orders_2`
UNION ALL SELECT CAST(NULL AS SIGNED) AS `order_count`, `tickets_2`.`ticket_count` AS `ticket_count` FROM `tickets_2`) AS `parts`
LIMIT 1000

-- postgres
WITH "orders_2" AS (
  SELECT COUNT(1) AS "order_count"
  FROM "orders" LEFT JOIN "customers" ON "orders"."customer_id" = "customers"."id" LEFT JOIN "regions" ON "customers"."region_id" = "regions"."id"
  WHERE "regions"."title" IS NULL
),
"tickets_2" AS (
  SELECT COUNT(1) AS "ticket_count"
  FROM "tickets" LEFT JOIN "customers" ON "tickets"."customer_id" = "customers"."id" LEFT JOIN "regions" ON "customers"."region_id" = "regions"."id"
  WHERE "regions"."title" IS NULL
)
SELECT coalesce(MAX("parts"."order_count"), 0) AS "order_count", coalesce(MAX("parts"."ticket_count"), 0) AS "ticket_count"
FROM (SELECT "orders_2"."order_count" AS "order_count", CAST(NULL AS bigint) AS "ticket_count" FROM "orders_2"
UNION ALL SELECT CAST(NULL AS bigint) AS "order_count", "tickets_2"."ticket_count" AS "ticket_count" FROM "tickets_2") AS "parts"
LIMIT 1000

-- snowflake
WITH "orders_2" AS (
  SELECT COUNT(1) AS "order_count"
  FROM "ORDERS" AS "orders" LEFT JOIN "CUSTOMERS" AS "customers" ON "orders"."CUSTOMER_ID" = "customers"."ID" LEFT JOIN "REGIONS" AS "regions" ON "customers"."REGION_ID" = "regions"."ID"
  WHERE "regions"."TITLE" IS NULL
),
"tickets_2" AS (
  SELECT COUNT(1) AS "ticket_count"
  FROM "TICKETS" AS "tickets" LEFT JOIN "CUSTOMERS" AS "customers" ON "tickets"."CUSTOMER_ID" = "customers"."ID" LEFT JOIN "REGIONS" AS "regions" ON "customers"."REGION_ID" = "regions"."ID"
  WHERE "regions"."TITLE" IS NULL
)
SELECT COALESCE(MAX("parts"."order_count"), 0) AS "order_count", COALESCE(MAX("parts"."ticket_count"), 0) AS "ticket_count"
FROM (SELECT "orders_2"."order_count" AS "order_count", CAST(NULL AS NUMBER(38,0)) AS "ticket_count" FROM "orders_2"
UNION ALL SELECT CAST(NULL AS NUMBER(38,0)) AS "order_count", "tickets_2"."ticket_count" AS "ticket_count" FROM "tickets_2") AS "parts"
LIMIT 1000

-- sqlite
WITH "orders_2" AS (
  SELECT COUNT(1) AS "order_count"
  FROM "orders" LEFT JOIN "customers" ON "orders"."customer_id" = "customers"."id" LEFT JOIN "regions" ON "customers"."region_id" = "regions"."id"
  WHERE "regions"."title" IS NULL
),
"tickets_2" AS (
  SELECT COUNT(1) AS "ticket_count"
  FROM "tickets" LEFT JOIN "customers" ON "tickets"."customer_id" = "customers"."id" LEFT JOIN "regions" ON "customers"."region_id" = "regions"."id"
  WHERE "regions"."title" IS NULL
)
SELECT coalesce(MAX("parts"."order_count"), 0) AS "order_count", coalesce(MAX("parts"."ticket_count"), 0) AS "ticket_count"
FROM (SELECT "orders_2"."order_count" AS "order_count", CAST(NULL AS INTEGER) AS "ticket_count" FROM "orders_2"
UNION ALL SELECT CAST(NULL AS INTEGER) AS "order_count", "tickets_2"."ticket_count" AS "ticket_count" FROM "tickets_2") AS "parts"
LIMIT 1000

-- sqlserver
WITH [orders_2] AS (
  SELECT COUNT_BIG(1) AS [order_count]
  FROM [orders] LEFT JOIN [customers] ON [orders].[customer_id] = [customers].[id] LEFT JOIN [regions] ON [customers].[region_id] = [regions].[id]
  WHERE [regions].[title] IS NULL
),
[tickets_2] AS (
  SELECT COUNT_BIG(1) AS [ticket_count]
  FROM [tickets] LEFT JOIN [customers] ON [tickets].[customer_id] = [customers].[id] LEFT JOIN [regions] ON [customers].[region_id] = [regions].[id]
  WHERE [regions].[title] IS NULL
)
SELECT TOP (1000) COALESCE(MAX([parts].[order_count]), 0) AS [order_count], COALESCE(MAX([parts].[ticket_count]), 0) AS [ticket_count]
FROM (SELECT [orders_2].[order_count] AS [order_count], CAST(NULL AS bigint) AS [ticket_count] FROM [orders_2]
UNION ALL SELECT CAST(NULL AS bigint) AS [order_count], [tickets_2].[ticket_count] AS [ticket_count] FROM [tickets_2]) AS [parts]

