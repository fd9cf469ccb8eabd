-- bigquery
WITH `orders_by_segment` AS (
  SELECT `customers`.`segment` AS `segment`, SUM(`orders`.`amount`) AS `revenue`, COUNT(1) AS `order_count`
  FROM `orders` LEFT JOIN `customers` ON `orders`.`customer_id` = `customers`.`id`
  GROUP BY `customers`.`segment`
),
`tickets_by_segment` AS (
  SELECT `customers`.`segment` AS `segment`, SUM(`tickets`.`hours`) AS `hours_2`, COUNT(1) AS `ticket_count`
  FROM `tickets` LEFT JOIN `customers` ON `tickets`.`customer_id` = `customers`.`id`
  GROUP BY `customers`.`segment`
)
SELECT `parts`.`segment` AS `segment`, MAX(`parts`.`revenue`) AS `revenue`, MAX(`parts`.`hours`) AS `hours`, SAFE_DIVIDE(CAST(MAX(`parts`.`hours`) AS FLOAT64), COALESCE(MAX(`parts`.`order_count`), 0)) AS `hours_per_order`
FROM (SELECT `orders_by_segment`.`segment` AS `segment`, `orders_by_segment`.`revenue` AS `revenue`, `orders_by_segment`.`order_count` AS `order_count`, (SELECT MAX(`tickets_by_segment`.`hours_2`) FROM `tickets_by_segment` WHERE 1 = 0) AS `hours`, CAST(NULL AS INT64) AS `ticket_count` FROM `orders_by_segment`
UNION ALL SELECT `tickets_by_segment`.`segment` AS `segment`, (SELECT MAX(`orders_by_segment`.`revenue`) FROM `orders_by_segment` WHERE 1 = 0) AS `revenue`, CAST(NULL AS INT64) AS `order_count`, `tickets_by_segment`.`hours_2` AS `hours`, `tickets_by_segment`.`ticket_count` AS `ticket_count` FROM `tickets_by_segment`) AS `parts`
GROUP BY `parts`.`segment`
HAVING COALESCE(MAX(`parts`.`ticket_count`), 0) > 1
ORDER BY MAX(`parts`.`hours`) DESC NULLS LAST, `parts`.`segment` ASC NULLS LAST
LIMIT 1000

-- clickhouse
WITH `orders_by_segment` AS (
  SELECT `customers`.`segment` AS `segment`, sumOrNull(toNullable(`orders`.`amount`)) AS `revenue`, toInt64(count(toNullable(1))) AS `order_count`
  FROM `orders` LEFT JOIN (SELECT toNullable(`customers`.`id`) AS `id`, toNullable(`customers`.`segment`) AS `segment` FROM `customers`) AS `customers` ON `orders`.`customer_id` = `customers`.`id`
  GROUP BY `customers`.`segment`
),
`tickets_by_segment` AS (
  SELECT `customers`.`segment` AS `segment`, sumOrNull(toNullable(`tickets`.`hours`)) AS `hours_2`, toInt64(count(toNullable(1))) AS `ticket_count`
  FROM `tickets` LEFT JOIN (SELECT toNullable(`customers`.`id`) AS `id`, toNullable(`customers`.`segment`) AS `segment` FROM `customers`) AS `customers` ON `tickets`.`customer_id` = `customers`.`id`
  GROUP BY `customers`.`segment`
)
SELECT `parts`.`segment` AS `segment`, maxOrNull(`parts`.`revenue`) AS `revenue`, maxOrNull(`parts`.`hours`) AS `hours`, (toFloat64(maxOrNull(`parts`.`hours`)) / nullIf(toFloat64(coalesce(maxOrNull(`parts`.`order_count`), 0)), 0)) AS `hours_per_order`
FROM (SELECT `orders_by_segment`.`segment` AS `segment`, `orders_by_segment`.`revenue` AS `revenue`, `orders_by_segment`.`order_count` AS `order_count`, (SELECT MAX(`tickets_by_segment`.`hours_2`) FROM `tickets_by_segment` WHERE 1 = 0) AS `hours`, CAST(NULL AS Nullable(Int64)) AS `ticket_count` FROM `orders_by_segment`
UNION ALL SELECT `tickets_by_segment`.`segment` AS `segment`, (SELECT MAX(`orders_by_segment`.`revenue`) FROM `orders_by_segment` WHERE 1 = 0) AS `revenue`, CAST(NULL AS Nullable(Int64)) AS `order_count`, `tickets_by_segment`.`hours_2` AS `hours`, `tickets_by_segment`.`ticket_count` AS `ticket_count` FROM `tickets_by_segment`) AS `parts`
GROUP BY `parts`.`segment`
HAVING coalesce(maxOrNull(`parts`.`ticket_count`), 0) > 1
ORDER BY maxOrNull(`parts`.`hours`) DESC NULLS LAST, `parts`.`segment` ASC NULLS LAST
LIMIT 1000

-- duckdb
WITH "orders_by_segment" AS (
  SELECT "customers"."segment" AS "segment", SUM("orders"."amount") AS "revenue", COUNT(1) AS "order_count"
  FROM "orders" LEFT JOIN "customers" ON "orders"."customer_id" = "customers"."id"
  GROUP BY "customers"."segment"
),
"tickets_by_segment" AS (
  SELECT "customers"."segment" AS "segment", SUM("tickets"."hours") AS "hours_2", COUNT(1) AS "ticket_count"
  FROM "tickets" LEFT JOIN "customers" ON "tickets"."customer_id" = "customers"."id"
  GROUP BY "customers"."segment"
)
SELECT "parts"."segment" AS "segment", MAX("parts"."revenue") AS "revenue", MAX("parts"."hours") AS "hours", (CAST(MAX("parts"."hours") AS DOUBLE) / NULLIF(coalesce(MAX("parts"."order_count"), 0), 0)) AS "hours_per_order"
FROM (SELECT "orders_by_segment"."segment" AS "segment", "orders_by_segment"."revenue" AS "revenue", "orders_by_segment"."order_count" AS "order_count", (SELECT MAX("tickets_by_segment"."hours_2") FROM "tickets_by_segment" WHERE 1 = 0) AS "hours", CAST(NULL AS BIGINT) AS "ticket_count" FROM "orders_by_segment"
UNION ALL SELECT "tickets_by_segment"."segment" AS "segment", (SELECT MAX("orders_by_segment"."revenue") FROM "orders_by_segment" WHERE 1 = 0) AS "revenue", CAST(NULL AS BIGINT) AS "order_count", "tickets_by_segment"."hours_2" AS "hours", "tickets_by_segment"."ticket_count" AS "ticket_count" FROM "tickets_by_segment") AS "parts"
GROUP BY "parts"."segment"
HAVING coalesce(MAX("parts"."ticket_count"), 0) > 1
ORDER BY MAX("parts"."hours") DESC NULLS LAST, "parts"."segment" ASC NULLS LAST
LIMIT 1000

-- mysql
WITH `orders_by_segment` AS (
  SELECT `customers`.`segment` AS `segment`, SUM(`orders`.`amount`) AS `revenue`, COUNT(1) AS `order_count`
  FROM `orders` LEFT JOIN `customers` ON `orders`.`customer_id` = `customers`.`id`
  GROUP BY `customers`.`segment`
),
`tickets_by_segment` AS (
  SELECT `customers`.`segment` AS `segment`, SUM(`tickets`.`hours`) AS `hours_2`, COUNT(1) AS `ticket_count`
  FROM `tickets` LEFT JOIN `customers` ON `tickets`.`customer_id` = `customers`.`id`
  GROUP BY `customers`.`segment`
)
SELECT `parts`.`segment` AS `segment`, MAX(`parts`.`revenue`) AS `revenue`, MAX(`parts`.`hours`) AS `hours`, ((MAX(`parts`.`hours`) * 1e0) / NULLIF(COALESCE(MAX(`parts`.`order_count`), 0), 0)) AS `hours_per_order`
FROM (SELECT `orders_by_segment`.`segment` AS `segment`, `orders_by_segment`.`revenue` AS `revenue`, `orders_by_segment`.`order_count` AS `order_count`, (SELECT MAX(`tickets_by_segment`.`hours_2`) FROM `tickets_by_segment` WHERE 1 = 0) AS `hours`, CAST(NULL AS SIGNED) AS `ticket_count` FROM `orders_by_segment`
UNION ALL SELECT `tickets_by_segment`.`segment` AS `segment`, (SELECT MAX(`orders_by_segment`.`revenue`) FROM `orders_by_segment` WHERE 1 = 0) AS `revenue`, CAST(NULL AS SIGNED) AS `order_count`, `tickets_by_segment`.`hours_2` AS `hours`, `tickets_by_segment`.`ticket_count` AS `ticket_count` FROM `tickets_by_segment`) AS `parts`
GROUP BY `parts`.`segment`
HAVING COALESCE(MAX(`parts`.`ticket_count`), 0) > 1
ORDER BY MAX(`parts`.`hours`) DESC, `parts`.`segment` IS NULL, `parts`.`segment` ASC
LIMIT 1000

-- postgres
WITH "orders_by_segment" AS (
  SELECT "customers"."segment" AS "segment", SUM("orders"."amount") AS "revenue", COUNT(1) AS "order_count"
  FROM "orders" LEFT JOIN "customers" ON "orders"."customer_id" = "customers"."id"
  GROUP BY "customers"."segment"
),
"tickets_by_segment" AS (
  SELECT "customers"."segment" AS "segment", SUM("tickets"."hours") AS "hours_2", COUNT(1) AS "ticket_count"
  FROM "tickets" LEFT JOIN "customers" ON "tickets"."customer_id" = "customers"."id"
  GROUP BY "customers"."segment"
)
SELECT "parts"."segment" AS "segment", MAX("parts"."revenue") AS "revenue", MAX("parts"."hours") AS "hours", (CAST(MAX("parts"."hours") AS double precision) / NULLIF(coalesce(MAX("parts"."order_count"), 0), 0)) AS "hours_per_order"
FROM (SELECT "orders_by_segment"."segment" AS "segment", "orders_by_segment"."revenue" AS "revenue", "orders_by_segment"."order_count" AS "order_count", (SELECT MAX("tickets_by_segment"."hours_2") FROM "tickets_by_segment" WHERE 1 = 0) AS "hours", CAST(NULL AS bigint) AS "ticket_count" FROM "orders_by_segment"
UNION ALL SELECT "tickets_by_segment"."segment" AS "segment", (SELECT MAX("orders_by_segment"."revenue") FROM "orders_by_segment" WHERE 1 = 0) AS "revenue", CAST(NULL AS bigint) AS "order_count", "tickets_by_segment"."hours_2" AS "hours", "tickets_by_segment"."ticket_count" AS "ticket_count" FROM "tickets_by_segment") AS "parts"
GROUP BY "parts"."segment"
HAVING coalesce(MAX("parts"."ticket_count"), 0) > 1
ORDER BY MAX("parts"."hours") DESC NULLS LAST, "parts"."segment" ASC NULLS LAST
LIMIT 1000

-- snowflake
WITH "orders_by_segment" AS (
  SELECT "customers"."SEGMENT" AS "segment_2", SUM("orders"."AMOUNT") AS "revenue", COUNT(1) AS "order_count"
  FROM "ORDERS" AS "orders" LEFT JOIN "CUSTOMERS" AS "customers" ON "orders"."CUSTOMER_ID" = "customers"."ID"
  GROUP BY "customers"."SEGMENT"
),
"tickets_by_segment" AS (
  SELECT "customers"."SEGMENT" AS "segment_2", SUM("tickets"."HOURS") AS "hours_2", COUNT(1) AS "ticket_count"
  FROM "TICKETS" AS "tickets" LEFT JOIN "CUSTOMERS" AS "customers" ON "tickets"."CUSTOMER_ID" = "customers"."ID"
  GROUP BY "customers"."SEGMENT"
)
SELECT "parts"."segment" AS "segment", MAX("parts"."revenue") AS "revenue", MAX("parts"."hours") AS "hours", (MAX("parts"."hours")::FLOAT / NULLIF(COALESCE(MAX("parts"."order_count"), 0), 0)) AS "hours_per_order"
FROM (SELECT "orders_by_segment"."segment_2" AS "segment", "orders_by_segment"."revenue" AS "revenue", "orders_by_segment"."order_count" AS "order_count", (SELECT MAX("tickets_by_segment"."hours_2") FROM "tickets_by_segment" WHERE 1 = 0) AS "hours", CAST(NULL AS NUMBER(38,0)) AS "ticket_count" FROM "orders_by_segment"
UNION ALL SELECT "tickets_by_segment"."segment_2" AS "segment", (SELECT MAX("orders_by_segment"."revenue") FROM "orders_by_segment" WHERE 1 = 0) AS "revenue", CAST(NULL AS NUMBER(38,0)) AS "order_count", "tickets_by_segment"."hours_2" AS "hours", "tickets_by_segment"."ticket_count" AS "ticket_count" FROM "tickets_by_segment") AS "parts"
GROUP BY "parts"."segment"
HAVING COALESCE(MAX("parts"."ticket_count"), 0) > 1
ORDER BY MAX("parts"."hours") DESC NULLS LAST, "parts"."segment" ASC NULLS LAST
LIMIT 1000

-- sqlite
WITH "orders_by_segment" AS (
  SELECT "customers"."segment" AS "segment", SUM("orders"."amount") AS "revenue", COUNT(1) AS "order_count"
  FROM "orders" LEFT JOIN "customers" ON "orders"."customer_id" = "customers"."id"
  GROUP BY "customers"."segment"
),
"tickets_by_segment" AS (
  SELECT "customers"."segment" AS "segment", SUM("tickets"."hours") AS "hours_2", COUNT(1) AS "ticket_count"
  FROM "tickets" LEFT JOIN "customers" ON "tickets"."customer_id" = "customers"."id"
  GROUP BY "customers"."segment"
)
SELECT "parts"."segment" AS "segment", MAX("parts"."revenue") AS "revenue", MAX("parts"."hours") AS "hours", (CAST(MAX("parts"."hours") AS REAL) / NULLIF(coalesce(MAX("parts"."order_count"), 0), 0)) AS "hours_per_order"
FROM (SELECT "orders_by_segment"."segment" AS "segment", "orders_by_segment"."revenue" AS "revenue", "orders_by_segment"."order_count" AS "order_count", (SELECT MAX("tickets_by_segment"."hours_2") FROM "tickets_by_segment" WHERE 1 = 0) AS "hours", CAST(NULL AS INTEGER) AS "ticket_count" FROM "orders_by_segment"
UNION ALL SELECT "tickets_by_segment"."segment" AS "segment", (SELECT MAX("orders_by_segment"."revenue") FROM "orders_by_segment" WHERE 1 = 0) AS "revenue", CAST(NULL AS INTEGER) AS "order_count", "tickets_by_segment"."hours_2" AS "hours", "tickets_by_segment"."ticket_count" AS "ticket_count" FROM "tickets_by_segment") AS "parts"
GROUP BY "parts"."segment"
HAVING coalesce(MAX("parts"."ticket_count"), 0) > 1
ORDER BY MAX("parts"."hours") DESC NULLS LAST, "parts"."segment" ASC NULLS LAST
LIMIT 1000

-- sqlserver
WITH [orders_by_segment] AS (
  SELECT [customers].[segment] AS [segment], SUM([orders].[amount]) AS [revenue], COUNT_BIG(1) AS [order_count]
  FROM [orders] LEFT JOIN [customers] ON [orders].[customer_id] = [customers].[id]
  GROUP BY [customers].[segment]
),
[tickets_by_segment] AS (
  SELECT [customers].[segment] AS [segment], SUM([tickets].[hours]) AS [hours_2], COUNT_BIG(1) AS [ticket_count]
  FROM [tickets] LEFT JOIN [customers] ON [tickets].[customer_id] = [customers].[id]
  GROUP BY [customers].[segment]
)
SELECT TOP (1000) [parts].[segment] AS [segment], MAX([parts].[revenue]) AS [revenue], MAX([parts].[hours]) AS [hours], (CAST(MAX([parts].[hours]) AS float) / NULLIF(COALESCE(MAX([parts].[order_count]), 0), 0)) AS [hours_per_order]
FROM (SELECT [orders_by_segment].[segment] AS [segment], [orders_by_segment].[revenue] AS [revenue], [orders_by_segment].[order_count] AS [order_count], (SELECT MAX([tickets_by_segment].[hours_2]) FROM [tickets_by_segment] WHERE 1 = 0) AS [hours], CAST(NULL AS bigint) AS [ticket_count] FROM [orders_by_segment]
UNION ALL SELECT [tickets_by_segment].[segment] AS [segment], (SELECT MAX([orders_by_segment].[revenue]) FROM [orders_by_segment] WHERE 1 = 0) AS [revenue], CAST(NULL AS bigint) AS [order_count], [tickets_by_segment].[hours_2] AS [hours], [tickets_by_segment].[ticket_count] AS [ticket_count] FROM [tickets_by_segment]) AS [parts]
GROUP BY [parts].[segment]
HAVING COALESCE(MAX([parts].[ticket_count]), 0) > 1
ORDER BY CASE WHEN MAX([parts].[hours]) IS NULL THEN 1 ELSE 0 END, MAX([parts].[hours]) DESC, CASE WHEN [parts].[segment] IS NULL THEN 1 ELSE 0 END, [parts].[segment] ASC

