-- bigquery
WITH `orders_by_name` AS (
  SELECT `customers`.`name` AS `name`, SUM(`orders`.`amount`) AS `revenue`, COUNT(1) AS `order_count`
  FROM `orders` LEFT JOIN `customers` ON `orders`.`customer_id` = `customers`.`id`
  GROUP BY `customers`.`name`
),
`ranked` AS (
  SELECT `orders_by_name`.`name` AS `name`, `orders_by_name`.`revenue` AS `revenue`, `orders_by_name`.`order_count` AS `order_count`, `orders_by_name`.`revenue` AS `order`, COALESCE(`orders_by_name`.`name`, '') AS `name_or_blank`, CASE WHEN `orders_by_name`.`name` IS NULL THEN 1 ELSE 0 END AS `name_is_null`, ROW_NUMBER() OVER (ORDER BY `orders_by_name`.`revenue` DESC NULLS LAST, `orders_by_name`.`name` ASC NULLS LAST) AS `place`
  FROM `orders_by_name`
),
`shown` AS (
  SELECT `ranked`.`name` AS `name`, `ranked`.`revenue` AS `revenue`, `ranked`.`order_count` AS `order_count`, `ranked`.`order` AS `order`, `ranked`.`name_or_blank` AS `name_or_blank`, `ranked`.`name_is_null` AS `name_is_null`, `ranked`.`place` AS `place`
  FROM `ranked`
  WHERE `ranked`.`place` <= 5
  ORDER BY `ranked`.`order` DESC NULLS LAST, `ranked`.`name` ASC NULLS LAST
  LIMIT 5
),
`rows` AS (
  SELECT `shown`.`name` AS `name`, `shown`.`revenue` AS `revenue`, `shown`.`order_count` AS `order_count`, `shown`.`order` AS `order`, 0 AS `_total`, 0 AS `_rest`
  FROM `shown`
),
`orders_by_name_2` AS (
  SELECT SUM(`orders_by_name`.`revenue`) AS `revenue`, CAST(COALESCE(SUM(`orders_by_name`.`order_count`), 0) AS INT64) AS `order_count`
  FROM `orders_by_name` JOIN `ranked` ON COALESCE(`orders_by_name`.`name`, '') = `ranked`.`name_or_blank` AND CASE WHEN `orders_by_name`.`name` IS NULL THEN 1 ELSE 0 END = `ranked`.`name_is_null`
  WHERE `ranked`.`place` > 5
),
`rows_2` AS (
  SELECT MAX(`parts`.`revenue`) AS `revenue`, COALESCE(MAX(`parts`.`order_count`), 0) AS `order_count`, MAX(`parts`.`revenue`) AS `order`, 0 AS `_total`, 1 AS `_rest`
  FROM (SELECT `orders_by_name_2`.`revenue` AS `revenue`, `orders_by_name_2`.`order_count` AS `order_count`, CAST(NULL AS INT64) AS `there` FROM `orders_by_name_2`
UNION ALL SELECT (SELECT MAX(`orders_by_name_2`.`revenue`) FROM `orders_by_name_2` WHERE 1 = 0) AS `revenue`, CAST(NULL AS INT64) AS `order_count`, `ranked`.`there` AS `there` FROM (SELECT DISTINCT 1 AS `there` FROM `ranked` WHERE `ranked`.`place` > 5) AS `ranked`) AS `parts`
  HAVING MAX(`parts`.`there`) = 1
)
SELECT `parts`.`name` AS `name`, `parts`.`revenue` AS `revenue`, `parts`.`order_count` AS `order_count`, `parts`.`_rest` AS `_rest`
FROM (SELECT `rows`.`name` AS `name`, `rows`.`revenue` AS `revenue`, `rows`.`order_count` AS `order_count`, `rows`.`order` AS `order`, `rows`.`_total` AS `_total`, `rows`.`_rest` AS `_rest` FROM `rows`
UNION ALL SELECT CAST(NULL AS STRING) AS `name`, `rows_2`.`revenue` AS `revenue`, `rows_2`.`order_count` AS `order_count`, `rows_2`.`order` AS `order`, `rows_2`.`_total` AS `_total`, `rows_2`.`_rest` AS `_rest` FROM `rows_2`) AS `parts`
ORDER BY `parts`.`_total` ASC NULLS LAST, `parts`.`_rest` ASC NULLS LAST, `parts`.`order` DESC NULLS LAST, `parts`.`name` ASC NULLS LAST

-- clickhouse
WITH `orders_by_name` AS (
  SELECT `customers`.`name` AS `name`, sumOrNull(toNullable(`orders`.`amount`)) AS `revenue`, toInt64(count(toNullable(1))) AS `order_count`
  FROM `orders` LEFT JOIN (SELECT toNullable(`customers`.`id`) AS `id`, toNullable(`customers`.`name`) AS `name` FROM `customers`) AS `customers` ON `orders`.`customer_id` = `customers`.`id`
  GROUP BY `customers`.`name`
),
`ranked` AS (
  SELECT `orders_by_name`.`name` AS `name`, `orders_by_name`.`revenue` AS `revenue`, `orders_by_name`.`order_count` AS `order_count`, `orders_by_name`.`revenue` AS `order`, coalesce(`orders_by_name`.`name`, '') AS `name_or_blank`, CASE WHEN `orders_by_name`.`name` IS NULL THEN 1 ELSE 0 END AS `name_is_null`, ROW_NUMBER() OVER (ORDER BY `orders_by_name`.`revenue` DESC NULLS LAST, `orders_by_name`.`name` ASC NULLS LAST) AS `place`
  FROM `orders_by_name`
),
`shown` AS (
  SELECT `ranked`.`name` AS `name`, `ranked`.`revenue` AS `revenue`, `ranked`.`order_count` AS `order_count`, `ranked`.`order` AS `order`, `ranked`.`name_or_blank` AS `name_or_blank`, `ranked`.`name_is_null` AS `name_is_null`, `ranked`.`place` AS `place`
  FROM `ranked`
  WHERE `ranked`.`place` <= 5
  ORDER BY `ranked`.`order` DESC NULLS LAST, `ranked`.`name` ASC NULLS LAST
  LIMIT 5
),
`rows` AS (
  SELECT `shown`.`name` AS `name`, `shown`.`revenue` AS `revenue`, `shown`.`order_count` AS `order_count`, `shown`.`order` AS `order`, 0 AS `_total`, 0 AS `_rest`
  FROM `shown`
),
`orders_by_name_2` AS (
  SELECT sumOrNull(`orders_by_name`.`revenue`) AS `revenue`, CAST(coalesce(sumOrNull(toDecimal128(`orders_by_name`.`order_count`, 0)), 0) AS Nullable(Int64)) AS `order_count`
  FROM `orders_by_name` JOIN `ranked` ON coalesce(`orders_by_name`.`name`, '') = `ranked`.`name_or_blank` AND CASE WHEN `orders_by_name`.`name` IS NULL THEN 1 ELSE 0 END = `ranked`.`name_is_null`
  WHERE `ranked`.`place` > 5
),
`rows_2` AS (
  SELECT maxOrNull(`parts`.`revenue`) AS `revenue`, coalesce(maxOrNull(`parts`.`order_count`), 0) AS `order_count`, maxOrNull(`parts`.`revenue`) AS `order`, 0 AS `_total`, 1 AS `_rest`
  FROM (SELECT `orders_by_name_2`.`revenue` AS `revenue`, `orders_by_name_2`.`order_count` AS `order_count`, CAST(NULL AS Nullable(Int64)) AS `there` FROM `orders_by_name_2`
UNION ALL SELECT (SELECT MAX(`orders_by_name_2`.`revenue`) FROM `orders_by_name_2` WHERE 1 = 0) AS `revenue`, CAST(NULL AS Nullable(Int64)) AS `order_count`, `ranked`.`there` AS `there` FROM (SELECT DISTINCT 1 AS `there` FROM `ranked` WHERE `ranked`.`place` > 5) AS `ranked`) AS `parts`
  HAVING maxOrNull(`parts`.`there`) = 1
)
SELECT `parts`.`name` AS `name`, `parts`.`revenue` AS `revenue`, `parts`.`order_count` AS `order_count`, `parts`.`_rest` AS `_rest`
FROM (SELECT `rows`.`name` AS `name`, `rows`.`revenue` AS `revenue`, `rows`.`order_count` AS `order_count`, `rows`.`order` AS `order`, `rows`.`_total` AS `_total`, `rows`.`_rest` AS `_rest` FROM `rows`
UNION ALL SELECT CAST(NULL AS Nullable(String)) AS `name`, `rows_2`.`revenue` AS `revenue`, `rows_2`.`order_count` AS `order_count`, `rows_2`.`order` AS `order`, `rows_2`.`_total` AS `_total`, `rows_2`.`_rest` AS `_rest` FROM `rows_2`) AS `parts`
ORDER BY `parts`.`_total` ASC NULLS LAST, `parts`.`_rest` ASC NULLS LAST, `parts`.`order` DESC NULLS LAST, `parts`.`name` ASC NULLS LAST

-- duckdb
WITH "orders_by_name" AS (
  SELECT "customers"."name" AS "name", SUM("orders"."amount") AS "revenue", COUNT(1) AS "order_count"
  FROM "orders" LEFT JOIN "customers" ON "orders"."customer_id" = "customers"."id"
  GROUP BY "customers"."name"
),
"ranked" AS (
  SELECT "orders_by_name"."name" AS "name", "orders_by_name"."revenue" AS "revenue", "orders_by_name"."order_count" AS "order_count", "orders_by_name"."revenue" AS "order", coalesce("orders_by_name"."name", '') AS "name_or_blank", CASE WHEN "orders_by_name"."name" IS NULL THEN 1 ELSE 0 END AS "name_is_null", ROW_NUMBER() OVER (ORDER BY "orders_by_name"."revenue" DESC NULLS LAST, "orders_by_name"."name" ASC NULLS LAST) AS "place"
  FROM "orders_by_name"
),
"shown" AS (
  SELECT "ranked"."name" AS "name", "ranked"."revenue" AS "revenue", "ranked"."order_count" AS "order_count", "ranked"."order" AS "order", "ranked"."name_or_blank" AS "name_or_blank", "ranked"."name_is_null" AS "name_is_null", "ranked"."place" AS "place"
  FROM "ranked"
  WHERE "ranked"."place" <= 5
  ORDER BY "ranked"."order" DESC NULLS LAST, "ranked"."name" ASC NULLS LAST
  LIMIT 5
),
"rows" AS (
  SELECT "shown"."name" AS "name", "shown"."revenue" AS "revenue", "shown"."order_count" AS "order_count", "shown"."order" AS "order", 0 AS "_total", 0 AS "_rest"
  FROM "shown"
),
"orders_by_name_2" AS (
  SELECT SUM("orders_by_name"."revenue") AS "revenue", CAST(coalesce(SUM("orders_by_name"."order_count"), 0) AS BIGINT) AS "order_count"
  FROM "orders_by_name" JOIN "ranked" ON coalesce("orders_by_name"."name", '') = "ranked"."name_or_blank" AND CASE WHEN "orders_by_name"."name" IS NULL THEN 1 ELSE 0 END = "ranked"."name_is_null"
  WHERE "ranked"."place" > 5
),
"rows_2" AS (
  SELECT MAX("parts"."revenue") AS "revenue", coalesce(MAX("parts"."order_count"), 0) AS "order_count", MAX("parts"."revenue") AS "order", 0 AS "_total", 1 AS "_rest"
  FROM (SELECT "orders_by_name_2"."revenue" AS "revenue", "orders_by_name_2"."order_count" AS "order_count", CAST(NULL AS BIGINT) AS "there" FROM "orders_by_name_2"
UNION ALL SELECT (SELECT MAX("orders_by_name_2"."revenue") FROM "orders_by_name_2" WHERE 1 = 0) AS "revenue", CAST(NULL AS BIGINT) AS "order_count", "ranked"."there" AS "there" FROM (SELECT DISTINCT 1 AS "there" FROM "ranked" WHERE "ranked"."place" > 5) AS "ranked") AS "parts"
  HAVING MAX("parts"."there") = 1
)
SELECT "parts"."name" AS "name", "parts"."revenue" AS "revenue", "parts"."order_count" AS "order_count", "parts"."_rest" AS "_rest"
FROM (SELECT "rows"."name" AS "name", "rows"."revenue" AS "revenue", "rows"."order_count" AS "order_count", "rows"."order" AS "order", "rows"."_total" AS "_total", "rows"."_rest" AS "_rest" FROM "rows"
UNION ALL SELECT CAST(NULL AS VARCHAR) AS "name", "rows_2"."revenue" AS "revenue", "rows_2"."order_count" AS "order_count", "rows_2"."order" AS "order", "rows_2"."_total" AS "_total", "rows_2"."_rest" AS "_rest" FROM "rows_2") AS "parts"
ORDER BY "parts"."_total" ASC NULLS LAST, "parts"."_rest" ASC NULLS LAST, "parts"."order" DESC NULLS LAST, "parts"."name" ASC NULLS LAST

-- mysql
WITH `orders_by_name` AS (
  SELECT `customers`.`name` AS `name`, SUM(`orders`.`amount`) AS `revenue`, COUNT(1) AS `order_count`
  FROM `orders` LEFT JOIN `customers` ON `orders`.`customer_id` = `customers`.`id`
  GROUP BY `customers`.`name`
),
`ranked` AS (
  SELECT `orders_by_name`.`name` AS `name`, `orders_by_name`.`revenue` AS `revenue`, `orders_by_name`.`order_count` AS `order_count`, `orders_by_name`.`revenue` AS `order`, COALESCE(`orders_by_name`.`name`, '') AS `name_or_blank`, CASE WHEN `orders_by_name`.`name` IS NULL THEN 1 ELSE 0 END AS `name_is_null`, ROW_NUMBER() OVER (ORDER BY `orders_by_name`.`revenue` DESC, `orders_by_name`.`name` IS NULL, `orders_by_name`.`name` ASC) AS `place`
  FROM `orders_by_name`
),
`shown` AS (
  SELECT `ranked`.`name` AS `name`, `ranked`.`revenue` AS `revenue`, `ranked`.`order_count` AS `order_count`, `ranked`.`order` AS `order`, `ranked`.`name_or_blank` AS `name_or_blank`, `ranked`.`name_is_null` AS `name_is_null`, `ranked`.`place` AS `place`
  FROM `ranked`
  WHERE `ranked`.`place` <= 5
  ORDER BY `ranked`.`order` DESC, `ranked`.`name` IS NULL, `ranked`.`name` ASC
  LIMIT 5
),
`rows` AS (
  SELECT `shown`.`name` AS `name`, `shown`.`revenue` AS `revenue`, `shown`.`order_count` AS `order_count`, `shown`.`order` AS `order`, 0 AS `_total`, 0 AS `_rest`
  FROM `shown`
),
`orders_by_name_2` AS (
  SELECT SUM(`orders_by_name`.`revenue`) AS `revenue`, CAST(COALESCE(SUM(`orders_by_name`.`order_count`), 0) AS SIGNED) AS `order_count`
  FROM `orders_by_name` JOIN `ranked` ON COALESCE(`orders_by_name`.`name`, '') = `ranked`.`name_or_blank` AND CASE WHEN `orders_by_name`.`name` IS NULL THEN 1 ELSE 0 END = `ranked`.`name_is_null`
  WHERE `ranked`.`place` > 5
),
`rows_2` AS (
  SELECT MAX(`parts`.`revenue`) AS `revenue`, COALESCE(MAX(`parts`.`order_count`), 0) AS `order_count`, MAX(`parts`.`revenue`) AS `order`, 0 AS `_total`, 1 AS `_rest`
  FROM (SELECT `orders_by_name_2`.`revenue` AS `revenue`, `orders_by_name_2`.`order_count` AS `order_count`, CAST(NULL AS SIGNED) AS `there` FROM `orders_by_name_2`
UNION ALL SELECT (SELECT MAX(`orders_by_name_2`.`revenue`) FROM `orders_by_name_2` WHERE 1 = 0) AS `revenue`, CAST(NULL AS SIGNED) AS `order_count`, `ranked`.`there` AS `there` FROM (SELECT DISTINCT 1 AS `there` FROM `ranked` WHERE `ranked`.`place` > 5) AS `ranked`) AS `parts`
  HAVING MAX(`parts`.`there`) = 1
)
SELECT `parts`.`name` AS `name`, `parts`.`revenue` AS `revenue`, `parts`.`order_count` AS `order_count`, `parts`.`_rest` AS `_rest`
FROM (SELECT `rows`.`name` AS `name`, `rows`.`revenue` AS `revenue`, `rows`.`order_count` AS `order_count`, `rows`.`order` AS `order`, `rows`.`_total` AS `_total`, `rows`.`_rest` AS `_rest` FROM `rows`
UNION ALL SELECT CAST(NULL AS CHAR) AS `name`, `rows_2`.`revenue` AS `revenue`, `rows_2`.`order_count` AS `order_count`, `rows_2`.`order` AS `order`, `rows_2`.`_total` AS `_total`, `rows_2`.`_rest` AS `_rest` FROM `rows_2`) AS `parts`
ORDER BY `parts`.`_total` IS NULL, `parts`.`_total` ASC, `parts`.`_rest` IS NULL, `parts`.`_rest` ASC, `parts`.`order` DESC, `parts`.`name` IS NULL, `parts`.`name` ASC

-- postgres
WITH "orders_by_name" AS (
  SELECT "customers"."name" AS "name", SUM("orders"."amount") AS "revenue", COUNT(1) AS "order_count"
  FROM "orders" LEFT JOIN "customers" ON "orders"."customer_id" = "customers"."id"
  GROUP BY "customers"."name"
),
"ranked" AS (
  SELECT "orders_by_name"."name" AS "name", "orders_by_name"."revenue" AS "revenue", "orders_by_name"."order_count" AS "order_count", "orders_by_name"."revenue" AS "order", coalesce("orders_by_name"."name", '') AS "name_or_blank", CASE WHEN "orders_by_name"."name" IS NULL THEN 1 ELSE 0 END AS "name_is_null", ROW_NUMBER() OVER (ORDER BY "orders_by_name"."revenue" DESC NULLS LAST, "orders_by_name"."name" ASC NULLS LAST) AS "place"
  FROM "orders_by_name"
),
"shown" AS (
  SELECT "ranked"."name" AS "name", "ranked"."revenue" AS "revenue", "ranked"."order_count" AS "order_count", "ranked"."order" AS "order", "ranked"."name_or_blank" AS "name_or_blank", "ranked"."name_is_null" AS "name_is_null", "ranked"."place" AS "place"
  FROM "ranked"
  WHERE "ranked"."place" <= 5
  ORDER BY "ranked"."order" DESC NULLS LAST, "ranked"."name" ASC NULLS LAST
  LIMIT 5
),
"rows" AS (
  SELECT "shown"."name" AS "name", "shown"."revenue" AS "revenue", "shown"."order_count" AS "order_count", "shown"."order" AS "order", 0 AS "_total", 0 AS "_rest"
  FROM "shown"
),
"orders_by_name_2" AS (
  SELECT SUM("orders_by_name"."revenue") AS "revenue", CAST(coalesce(SUM("orders_by_name"."order_count"), 0) AS bigint) AS "order_count"
  FROM "orders_by_name" JOIN "ranked" ON coalesce("orders_by_name"."name", '') = "ranked"."name_or_blank" AND CASE WHEN "orders_by_name"."name" IS NULL THEN 1 ELSE 0 END = "ranked"."name_is_null"
  WHERE "ranked"."place" > 5
),
"rows_2" AS (
  SELECT MAX("parts"."revenue") AS "revenue", coalesce(MAX("parts"."order_count"), 0) AS "order_count", MAX("parts"."revenue") AS "order", 0 AS "_total", 1 AS "_rest"
  FROM (SELECT "orders_by_name_2"."revenue" AS "revenue", "orders_by_name_2"."order_count" AS "order_count", CAST(NULL AS bigint) AS "there" FROM "orders_by_name_2"
UNION ALL SELECT (SELECT MAX("orders_by_name_2"."revenue") FROM "orders_by_name_2" WHERE 1 = 0) AS "revenue", CAST(NULL AS bigint) AS "order_count", "ranked"."there" AS "there" FROM (SELECT DISTINCT 1 AS "there" FROM "ranked" WHERE "ranked"."place" > 5) AS "ranked") AS "parts"
  HAVING MAX("parts"."there") = 1
)
SELECT "parts"."name" AS "name", "parts"."revenue" AS "revenue", "parts"."order_count" AS "order_count", "parts"."_rest" AS "_rest"
FROM (SELECT "rows"."name" AS "name", "rows"."revenue" AS "revenue", "rows"."order_count" AS "order_count", "rows"."order" AS "order", "rows"."_total" AS "_total", "rows"."_rest" AS "_rest" FROM "rows"
UNION ALL SELECT CAST(NULL AS text) AS "name", "rows_2"."revenue" AS "revenue", "rows_2"."order_count" AS "order_count", "rows_2"."order" AS "order", "rows_2"."_total" AS "_total", "rows_2"."_rest" AS "_rest" FROM "rows_2") AS "parts"
ORDER BY "parts"."_total" ASC NULLS LAST, "parts"."_rest" ASC NULLS LAST, "parts"."order" DESC NULLS LAST, "parts"."name" ASC NULLS LAST

-- snowflake
WITH "orders_by_name" AS (
  SELECT "customers"."NAME" AS "name_2", SUM("orders"."AMOUNT") AS "revenue", COUNT(1) AS "order_count"
  FROM "ORDERS" AS "orders" LEFT JOIN "CUSTOMERS" AS "customers" ON "orders"."CUSTOMER_ID" = "customers"."ID"
  GROUP BY "customers"."NAME"
),
"ranked" AS (
  SELECT "orders_by_name"."name_2" AS "name", "orders_by_name"."revenue" AS "revenue", "orders_by_name"."order_count" AS "order_count", "orders_by_name"."revenue" AS "order", COALESCE("orders_by_name"."name_2", '') AS "name_or_blank", CASE WHEN "orders_by_name"."name_2" IS NULL THEN 1 ELSE 0 END AS "name_is_null", ROW_NUMBER() OVER (ORDER BY "orders_by_name"."revenue" DESC NULLS LAST, "orders_by_name"."name_2" ASC NULLS LAST) AS "place"
  FROM "orders_by_name"
),
"shown" AS (
  SELECT "ranked"."name" AS "name", "ranked"."revenue" AS "revenue", "ranked"."order_count" AS "order_count", "ranked"."order" AS "order", "ranked"."name_or_blank" AS "name_or_blank", "ranked"."name_is_null" AS "name_is_null", "ranked"."place" AS "place"
  FROM "ranked"
  WHERE "ranked"."place" <= 5
  ORDER BY "ranked"."order" DESC NULLS LAST, "ranked"."name" ASC NULLS LAST
  LIMIT 5
),
"rows" AS (
  SELECT "shown"."name" AS "name", "shown"."revenue" AS "revenue", "shown"."order_count" AS "order_count", "shown"."order" AS "order", 0 AS "_total", 0 AS "_rest"
  FROM "shown"
),
"orders_by_name_2" AS (
  SELECT SUM("orders_by_name"."revenue") AS "revenue", CAST(COALESCE(SUM("orders_by_name"."order_count"), 0) AS NUMBER(38,0)) AS "order_count"
  FROM "orders_by_name" JOIN "ranked" ON COALESCE("orders_by_name"."name_2", '') = "ranked"."name_or_blank" AND CASE WHEN "orders_by_name"."name_2" IS NULL THEN 1 ELSE 0 END = "ranked"."name_is_null"
  WHERE "ranked"."place" > 5
),
"rows_2" AS (
  SELECT MAX("parts"."revenue") AS "revenue", COALESCE(MAX("parts"."order_count"), 0) AS "order_count", MAX("parts"."revenue") AS "order", 0 AS "_total", 1 AS "_rest"
  FROM (SELECT "orders_by_name_2"."revenue" AS "revenue", "orders_by_name_2"."order_count" AS "order_count", CAST(NULL AS NUMBER(38,0)) AS "there" FROM "orders_by_name_2"
UNION ALL SELECT (SELECT MAX("orders_by_name_2"."revenue") FROM "orders_by_name_2" WHERE 1 = 0) AS "revenue", CAST(NULL AS NUMBER(38,0)) AS "order_count", "ranked"."there" AS "there" FROM (SELECT DISTINCT 1 AS "there" FROM "ranked" WHERE "ranked"."place" > 5) AS "ranked") AS "parts"
  HAVING MAX("parts"."there") = 1
)
SELECT "parts"."name" AS "name", "parts"."revenue" AS "revenue", "parts"."order_count" AS "order_count", "parts"."_rest" AS "_rest"
FROM (SELECT "rows"."name" AS "name", "rows"."revenue" AS "revenue", "rows"."order_count" AS "order_count", "rows"."order" AS "order", "rows"."_total" AS "_total", "rows"."_rest" AS "_rest" FROM "rows"
UNION ALL SELECT CAST(NULL AS VARCHAR) AS "name", "rows_2"."revenue" AS "revenue", "rows_2"."order_count" AS "order_count", "rows_2"."order" AS "order", "rows_2"."_total" AS "_total", "rows_2"."_rest" AS "_rest" FROM "rows_2") AS "parts"
ORDER BY "parts"."_total" ASC NULLS LAST, "parts"."_rest" ASC NULLS LAST, "parts"."order" DESC NULLS LAST, "parts"."name" ASC NULLS LAST

-- sqlite
WITH "orders_by_name" AS (
  SELECT "customers"."name" AS "name", SUM("orders"."amount") AS "revenue", COUNT(1) AS "order_count"
  FROM "orders" LEFT JOIN "customers" ON "orders"."customer_id" = "customers"."id"
  GROUP BY "customers"."name"
),
"ranked" AS (
  SELECT "orders_by_name"."name" AS "name", "orders_by_name"."revenue" AS "revenue", "orders_by_name"."order_count" AS "order_count", "orders_by_name"."revenue" AS "order", coalesce("orders_by_name"."name", '') AS "name_or_blank", CASE WHEN "orders_by_name"."name" IS NULL THEN 1 ELSE 0 END AS "name_is_null", ROW_NUMBER() OVER (ORDER BY "orders_by_name"."revenue" DESC NULLS LAST, "orders_by_name"."name" ASC NULLS LAST) AS "place"
  FROM "orders_by_name"
),
"shown" AS (
  SELECT "ranked"."name" AS "name", "ranked"."revenue" AS "revenue", "ranked"."order_count" AS "order_count", "ranked"."order" AS "order", "ranked"."name_or_blank" AS "name_or_blank", "ranked"."name_is_null" AS "name_is_null", "ranked"."place" AS "place"
  FROM "ranked"
  WHERE "ranked"."place" <= 5
  ORDER BY "ranked"."order" DESC NULLS LAST, "ranked"."name" ASC NULLS LAST
  LIMIT 5
),
"rows" AS (
  SELECT "shown"."name" AS "name", "shown"."revenue" AS "revenue", "shown"."order_count" AS "order_count", "shown"."order" AS "order", 0 AS "_total", 0 AS "_rest"
  FROM "shown"
),
"orders_by_name_2" AS (
  SELECT SUM("orders_by_name"."revenue") AS "revenue", CAST(coalesce(SUM("orders_by_name"."order_count"), 0) AS INTEGER) AS "order_count"
  FROM "orders_by_name" JOIN "ranked" ON coalesce("orders_by_name"."name", '') = "ranked"."name_or_blank" AND CASE WHEN "orders_by_name"."name" IS NULL THEN 1 ELSE 0 END = "ranked"."name_is_null"
  WHERE "ranked"."place" > 5
),
"rows_2" AS (
  SELECT MAX("parts"."revenue") AS "revenue", coalesce(MAX("parts"."order_count"), 0) AS "order_count", MAX("parts"."revenue") AS "order", 0 AS "_total", 1 AS "_rest"
  FROM (SELECT "orders_by_name_2"."revenue" AS "revenue", "orders_by_name_2"."order_count" AS "order_count", CAST(NULL AS INTEGER) AS "there" FROM "orders_by_name_2"
UNION ALL SELECT (SELECT MAX("orders_by_name_2"."revenue") FROM "orders_by_name_2" WHERE 1 = 0) AS "revenue", CAST(NULL AS INTEGER) AS "order_count", "ranked"."there" AS "there" FROM (SELECT DISTINCT 1 AS "there" FROM "ranked" WHERE "ranked"."place" > 5) AS "ranked") AS "parts"
  HAVING MAX("parts"."there") = 1
)
SELECT "parts"."name" AS "name", "parts"."revenue" AS "revenue", "parts"."order_count" AS "order_count", "parts"."_rest" AS "_rest"
FROM (SELECT "rows"."name" AS "name", "rows"."revenue" AS "revenue", "rows"."order_count" AS "order_count", "rows"."order" AS "order", "rows"."_total" AS "_total", "rows"."_rest" AS "_rest" FROM "rows"
UNION ALL SELECT CAST(NULL AS TEXT) AS "name", "rows_2"."revenue" AS "revenue", "rows_2"."order_count" AS "order_count", "rows_2"."order" AS "order", "rows_2"."_total" AS "_total", "rows_2"."_rest" AS "_rest" FROM "rows_2") AS "parts"
ORDER BY "parts"."_total" ASC NULLS LAST, "parts"."_rest" ASC NULLS LAST, "parts"."order" DESC NULLS LAST, "parts"."name" ASC NULLS LAST

-- sqlserver
WITH [orders_by_name] AS (
  SELECT [customers].[name] AS [name], SUM([orders].[amount]) AS [revenue], COUNT_BIG(1) AS [order_count]
  FROM [orders] LEFT JOIN [customers] ON [orders].[customer_id] = [customers].[id]
  GROUP BY [customers].[name]
),
[ranked] AS (
  SELECT [orders_by_name].[name] AS [name], [orders_by_name].[revenue] AS [revenue], [orders_by_name].[order_count] AS [order_count], [orders_by_name].[revenue] AS [order], COALESCE([orders_by_name].[name], N'') AS [name_or_blank], CASE WHEN [orders_by_name].[name] IS NULL THEN 1 ELSE 0 END AS [name_is_null], ROW_NUMBER() OVER (ORDER BY CASE WHEN [orders_by_name].[revenue] IS NULL THEN 1 ELSE 0 END, [orders_by_name].[revenue] DESC, CASE WHEN [orders_by_name].[name] IS NULL THEN 1 ELSE 0 END, [orders_by_name].[name] ASC) AS [place]
  FROM [orders_by_name]
),
[shown] AS (
  SELECT TOP (5) [ranked].[name] AS [name], [ranked].[revenue] AS [revenue], [ranked].[order_count] AS [order_count], [ranked].[order] AS [order], [ranked].[name_or_blank] AS [name_or_blank], [ranked].[name_is_null] AS [name_is_null], [ranked].[place] AS [place]
  FROM [ranked]
  WHERE [ranked].[place] <= 5
  ORDER BY CASE WHEN [ranked].[order] IS NULL THEN 1 ELSE 0 END, [ranked].[order] DESC, CASE WHEN [ranked].[name] IS NULL THEN 1 ELSE 0 END, [ranked].[name] ASC
),
[rows] AS (
  SELECT [shown].[name] AS [name], [shown].[revenue] AS [revenue], [shown].[order_count] AS [order_count], [shown].[order] AS [order], 0 AS [_total], 0 AS [_rest]
  FROM [shown]
),
[orders_by_name_2] AS (
  SELECT SUM([orders_by_name].[revenue]) AS [revenue], CAST(COALESCE(SUM(CAST([orders_by_name].[order_count] AS bigint)), 0) AS bigint) AS [order_count]
  FROM [orders_by_name] JOIN [ranked] ON COALESCE([orders_by_name].[name], N'') = [ranked].[name_or_blank] AND CASE WHEN [orders_by_name].[name] IS NULL THEN 1 ELSE 0 END = [ranked].[name_is_null]
  WHERE [ranked].[place] > 5
),
[rows_2] AS (
  SELECT MAX([parts].[revenue]) AS [revenue], COALESCE(MAX([parts].[order_count]), 0) AS [order_count], MAX([parts].[revenue]) AS [order], 0 AS [_total], 1 AS [_rest]
  FROM (SELECT [orders_by_name_2].[revenue] AS [revenue], [orders_by_name_2].[order_count] AS [order_count], CAST(NULL AS bigint) AS [there] FROM [orders_by_name_2]
UNION ALL SELECT (SELECT MAX([orders_by_name_2].[revenue]) FROM [orders_by_name_2] WHERE 1 = 0) AS [revenue], CAST(NULL AS bigint) AS [order_count], [ranked].[there] AS [there] FROM (SELECT DISTINCT 1 AS [there] FROM [ranked] WHERE [ranked].[place] > 5) AS [ranked]) AS [parts]
  HAVING MAX([parts].[there]) = 1
)
SELECT [parts].[name] AS [name], [parts].[revenue] AS [revenue], [parts].[order_count] AS [order_count], [parts].[_rest] AS [_rest]
FROM (SELECT [rows].[name] AS [name], [rows].[revenue] AS [revenue], [rows].[order_count] AS [order_count], [rows].[order] AS [order], [rows].[_total] AS [_total], [rows].[_rest] AS [_rest] FROM [rows]
UNION ALL SELECT CAST(NULL AS nvarchar(max)) AS [name], [rows_2].[revenue] AS [revenue], [rows_2].[order_count] AS [order_count], [rows_2].[order] AS [order], [rows_2].[_total] AS [_total], [rows_2].[_rest] AS [_rest] FROM [rows_2]) AS [parts]
ORDER BY CASE WHEN [parts].[_total] IS NULL THEN 1 ELSE 0 END, [parts].[_total] ASC, CASE WHEN [parts].[_rest] IS NULL THEN 1 ELSE 0 END, [parts].[_rest] ASC, CASE WHEN [parts].[order] IS NULL THEN 1 ELSE 0 END, [parts].[order] DESC, CASE WHEN [parts].[name] IS NULL THEN 1 ELSE 0 END, [parts].[name] ASC

