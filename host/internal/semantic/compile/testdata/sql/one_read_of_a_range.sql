-- bigquery
WITH `orders_by_month` AS (
  SELECT DATE_TRUNC(CAST(CAST(`orders`.`day` AS DATE) AS DATE), MONTH) AS `month`, `orders`.`status` AS `status`, SUM(`orders`.`amount`) AS `revenue`
  FROM `orders`
  WHERE `orders`.`day` >= CAST('2024-01-01' AS DATE) AND `orders`.`day` < CAST('2024-04-01' AS DATE)
  GROUP BY DATE_TRUNC(CAST(CAST(`orders`.`day` AS DATE) AS DATE), MONTH), `orders`.`status`
),
`orders_by_status` AS (
  SELECT `orders_by_month`.`status` AS `status`, SUM(`orders_by_month`.`revenue`) AS `revenue`
  FROM `orders_by_month`
  WHERE `orders_by_month`.`month` >= CAST('2024-02-01' AS DATE)
  GROUP BY `orders_by_month`.`status`
),
`orders_by_status_2` AS (
  SELECT `orders_by_month`.`status` AS `status`, SUM(`orders_by_month`.`revenue`) AS `revenue`
  FROM `orders_by_month`
  WHERE `orders_by_month`.`month` < CAST('2024-03-01' AS DATE)
  GROUP BY `orders_by_month`.`status`
)
SELECT `parts`.`status` AS `status`, MAX(`parts`.`revenue`) AS `revenue`, MAX(`parts`.`revenue_2`) AS `revenue_prev_month`
FROM (SELECT `orders_by_status`.`status` AS `status`, `orders_by_status`.`revenue` AS `revenue`, (SELECT MAX(`orders_by_status_2`.`revenue`) FROM `orders_by_status_2` WHERE 1 = 0) AS `revenue_2` FROM `orders_by_status`
UNION ALL SELECT `orders_by_status_2`.`status` AS `status`, (SELECT MAX(`orders_by_status`.`revenue`) FROM `orders_by_status` WHERE 1 = 0) AS `revenue`, `orders_by_status_2`.`revenue` AS `revenue_2` FROM `orders_by_status_2`) AS `parts`
GROUP BY `parts`.`status`
ORDER BY `parts`.`status` ASC NULLS LAST
LIMIT 1000

-- clickhouse
WITH `orders_by_month` AS (
  SELECT makeDate32(toYear(toDate32(`orders`.`day`)), toMonth(toDate32(`orders`.`day`)), 1) AS `month`, `orders`.`status` AS `status`, sumOrNull(toNullable(`orders`.`amount`)) AS `revenue`
  FROM `orders`
  WHERE `orders`.`day` >= toDate32('2024-01-01') AND `orders`.`day` < toDate32('2024-04-01')
  GROUP BY makeDate32(toYear(toDate32(`orders`.`day`)), toMonth(toDate32(`orders`.`day`)), 1), `orders`.`status`
),
`orders_by_status` AS (
  SELECT `orders_by_month`.`status` AS `status`, sumOrNull(`orders_by_month`.`revenue`) AS `revenue`
  FROM `orders_by_month`
  WHERE `orders_by_month`.`month` >= toDate32('2024-02-01')
  GROUP BY `orders_by_month`.`status`
),
`orders_by_status_2` AS (
  SELECT `orders_by_month`.`status` AS `status`, sumOrNull(`orders_by_month`.`revenue`) AS `revenue`
  FROM `orders_by_month`
  WHERE `orders_by_month`.`month` < toDate32('2024-03-01')
  GROUP BY `orders_by_month`.`status`
)
SELECT `parts`.`status` AS `status`, maxOrNull(`parts`.`revenue`) AS `revenue`, maxOrNull(`parts`.`revenue_2`) AS `revenue_prev_month`
FROM (SELECT `orders_by_status`.`status` AS `status`, `orders_by_status`.`revenue` AS `revenue`, (SELECT MAX(`orders_by_status_2`.`revenue`) FROM `orders_by_status_2` WHERE 1 = 0) AS `revenue_2` FROM `orders_by_status`
UNION ALL SELECT `orders_by_status_2`.`status` AS `status`, (SELECT MAX(`orders_by_status`.`revenue`) FROM `orders_by_status` WHERE 1 = 0) AS `revenue`, `orders_by_status_2`.`revenue` AS `revenue_2` FROM `orders_by_status_2`) AS `parts`
GROUP BY `parts`.`status`
ORDER BY `parts`.`status` ASC NULLS LAST
LIMIT 1000

-- duckdb
WITH "orders_by_month" AS (
  SELECT CAST(date_trunc('month', CAST(date_trunc('day', "orders"."day") AS DATE)) AS DATE) AS "month", "orders"."status" AS "status", SUM("orders"."amount") AS "revenue"
  FROM "orders"
  WHERE "orders"."day" >= CAST('2024-01-01' AS DATE) AND "orders"."day" < CAST('2024-04-01' AS DATE)
  GROUP BY CAST(date_trunc('month', CAST(date_trunc('day', "orders"."day") AS DATE)) AS DATE), "orders"."status"
),
"orders_by_status" AS (
  SELECT "orders_by_month"."status" AS "status", SUM("orders_by_month"."revenue") AS "revenue"
  FROM "orders_by_month"
  WHERE "orders_by_month"."month" >= CAST('2024-02-01' AS DATE)
  GROUP BY "orders_by_month"."status"
),
"orders_by_status_2" AS (
  SELECT "orders_by_month"."status" AS "status", SUM("orders_by_month"."revenue") AS "revenue"
  FROM "orders_by_month"
  WHERE "orders_by_month"."month" < CAST('2024-03-01' AS DATE)
  GROUP BY "orders_by_month"."status"
)
SELECT "parts"."status" AS "status", MAX("parts"."revenue") AS "revenue", MAX("parts"."revenue_2") AS "revenue_prev_month"
FROM (SELECT "orders_by_status"."status" AS "status", "orders_by_status"."revenue" AS "revenue", (SELECT MAX("orders_by_status_2"."revenue") FROM "orders_by_status_2" WHERE 1 = 0) AS "revenue_2" FROM "orders_by_status"
UNION ALL SELECT "orders_by_status_2"."status" AS "status", (SELECT MAX("orders_by_status"."revenue") FROM "orders_by_status" WHERE 1 = 0) AS "revenue", "orders_by_status_2"."revenue" AS "revenue_2" FROM "orders_by_status_2") AS "parts"
GROUP BY "parts"."status"
ORDER BY "parts"."status" ASC NULLS LAST
LIMIT 1000

-- mysql
WITH `orders_by_month` AS (
  SELECT `orders_2`.`month` AS `month`, `orders_2`.`status` AS `status`, SUM(`orders_2`.`revenue`) AS `revenue`
  FROM (SELECT CAST(DATE_FORMAT(DATE(`orders`.`day`), '%Y-%m-01') AS DATE) AS `month`, `orders`.`status` AS `status`, `orders`.`amount` AS `revenue` FROM `orders` WHERE `orders`.`day` >= DATE '2024-01-01' AND `orders`.`day` < DATE '2024-04-01') AS `orders_2`
  GROUP BY `orders_2`.`month`, `orders_2`.`status`
),
`orders_by_status` AS (
  SELECT `orders_by_month`.`status` AS `status`, SUM(`orders_by_month`.`revenue`) AS `revenue`
  FROM `orders_by_month`
  WHERE `orders_by_month`.`month` >= DATE '2024-02-01'
  GROUP BY `orders_by_month`.`status`
),
`orders_by_status_2` AS (
  SELECT `orders_by_month`.`status` AS `status`, SUM(`orders_by_month`.`revenue`) AS `revenue`
  FROM `orders_by_month`
  WHERE `orders_by_month`.`month` < DATE '2024-03-01'
  GROUP BY `orders_by_month`.`status`
)
SELECT `parts`.`status` AS `status`, MAX(`parts`.`revenue`) AS `revenue`, MAX(`parts`.`revenue_2`) AS `revenue_prev_month`
FROM (SELECT `orders_by_status`.`status` AS `status`, `orders_by_status`.`revenue` AS `revenue`, (SELECT MAX(`orders_by_status_2`.`revenue`) FROM `orders_by_status_2` WHERE 1 = 0) AS `revenue_2` FROM `orders_by_status`
UNION ALL SELECT `orders_by_status_2`.`status` AS `status`, (SELECT MAX(`orders_by_status`.`revenue`) FROM `orders_by_status` WHERE 1 = 0) AS `revenue`, `orders_by_status_2`.`revenue` AS `revenue_2` FROM `orders_by_status_2`) AS `parts`
GROUP BY `parts`.`status`
ORDER BY `parts`.`status` IS NULL, `parts`.`status` ASC
LIMIT 1000

-- postgres
WITH "orders_by_month" AS (
  SELECT CAST(date_trunc('month', CAST("orders"."day" AS date)) AS date) AS "month", "orders"."status" AS "status", SUM("orders"."amount") AS "revenue"
  FROM "orders"
  WHERE "orders"."day" >= DATE '2024-01-01' AND "orders"."day" < DATE '2024-04-01'
  GROUP BY CAST(date_trunc('month', CAST("orders"."day" AS date)) AS date), "orders"."status"
),
"orders_by_status" AS (
  SELECT "orders_by_month"."status" AS "status", SUM("orders_by_month"."revenue") AS "revenue"
  FROM "orders_by_month"
  WHERE "orders_by_month"."month" >= DATE '2024-02-01'
  GROUP BY "orders_by_month"."status"
),
"orders_by_status_2" AS (
  SELECT "orders_by_month"."status" AS "status", SUM("orders_by_month"."revenue") AS "revenue"
  FROM "orders_by_month"
  WHERE "orders_by_month"."month" < DATE '2024-03-01'
  GROUP BY "orders_by_month"."status"
)
SELECT "parts"."status" AS "status", MAX("parts"."revenue") AS "revenue", MAX("parts"."revenue_2") AS "revenue_prev_month"
FROM (SELECT "orders_by_status"."status" AS "status", "orders_by_status"."revenue" AS "revenue", (SELECT MAX("orders_by_status_2"."revenue") FROM "orders_by_status_2" WHERE 1 = 0) AS "revenue_2" FROM "orders_by_status"
UNION ALL SELECT "orders_by_status_2"."status" AS "status", (SELECT MAX("orders_by_status"."revenue") FROM "orders_by_status" WHERE 1 = 0) AS "revenue", "orders_by_status_2"."revenue" AS "revenue_2" FROM "orders_by_status_2") AS "parts"
GROUP BY "parts"."status"
ORDER BY "parts"."status" ASC NULLS LAST
LIMIT 1000

-- snowflake
WITH "orders_by_month" AS (
  SELECT DATE_TRUNC('MONTH', DATE_TRUNC('DAY', "orders"."DAY")::DATE)::DATE AS "month", "orders"."STATUS" AS "status_2", SUM("orders"."AMOUNT") AS "revenue"
  FROM "ORDERS" AS "orders"
  WHERE "orders"."DAY" >= CAST('2024-01-01' AS DATE) AND "orders"."DAY" < CAST('2024-04-01' AS DATE)
  GROUP BY DATE_TRUNC('MONTH', DATE_TRUNC('DAY', "orders"."DAY")::DATE)::DATE, "orders"."STATUS"
),
"orders_by_status" AS (
  SELECT "orders_by_month"."status_2" AS "status", SUM("orders_by_month"."revenue") AS "revenue"
  FROM "orders_by_month"
  WHERE "orders_by_month"."month" >= CAST('2024-02-01' AS DATE)
  GROUP BY "orders_by_month"."status_2"
),
"orders_by_status_2" AS (
  SELECT "orders_by_month"."status_2" AS "status", SUM("orders_by_month"."revenue") AS "revenue"
  FROM "orders_by_month"
  WHERE "orders_by_month"."month" < CAST('2024-03-01' AS DATE)
  GROUP BY "orders_by_month"."status_2"
)
SELECT "parts"."status" AS "status", MAX("parts"."revenue") AS "revenue", MAX("parts"."revenue_2") AS "revenue_prev_month"
FROM (SELECT "orders_by_status"."status" AS "status", "orders_by_status"."revenue" AS "revenue", (SELECT MAX("orders_by_status_2"."revenue") FROM "orders_by_status_2" WHERE 1 = 0) AS "revenue_2" FROM "orders_by_status"
UNION ALL SELECT "orders_by_status_2"."status" AS "status", (SELECT MAX("orders_by_status"."revenue") FROM "orders_by_status" WHERE 1 = 0) AS "revenue", "orders_by_status_2"."revenue" AS "revenue_2" FROM "orders_by_status_2") AS "parts"
GROUP BY "parts"."status"
ORDER BY "parts"."status" ASC NULLS LAST
LIMIT 1000

-- sqlite
WITH "orders_by_month" AS (
  SELECT date(date("orders"."day"), 'start of month') AS "month", "orders"."status" AS "status", SUM("orders"."amount") AS "revenue"
  FROM "orders"
  WHERE "orders"."day" >= date('2024-01-01') AND "orders"."day" < date('2024-04-01')
  GROUP BY date(date("orders"."day"), 'start of month'), "orders"."status"
),
"orders_by_status" AS (
  SELECT "orders_by_month"."status" AS "status", SUM("orders_by_month"."revenue") AS "revenue"
  FROM "orders_by_month"
  WHERE "orders_by_month"."month" >= date('2024-02-01')
  GROUP BY "orders_by_month"."status"
),
"orders_by_status_2" AS (
  SELECT "orders_by_month"."status" AS "status", SUM("orders_by_month"."revenue") AS "revenue"
  FROM "orders_by_month"
  WHERE "orders_by_month"."month" < date('2024-03-01')
  GROUP BY "orders_by_month"."status"
)
SELECT "parts"."status" AS "status", MAX("parts"."revenue") AS "revenue", MAX("parts"."revenue_2") AS "revenue_prev_month"
FROM (SELECT "orders_by_status"."status" AS "status", "orders_by_status"."revenue" AS "revenue", (SELECT MAX("orders_by_status_2"."revenue") FROM "orders_by_status_2" WHERE 1 = 0) AS "revenue_2" FROM "orders_by_status"
UNION ALL SELECT "orders_by_status_2"."status" AS "status", (SELECT MAX("orders_by_status"."revenue") FROM "orders_by_status" WHERE 1 = 0) AS "revenue", "orders_by_status_2"."revenue" AS "revenue_2" FROM "orders_by_status_2") AS "parts"
GROUP BY "parts"."status"
ORDER BY "parts"."status" ASC NULLS LAST
LIMIT 1000

-- sqlserver
WITH [orders_by_month] AS (
  SELECT [orders_2].[month] AS [month], [orders_2].[status] AS [status], SUM([orders_2].[revenue]) AS [revenue]
  FROM (SELECT DATETRUNC(month, CAST(CAST([orders].[day] AS date) AS date)) AS [month], [orders].[status] AS [status], [orders].[amount] AS [revenue] FROM [orders] WHERE [orders].[day] >= CAST(N'2024-01-01' AS date) AND [orders].[day] < CAST(N'2024-04-01' AS date)) AS [orders_2]
  GROUP BY [orders_2].[month], [orders_2].[status]
),
[orders_by_status] AS (
  SELECT [orders_by_month].[status] AS [status], SUM([orders_by_month].[revenue]) AS [revenue]
  FROM [orders_by_month]
  WHERE [orders_by_month].[month] >= CAST(N'2024-02-01' AS date)
  GROUP BY [orders_by_month].[status]
),
[orders_by_status_2] AS (
  SELECT [orders_by_month].[status] AS [status], SUM([orders_by_month].[revenue]) AS [revenue]
  FROM [orders_by_month]
  WHERE [orders_by_month].[month] < CAST(N'2024-03-01' AS date)
  GROUP BY [orders_by_month].[status]
)
SELECT TOP (1000) [parts].[status] AS [status], MAX([parts].[revenue]) AS [revenue], MAX([parts].[revenue_2]) AS [revenue_prev_month]
FROM (SELECT [orders_by_status].[status] AS [status], [orders_by_status].[revenue] AS [revenue], (SELECT MAX([orders_by_status_2].[revenue]) FROM [orders_by_status_2] WHERE 1 = 0) AS [revenue_2] FROM [orders_by_status]
UNION ALL SELECT [orders_by_status_2].[status] AS [status], (SELECT MAX([orders_by_status].[revenue]) FROM [orders_by_status] WHERE 1 = 0) AS [revenue], [orders_by_status_2].[revenue] AS [revenue_2] FROM [orders_by_status_2]) AS [parts]
GROUP BY [parts].[status]
ORDER BY CASE WHEN [parts].[status] IS NULL THEN 1 ELSE 0 END, [parts].[status] ASC

