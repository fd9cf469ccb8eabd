-- bigquery
WITH `orders_by_metric_time_month` AS (
  SELECT DATE_TRUNC(CAST(`orders`.`day` AS DATE), MONTH) AS `metric_time_month`, SUM(`orders`.`amount`) AS `revenue`, COUNT(1) AS `order_count`
  FROM `orders`
  WHERE `orders`.`day` >= CAST('2024-01-01' AS DATE)
  GROUP BY DATE_TRUNC(CAST(`orders`.`day` AS DATE), MONTH)
),
`tickets_by_metric_time_month` AS (
  SELECT DATE_TRUNC(CAST(`tickets`.`day` AS DATE), MONTH) AS `metric_time_month`, SUM(`tickets`.`hours`) AS `hours_2`
  FROM `tickets`
  WHERE `tickets`.`day` >= CAST('2024-01-01' AS DATE)
  GROUP BY DATE_TRUNC(CAST(`tickets`.`day` AS DATE), MONTH)
)
SELECT `parts`.`metric_time_month` AS `metric_time_month`, MAX(`parts`.`revenue`) AS `revenue`, MAX(`parts`.`hours`) AS `hours`, SAFE_DIVIDE(CAST(MAX(`parts`.`hours`) AS FLOAT64), COALESCE(MAX(`parts`.`order_count`), 0)) AS `hours_per_order`
FROM (SELECT `orders_by_metric_time_month`.`metric_time_month` AS `metric_time_month`, `orders_by_metric_time_month`.`revenue` AS `revenue`, `orders_by_metric_time_month`.`order_count` AS `order_count`, (SELECT MAX(`tickets_by_metric_time_month`.`hours_2`) FROM `tickets_by_metric_time_month` WHERE 1 = 0) AS `hours` FROM `orders_by_metric_time_month`
UNION ALL SELECT `tickets_by_metric_time_month`.`metric_time_month` AS `metric_time_month`, (SELECT MAX(`orders_by_metric_time_month`.`revenue`) FROM `orders_by_metric_time_month` WHERE 1 = 0) AS `revenue`, CAST(NULL AS INT64) AS `order_count`, `tickets_by_metric_time_month`.`hours_2` AS `hours` FROM `tickets_by_metric_time_month`) AS `parts`
GROUP BY `parts`.`metric_time_month`
ORDER BY `parts`.`metric_time_month` ASC NULLS LAST
LIMIT 1000

-- clickhouse
WITH `orders_by_metric_time_month` AS (
  SELECT makeDate32(toYear(`orders`.`day`), toMonth(`orders`.`day`), 1) AS `metric_time_month`, sumOrNull(toNullable(`orders`.`amount`)) AS `revenue`, toInt64(count(toNullable(1))) AS `order_count`
  FROM `orders`
  WHERE `orders`.`day` >= toDate32('2024-01-01')
  GROUP BY makeDate32(toYear(`orders`.`day`), toMonth(`orders`.`day`), 1)
),
`tickets_by_metric_time_month` AS (
  SELECT makeDate32(toYear(`tickets`.`day`), toMonth(`tickets`.`day`), 1) AS `metric_time_month`, sumOrNull(toNullable(`tickets`.`hours`)) AS `hours_2`
  FROM `tickets`
  WHERE `tickets`.`day` >= toDate32('2024-01-01')
  GROUP BY makeDate32(toYear(`tickets`.`day`), toMonth(`tickets`.`day`), 1)
)
SELECT `parts`.`metric_time_month` AS `metric_time_month`, maxOrNull(`parts`.`revenue`) AS `revenue`, maxOrNull(`parts`.`hours`) AS `hours`, (toFloat64(maxOrNull(`parts`.`hours`)) / nullIf(toFloat64(coalesce(maxOrNull(`parts`.`order_count`), 0)), 0)) AS `hours_per_order`
FROM (SELECT `orders_by_metric_time_month`.`metric_time_month` AS `metric_time_month`, `orders_by_metric_time_month`.`revenue` AS `revenue`, `orders_by_metric_time_month`.`order_count` AS `order_count`, (SELECT MAX(`tickets_by_metric_time_month`.`hours_2`) FROM `tickets_by_metric_time_month` WHERE 1 = 0) AS `hours` FROM `orders_by_metric_time_month`
UNION ALL SELECT `tickets_by_metric_time_month`.`metric_time_month` AS `metric_time_month`, (SELECT MAX(`orders_by_metric_time_month`.`revenue`) FROM `orders_by_metric_time_month` WHERE 1 = 0) AS `revenue`, CAST(NULL AS Nullable(Int64)) AS `order_count`, `tickets_by_metric_time_month`.`hours_2` AS `hours` FROM `tickets_by_metric_time_month`) AS `parts`
GROUP BY `parts`.`metric_time_month`
ORDER BY `parts`.`metric_time_month` ASC NULLS LAST
LIMIT 1000

-- duckdb
WITH "orders_by_metric_time_month" AS (
  SELECT CAST(date_trunc('month', "orders"."day") AS DATE) AS "metric_time_month", SUM("orders"."amount") AS "revenue", COUNT(1) AS "order_count"
  FROM "orders"
  WHERE "orders"."day" >= CAST('2024-01-01' AS DATE)
  GROUP BY CAST(date_trunc('month', "orders"."day") AS DATE)
),
"tickets_by_metric_time_month" AS (
  SELECT CAST(date_trunc('month', "tickets"."day") AS DATE) AS "metric_time_month", SUM("tickets"."hours") AS "hours_2"
  FROM "tickets"
  WHERE "tickets"."day" >= CAST('2024-01-01' AS DATE)
  GROUP BY CAST(date_trunc('month', "tickets"."day") AS DATE)
)
SELECT "parts"."metric_time_month" AS "metric_time_month", MAX("parts"."revenue") AS "revenue", MAX("parts"."hours") AS "hours", (CAST(MAX("parts"."hours") AS DOUBLE) / NULLIF(coalesce(MAX("parts"."order_count"), 0), 0)) AS "hours_per_order"
FROM (SELECT "orders_by_metric_time_month"."metric_time_month" AS "metric_time_month", "orders_by_metric_time_month"."revenue" AS "revenue", "orders_by_metric_time_month"."order_count" AS "order_count", (SELECT MAX("tickets_by_metric_time_month"."hours_2") FROM "tickets_by_metric_time_month" WHERE 1 = 0) AS "hours" FROM "orders_by_metric_time_month"
UNION ALL SELECT "tickets_by_metric_time_month"."metric_time_month" AS "metric_time_month", (SELECT MAX("orders_by_metric_time_month"."revenue") FROM "orders_by_metric_time_month" WHERE 1 = 0) AS "revenue", CAST(NULL AS BIGINT) AS "order_count", "tickets_by_metric_time_month"."hours_2" AS "hours" FROM "tickets_by_metric_time_month") AS "parts"
GROUP BY "parts"."metric_time_month"
ORDER BY "parts"."metric_time_month" ASC NULLS LAST
LIMIT 1000

-- mysql
WITH `orders_by_metric_time_month` AS (
  SELECT `orders_2`.`metric_time_month` AS `metric_time_month`, SUM(`orders_2`.`revenue`) AS `revenue`, COUNT(`orders_2`.`order_count`) AS `order_count`
  FROM (SELECT CAST(DATE_FORMAT(`orders`.`day`, '%Y-%m-01') AS DATE) AS `metric_time_month`, `orders`.`amount` AS `revenue`, 1 AS `order_count` FROM `orders` WHERE `orders`.`day` >= DATE '2024-01-01') AS `orders_2`
  GROUP BY `orders_2`.`metric_time_month`
),
`tickets_by_metric_time_month` AS (
  SELECT `tickets_2`.`metric_time_month` AS `metric_time_month`, SUM(`tickets_2`.`hours`) AS `hours`
  FROM (SELECT CAST(DATE_FORMAT(`tickets`.`day`, '%Y-%m-01') AS DATE) AS `metric_time_month`, `tickets`.`hours` AS `hours` FROM `tickets` WHERE `tickets`.`day` >= DATE '2024-01-01') AS `tickets_2`
  GROUP BY `tickets_2`.`metric_time_month`
)
SELECT `parts`.`metric_time_month` AS `metric_time_month`, MAX(`parts`.`revenue`) AS `revenue`, MAX(`parts`.`hours`) AS `hours`, ((MAX(`parts`.`hours`) * 1e0) / NULLIF(COALESCE(MAX(`parts`.`order_count`), 0), 0)) AS `hours_per_order`
FROM (SELECT `orders_by_metric_time_month`.`metric_time_month` AS `metric_time_month`, `orders_by_metric_time_month`.`revenue` AS `revenue`, `orders_by_metric_time_month`.`order_count` AS `order_count`, (SELECT MAX(`tickets_by_metric_time_month`.`hours`) FROM `tickets_by_metric_time_month` WHERE 1 = 0) AS `hours` FROM `orders_by_metric_time_month`
UNION ALL SELECT `tickets_by_metric_time_month`.`metric_time_month` AS `metric_time_month`, (SELECT MAX(`orders_by_metric_time_month`.`revenue`) FROM `orders_by_metric_time_month` WHERE 1 = 0) AS `revenue`, CAST(NULL AS SIGNED) AS `order_count`, `tickets_by_metric_time_month`.`hours` AS `hours` FROM `tickets_by_metric_time_month`) AS `parts`
GROUP BY `parts`.`metric_time_month`
ORDER BY `parts`.`metric_time_month` IS NULL, `parts`.`metric_time_month` ASC
LIMIT 1000

-- postgres
WITH "orders_by_metric_time_month" AS (
  SELECT CAST(date_trunc('month', "orders"."day") AS date) AS "metric_time_month", SUM("orders"."amount") AS "revenue", COUNT(1) AS "order_count"
  FROM "orders"
  WHERE "orders"."day" >= DATE '2024-01-01'
  GROUP BY CAST(date_trunc('month', "orders"."day") AS date)
),
"tickets_by_metric_time_month" AS (
  SELECT CAST(date_trunc('month', "tickets"."day") AS date) AS "metric_time_month", SUM("tickets"."hours") AS "hours_2"
  FROM "tickets"
  WHERE "tickets"."day" >= DATE '2024-01-01'
  GROUP BY CAST(date_trunc('month', "tickets"."day") AS date)
)
SELECT "parts"."metric_time_month" AS "metric_time_month", MAX("parts"."revenue") AS "revenue", MAX("parts"."hours") AS "hours", (CAST(MAX("parts"."hours") AS double precision) / NULLIF(coalesce(MAX("parts"."order_count"), 0), 0)) AS "hours_per_order"
FROM (SELECT "orders_by_metric_time_month"."metric_time_month" AS "metric_time_month", "orders_by_metric_time_month"."revenue" AS "revenue", "orders_by_metric_time_month"."order_count" AS "order_count", (SELECT MAX("tickets_by_metric_time_month"."hours_2") FROM "tickets_by_metric_time_month" WHERE 1 = 0) AS "hours" FROM "orders_by_metric_time_month"
UNION ALL SELECT "tickets_by_metric_time_month"."metric_time_month" AS "metric_time_month", (SELECT MAX("orders_by_metric_time_month"."revenue") FROM "orders_by_metric_time_month" WHERE 1 = 0) AS "revenue", CAST(NULL AS bigint) AS "order_count", "tickets_by_metric_time_month"."hours_2" AS "hours" FROM "tickets_by_metric_time_month") AS "parts"
GROUP BY "parts"."metric_time_month"
ORDER BY "parts"."metric_time_month" ASC NULLS LAST
LIMIT 1000

-- snowflake
WITH "orders_by_metric_time_month" AS (
  SELECT DATE_TRUNC('MONTH', "orders"."DAY")::DATE AS "metric_time_month", SUM("orders"."AMOUNT") AS "revenue", COUNT(1) AS "order_count"
  FROM "ORDERS" AS "orders"
  WHERE "orders"."DAY" >= CAST('2024-01-01' AS DATE)
  GROUP BY DATE_TRUNC('MONTH', "orders"."DAY")::DATE
),
"tickets_by_metric_time_month" AS (
  SELECT DATE_TRUNC('MONTH', "tickets"."DAY")::DATE AS "metric_time_month", SUM("tickets"."HOURS") AS "hours_2"
  FROM "TICKETS" AS "tickets"
  WHERE "tickets"."DAY" >= CAST('2024-01-01' AS DATE)
  GROUP BY DATE_TRUNC('MONTH', "tickets"."DAY")::DATE
)
SELECT "parts"."metric_time_month" AS "metric_time_month", MAX("parts"."revenue") AS "revenue", MAX("parts"."hours") AS "hours", (MAX("parts"."hours")::FLOAT / NULLIF(COALESCE(MAX("parts"."order_count"), 0), 0)) AS "hours_per_order"
FROM (SELECT "orders_by_metric_time_month"."metric_time_month" AS "metric_time_month", "orders_by_metric_time_month"."revenue" AS "revenue", "orders_by_metric_time_month"."order_count" AS "order_count", (SELECT MAX("tickets_by_metric_time_month"."hours_2") FROM "tickets_by_metric_time_month" WHERE 1 = 0) AS "hours" FROM "orders_by_metric_time_month"
UNION ALL SELECT "tickets_by_metric_time_month"."metric_time_month" AS "metric_time_month", (SELECT MAX("orders_by_metric_time_month"."revenue") FROM "orders_by_metric_time_month" WHERE 1 = 0) AS "revenue", CAST(NULL AS NUMBER(38,0)) AS "order_count", "tickets_by_metric_time_month"."hours_2" AS "hours" FROM "tickets_by_metric_time_month") AS "parts"
GROUP BY "parts"."metric_time_month"
ORDER BY "parts"."metric_time_month" ASC NULLS LAST
LIMIT 1000

-- sqlite
WITH "orders_by_metric_time_month" AS (
  SELECT date("orders"."day", 'start of month') AS "metric_time_month", SUM("orders"."amount") AS "revenue", COUNT(1) AS "order_count"
  FROM "orders"
  WHERE "orders"."day" >= date('2024-01-01')
  GROUP BY date("orders"."day", 'start of month')
),
"tickets_by_metric_time_month" AS (
  SELECT date("tickets"."day", 'start of month') AS "metric_time_month", SUM("tickets"."hours") AS "hours_2"
  FROM "tickets"
  WHERE "tickets"."day" >= date('2024-01-01')
  GROUP BY date("tickets"."day", 'start of month')
)
SELECT "parts"."metric_time_month" AS "metric_time_month", MAX("parts"."revenue") AS "revenue", MAX("parts"."hours") AS "hours", (CAST(MAX("parts"."hours") AS REAL) / NULLIF(coalesce(MAX("parts"."order_count"), 0), 0)) AS "hours_per_order"
FROM (SELECT "orders_by_metric_time_month"."metric_time_month" AS "metric_time_month", "orders_by_metric_time_month"."revenue" AS "revenue", "orders_by_metric_time_month"."order_count" AS "order_count", (SELECT MAX("tickets_by_metric_time_month"."hours_2") FROM "tickets_by_metric_time_month" WHERE 1 = 0) AS "hours" FROM "orders_by_metric_time_month"
UNION ALL SELECT "tickets_by_metric_time_month"."metric_time_month" AS "metric_time_month", (SELECT MAX("orders_by_metric_time_month"."revenue") FROM "orders_by_metric_time_month" WHERE 1 = 0) AS "revenue", CAST(NULL AS INTEGER) AS "order_count", "tickets_by_metric_time_month"."hours_2" AS "hours" FROM "tickets_by_metric_time_month") AS "parts"
GROUP BY "parts"."metric_time_month"
ORDER BY "parts"."metric_time_month" ASC NULLS LAST
LIMIT 1000

-- sqlserver
WITH [orders_by_metric_time_month] AS (
  SELECT [orders_2].[metric_time_month] AS [metric_time_month], SUM([orders_2].[revenue]) AS [revenue], COUNT_BIG([orders_2].[order_count]) AS [order_count]
  FROM (SELECT DATETRUNC(month, CAST([orders].[day] AS date)) AS [metric_time_month], [orders].[amount] AS [revenue], 1 AS [order_count] FROM [orders] WHERE [orders].[day] >= CAST(N'2024-01-01' AS date)) AS [orders_2]
  GROUP BY [orders_2].[metric_time_month]
),
[tickets_by_metric_time_month] AS (
  SELECT [tickets_2].[metric_time_month] AS [metric_time_month], SUM([tickets_2].[hours]) AS [hours]
  FROM (SELECT DATETRUNC(month, CAST([tickets].[day] AS date)) AS [metric_time_month], [tickets].[hours] AS [hours] FROM [tickets] WHERE [tickets].[day] >= CAST(N'2024-01-01' AS date)) AS [tickets_2]
  GROUP BY [tickets_2].[metric_time_month]
)
SELECT TOP (1000) [parts].[metric_time_month] AS [metric_time_month], MAX([parts].[revenue]) AS [revenue], MAX([parts].[hours]) AS [hours], (CAST(MAX([parts].[hours]) AS float) / NULLIF(COALESCE(MAX([parts].[order_count]), 0), 0)) AS [hours_per_order]
FROM (SELECT [orders_by_metric_time_month].[metric_time_month] AS [metric_time_month], [orders_by_metric_time_month].[revenue] AS [revenue], [orders_by_metric_time_month].[order_count] AS [order_count], (SELECT MAX([tickets_by_metric_time_month].[hours]) FROM [tickets_by_metric_time_month] WHERE 1 = 0) AS [hours] FROM [orders_by_metric_time_month]
UNION ALL SELECT [tickets_by_metric_time_month].[metric_time_month] AS [metric_time_month], (SELECT MAX([orders_by_metric_time_month].[revenue]) FROM [orders_by_metric_time_month] WHERE 1 = 0) AS [revenue], CAST(NULL AS bigint) AS [order_count], [tickets_by_metric_time_month].[hours] AS [hours] FROM [tickets_by_metric_time_month]) AS [parts]
GROUP BY [parts].[metric_time_month]
ORDER BY CASE WHEN [parts].[metric_time_month] IS NULL THEN 1 ELSE 0 END, [parts].[metric_time_month] ASC

