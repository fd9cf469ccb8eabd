-- bigquery
WITH `value_by_id` AS (
  SELECT `orders`.`customer_id` AS `id`, MIN(`orders`.`day`) AS `value`
  FROM `orders`
  GROUP BY `orders`.`customer_id`
),
`order_count_by_day_month` AS (
  SELECT DATE_TRUNC(CAST(`orders`.`day` AS DATE), MONTH) AS `day_month`, COUNT(1) AS `order_count`
  FROM `orders`
  GROUP BY DATE_TRUNC(CAST(`orders`.`day` AS DATE), MONTH)
),
`average_by_id` AS (
  SELECT `orders`.`customer_id` AS `id`, AVG(CAST(`orders`.`amount` AS FLOAT64)) AS `average`
  FROM `orders`
  GROUP BY `orders`.`customer_id`
)
SELECT CASE WHEN `orders`.`day` = `value_by_id`.`value` THEN 'new' END AS `kind`, SUM(`orders`.`amount`) AS `revenue`, SUM((`orders`.`id` - `average_by_id`.`average`)) AS `above`, SAFE_DIVIDE(CAST(SUM((`orders`.`id` - `average_by_id`.`average`)) AS FLOAT64), SUM(`orders`.`amount`)) AS `part`
FROM `orders` LEFT JOIN `customers` ON `orders`.`customer_id` = `customers`.`id` LEFT JOIN `value_by_id` ON `value_by_id`.`id` = `customers`.`id` LEFT JOIN `order_count_by_day_month` ON `order_count_by_day_month`.`day_month` = DATE_TRUNC(CAST(`orders`.`day` AS DATE), MONTH) LEFT JOIN `average_by_id` ON `average_by_id`.`id` = `customers`.`id`
WHERE CASE WHEN DATE_TRUNC(CAST(`orders`.`day` AS DATE), MONTH) IS NOT NULL THEN COALESCE(`order_count_by_day_month`.`order_count`, 0) END > 1
GROUP BY CASE WHEN `orders`.`day` = `value_by_id`.`value` THEN 'new' END
ORDER BY CASE WHEN `orders`.`day` = `value_by_id`.`value` THEN 'new' END ASC NULLS LAST
LIMIT 1000

-- clickhouse
WITH `value_by_id` AS (
  SELECT `orders`.`customer_id` AS `id`, minOrNull(toNullable(`orders`.`day`)) AS `value`
  FROM `orders`
  GROUP BY `orders`.`customer_id`
),
`order_count_by_day_month` AS (
  SELECT makeDate32(toYear(`orders`.`day`), toMonth(`orders`.`day`), 1) AS `day_month`, toInt64(count(toNullable(1))) AS `order_count`
  FROM `orders`
  GROUP BY makeDate32(toYear(`orders`.`day`), toMonth(`orders`.`day`), 1)
),
`average_by_id` AS (
  SELECT `orders`.`customer_id` AS `id`, avgOrNull(toFloat64(toNullable(`orders`.`amount`))) AS `average`
  FROM `orders`
  GROUP BY `orders`.`customer_id`
)
SELECT CASE WHEN `orders`.`day` = `value_by_id`.`value` THEN 'new' END AS `kind`, sumOrNull(toNullable(`orders`.`amount`)) AS `revenue`, sumOrNull(toNullable((`orders`.`id` - `average_by_id`.`average`))) AS `above`, (toFloat64(sumOrNull(toNullable((`orders`.`id` - `average_by_id`.`average`)))) / nullIf(toFloat64(sumOrNull(toNullable(`orders`.`amount`))), 0)) AS `part`
FROM `orders` LEFT JOIN (SELECT toNullable(`customers`.`id`) AS `id` FROM `customers`) AS `customers` ON `orders`.`customer_id` = `customers`.`id` LEFT JOIN `value_by_id` ON `value_by_id`.`id` = `customers`.`id` LEFT JOIN `order_count_by_day_month` ON `order_count_by_day_month`.`day_month` = makeDate32(toYear(`orders`.`day`), toMonth(`orders`.`day`), 1) LEFT JOIN `average_by_id` ON `average_by_id`.`id` = `customers`.`id`
WHERE CASE WHEN makeDate32(toYear(`orders`.`day`), toMonth(`orders`.`day`), 1) IS NOT NULL THEN coalesce(`order_count_by_day_month`.`order_count`, 0) END > 1
GROUP BY CASE WHEN `orders`.`day` = `value_by_id`.`value` THEN 'new' END
ORDER BY CASE WHEN `orders`.`day` = `value_by_id`.`value` THEN 'new' END ASC NULLS LAST
LIMIT 1000

-- duckdb
WITH "value_by_id" AS (
  SELECT "orders"."customer_id" AS "id", MIN("orders"."day") AS "value"
  FROM "orders"
  GROUP BY "orders"."customer_id"
),
"order_count_by_day_month" AS (
  SELECT CAST(date_trunc('month', "orders"."day") AS DATE) AS "day_month", COUNT(1) AS "order_count"
  FROM "orders"
  GROUP BY CAST(date_trunc('month', "orders"."day") AS DATE)
),
"average_by_id" AS (
  SELECT "orders"."customer_id" AS "id", AVG("orders"."amount") AS "average"
  FROM "orders"
  GROUP BY "orders"."customer_id"
)
SELECT CASE WHEN "orders"."day" = "value_by_id"."value" THEN 'new' END AS "kind", SUM("orders"."amount") AS "revenue", SUM(("orders"."id" - "average_by_id"."average")) AS "above", (CAST(SUM(("orders"."id" - "average_by_id"."average")) AS DOUBLE) / NULLIF(SUM("orders"."amount"), 0)) AS "part"
FROM "orders" LEFT JOIN "customers" ON "orders"."customer_id" = "customers"."id" LEFT JOIN "value_by_id" ON "value_by_id"."id" = "customers"."id" LEFT JOIN "order_count_by_day_month" ON "order_count_by_day_month"."day_month" = CAST(date_trunc('month', "orders"."day") AS DATE) LEFT JOIN "average_by_id" ON "average_by_id"."id" = "customers"."id"
WHERE CASE WHEN CAST(date_trunc('month', "orders"."day") AS DATE) IS NOT NULL THEN coalesce("order_count_by_day_month"."order_count", 0) END > 1
GROUP BY CASE WHEN "orders"."day" = "value_by_id"."value" THEN 'new' END
ORDER BY CASE WHEN "orders"."day" = "value_by_id"."value" THEN 'new' END ASC NULLS LAST
LIMIT 1000

-- mysql
WITH `value_by_id` AS (
  SELECT `orders_2`.`id` AS `id`, MIN(`orders_2`.`value`) AS `value`
  FROM (SELECT `orders`.`customer_id` AS `id`, `orders`.`day` AS `value` FROM `orders`) AS `orders_2`
  GROUP BY `orders_2`.`id`
),
`order_count_by_day_month` AS (
  SELECT `orders_2`.`day_month` AS `day_month`, COUNT(`orders_2`.`order_count`) AS `order_count`
  FROM (SELECT CAST(DATE_FORMAT(`orders`.`day`, '%Y-%m-01') AS DATE) AS `day_month`, 1 AS `order_count` FROM `orders`) AS `orders_2`
  GROUP BY `orders_2`.`day_month`
),
`average_by_id` AS (
  SELECT `orders_2`.`id` AS `id`, AVG(`orders_2`.`average` * 1e0) AS `average`
  FROM (SELECT `orders`.`customer_id` AS `id`, `orders`.`amount` AS `average` FROM `orders`) AS `orders_2`
  GROUP BY `orders_2`.`id`
)
SELECT `orders_2`.`kind` AS `kind`, SUM(`orders_2`.`revenue`) AS `revenue`, SUM(`orders_2`.`value`) AS `above`, ((SUM(`orders_2`.`value`) * 1e0) / NULLIF(SUM(`orders_2`.`revenue`), 0)) AS `part`
FROM (SELECT CASE WHEN `orders`.`day` = `value_by_id`.`value` THEN 'new' END AS `kind`, `orders`.`amount` AS `revenue`, `orders`.`id` - `average_by_id`.`average` AS `value` FROM `orders` LEFT JOIN `customers` ON `orders`.`customer_id` = `customers`.`id` LEFT JOIN `value_by_id` ON `value_by_id`.`id` = `customers`.`id` LEFT JOIN `order_count_by_day_month` ON `order_count_by_day_month`.`day_month` = CAST(DATE_FORMAT(`orders`.`day`, '%Y-%m-01') AS DATE) LEFT JOIN `average_by_id` ON `average_by_id`.`id` = `customers`.`id` WHERE CASE WHEN CAST(DATE_FORMAT(`orders`.`day`, '%Y-%m-01') AS DATE) IS NOT NULL THEN COALESCE(`order_count_by_day_month`.`order_count`, 0) END > 1) AS `orders_2`
GROUP BY `orders_2`.`kind`
ORDER BY `orders_2`.`kind` IS NULL, `orders_2`.`kind` ASC
LIMIT 1000

-- postgres
WITH "value_by_id" AS (
  SELECT "orders"."customer_id" AS "id", MIN("orders"."day") AS "value"
  FROM "orders"
  GROUP BY "orders"."customer_id"
),
"order_count_by_day_month" AS (
  SELECT CAST(date_trunc('month', "orders"."day") AS date) AS "day_month", COUNT(1) AS "order_count"
  FROM "orders"
  GROUP BY CAST(date_trunc('month', "orders"."day") AS date)
),
"average_by_id" AS (
  SELECT "orders"."customer_id" AS "id", CAST(AVG("orders"."amount") AS double precision) AS "average"
  FROM "orders"
  GROUP BY "orders"."customer_id"
)
SELECT CASE WHEN "orders"."day" = "value_by_id"."value" THEN 'new' END AS "kind", SUM("orders"."amount") AS "revenue", SUM(("orders"."id" - "average_by_id"."average")) AS "above", (CAST(SUM(("orders"."id" - "average_by_id"."average")) AS double precision) / NULLIF(SUM("orders"."amount"), 0)) AS "part"
FROM "orders" LEFT JOIN "customers" ON "orders"."customer_id" = "customers"."id" LEFT JOIN "value_by_id" ON "value_by_id"."id" = "customers"."id" LEFT JOIN "order_count_by_day_month" ON "order_count_by_day_month"."day_month" = CAST(date_trunc('month', "orders"."day") AS date) LEFT JOIN "average_by_id" ON "average_by_id"."id" = "customers"."id"
WHERE CASE WHEN CAST(date_trunc('month', "orders"."day") AS date) IS NOT NULL THEN coalesce("order_count_by_day_month"."order_count", 0) END > 1
GROUP BY CASE WHEN "orders"."day" = "value_by_id"."value" THEN 'new' END
ORDER BY CASE WHEN "orders"."day" = "value_by_id"."value" THEN 'new' END ASC NULLS LAST
LIMIT 1000

-- snowflake
WITH "value_by_id" AS (
  SELECT "orders"."CUSTOMER_ID" AS "id", MIN("orders"."DAY") AS "value"
  FROM "ORDERS" AS "orders"
  GROUP BY "orders"."CUSTOMER_ID"
),
"order_count_by_day_month" AS (
  SELECT DATE_TRUNC('MONTH', "orders"."DAY")::DATE AS "day_month", COUNT(1) AS "order_count"
  FROM "ORDERS" AS "orders"
  GROUP BY DATE_TRUNC('MONTH', "orders"."DAY")::DATE
),
"average_by_id" AS (
  SELECT "orders"."CUSTOMER_ID" AS "id", AVG("orders"."AMOUNT"::FLOAT) AS "average"
  FROM "ORDERS" AS "orders"
  GROUP BY "orders"."CUSTOMER_ID"
)
SELECT CASE WHEN "orders"."DAY" = "value_by_id"."value" THEN 'new' END AS "kind", SUM("orders"."AMOUNT") AS "revenue", SUM(("orders"."ID" - "average_by_id"."average")) AS "above", (SUM(("orders"."ID" - "average_by_id"."average"))::FLOAT / NULLIF(SUM("orders"."AMOUNT"), 0)) AS "part"
FROM "ORDERS" AS "orders" LEFT JOIN "CUSTOMERS" AS "customers" ON "orders"."CUSTOMER_ID" = "customers"."ID" LEFT JOIN "value_by_id" ON "value_by_id"."id" = "customers"."ID" LEFT JOIN "order_count_by_day_month" ON "order_count_by_day_month"."day_month" = DATE_TRUNC('MONTH', "orders"."DAY")::DATE LEFT JOIN "average_by_id" ON "average_by_id"."id" = "customers"."ID"
WHERE CASE WHEN DATE_TRUNC('MONTH', "orders"."DAY")::DATE IS NOT NULL THEN COALESCE("order_count_by_day_month"."order_count", 0) END > 1
GROUP BY CASE WHEN "orders"."DAY" = "value_by_id"."value" THEN 'new' END
ORDER BY CASE WHEN "orders"."DAY" = "value_by_id"."value" THEN 'new' END ASC NULLS LAST
LIMIT 1000

-- sqlite
WITH "value_by_id" AS (
  SELECT "orders"."customer_id" AS "id", MIN("orders"."day") AS "value"
  FROM "orders"
  GROUP BY "orders"."customer_id"
),
"order_count_by_day_month" AS (
  SELECT date("orders"."day", 'start of month') AS "day_month", COUNT(1) AS "order_count"
  FROM "orders"
  GROUP BY date("orders"."day", 'start of month')
),
"average_by_id" AS (
  SELECT "orders"."customer_id" AS "id", AVG("orders"."amount") AS "average"
  FROM "orders"
  GROUP BY "orders"."customer_id"
)
SELECT CASE WHEN "orders"."day" = "value_by_id"."value" THEN 'new' END AS "kind", SUM("orders"."amount") AS "revenue", SUM(("orders"."id" - "average_by_id"."average")) AS "above", (CAST(SUM(("orders"."id" - "average_by_id"."average")) AS REAL) / NULLIF(SUM("orders"."amount"), 0)) AS "part"
FROM "orders" LEFT JOIN "customers" ON "orders"."customer_id" = "customers"."id" LEFT JOIN "value_by_id" ON "value_by_id"."id" = "customers"."id" LEFT JOIN "order_count_by_day_month" ON "order_count_by_day_month"."day_month" = date("orders"."day", 'start of month') LEFT JOIN "average_by_id" ON "average_by_id"."id" = "customers"."id"
WHERE CASE WHEN date("orders"."day", 'start of month') IS NOT NULL THEN coalesce("order_count_by_day_month"."order_count", 0) END > 1
GROUP BY CASE WHEN "orders"."day" = "value_by_id"."value" THEN 'new' END
ORDER BY CASE WHEN "orders"."day" = "value_by_id"."value" THEN 'new' END ASC NULLS LAST
LIMIT 1000

-- sqlserver
WITH [value_by_id] AS (
  SELECT [orders_2].[id] AS [id], MIN([orders_2].[value]) AS [value]
  FROM (SELECT [orders].[customer_id] AS [id], [orders].[day] AS [value] FROM [orders]) AS [orders_2]
  GROUP BY [orders_2].[id]
),
[order_count_by_day_month] AS (
  SELECT [orders_2].[day_month] AS [day_month], COUNT_BIG([orders_2].[order_count]) AS [order_count]
  FROM (SELECT DATETRUNC(month, CAST([orders].[day] AS date)) AS [day_month], 1 AS [order_count] FROM [orders]) AS [orders_2]
  GROUP BY [orders_2].[day_month]
),
[average_by_id] AS (
  SELECT [orders_2].[id] AS [id], AVG(CAST([orders_2].[average] AS float)) AS [average]
  FROM (SELECT [orders].[customer_id] AS [id], [orders].[amount] AS [average] FROM [orders]) AS [orders_2]
  GROUP BY [orders_2].[id]
)
SELECT TOP (1000) [orders_2].[kind] AS [kind], SUM([orders_2].[revenue]) AS [revenue], SUM([orders_2].[value]) AS [above], (CAST(SUM([orders_2].[value]) AS float) / NULLIF(SUM([orders_2].[revenue]), 0)) AS [part]
FROM (SELECT CASE WHEN [orders].[day] = [value_by_id].[value] THEN N'new' END AS [kind], [orders].[amount] AS [revenue], [orders].[id] - [average_by_id].[average] AS [value] FROM [orders] LEFT JOIN [customers] ON [orders].[customer_id] = [customers].[id] LEFT JOIN [value_by_id] ON [value_by_id].[id] = [customers].[id] LEFT JOIN [order_count_by_day_month] ON [order_count_by_day_month].[day_month] = DATETRUNC(month, CAST([orders].[day] AS date)) LEFT JOIN [average_by_id] ON [average_by_id].[id] = [customers].[id] WHERE CASE WHEN DATETRUNC(month, CAST([orders].[day] AS date)) IS NOT NULL THEN COALESCE([order_count_by_day_month].[order_count], 0) END > 1) AS [orders_2]
GROUP BY [orders_2].[kind]
ORDER BY CASE WHEN [orders_2].[kind] IS NULL THEN 1 ELSE 0 END, [orders_2].[kind] ASC

