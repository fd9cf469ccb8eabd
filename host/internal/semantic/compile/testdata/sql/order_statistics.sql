-- bigquery
SELECT `orders_2`.`status` AS `status`, SUM(CASE WHEN ABS(`orders_2`.`rank` - 1 - 0.5 * (`orders_2`.`count` - 1)) < 1 THEN CAST(`orders_2`.`middle` AS FLOAT64) * (1 - ABS(`orders_2`.`rank` - 1 - 0.5 * (`orders_2`.`count` - 1))) END) AS `middle`, SUM(CASE WHEN ABS(`orders_2`.`rank_2` - 1 - 0.9 * (`orders_2`.`count_2` - 1)) < 1 THEN CAST(`orders_2`.`p90` AS FLOAT64) * (1 - ABS(`orders_2`.`rank_2` - 1 - 0.9 * (`orders_2`.`count_2` - 1))) END) AS `p90`, COUNT(DISTINCT `orders_2`.`buyers`) AS `buyers`
FROM (SELECT `orders`.`status` AS `status`, `orders`.`amount` AS `middle`, `orders`.`amount` AS `p90`, `orders`.`customer_id` AS `buyers`, ROW_NUMBER() OVER (PARTITION BY `orders`.`status` ORDER BY `orders`.`amount` ASC NULLS LAST) AS `rank`, COUNT(`orders`.`amount`) OVER (PARTITION BY `orders`.`status`) AS `count`, ROW_NUMBER() OVER (PARTITION BY `orders`.`status` ORDER BY `orders`.`amount` ASC NULLS LAST) AS `rank_2`, COUNT(`orders`.`amount`) OVER (PARTITION BY `orders`.`status`) AS `count_2` FROM `orders`) AS `orders_2`
GROUP BY `orders_2`.`status`
ORDER BY `orders_2`.`status` ASC NULLS LAST
LIMIT 1000

-- clickhouse
SELECT `orders`.`status` AS `status`, quantileExactInclusiveOrNull(0.5)(toFloat64(toNullable(`orders`.`amount`))) AS `middle`, quantileExactInclusiveOrNull(toDecimal256('0.9', length(splitByChar('.', '0.9.')[2])))(toFloat64(toNullable(`orders`.`amount`))) AS `p90`, toInt64(ifNull(uniqExact(toNullable(`orders`.`customer_id`)), 0)) AS `buyers`
FROM `orders`
GROUP BY `orders`.`status`
ORDER BY `orders`.`status` ASC NULLS LAST
LIMIT 1000

-- duckdb
SELECT "orders"."status" AS "status", median(CAST("orders"."amount" AS DOUBLE)) AS "middle", quantile_cont(CAST("orders"."amount" AS DOUBLE), 0.9) AS "p90", COUNT(DISTINCT "orders"."customer_id") AS "buyers"
FROM "orders"
GROUP BY "orders"."status"
ORDER BY "orders"."status" ASC NULLS LAST
LIMIT 1000

-- mysql
SELECT `orders_2`.`status` AS `status`, SUM(CASE WHEN ABS(`orders_2`.`rank` - 1 - 0.5 * (`orders_2`.`count` - 1)) < 1 THEN CAST(`orders_2`.`middle` AS DOUBLE) * (1 - ABS(`orders_2`.`rank` - 1 - 0.5 * (`orders_2`.`count` - 1))) END) AS `middle`, SUM(CASE WHEN ABS(`orders_2`.`rank_2` - 1 - 0.9 * (`orders_2`.`count_2` - 1)) < 1 THEN CAST(`orders_2`.`p90` AS DOUBLE) * (1 - ABS(`orders_2`.`rank_2` - 1 - 0.9 * (`orders_2`.`count_2` - 1))) END) AS `p90`, COUNT(DISTINCT `orders_2`.`buyers`) AS `buyers`
FROM (SELECT `orders`.`status` AS `status`, `orders`.`amount` AS `middle`, `orders`.`amount` AS `p90`, `orders`.`customer_id` AS `buyers`, ROW_NUMBER() OVER (PARTITION BY `orders`.`status` ORDER BY `orders`.`amount` IS NULL, `orders`.`amount` ASC) AS `rank`, COUNT(`orders`.`amount`) OVER (PARTITION BY `orders`.`status`) AS `count`, ROW_NUMBER() OVER (PARTITION BY `orders`.`status` ORDER BY `orders`.`amount` IS NULL, `orders`.`amount` ASC) AS `rank_2`, COUNT(`orders`.`amount`) OVER (PARTITION BY `orders`.`status`) AS `count_2` FROM `orders`) AS `orders_2`
GROUP BY `orders_2`.`status`
ORDER BY `orders_2`.`status` IS NULL, `orders_2`.`status` ASC
LIMIT 1000

-- postgres
SELECT "orders"."status" AS "status", percentile_cont(0.5) WITHIN GROUP (ORDER BY "orders"."amount") AS "middle", percentile_cont(0.9) WITHIN GROUP (ORDER BY "orders"."amount") AS "p90", COUNT(DISTINCT "orders"."customer_id") AS "buyers"
FROM "orders"
GROUP BY "orders"."status"
ORDER BY "orders"."status" ASC NULLS LAST
LIMIT 1000

-- snowflake
SELECT "orders_2"."status_2" AS "status", "orders_2"."middle" AS "middle", "orders_2"."p90" AS "p90", "orders_2"."buyers" AS "buyers"
FROM (SELECT "orders"."STATUS" AS "status_2", MEDIAN("orders"."AMOUNT"::FLOAT) AS "middle", PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY "orders"."AMOUNT"::FLOAT) AS "p90", COUNT(DISTINCT "orders"."CUSTOMER_ID") AS "buyers" FROM "ORDERS" AS "orders" GROUP BY "orders"."STATUS") AS "orders_2"
ORDER BY "orders_2"."status_2" ASC NULLS LAST
LIMIT 1000

-- sqlite
SELECT "orders_2"."status" AS "status", SUM(CASE WHEN abs("orders_2"."rank" - 1 - 0.5 * ("orders_2"."count" - 1)) < 1 THEN CAST("orders_2"."middle" AS REAL) * (1 - abs("orders_2"."rank" - 1 - 0.5 * ("orders_2"."count" - 1))) END) AS "middle", SUM(CASE WHEN abs("orders_2"."rank_2" - 1 - 0.9 * ("orders_2"."count_2" - 1)) < 1 THEN CAST("orders_2"."p90" AS REAL) * (1 - abs("orders_2"."rank_2" - 1 - 0.9 * ("orders_2"."count_2" - 1))) END) AS "p90", COUNT(DISTINCT "orders_2"."buyers") AS "buyers"
FROM (SELECT "orders"."status" AS "status", "orders"."amount" AS "middle", "orders"."amount" AS "p90", "orders"."customer_id" AS "buyers", ROW_NUMBER() OVER (PARTITION BY "orders"."status" ORDER BY "orders"."amount" ASC NULLS LAST) AS "rank", COUNT("orders"."amount") OVER (PARTITION BY "orders"."status") AS "count", ROW_NUMBER() OVER (PARTITION BY "orders"."status" ORDER BY "orders"."amount" ASC NULLS LAST) AS "rank_2", COUNT("orders"."amount") OVER (PARTITION BY "orders"."status") AS "count_2" FROM "orders") AS "orders_2"
GROUP BY "orders_2"."status"
ORDER BY "orders_2"."status" ASC NULLS LAST
LIMIT 1000

-- sqlserver
SELECT TOP (1000) [orders_2].[status] AS [status], SUM(CASE WHEN ABS([orders_2].[rank] - 1 - 0.5 * ([orders_2].[count] - 1)) < 1 THEN CAST([orders_2].[middle] AS float) * (1 - ABS([orders_2].[rank] - 1 - 0.5 * ([orders_2].[count] - 1))) END) AS [middle], SUM(CASE WHEN ABS([orders_2].[rank_2] - 1 - 0.9 * ([orders_2].[count_2] - 1)) < 1 THEN CAST([orders_2].[p90] AS float) * (1 - ABS([orders_2].[rank_2] - 1 - 0.9 * ([orders_2].[count_2] - 1))) END) AS [p90], COUNT_BIG(DISTINCT [orders_2].[buyers]) AS [buyers]
FROM (SELECT [orders].[status] AS [status], [orders].[amount] AS [middle], [orders].[amount] AS [p90], [orders].[customer_id] AS [buyers], ROW_NUMBER() OVER (PARTITION BY [orders].[status] ORDER BY CASE WHEN [orders].[amount] IS NULL THEN 1 ELSE 0 END, [orders].[amount] ASC) AS [rank], COUNT([orders].[amount]) OVER (PARTITION BY [orders].[status]) AS [count], ROW_NUMBER() OVER (PARTITION BY [orders].[status] ORDER BY CASE WHEN [orders].[amount] IS NULL THEN 1 ELSE 0 END, [orders].[amount] ASC) AS [rank_2], COUNT([orders].[amount]) OVER (PARTITION BY [orders].[status]) AS [count_2] FROM [orders]) AS [orders_2]
GROUP BY [orders_2].[status]
ORDER BY CASE WHEN [orders_2].[status] IS NULL THEN 1 ELSE 0 END, [orders_2].[status] ASC

