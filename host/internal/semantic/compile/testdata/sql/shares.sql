-- bigquery
SELECT `orders_3`.`status` AS `status`, `orders_3`.`revenue` AS `revenue`, SAFE_DIVIDE(CAST(`orders_3`.`revenue` AS FLOAT64), `orders_3`.`revenue_2`) AS `revenue_share`
FROM (SELECT `orders_2`.`status` AS `status`, `orders_2`.`revenue` AS `revenue`, SUM(`orders_2`.`revenue`) OVER () AS `revenue_2` FROM (SELECT `orders`.`status` AS `status`, SUM(`orders`.`amount`) AS `revenue` FROM `orders` GROUP BY `orders`.`status`) AS `orders_2`) AS `orders_3`
WHERE SAFE_DIVIDE(CAST(`orders_3`.`revenue` AS FLOAT64), `orders_3`.`revenue_2`) > 0.1
ORDER BY `orders_3`.`status` ASC NULLS LAST
LIMIT 1000

-- clickhouse
SELECT `orders_3`.`status` AS `status`, `orders_3`.`revenue` AS `revenue`, (toFloat64(`orders_3`.`revenue`) / nullIf(toFloat64(`orders_3`.`revenue_2`), 0)) AS `revenue_share`
FROM (SELECT `orders_2`.`status` AS `status`, `orders_2`.`revenue` AS `revenue`, SUM(`orders_2`.`revenue`) OVER () AS `revenue_2` FROM (SELECT `orders`.`status` AS `status`, sumOrNull(toNullable(`orders`.`amount`)) AS `revenue` FROM `orders` GROUP BY `orders`.`status`) AS `orders_2`) AS `orders_3`
WHERE (toFloat64(`orders_3`.`revenue`) / nullIf(toFloat64(`orders_3`.`revenue_2`), 0)) > toDecimal256('0.1', length(splitByChar('.', '0.1.')[2]))
ORDER BY `orders_3`.`status` ASC NULLS LAST
LIMIT 1000

-- duckdb
SELECT "orders_3"."status" AS "status", "orders_3"."revenue" AS "revenue", (CAST("orders_3"."revenue" AS DOUBLE) / NULLIF("orders_3"."revenue_2", 0)) AS "revenue_share"
FROM (SELECT "orders_2"."status" AS "status", "orders_2"."revenue" AS "revenue", SUM("orders_2"."revenue") OVER () AS "revenue_2" FROM (SELECT "orders"."status" AS "status", SUM("orders"."amount") AS "revenue" FROM "orders" GROUP BY "orders"."status") AS "orders_2") AS "orders_3"
WHERE (CAST("orders_3"."revenue" AS DOUBLE) / NULLIF("orders_3"."revenue_2", 0)) > 0.1
ORDER BY "orders_3"."status" ASC NULLS LAST
LIMIT 1000

-- mysql
SELECT `orders_3`.`status` AS `status`, `orders_3`.`revenue` AS `revenue`, ((`orders_3`.`revenue` * 1e0) / NULLIF(`orders_3`.`revenue_2`, 0)) AS `revenue_share`
FROM (SELECT `orders_2`.`status` AS `status`, `orders_2`.`revenue` AS `revenue`, SUM(`orders_2`.`revenue`) OVER () AS `revenue_2` FROM (SELECT `orders`.`status` AS `status`, SUM(`orders`.`amount`) AS `revenue` FROM `orders` GROUP BY `orders`.`status`) AS `orders_2`) AS `orders_3`
WHERE ((`orders_3`.`revenue` * 1e0) / NULLIF(`orders_3`.`revenue_2`, 0)) > 0.1
ORDER BY `orders_3`.`status` IS NULL, `orders_3`.`status` ASC
LIMIT 1000

-- postgres
SELECT "orders_3"."status" AS "status", "orders_3"."revenue" AS "revenue", (CAST("orders_3"."revenue" AS double precision) / NULLIF("orders_3"."revenue_2", 0)) AS "revenue_share"
FROM (SELECT "orders_2"."status" AS "status", "orders_2"."revenue" AS "revenue", SUM("orders_2"."revenue") OVER () AS "revenue_2" FROM (SELECT "orders"."status" AS "status", SUM("orders"."amount") AS "revenue" FROM "orders" GROUP BY "orders"."status") AS "orders_2") AS "orders_3"
WHERE (CAST("orders_3"."revenue" AS double precision) / NULLIF("orders_3"."revenue_2", 0)) > 0.1
ORDER BY "orders_3"."status" ASC NULLS LAST
LIMIT 1000

-- snowflake
SELECT "orders_3"."status" AS "status", "orders_3"."revenue" AS "revenue", ("orders_3"."revenue"::FLOAT / NULLIF("orders_3"."revenue_2", 0)) AS "revenue_share"
FROM (SELECT "orders_2"."status_2" AS "status", "orders_2"."revenue" AS "revenue", SUM("orders_2"."revenue") OVER () AS "revenue_2" FROM (SELECT "orders"."STATUS" AS "status_2", SUM("orders"."AMOUNT") AS "revenue" FROM "ORDERS" AS "orders" GROUP BY "orders"."STATUS") AS "orders_2") AS "orders_3"
WHERE ("orders_3"."revenue"::FLOAT / NULLIF("orders_3"."revenue_2", 0)) > 0.1
ORDER BY "orders_3"."status" ASC NULLS LAST
LIMIT 1000

-- sqlite
SELECT "orders_3"."status" AS "status", "orders_3"."revenue" AS "revenue", (CAST("orders_3"."revenue" AS REAL) / NULLIF("orders_3"."revenue_2", 0)) AS "revenue_share"
FROM (SELECT "orders_2"."status" AS "status", "orders_2"."revenue" AS "revenue", SUM("orders_2"."revenue") OVER () AS "revenue_2" FROM (SELECT "orders"."status" AS "status", SUM("orders"."amount") AS "revenue" FROM "orders" GROUP BY "orders"."status") AS "orders_2") AS "orders_3"
WHERE (CAST("orders_3"."revenue" AS REAL) / NULLIF("orders_3"."revenue_2", 0)) > 0.1
ORDER BY "orders_3"."status" ASC NULLS LAST
LIMIT 1000

-- sqlserver
SELECT TOP (1000) [orders_3].[status] AS [status], [orders_3].[revenue] AS [revenue], (CAST([orders_3].[revenue] AS float) / NULLIF([orders_3].[revenue_2], 0)) AS [revenue_share]
FROM (SELECT [orders_2].[status] AS [status], [orders_2].[revenue] AS [revenue], SUM([orders_2].[revenue]) OVER () AS [revenue_2] FROM (SELECT [orders].[status] AS [status], SUM([orders].[amount]) AS [revenue] FROM [orders] GROUP BY [orders].[status]) AS [orders_2]) AS [orders_3]
WHERE (CAST([orders_3].[revenue] AS float) / NULLIF([orders_3].[revenue_2], 0)) > 0.1
ORDER BY CASE WHEN [orders_3].[status] IS NULL THEN 1 ELSE 0 END, [orders_3].[status] ASC

