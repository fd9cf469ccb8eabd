-- bigquery
SELECT 1 AS `direction`, SUM(`orders_2`.`size`) AS `n_rows`, SUM(CASE WHEN `orders_2`.`id` IS NOT NULL THEN 0 ELSE `orders_2`.`size` END) AS `n_nulls`, 0 AS `n_orphans`, SUM(CASE WHEN `orders_2`.`id` IS NOT NULL AND `orders_2`.`size` > 1 THEN 1 ELSE 0 END) AS `n_violations`, MAX(`orders_2`.`size`) AS `most`, MIN(CASE WHEN `orders_2`.`id` IS NOT NULL AND `orders_2`.`size` > 1 THEN CAST(`orders_2`.`id` AS STRING) END) AS `example_1`, MAX(CASE WHEN `orders_2`.`id` IS NOT NULL AND `orders_2`.`size` > 1 THEN CAST(`orders_2`.`id` AS STRING) END) AS `example_2`
FROM (SELECT `orders`.`id` AS `id`, COUNT(1) AS `size` FROM `sales`.`orders` GROUP BY `orders`.`id`) AS `orders_2`

-- clickhouse
SELECT 1 AS `direction`, sumOrNull(toDecimal128(`orders_2`.`size`, 0)) AS `n_rows`, sumOrNull(toDecimal128(CASE WHEN `orders_2`.`id` IS NOT NULL THEN 0 ELSE `orders_2`.`size` END, 0)) AS `n_nulls`, 0 AS `n_orphans`, sumOrNull(toDecimal128(CASE WHEN `orders_2`.`id` IS NOT NULL AND `orders_2`.`size` > 1 THEN 1 ELSE 0 END, 0)) AS `n_violations`, maxOrNull(`orders_2`.`size`) AS `most`, minOrNull(CASE WHEN `orders_2`.`id` IS NOT NULL AND `orders_2`.`size` > 1 THEN CAST(`orders_2`.`id` AS Nullable(String)) END) AS `example_1`, maxOrNull(CASE WHEN `orders_2`.`id` IS NOT NULL AND `orders_2`.`size` > 1 THEN CAST(`orders_2`.`id` AS Nullable(String)) END) AS `example_2`
FROM (SELECT `orders`.`id` AS `id`, toInt64(count(1)) AS `size` FROM `sales`.`orders` GROUP BY `orders`.`id`) AS `orders_2`

-- duckdb
SELECT 1 AS "direction", SUM("orders_2"."size") AS "n_rows", SUM(CASE WHEN "orders_2"."id" IS NOT NULL THEN 0 ELSE "orders_2"."size" END) AS "n_nulls", 0 AS "n_orphans", SUM(CASE WHEN "orders_2"."id" IS NOT NULL AND "orders_2"."size" > 1 THEN 1 ELSE 0 END) AS "n_violations", MAX("orders_2"."size") AS "most", MIN(CASE WHEN "orders_2"."id" IS NOT NULL AND "orders_2"."size" > 1 THEN CAST("orders_2"."id" AS VARCHAR) END) AS "example_1", MAX(CASE WHEN "orders_2"."id" IS NOT NULL AND "orders_2"."size" > 1 THEN CAST("orders_2"."id" AS VARCHAR) END) AS "example_2"
FROM (SELECT "orders"."id" AS "id", COUNT(1) AS "size" FROM "sales"."orders" GROUP BY "orders"."id") AS "orders_2"

-- mysql
SELECT 1 AS `direction`, SUM(`orders_2`.`size`) AS `n_rows`, SUM(CASE WHEN `orders_2`.`id` IS NOT NULL THEN 0 ELSE `orders_2`.`size` END) AS `n_nulls`, 0 AS `n_orphans`, SUM(CASE WHEN `orders_2`.`id` IS NOT NULL AND `orders_2`.`size` > 1 THEN 1 ELSE 0 END) AS `n_violations`, MAX(`orders_2`.`size`) AS `most`, MIN(CASE WHEN `orders_2`.`id` IS NOT NULL AND `orders_2`.`size` > 1 THEN CAST(`orders_2`.`id` AS CHAR) END) AS `example_1`, MAX(CASE WHEN `orders_2`.`id` IS NOT NULL AND `orders_2`.`size` > 1 THEN CAST(`orders_2`.`id` AS CHAR) END) AS `example_2`
FROM (SELECT `orders`.`id` AS `id`, COUNT(1) AS `size` FROM `sales`.`orders` GROUP BY `orders`.`id`) AS `orders_2`

-- postgres
SELECT 1 AS "direction", SUM("orders_2"."size") AS "n_rows", SUM(CASE WHEN "orders_2"."id" IS NOT NULL THEN 0 ELSE "orders_2"."size" END) AS "n_nulls", 0 AS "n_orphans", SUM(CASE WHEN "orders_2"."id" IS NOT NULL AND "orders_2"."size" > 1 THEN 1 ELSE 0 END) AS "n_violations", MAX("orders_2"."size") AS "most", MIN(CASE WHEN "orders_2"."id" IS NOT NULL AND "orders_2"."size" > 1 THEN CAST("orders_2"."id" AS text) END) AS "example_1", MAX(CASE WHEN "orders_2"."id" IS NOT NULL AND "orders_2"."size" > 1 THEN CAST("orders_2"."id" AS text) END) AS "example_2"
FROM (SELECT "orders"."id" AS "id", COUNT(1) AS "size" FROM "sales"."orders" GROUP BY "orders"."id") AS "orders_2"

-- snowflake
SELECT 1 AS "direction", SUM("orders_2"."size") AS "n_rows", SUM(CASE WHEN "orders_2"."id_2" IS NOT NULL THEN 0 ELSE "orders_2"."size" END) AS "n_nulls", 0 AS "n_orphans", SUM(CASE WHEN "orders_2"."id_2" IS NOT NULL AND "orders_2"."size" > 1 THEN 1 ELSE 0 END) AS "n_violations", MAX("orders_2"."size") AS "most", MIN(CASE WHEN "orders_2"."id_2" IS NOT NULL AND "orders_2"."size" > 1 THEN CAST("orders_2"."id_2" AS VARCHAR) END) AS "example_1", MAX(CASE WHEN "orders_2"."id_2" IS NOT NULL AND "orders_2"."size" > 1 THEN CAST("orders_2"."id_2" AS VARCHAR) END) AS "example_2"
FROM (SELECT "orders"."ID" AS "id_2", COUNT(1) AS "size" FROM "SALES"."ORDERS" AS "orders" GROUP BY "orders"."ID") AS "orders_2"

-- sqlite
SELECT 1 AS "direction", SUM("orders_2"."size") AS "n_rows", SUM(CASE WHEN "orders_2"."id" IS NOT NULL THEN 0 ELSE "orders_2"."size" END) AS "n_nulls", 0 AS "n_orphans", SUM(CASE WHEN "orders_2"."id" IS NOT NULL AND "orders_2"."size" > 1 THEN 1 ELSE 0 END) AS "n_violations", MAX("orders_2"."size") AS "most", MIN(CASE WHEN "orders_2"."id" IS NOT NULL AND "orders_2"."size" > 1 THEN CAST("orders_2"."id" AS TEXT) END) AS "example_1", MAX(CASE WHEN "orders_2"."id" IS NOT NULL AND "orders_2"."size" > 1 THEN CAST("orders_2"."id" AS TEXT) END) AS "example_2"
FROM (SELECT "orders"."id" AS "id", COUNT(1) AS "size" FROM "sales"."orders" GROUP BY "orders"."id") AS "orders_2"

-- sqlserver
SELECT 1 AS [direction], SUM(CAST([orders_2].[size] AS bigint)) AS [n_rows], SUM(CAST(CASE WHEN [orders_2].[id] IS NOT NULL THEN 0 ELSE [orders_2].[size] END AS bigint)) AS [n_nulls], 0 AS [n_orphans], SUM(CAST(CASE WHEN [orders_2].[id] IS NOT NULL AND [orders_2].[size] > 1 THEN 1 ELSE 0 END AS bigint)) AS [n_violations], MAX([orders_2].[size]) AS [most], MIN(CASE WHEN [orders_2].[id] IS NOT NULL AND [orders_2].[size] > 1 THEN CAST([orders_2].[id] AS nvarchar(max)) END) AS [example_1], MAX(CASE WHEN [orders_2].[id] IS NOT NULL AND [orders_2].[size] > 1 THEN CAST([orders_2].[id] AS nvarchar(max)) END) AS [example_2]
FROM (SELECT [orders].[id] AS [id], COUNT_BIG(1) AS [size] FROM [sales].[orders] GROUP BY [orders].[id]) AS [orders_2]

