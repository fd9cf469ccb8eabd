-- bigquery
SELECT `orders_2`.`is_paid` AS `is_paid`, AVG(CAST(CASE WHEN `orders_2`.`entity` IS NOT NULL THEN `orders_2`.`revenue` END AS FLOAT64)) AS `per_customer`
FROM (SELECT `orders`.`status` = 'paid' AS `is_paid`, `customers`.`id` AS `entity`, SUM(`orders`.`amount`) AS `revenue` FROM `orders` LEFT JOIN `customers` ON `orders`.`customer_id` = `customers`.`id` GROUP BY `orders`.`status` = 'paid', `customers`.`id`) AS `orders_2`
GROUP BY `orders_2`.`is_paid`
ORDER BY `orders_2`.`is_paid` ASC NULLS LAST
LIMIT 1000

-- clickhouse
SELECT `orders_2`.`is_paid` AS `is_paid`, avgOrNull(toFloat64(CASE WHEN `orders_2`.`entity` IS NOT NULL THEN `orders_2`.`revenue` END)) AS `per_customer`
FROM (SELECT `orders`.`status` = 'paid' AS `is_paid`, `customers`.`id` AS `entity`, sumOrNull(toNullable(`orders`.`amount`)) AS `revenue` FROM `orders` LEFT JOIN (SELECT toNullable(`customers`.`id`) AS `id` FROM `customers`) AS `customers` ON `orders`.`customer_id` = `customers`.`id` GROUP BY `orders`.`status` = 'paid', `customers`.`id`) AS `orders_2`
GROUP BY `orders_2`.`is_paid`
ORDER BY `orders_2`.`is_paid` ASC NULLS LAST
LIMIT 1000

-- duckdb
SELECT "orders_2"."is_paid" AS "is_paid", AVG(CASE WHEN "orders_2"."entity" IS NOT NULL THEN "orders_2"."revenue" END) AS "per_customer"
FROM (SELECT "orders"."status" = 'paid' AS "is_paid", "customers"."id" AS "entity", SUM("orders"."amount") AS "revenue" FROM "orders" LEFT JOIN "customers" ON "orders"."customer_id" = "customers"."id" GROUP BY "orders"."status" = 'paid', "customers"."id") AS "orders_2"
GROUP BY "orders_2"."is_paid"
ORDER BY "orders_2"."is_paid" ASC NULLS LAST
LIMIT 1000

-- mysql
SELECT `orders_3`.`is_paid` AS `is_paid`, AVG(CASE WHEN `orders_3`.`entity` IS NOT NULL THEN `orders_3`.`revenue` END * 1e0) AS `per_customer`
FROM (SELECT `orders_2`.`is_paid` AS `is_paid`, `orders_2`.`entity` AS `entity`, SUM(`orders_2`.`revenue`) AS `revenue` FROM (SELECT `orders`.`status` = 'paid' AS `is_paid`, `customers`.`id` AS `entity`, `orders`.`amount` AS `revenue` FROM `orders` LEFT JOIN `customers` ON `orders`.`customer_id` = `customers`.`id`) AS `orders_2` GROUP BY `orders_2`.`is_paid`, `orders_2`.`entity`) AS `orders_3`
GROUP BY `orders_3`.`is_paid`
ORDER BY `orders_3`.`is_paid` IS NULL, `orders_3`.`is_paid` ASC
LIMIT 1000

-- postgres
SELECT "orders_2"."is_paid" AS "is_paid", CAST(AVG(CASE WHEN "orders_2"."entity" IS NOT NULL THEN "orders_2"."revenue" END) AS double precision) AS "per_customer"
FROM (SELECT "orders"."status" = 'paid' AS "is_paid", "customers"."id" AS "entity", SUM("orders"."amount") AS "revenue" FROM "orders" LEFT JOIN "customers" ON "orders"."customer_id" = "customers"."id" GROUP BY "orders"."status" = 'paid', "customers"."id") AS "orders_2"
GROUP BY "orders_2"."is_paid"
ORDER BY "orders_2"."is_paid" ASC NULLS LAST
LIMIT 1000

-- snowflake
SELECT "orders_2"."is_paid" AS "is_paid", AVG(CASE WHEN "orders_2"."entity" IS NOT NULL THEN "orders_2"."revenue" END::FLOAT) AS "per_customer"
FROM (SELECT "orders"."STATUS" = 'paid' AS "is_paid", "customers"."ID" AS "entity", SUM("orders"."AMOUNT") AS "revenue" FROM "ORDERS" AS "orders" LEFT JOIN "CUSTOMERS" AS "customers" ON "orders"."CUSTOMER_ID" = "customers"."ID" GROUP BY "orders"."STATUS" = 'paid', "customers"."ID") AS "orders_2"
GROUP BY "orders_2"."is_paid"
ORDER BY "orders_2"."is_paid" ASC NULLS LAST
LIMIT 1000

-- sqlite
SELECT "orders_2"."is_paid" AS "is_paid", AVG(CASE WHEN "orders_2"."entity" IS NOT NULL THEN "orders_2"."revenue" END) AS "per_customer"
FROM (SELECT "orders"."status" = 'paid' AS "is_paid", "customers"."id" AS "entity", SUM("orders"."amount") AS "revenue" FROM "orders" LEFT JOIN "customers" ON "orders"."customer_id" = "customers"."id" GROUP BY "orders"."status" = 'paid', "customers"."id") AS "orders_2"
GROUP BY "orders_2"."is_paid"
ORDER BY "orders_2"."is_paid" ASC NULLS LAST
LIMIT 1000

-- sqlserver
SELECT TOP (1000) [orders_3].[is_paid] AS [is_paid], AVG(CAST(CASE WHEN [orders_3].[entity] IS NOT NULL THEN [orders_3].[revenue] END AS float)) AS [per_customer]
FROM (SELECT [orders_2].[is_paid] AS [is_paid], [orders_2].[entity] AS [entity], SUM([orders_2].[revenue]) AS [revenue] FROM (SELECT CASE WHEN ([orders].[status] = N'paid') THEN 1 WHEN NOT ([orders].[status] = N'paid') THEN 0 END AS [is_paid], [customers].[id] AS [entity], [orders].[amount] AS [revenue] FROM [orders] LEFT JOIN [customers] ON [orders].[customer_id] = [customers].[id]) AS [orders_2] GROUP BY [orders_2].[is_paid], [orders_2].[entity]) AS [orders_3]
GROUP BY [orders_3].[is_paid]
ORDER BY CASE WHEN [orders_3].[is_paid] IS NULL THEN 1 ELSE 0 END, [orders_3].[is_paid] ASC

