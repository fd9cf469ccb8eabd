-- bigquery
WITH `orders_by_status` AS (
  SELECT `orders`.`status` AS `status`, SUM(`orders`.`amount`) AS `revenue`, 0 AS `total`
  FROM `orders`
  GROUP BY `orders`.`status`
),
`orders_by_status_2` AS (
  SELECT SUM(`orders`.`amount`) AS `revenue`, 1 AS `total`
  FROM `orders`
)
SELECT `parts_3`.`status` AS `status`, `parts_3`.`revenue` AS `revenue`, SAFE_DIVIDE(CAST(`parts_3`.`revenue` AS FLOAT64), `parts_3`.`revenue_3`) AS `revenue_share`
FROM (SELECT `parts_2`.`status` AS `status`, `parts_2`.`total` AS `total`, `parts_2`.`revenue` AS `revenue`, `parts_2`.`revenue_2` AS `revenue_2`, MAX(`parts_2`.`revenue_2`) OVER () AS `revenue_3` FROM (SELECT `parts`.`status` AS `status`, `parts`.`total` AS `total`, MAX(`parts`.`revenue`) AS `revenue`, MAX(`parts`.`revenue_2`) AS `revenue_2` FROM (SELECT `orders_by_status`.`status` AS `status`, `orders_by_status`.`total` AS `total`, `orders_by_status`.`revenue` AS `revenue`, (SELECT MAX(`orders_by_status_2`.`revenue`) FROM `orders_by_status_2` WHERE 1 = 0) AS `revenue_2` FROM `orders_by_status`
UNION ALL SELECT CAST(NULL AS STRING) AS `status`, `orders_by_status_2`.`total` AS `total`, (SELECT MAX(`orders_by_status`.`revenue`) FROM `orders_by_status` WHERE 1 = 0) AS `revenue`, `orders_by_status_2`.`revenue` AS `revenue_2` FROM `orders_by_status_2`) AS `parts` GROUP BY `parts`.`status`, `parts`.`total`) AS `parts_2`) AS `parts_3`
WHERE `parts_3`.`total` = 0 AND SAFE_DIVIDE(CAST(`parts_3`.`revenue` AS FLOAT64), `parts_3`.`revenue_3`) > 0.1
ORDER BY `parts_3`.`status` ASC NULLS LAST
LIMIT 1000

-- clickhouse
WITH `orders_by_status` AS (
  SELECT `orders`.`status` AS `status`, sumOrNull(toNullable(`orders`.`amount`)) AS `revenue`, 0 AS `total`
  FROM `orders`
  GROUP BY `orders`.`status`
),
`orders_by_status_2` AS (
  SELECT sumOrNull(toNullable(`orders`.`amount`)) AS `revenue`, 1 AS `total`
  FROM `orders`
)
SELECT `parts_3`.`status` AS `status`, `parts_3`.`revenue` AS `revenue`, (toFloat64(`parts_3`.`revenue`) / nullIf(toFloat64(`parts_3`.`revenue_3`), 0)) AS `revenue_share`
FROM (SELECT `parts_2`.`status` AS `status`, `parts_2`.`total` AS `total`, `parts_2`.`revenue` AS `revenue`, `parts_2`.`revenue_2` AS `revenue_2`, MAX(`parts_2`.`revenue_2`) OVER () AS `revenue_3` FROM (SELECT `parts`.`status` AS `status`, `parts`.`total` AS `total`, maxOrNull(`parts`.`revenue`) AS `revenue`, maxOrNull(`parts`.`revenue_2`) AS `revenue_2` FROM (SELECT `orders_by_status`.`status` AS `status`, `orders_by_status`.`total` AS `total`, `orders_by_status`.`revenue` AS `revenue`, (SELECT MAX(`orders_by_status_2`.`revenue`) FROM `orders_by_status_2` WHERE 1 = 0) AS `revenue_2` FROM `orders_by_status`
UNION ALL SELECT CAST(NULL AS Nullable(String)) AS `status`, `orders_by_status_2`.`total` AS `total`, (SELECT MAX(`orders_by_status`.`revenue`) FROM `orders_by_status` WHERE 1 = 0) AS `revenue`, `orders_by_status_2`.`revenue` AS `revenue_2` FROM `orders_by_status_2`) AS `parts` GROUP BY `parts`.`status`, `parts`.`total`) AS `parts_2`) AS `parts_3`
WHERE `parts_3`.`total` = 0 AND (toFloat64(`parts_3`.`revenue`) / nullIf(toFloat64(`parts_3`.`revenue_3`), 0)) > toDecimal256('0.1', length(splitByChar('.', '0.1.')[2]))
ORDER BY `parts_3`.`status` ASC NULLS LAST
LIMIT 1000

-- duckdb
WITH "orders_by_status" AS (
  SELECT "orders"."status" AS "status", SUM("orders"."amount") AS "revenue", 0 AS "total"
  FROM "orders"
  GROUP BY "orders"."status"
),
"orders_by_status_2" AS (
  SELECT SUM("orders"."amount") AS "revenue", 1 AS "total"
  FROM "orders"
)
SELECT "parts_3"."status" AS "status", "parts_3"."revenue" AS "revenue", (CAST("parts_3"."revenue" AS DOUBLE) / NULLIF("parts_3"."revenue_3", 0)) AS "revenue_share"
FROM (SELECT "parts_2"."status" AS "status", "parts_2"."total" AS "total", "parts_2"."revenue" AS "revenue", "parts_2"."revenue_2" AS "revenue_2", MAX("parts_2"."revenue_2") OVER () AS "revenue_3" FROM (SELECT "parts"."status" AS "status", "parts"."total" AS "total", MAX("parts"."revenue") AS "revenue", MAX("parts"."revenue_2") AS "revenue_2" FROM (SELECT "orders_by_status"."status" AS "status", "orders_by_status"."total" AS "total", "orders_by_status"."revenue" AS "revenue", (SELECT MAX("orders_by_status_2"."revenue") FROM "orders_by_status_2" WHERE 1 = 0) AS "revenue_2" FROM "orders_by_status"
UNION ALL SELECT CAST(NULL AS VARCHAR) AS "status", "orders_by_status_2"."total" AS "total", (SELECT MAX("orders_by_status"."revenue") FROM "orders_by_status" WHERE 1 = 0) AS "revenue", "orders_by_status_2"."revenue" AS "revenue_2" FROM "orders_by_status_2") AS "parts" GROUP BY "parts"."status", "parts"."total") AS "parts_2") AS "parts_3"
WHERE "parts_3"."total" = 0 AND (CAST("parts_3"."revenue" AS DOUBLE) / NULLIF("parts_3"."revenue_3", 0)) > 0.1
ORDER BY "parts_3"."status" ASC NULLS LAST
LIMIT 1000

-- mysql
WITH `orders_by_status` AS (
  SELECT `orders`.`status` AS `status`, SUM(`orders`.`amount`) AS `revenue`, 0 AS `total`
  FROM `orders`
  GROUP BY `orders`.`status`
),
`orders_by_status_2` AS (
  SELECT SUM(`orders`.`amount`) AS `revenue`, 1 AS `total`
  FROM `orders`
)
SELECT `parts_3`.`status` AS `status`, `parts_3`.`revenue` AS `revenue`, ((`parts_3`.`revenue` * 1e0) / NULLIF(`parts_3`.`revenue_3`, 0)) AS `revenue_share`
FROM (SELECT `parts_2`.`status` AS `status`, `parts_2`.`total` AS `total`, `parts_2`.`revenue` AS `revenue`, `parts_2`.`revenue_2` AS `revenue_2`, MAX(`parts_2`.`revenue_2`) OVER () AS `revenue_3` FROM (SELECT `parts`.`status` AS `status`, `parts`.`total` AS `total`, MAX(`parts`.`revenue`) AS `revenue`, MAX(`parts`.`revenue_2`) AS `revenue_2` FROM (SELECT `orders_by_status`.`status` AS `status`, `orders_by_status`.`total` AS `total`, `orders_by_status`.`revenue` AS `revenue`, (SELECT MAX(`orders_by_status_2`.`revenue`) FROM `orders_by_status_2` WHERE 1 = 0) AS `revenue_2` FROM `orders_by_status`
UNION ALL SELECT CAST(NULL AS CHAR) AS `status`, `orders_by_status_2`.`total` AS `total`, (SELECT MAX(`orders_by_status`.`revenue`) FROM `orders_by_status` WHERE 1 = 0) AS `revenue`, `orders_by_status_2`.`revenue` AS `revenue_2` FROM `orders_by_status_2`) AS `parts` GROUP BY `parts`.`status`, `parts`.`total`) AS `parts_2`) AS `parts_3`
WHERE `parts_3`.`total` = 0 AND ((`parts_3`.`revenue` * 1e0) / NULLIF(`parts_3`.`revenue_3`, 0)) > 0.1
ORDER BY `parts_3`.`status` IS NULL, `parts_3`.`status` ASC
LIMIT 1000

-- postgres
WITH "orders_by_status" AS (
  SELECT "orders"."status" AS "status", SUM("orders"."amount") AS "revenue", 0 AS "total"
  FROM "orders"
  GROUP BY "orders"."status"
),
"orders_by_status_2" AS (
  SELECT SUM("orders"."amount") AS "revenue", 1 AS "total"
  FROM "orders"
)
SELECT "parts_3"."status" AS "status", "parts_3"."revenue" AS "revenue", (CAST("parts_3"."revenue" AS double precision) / NULLIF("parts_3"."revenue_3", 0)) AS "revenue_share"
FROM (SELECT "parts_2"."status" AS "status", "parts_2"."total" AS "total", "parts_2"."revenue" AS "revenue", "parts_2"."revenue_2" AS "revenue_2", MAX("parts_2"."revenue_2") OVER () AS "revenue_3" FROM (SELECT "parts"."status" AS "status", "parts"."total" AS "total", MAX("parts"."revenue") AS "revenue", MAX("parts"."revenue_2") AS "revenue_2" FROM (SELECT "orders_by_status"."status" AS "status", "orders_by_status"."total" AS "total", "orders_by_status"."revenue" AS "revenue", (SELECT MAX("orders_by_status_2"."revenue") FROM "orders_by_status_2" WHERE 1 = 0) AS "revenue_2" FROM "orders_by_status"
UNION ALL SELECT CAST(NULL AS text) AS "status", "orders_by_status_2"."total" AS "total", (SELECT MAX("orders_by_status"."revenue") FROM "orders_by_status" WHERE 1 = 0) AS "revenue", "orders_by_status_2"."revenue" AS "revenue_2" FROM "orders_by_status_2") AS "parts" GROUP BY "parts"."status", "parts"."total") AS "parts_2") AS "parts_3"
WHERE "parts_3"."total" = 0 AND (CAST("parts_3"."revenue" AS double precision) / NULLIF("parts_3"."revenue_3", 0)) > 0.1
ORDER BY "parts_3"."status" ASC NULLS LAST
LIMIT 1000

-- snowflake
WITH "orders_by_status" AS (
  SELECT "orders"."STATUS" AS "status_2", SUM("orders"."AMOUNT") AS "revenue", 0 AS "total"
  FROM "ORDERS" AS "orders"
  GROUP BY "orders"."STATUS"
),
"orders_by_status_2" AS (
  SELECT SUM("orders"."AMOUNT") AS "revenue", 1 AS "total"
  FROM "ORDERS" AS "orders"
)
SELECT "parts_3"."status" AS "status", "parts_3"."revenue" AS "revenue", ("parts_3"."revenue"::FLOAT / NULLIF("parts_3"."revenue_3", 0)) AS "revenue_share"
FROM (SELECT "parts_2"."status" AS "status", "parts_2"."total" AS "total", "parts_2"."revenue" AS "revenue", "parts_2"."revenue_2" AS "revenue_2", MAX("parts_2"."revenue_2") OVER () AS "revenue_3" FROM (SELECT "parts"."status" AS "status", "parts"."total" AS "total", MAX("parts"."revenue") AS "revenue", MAX("parts"."revenue_2") AS "revenue_2" FROM (SELECT "orders_by_status"."status_2" AS "status", "orders_by_status"."total" AS "total", "orders_by_status"."revenue" AS "revenue", (SELECT MAX("orders_by_status_2"."revenue") FROM "orders_by_status_2" WHERE 1 = 0) AS "revenue_2" FROM "orders_by_status"
UNION ALL SELECT CAST(NULL AS VARCHAR) AS "status", "orders_by_status_2"."total" AS "total", (SELECT MAX("orders_by_status"."revenue") FROM "orders_by_status" WHERE 1 = 0) AS "revenue", "orders_by_status_2"."revenue" AS "revenue_2" FROM "orders_by_status_2") AS "parts" GROUP BY "parts"."status", "parts"."total") AS "parts_2") AS "parts_3"
WHERE "parts_3"."total" = 0 AND ("parts_3"."revenue"::FLOAT / NULLIF("parts_3"."revenue_3", 0)) > 0.1
ORDER BY "parts_3"."status" ASC NULLS LAST
LIMIT 1000

-- sqlite
WITH "orders_by_status" AS (
  SELECT "orders"."status" AS "status", SUM("orders"."amount") AS "revenue", 0 AS "total"
  FROM "orders"
  GROUP BY "orders"."status"
),
"orders_by_status_2" AS (
  SELECT SUM("orders"."amount") AS "revenue", 1 AS "total"
  FROM "orders"
)
SELECT "parts_3"."status" AS "status", "parts_3"."revenue" AS "revenue", (CAST("parts_3"."revenue" AS REAL) / NULLIF("parts_3"."revenue_3", 0)) AS "revenue_share"
FROM (SELECT "parts_2"."status" AS "status", "parts_2"."total" AS "total", "parts_2"."revenue" AS "revenue", "parts_2"."revenue_2" AS "revenue_2", MAX("parts_2"."revenue_2") OVER () AS "revenue_3" FROM (SELECT "parts"."status" AS "status", "parts"."total" AS "total", MAX("parts"."revenue") AS "revenue", MAX("parts"."revenue_2") AS "revenue_2" FROM (SELECT "orders_by_status"."status" AS "status", "orders_by_status"."total" AS "total", "orders_by_status"."revenue" AS "revenue", (SELECT MAX("orders_by_status_2"."revenue") FROM "orders_by_status_2" WHERE 1 = 0) AS "revenue_2" FROM "orders_by_status"
UNION ALL SELECT CAST(NULL AS TEXT) AS "status", "orders_by_status_2"."total" AS "total", (SELECT MAX("orders_by_status"."revenue") FROM "orders_by_status" WHERE 1 = 0) AS "revenue", "orders_by_status_2"."revenue" AS "revenue_2" FROM "orders_by_status_2") AS "parts" GROUP BY "parts"."status", "parts"."total") AS "parts_2") AS "parts_3"
WHERE "parts_3"."total" = 0 AND (CAST("parts_3"."revenue" AS REAL) / NULLIF("parts_3"."revenue_3", 0)) > 0.1
ORDER BY "parts_3"."status" ASC NULLS LAST
LIMIT 1000

-- sqlserver
WITH [orders_by_status] AS (
  SELECT [orders].[status] AS [status], SUM([orders].[amount]) AS [revenue], 0 AS [total]
  FROM [orders]
  GROUP BY [orders].[status]
),
[orders_by_status_2] AS (
  SELECT SUM([orders].[amount]) AS [revenue], 1 AS [total]
  FROM [orders]
)
SELECT TOP (1000) [parts_3].[status] AS [status], [parts_3].[revenue] AS [revenue], (CAST([parts_3].[revenue] AS float) / NULLIF([parts_3].[revenue_3], 0)) AS [revenue_share]
FROM (SELECT [parts_2].[status] AS [status], [parts_2].[total] AS [total], [parts_2].[revenue] AS [revenue], [parts_2].[revenue_2] AS [revenue_2], MAX([parts_2].[revenue_2]) OVER () AS [revenue_3] FROM (SELECT [parts].[status] AS [status], [parts].[total] AS [total], MAX([parts].[revenue]) AS [revenue], MAX([parts].[revenue_2]) AS [revenue_2] FROM (SELECT [orders_by_status].[status] AS [status], [orders_by_status].[total] AS [total], [orders_by_status].[revenue] AS [revenue], (SELECT MAX([orders_by_status_2].[revenue]) FROM [orders_by_status_2] WHERE 1 = 0) AS [revenue_2] FROM [orders_by_status]
UNION ALL SELECT CAST(NULL AS nvarchar(max)) AS [status], [orders_by_status_2].[total] AS [total], (SELECT MAX([orders_by_status].[revenue]) FROM [orders_by_status] WHERE 1 = 0) AS [revenue], [orders_by_status_2].[revenue] AS [revenue_2] FROM [orders_by_status_2]) AS [parts] GROUP BY [parts].[status], [parts].[total]) AS [parts_2]) AS [parts_3]
WHERE [parts_3].[total] = 0 AND (CAST([parts_3].[revenue] AS float) / NULLIF([parts_3].[revenue_3], 0)) > 0.1
ORDER BY CASE WHEN [parts_3].[status] IS NULL THEN 1 ELSE 0 END, [parts_3].[status] ASC

