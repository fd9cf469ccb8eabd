-- bigquery
SELECT `orders_3`.`name_2` AS `name`, `orders_3`.`id` AS `id`, `orders_3`.`segment_2` AS `segment`, `orders_3`.`title_2` AS `title`, `orders_3`.`revenue` AS `revenue`
FROM (SELECT `customers_2`.`name` AS `name_2`, `orders_2`.`id` AS `id`, `customers_2`.`segment` AS `segment_2`, `regions`.`title` AS `title_2`, `orders_2`.`revenue` AS `revenue`, `orders_2`.`revenue` AS `order` FROM (SELECT `customers`.`id` AS `id`, SUM(`orders`.`amount`) AS `revenue` FROM `orders` LEFT JOIN `customers` ON `orders`.`customer_id` = `customers`.`id` GROUP BY `customers`.`id` HAVING SUM(`orders`.`amount`) > 10) AS `orders_2` LEFT JOIN `customers` AS `customers_2` ON `orders_2`.`id` = `customers_2`.`id` LEFT JOIN `regions` ON `customers_2`.`region_id` = `regions`.`id`) AS `orders_3`
ORDER BY `orders_3`.`order` DESC NULLS LAST, `orders_3`.`name_2` ASC NULLS LAST, `orders_3`.`id` ASC NULLS LAST, `orders_3`.`segment_2` ASC NULLS LAST, `orders_3`.`title_2` ASC NULLS LAST
LIMIT 1000

-- clickhouse
SELECT `orders_3`.`name_2` AS `name`, `orders_3`.`id` AS `id`, `orders_3`.`segment_2` AS `segment`, `orders_3`.`title_2` AS `title`, `orders_3`.`revenue` AS `revenue`
FROM (SELECT `customers_2`.`name` AS `name_2`, `orders_2`.`id` AS `id`, `customers_2`.`segment` AS `segment_2`, `regions`.`title` AS `title_2`, `orders_2`.`revenue` AS `revenue`, `orders_2`.`revenue` AS `order` FROM (SELECT `customers`.`id` AS `id`, sumOrNull(toNullable(`orders`.`amount`)) AS `revenue` FROM `orders` LEFT JOIN (SELECT toNullable(`customers`.`id`) AS `id` FROM `customers`) AS `customers` ON `orders`.`customer_id` = `customers`.`id` GROUP BY `customers`.`id` HAVING sumOrNull(toNullable(`orders`.`amount`)) > 10) AS `orders_2` LEFT JOIN (SELECT toNullable(`customers`.`id`) AS `id`, toNullable(`customers`.`name`) AS `name`, toNullable(`customers`.`segment`) AS `segment`, toNullable(`customers`.`region_id`) AS `region_id` FROM `customers`) AS `customers_2` ON `orders_2`.`id` = `customers_2`.`id` LEFT JOIN (SELECT toNullable(`regions`.`id`) AS `id`, toNullable(`regions`.`title`) AS `title` FROM `regions`) AS `regions` ON `customers_2`.`region_id` = `regions`.`id`) AS `orders_3`
ORDER BY `orders_3`.`order` DESC NULLS LAST, `orders_3`.`name_2` ASC NULLS LAST, `orders_3`.`id` ASC NULLS LAST, `orders_3`.`segment_2` ASC NULLS LAST, `orders_3`.`title_2` ASC NULLS LAST
LIMIT 1000

-- duckdb
SELECT "orders_3"."name_2" AS "name", "orders_3"."id" AS "id", "orders_3"."segment_2" AS "segment", "orders_3"."title_2" AS "title", "orders_3"."revenue" AS "revenue"
FROM (SELECT "customers_2"."name" AS "name_2", "orders_2"."id" AS "id", "customers_2"."segment" AS "segment_2", "regions"."title" AS "title_2", "orders_2"."revenue" AS "revenue", "orders_2"."revenue" AS "order" FROM (SELECT "customers"."id" AS "id", SUM("orders"."amount") AS "revenue" FROM "orders" LEFT JOIN "customers" ON "orders"."customer_id" = "customers"."id" GROUP BY "customers"."id" HAVING SUM("orders"."amount") > 10) AS "orders_2" LEFT JOIN "customers" AS "customers_2" ON "orders_2"."id" = "customers_2"."id" LEFT JOIN "regions" ON "customers_2"."region_id" = "regions"."id") AS "orders_3"
ORDER BY "orders_3"."order" DESC NULLS LAST, "orders_3"."name_2" ASC NULLS LAST, "orders_3"."id" ASC NULLS LAST, "orders_3"."segment_2" ASC NULLS LAST, "orders_3"."title_2" ASC NULLS LAST
LIMIT 1000

-- mysql
SELECT `orders_3`.`name_2` AS `name`, `orders_3`.`id` AS `id`, `orders_3`.`segment_2` AS `segment`, `orders_3`.`title_2` AS `title`, `orders_3`.`revenue` AS `revenue`
FROM (SELECT `customers_2`.`name` AS `name_2`, `orders_2`.`id` AS `id`, `customers_2`.`segment` AS `segment_2`, `regions`.`title` AS `title_2`, `orders_2`.`revenue` AS `revenue`, `orders_2`.`revenue` AS `order` FROM (SELECT `customers`.`id` AS `id`, SUM(`orders`.`amount`) AS `revenue` FROM `orders` LEFT JOIN `customers` ON `orders`.`customer_id` = `customers`.`id` GROUP BY `customers`.`id` HAVING SUM(`orders`.`amount`) > 10) AS `orders_2` LEFT JOIN `customers` AS `customers_2` ON `orders_2`.`id` = `customers_2`.`id` LEFT JOIN `regions` ON `customers_2`.`region_id` = `regions`.`id`) AS `orders_3`
ORDER BY `orders_3`.`order` DESC, `orders_3`.`name_2` IS NULL, `orders_3`.`name_2` ASC, `orders_3`.`id` IS NULL, `orders_3`.`id` ASC, `orders_3`.`segment_2` IS NULL, `orders_3`.`segment_2` ASC, `orders_3`.`title_2` IS NULL, `orders_3`.`title_2` ASC
LIMIT 1000

-- postgres
SELECT "orders_3"."name_2" AS "name", "orders_3"."id" AS "id", "orders_3"."segment_2" AS "segment", "orders_3"."title_2" AS "title", "orders_3"."revenue" AS "revenue"
FROM (SELECT "customers_2"."name" AS "name_2", "orders_2"."id" AS "id", "customers_2"."segment" AS "segment_2", "regions"."title" AS "title_2", "orders_2"."revenue" AS "revenue", "orders_2"."revenue" AS "order" FROM (SELECT "customers"."id" AS "id", SUM("orders"."amount") AS "revenue" FROM "orders" LEFT JOIN "customers" ON "orders"."customer_id" = "customers"."id" GROUP BY "customers"."id" HAVING SUM("orders"."amount") > 10) AS "orders_2" LEFT JOIN "customers" AS "customers_2" ON "orders_2"."id" = "customers_2"."id" LEFT JOIN "regions" ON "customers_2"."region_id" = "regions"."id") AS "orders_3"
ORDER BY "orders_3"."order" DESC NULLS LAST, "orders_3"."name_2" ASC NULLS LAST, "orders_3"."id" ASC NULLS LAST, "orders_3"."segment_2" ASC NULLS LAST, "orders_3"."title_2" ASC NULLS LAST
LIMIT 1000

-- snowflake
SELECT "orders_3"."name_2" AS "name", "orders_3"."id_2" AS "id", "orders_3"."segment_2" AS "segment", "orders_3"."title_2" AS "title", "orders_3"."revenue" AS "revenue"
FROM (SELECT "customers_2"."NAME" AS "name_2", "orders_2"."id_2" AS "id_2", "customers_2"."SEGMENT" AS "segment_2", "regions"."TITLE" AS "title_2", "orders_2"."revenue" AS "revenue", "orders_2"."revenue" AS "order" FROM (SELECT "customers"."ID" AS "id_2", SUM("orders"."AMOUNT") AS "revenue" FROM "ORDERS" AS "orders" LEFT JOIN "CUSTOMERS" AS "customers" ON "orders"."CUSTOMER_ID" = "customers"."ID" GROUP BY "customers"."ID" HAVING SUM("orders"."AMOUNT") > 10) AS "orders_2" LEFT JOIN "CUSTOMERS" AS "customers_2" ON "orders_2"."id_2" = "customers_2"."ID" LEFT JOIN "REGIONS" AS "regions" ON "customers_2"."REGION_ID" = "regions"."ID") AS "orders_3"
ORDER BY "orders_3"."order" DESC NULLS LAST, "orders_3"."name_2" ASC NULLS LAST, "orders_3"."id_2" ASC NULLS LAST, "orders_3"."segment_2" ASC NULLS LAST, "orders_3"."title_2" ASC NULLS LAST
LIMIT 1000

-- sqlite
SELECT "orders_3"."name_2" AS "name", "orders_3"."id" AS "id", "orders_3"."segment_2" AS "segment", "orders_3"."title_2" AS "title", "orders_3"."revenue" AS "revenue"
FROM (SELECT "customers_2"."name" AS "name_2", "orders_2"."id" AS "id", "customers_2"."segment" AS "segment_2", "regions"."title" AS "title_2", "orders_2"."revenue" AS "revenue", "orders_2"."revenue" AS "order" FROM (SELECT "customers"."id" AS "id", SUM("orders"."amount") AS "revenue" FROM "orders" LEFT JOIN "customers" ON "orders"."customer_id" = "customers"."id" GROUP BY "customers"."id" HAVING SUM("orders"."amount") > 10) AS "orders_2" LEFT JOIN "customers" AS "customers_2" ON "orders_2"."id" = "customers_2"."id" LEFT JOIN "regions" ON "customers_2"."region_id" = "regions"."id") AS "orders_3"
ORDER BY "orders_3"."order" DESC NULLS LAST, "orders_3"."name_2" ASC NULLS LAST, "orders_3"."id" ASC NULLS LAST, "orders_3"."segment_2" ASC NULLS LAST, "orders_3"."title_2" ASC NULLS LAST
LIMIT 1000

-- sqlserver
SELECT TOP (1000) [orders_3].[name_2] AS [name], [orders_3].[id] AS [id], [orders_3].[segment_2] AS [segment], [orders_3].[title_2] AS [title], [orders_3].[revenue] AS [revenue]
FROM (SELECT [customers_2].[name] AS [name_2], [orders_2].[id] AS [id], [customers_2].[segment] AS [segment_2], [regions].[title] AS [title_2], [orders_2].[revenue] AS [revenue], [orders_2].[revenue] AS [order] FROM (SELECT [customers].[id] AS [id], SUM([orders].[amount]) AS [revenue] FROM [orders] LEFT JOIN [customers] ON [orders].[customer_id] = [customers].[id] GROUP BY [customers].[id] HAVING SUM([orders].[amount]) > 10) AS [orders_2] LEFT JOIN [customers] AS [customers_2] ON [orders_2].[id] = [customers_2].[id] LEFT JOIN [regions] ON [customers_2].[region_id] = [regions].[id]) AS [orders_3]
ORDER BY CASE WHEN [orders_3].[order] IS NULL THEN 1 ELSE 0 END, [orders_3].[order] DESC, CASE WHEN [orders_3].[name_2] IS NULL THEN 1 ELSE 0 END, [orders_3].[name_2] ASC, CASE WHEN [orders_3].[id] IS NULL THEN 1 ELSE 0 END, [orders_3].[id] ASC, CASE WHEN [orders_3].[segment_2] IS NULL THEN 1 ELSE 0 END, [orders_3].[segment_2] ASC, CASE WHEN [orders_3].[title_2] IS NULL THEN 1 ELSE 0 END, [orders_3].[title_2] ASC

