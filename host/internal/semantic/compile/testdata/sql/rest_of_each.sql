-- bigquery
WITH `orders_by_segment_and_name` AS (
  SELECT `orders_2`.`segment` AS `segment`, `orders_2`.`name` AS `name`, SUM(CASE WHEN ABS(`orders_2`.`rank` - 1 - 0.5 * (`orders_2`.`count` - 1)) < 1 THEN CAST(`orders_2`.`middle` AS FLOAT64) * (1 - ABS(`orders_2`.`rank` - 1 - 0.5 * (`orders_2`.`count` - 1))) END) AS `middle`, SUM(`orders_2`.`revenue`) AS `revenue`
  FROM (SELECT `customers`.`segment` AS `segment`, `customers`.`name` AS `name`, `orders`.`amount` AS `middle`, `orders`.`amount` AS `revenue`, ROW_NUMBER() OVER (PARTITION BY `customers`.`segment`, `customers`.`name` ORDER BY `orders`.`amount` ASC NULLS LAST) AS `rank`, COUNT(`orders`.`amount`) OVER (PARTITION BY `customers`.`segment`, `customers`.`name`) AS `count` FROM `orders` LEFT JOIN `customers` ON `orders`.`customer_id` = `customers`.`id`) AS `orders_2`
  GROUP BY `orders_2`.`segment`, `orders_2`.`name`
),
`ranked` AS (
  SELECT `orders_by_segment_and_name`.`segment` AS `segment`, `orders_by_segment_and_name`.`name` AS `name`, `orders_by_segment_and_name`.`middle` AS `middle`, `orders_by_segment_and_name`.`revenue` AS `order`, COALESCE(`orders_by_segment_and_name`.`segment`, '') AS `segment_or_blank`, CASE WHEN `orders_by_segment_and_name`.`segment` IS NULL THEN 1 ELSE 0 END AS `segment_is_null`, COALESCE(`orders_by_segment_and_name`.`name`, '') AS `name_or_blank`, CASE WHEN `orders_by_segment_and_name`.`name` IS NULL THEN 1 ELSE 0 END AS `name_is_null`, ROW_NUMBER() OVER (PARTITION BY `orders_by_segment_and_name`.`segment` ORDER BY `orders_by_segment_and_name`.`revenue` DESC NULLS LAST, `orders_by_segment_and_name`.`segment` ASC NULLS LAST, `orders_by_segment_and_name`.`name` ASC NULLS LAST) AS `place`
  FROM `orders_by_segment_and_name`
),
`shown` AS (
  SELECT `ranked`.`segment` AS `segment`, `ranked`.`name` AS `name`, `ranked`.`middle` AS `middle`, `ranked`.`order` AS `order`, `ranked`.`segment_or_blank` AS `segment_or_blank`, `ranked`.`segment_is_null` AS `segment_is_null`, `ranked`.`name_or_blank` AS `name_or_blank`, `ranked`.`name_is_null` AS `name_is_null`, `ranked`.`place` AS `place`
  FROM `ranked`
  WHERE `ranked`.`place` <= 2
  ORDER BY `ranked`.`order` DESC NULLS LAST, `ranked`.`segment` ASC NULLS LAST, `ranked`.`name` ASC NULLS LAST
  LIMIT 1000
),
`rows` AS (
  SELECT `shown`.`segment` AS `segment`, `shown`.`name` AS `name`, `shown`.`middle` AS `middle`, `shown`.`order` AS `order`, 0 AS `_total`, 0 AS `_rest`
  FROM `shown`
),
`orders_by_segment_and_name_2` AS (
  SELECT `orders_2`.`segment` AS `segment`, SUM(CASE WHEN ABS(`orders_2`.`rank` - 1 - 0.5 * (`orders_2`.`count` - 1)) < 1 THEN CAST(`orders_2`.`middle` AS FLOAT64) * (1 - ABS(`orders_2`.`rank` - 1 - 0.5 * (`orders_2`.`count` - 1))) END) AS `middle`, SUM(`orders_2`.`revenue`) AS `revenue`
  FROM (SELECT `customers`.`segment` AS `segment`, `orders`.`amount` AS `middle`, `orders`.`amount` AS `revenue`, ROW_NUMBER() OVER (PARTITION BY `customers`.`segment` ORDER BY `orders`.`amount` ASC NULLS LAST) AS `rank`, COUNT(`orders`.`amount`) OVER (PARTITION BY `customers`.`segment`) AS `count` FROM `orders` LEFT JOIN `customers` ON `orders`.`customer_id` = `customers`.`id` JOIN `ranked` ON COALESCE(`customers`.`segment`, '') = `ranked`.`segment_or_blank` AND CASE WHEN `customers`.`segment` IS NULL THEN 1 ELSE 0 END = `ranked`.`segment_is_null` AND COALESCE(`customers`.`name`, '') = `ranked`.`name_or_blank` AND CASE WHEN `customers`.`name` IS NULL THEN 1 ELSE 0 END = `ranked`.`name_is_null` WHERE `ranked`.`place` > 2) AS `orders_2`
  GROUP BY `orders_2`.`segment`
),
`rows_2` AS (
  SELECT `parts`.`segment` AS `segment`, MAX(`parts`.`middle`) AS `middle`, MAX(`parts`.`revenue`) AS `order`, 0 AS `_total`, 1 AS `_rest`
  FROM (SELECT `orders_by_segment_and_name_2`.`segment` AS `segment`, `orders_by_segment_and_name_2`.`middle` AS `middle`, `orders_by_segment_and_name_2`.`revenue` AS `revenue`, CAST(NULL AS INT64) AS `there`, CAST(NULL AS INT64) AS `there_2` FROM `orders_by_segment_and_name_2`
UNION ALL SELECT `ranked`.`segment` AS `segment`, CAST(NULL AS FLOAT64) AS `middle`, (SELECT MAX(`orders_by_segment_and_name_2`.`revenue`) FROM `orders_by_segment_and_name_2` WHERE 1 = 0) AS `revenue`, `ranked`.`there` AS `there`, CAST(NULL AS INT64) AS `there_2` FROM (SELECT DISTINCT `ranked`.`segment` AS `segment`, 1 AS `there` FROM `ranked` WHERE `ranked`.`place` > 2) AS `ranked`
UNION ALL SELECT `shown`.`segment` AS `segment`, CAST(NULL AS FLOAT64) AS `middle`, (SELECT MAX(`orders_by_segment_and_name_2`.`revenue`) FROM `orders_by_segment_and_name_2` WHERE 1 = 0) AS `revenue`, CAST(NULL AS INT64) AS `there`, `shown`.`there` AS `there_2` FROM (SELECT DISTINCT `shown`.`segment` AS `segment`, 1 AS `there` FROM `shown`) AS `shown`) AS `parts`
  GROUP BY `parts`.`segment`
  HAVING MAX(`parts`.`there`) = 1 AND MAX(`parts`.`there_2`) = 1
)
SELECT `parts`.`segment` AS `segment`, `parts`.`name` AS `name`, `parts`.`middle` AS `middle`, `parts`.`_rest` AS `_rest`
FROM (SELECT `rows`.`segment` AS `segment`, `rows`.`name` AS `name`, `rows`.`middle` AS `middle`, `rows`.`order` AS `order`, `rows`.`_total` AS `_total`, `rows`.`_rest` AS `_rest` FROM `rows`
UNION ALL SELECT `rows_2`.`segment` AS `segment`, CAST(NULL AS STRING) AS `name`, `rows_2`.`middle` AS `middle`, `rows_2`.`order` AS `order`, `rows_2`.`_total` AS `_total`, `rows_2`.`_rest` AS `_rest` FROM `rows_2`) AS `parts`
ORDER BY `parts`.`_total` ASC NULLS LAST, `parts`.`_rest` ASC NULLS LAST, `parts`.`order` DESC NULLS LAST, `parts`.`segment` ASC NULLS LAST, `parts`.`name` ASC NULLS LAST

-- clickhouse
WITH `orders_by_segment_and_name` AS (
  SELECT `customers`.`segment` AS `segment`, `customers`.`name` AS `name`, quantileExactInclusiveOrNull(0.5)(toFloat64(toNullable(`orders`.`amount`))) AS `middle`, sumOrNull(toNullable(`orders`.`amount`)) AS `revenue`
  FROM `orders` LEFT JOIN (SELECT toNullable(`customers`.`id`) AS `id`, toNullable(`customers`.`segment`) AS `segment`, toNullable(`customers`.`name`) AS `name` FROM `customers`) AS `customers` ON `orders`.`customer_id` = `customers`.`id`
  GROUP BY `customers`.`segment`, `customers`.`name`
),
`ranked` AS (
  SELECT `orders_by_segment_and_name`.`segment` AS `segment`, `orders_by_segment_and_name`.`name` AS `name`, `orders_by_segment_and_name`.`middle` AS `middle`, `orders_by_segment_and_name`.`revenue` AS `order`, coalesce(`orders_by_segment_and_name`.`segment`, '') AS `segment_or_blank`, CASE WHEN `orders_by_segment_and_name`.`segment` IS NULL THEN 1 ELSE 0 END AS `segment_is_null`, coalesce(`orders_by_segment_and_name`.`name`, '') AS `name_or_blank`, CASE WHEN `orders_by_segment_and_name`.`name` IS NULL THEN 1 ELSE 0 END AS `name_is_null`, ROW_NUMBER() OVER (PARTITION BY `orders_by_segment_and_name`.`segment` ORDER BY `orders_by_segment_and_name`.`revenue` DESC NULLS LAST, `orders_by_segment_and_name`.`segment` ASC NULLS LAST, `orders_by_segment_and_name`.`name` ASC NULLS LAST) AS `place`
  FROM `orders_by_segment_and_name`
),
`shown` AS (
  SELECT `ranked`.`segment` AS `segment`, `ranked`.`name` AS `name`, `ranked`.`middle` AS `middle`, `ranked`.`order` AS `order`, `ranked`.`segment_or_blank` AS `segment_or_blank`, `ranked`.`segment_is_null` AS `segment_is_null`, `ranked`.`name_or_blank` AS `name_or_blank`, `ranked`.`name_is_null` AS `name_is_null`, `ranked`.`place` AS `place`
  FROM `ranked`
  WHERE `ranked`.`place` <= 2
  ORDER BY `ranked`.`order` DESC NULLS LAST, `ranked`.`segment` ASC NULLS LAST, `ranked`.`name` ASC NULLS LAST
  LIMIT 1000
),
`rows` AS (
  SELECT `shown`.`segment` AS `segment`, `shown`.`name` AS `name`, `shown`.`middle` AS `middle`, `shown`.`order` AS `order`, 0 AS `_total`, 0 AS `_rest`
  FROM `shown`
),
`orders_by_segment_and_name_2` AS (
  SELECT `customers`.`segment` AS `segment`, quantileExactInclusiveOrNull(0.5)(toFloat64(toNullable(`orders`.`amount`))) AS `middle`, sumOrNull(toNullable(`orders`.`amount`)) AS `revenue`
  FROM `orders` LEFT JOIN (SELECT toNullable(`customers`.`id`) AS `id`, toNullable(`customers`.`segment`) AS `segment`, toNullable(`customers`.`name`) AS `name` FROM `customers`) AS `customers` ON `orders`.`customer_id` = `customers`.`id` JOIN `ranked` ON coalesce(`customers`.`segment`, '') = `ranked`.`segment_or_blank` AND CASE WHEN `customers`.`segment` IS NULL THEN 1 ELSE 0 END = `ranked`.`segment_is_null` AND coalesce(`customers`.`name`, '') = `ranked`.`name_or_blank` AND CASE WHEN `customers`.`name` IS NULL THEN 1 ELSE 0 END = `ranked`.`name_is_null`
  WHERE `ranked`.`place` > 2
  GROUP BY `customers`.`segment`
),
`rows_2` AS (
  SELECT `parts`.`segment` AS `segment`, maxOrNull(`parts`.`middle`) AS `middle`, maxOrNull(`parts`.`revenue`) AS `order`, 0 AS `_total`, 1 AS `_rest`
  FROM (SELECT `orders_by_segment_and_name_2`.`segment` AS `segment`, `orders_by_segment_and_name_2`.`middle` AS `middle`, `orders_by_segment_and_name_2`.`revenue` AS `revenue`, CAST(NULL AS Nullable(Int64)) AS `there`, CAST(NULL AS Nullable(Int64)) AS `there_2` FROM `orders_by_segment_and_name_2`
UNION ALL SELECT `ranked`.`segment` AS `segment`, CAST(NULL AS Nullable(Float64)) AS `middle`, (SELECT MAX(`orders_by_segment_and_name_2`.`revenue`) FROM `orders_by_segment_and_name_2` WHERE 1 = 0) AS `revenue`, `ranked`.`there` AS `there`, CAST(NULL AS Nullable(Int64)) AS `there_2` FROM (SELECT DISTINCT `ranked`.`segment` AS `segment`, 1 AS `there` FROM `ranked` WHERE `ranked`.`place` > 2) AS `ranked`
UNION ALL SELECT `shown`.`segment` AS `segment`, CAST(NULL AS Nullable(Float64)) AS `middle`, (SELECT MAX(`orders_by_segment_and_name_2`.`revenue`) FROM `orders_by_segment_and_name_2` WHERE 1 = 0) AS `revenue`, CAST(NULL AS Nullable(Int64)) AS `there`, `shown`.`there` AS `there_2` FROM (SELECT DISTINCT `shown`.`segment` AS `segment`, 1 AS `there` FROM `shown`) AS `shown`) AS `parts`
  GROUP BY `parts`.`segment`
  HAVING maxOrNull(`parts`.`there`) = 1 AND maxOrNull(`parts`.`there_2`) = 1
)
SELECT `parts`.`segment` AS `segment`, `parts`.`name` AS `name`, `parts`.`middle` AS `middle`, `parts`.`_rest` AS `_rest`
FROM (SELECT `rows`.`segment` AS `segment`, `rows`.`name` AS `name`, `rows`.`middle` AS `middle`, `rows`.`order` AS `order`, `rows`.`_total` AS `_total`, `rows`.`_rest` AS `_rest` FROM `rows`
UNION ALL SELECT `rows_2`.`segment` AS `segment`, CAST(NULL AS Nullable(String)) AS `name`, `rows_2`.`middle` AS `middle`, `rows_2`.`order` AS `order`, `rows_2`.`_total` AS `_total`, `rows_2`.`_rest` AS `_rest` FROM `rows_2`) AS `parts`
ORDER BY `parts`.`_total` ASC NULLS LAST, `parts`.`_rest` ASC NULLS LAST, `parts`.`order` DESC NULLS LAST, `parts`.`segment` ASC NULLS LAST, `parts`.`name` ASC NULLS LAST

-- duckdb
WITH "orders_by_segment_and_name" AS (
  SELECT "customers"."segment" AS "segment", "customers"."name" AS "name", median(CAST("orders"."amount" AS DOUBLE)) AS "middle", SUM("orders"."amount") AS "revenue"
  FROM "orders" LEFT JOIN "customers" ON "orders"."customer_id" = "customers"."id"
  GROUP BY "customers"."segment", "customers"."name"
),
"ranked" AS (
  SELECT "orders_by_segment_and_name"."segment" AS "segment", "orders_by_segment_and_name"."name" AS "name", "orders_by_segment_and_name"."middle" AS "middle", "orders_by_segment_and_name"."revenue" AS "order", coalesce("orders_by_segment_and_name"."segment", '') AS "segment_or_blank", CASE WHEN "orders_by_segment_and_name"."segment" IS NULL THEN 1 ELSE 0 END AS "segment_is_null", coalesce("orders_by_segment_and_name"."name", '') AS "name_or_blank", CASE WHEN "orders_by_segment_and_name"."name" IS NULL THEN 1 ELSE 0 END AS "name_is_null", ROW_NUMBER() OVER (PARTITION BY "orders_by_segment_and_name"."segment" ORDER BY "orders_by_segment_and_name"."revenue" DESC NULLS LAST, "orders_by_segment_and_name"."segment" ASC NULLS LAST, "orders_by_segment_and_name"."name" ASC NULLS LAST) AS "place"
  FROM "orders_by_segment_and_name"
),
"shown" AS (
  SELECT "ranked"."segment" AS "segment", "ranked"."name" AS "name", "ranked"."middle" AS "middle", "ranked"."order" AS "order", "ranked"."segment_or_blank" AS "segment_or_blank", "ranked"."segment_is_null" AS "segment_is_null", "ranked"."name_or_blank" AS "name_or_blank", "ranked"."name_is_null" AS "name_is_null", "ranked"."place" AS "place"
  FROM "ranked"
  WHERE "ranked"."place" <= 2
  ORDER BY "ranked"."order" DESC NULLS LAST, "ranked"."segment" ASC NULLS LAST, "ranked"."name" ASC NULLS LAST
  LIMIT 1000
),
"rows" AS (
  SELECT "shown"."segment" AS "segment", "shown"."name" AS "name", "shown"."middle" AS "middle", "shown"."order" AS "order", 0 AS "_total", 0 AS "_rest"
  FROM "shown"
),
"orders_by_segment_and_name_2" AS (
  SELECT "customers"."segment" AS "segment", median(CAST("orders"."amount" AS DOUBLE)) AS "middle", SUM("orders"."amount") AS "revenue"
  FROM "orders" LEFT JOIN "customers" ON "orders"."customer_id" = "customers"."id" JOIN "ranked" ON coalesce("customers"."segment", '') = "ranked"."segment_or_blank" AND CASE WHEN "customers"."segment" IS NULL THEN 1 ELSE 0 END = "ranked"."segment_is_null" AND coalesce("customers"."name", '') = "ranked"."name_or_blank" AND CASE WHEN "customers"."name" IS NULL THEN 1 ELSE 0 END = "ranked"."name_is_null"
  WHERE "ranked"."place" > 2
  GROUP BY "customers"."segment"
),
"rows_2" AS (
  SELECT "parts"."segment" AS "segment", MAX("parts"."middle") AS "middle", MAX("parts"."revenue") AS "order", 0 AS "_total", 1 AS "_rest"
  FROM (SELECT "orders_by_segment_and_name_2"."segment" AS "segment", "orders_by_segment_and_name_2"."middle" AS "middle", "orders_by_segment_and_name_2"."revenue" AS "revenue", CAST(NULL AS BIGINT) AS "there", CAST(NULL AS BIGINT) AS "there_2" FROM "orders_by_segment_and_name_2"
UNION ALL SELECT "ranked"."segment" AS "segment", CAST(NULL AS DOUBLE) AS "middle", (SELECT MAX("orders_by_segment_and_name_2"."revenue") FROM "orders_by_segment_and_name_2" WHERE 1 = 0) AS "revenue", "ranked"."there" AS "there", CAST(NULL AS BIGINT) AS "there_2" FROM (SELECT DISTINCT "ranked"."segment" AS "segment", 1 AS "there" FROM "ranked" WHERE "ranked"."place" > 2) AS "ranked"
UNION ALL SELECT "shown"."segment" AS "segment", CAST(NULL AS DOUBLE) AS "middle", (SELECT MAX("orders_by_segment_and_name_2"."revenue") FROM "orders_by_segment_and_name_2" WHERE 1 = 0) AS "revenue", CAST(NULL AS BIGINT) AS "there", "shown"."there" AS "there_2" FROM (SELECT DISTINCT "shown"."segment" AS "segment", 1 AS "there" FROM "shown") AS "shown") AS "parts"
  GROUP BY "parts"."segment"
  HAVING MAX("parts"."there") = 1 AND MAX("parts"."there_2") = 1
)
SELECT "parts"."segment" AS "segment", "parts"."name" AS "name", "parts"."middle" AS "middle", "parts"."_rest" AS "_rest"
FROM (SELECT "rows"."segment" AS "segment", "rows"."name" AS "name", "rows"."middle" AS "middle", "rows"."order" AS "order", "rows"."_total" AS "_total", "rows"."_rest" AS "_rest" FROM "rows"
UNION ALL SELECT "rows_2"."segment" AS "segment", CAST(NULL AS VARCHAR) AS "name", "rows_2"."middle" AS "middle", "rows_2"."order" AS "order", "rows_2"."_total" AS "_total", "rows_2"."_rest" AS "_rest" FROM "rows_2") AS "parts"
ORDER BY "parts"."_total" ASC NULLS LAST, "parts"."_rest" ASC NULLS LAST, "parts"."order" DESC NULLS LAST, "parts"."segment" ASC NULLS LAST, "parts"."name" ASC NULLS LAST

-- mysql
WITH `orders_by_segment_and_name` AS (
  SELECT `orders_2`.`segment` AS `segment`, `orders_2`.`name` AS `name`, SUM(CASE WHEN ABS(`orders_2`.`rank` - 1 - 0.5 * (`orders_2`.`count` - 1)) < 1 THEN CAST(`orders_2`.`middle` AS DOUBLE) * (1 - ABS(`orders_2`.`rank` - 1 - 0.5 * (`orders_2`.`count` - 1))) END) AS `middle`, SUM(`orders_2`.`revenue`) AS `revenue`
  FROM (SELECT `customers`.`segment` AS `segment`, `customers`.`name` AS `name`, `orders`.`amount` AS `middle`, `orders`.`amount` AS `revenue`, ROW_NUMBER() OVER (PARTITION BY `customers`.`segment`, `customers`.`name` ORDER BY `orders`.`amount` IS NULL, `orders`.`amount` ASC) AS `rank`, COUNT(`orders`.`amount`) OVER (PARTITION BY `customers`.`segment`, `customers`.`name`) AS `count` FROM `orders` LEFT JOIN `customers` ON `orders`.`customer_id` = `customers`.`id`) AS `orders_2`
  GROUP BY `orders_2`.`segment`, `orders_2`.`name`
),
`ranked` AS (
  SELECT `orders_by_segment_and_name`.`segment` AS `segment`, `orders_by_segment_and_name`.`name` AS `name`, `orders_by_segment_and_name`.`middle` AS `middle`, `orders_by_segment_and_name`.`revenue` AS `order`, COALESCE(`orders_by_segment_and_name`.`segment`, '') AS `segment_or_blank`, CASE WHEN `orders_by_segment_and_name`.`segment` IS NULL THEN 1 ELSE 0 END AS `segment_is_null`, COALESCE(`orders_by_segment_and_name`.`name`, '') AS `name_or_blank`, CASE WHEN `orders_by_segment_and_name`.`name` IS NULL THEN 1 ELSE 0 END AS `name_is_null`, ROW_NUMBER() OVER (PARTITION BY `orders_by_segment_and_name`.`segment` ORDER BY `orders_by_segment_and_name`.`revenue` DESC, `orders_by_segment_and_name`.`segment` IS NULL, `orders_by_segment_and_name`.`segment` ASC, `orders_by_segment_and_name`.`name` IS NULL, `orders_by_segment_and_name`.`name` ASC) AS `place`
  FROM `orders_by_segment_and_name`
),
`shown` AS (
  SELECT `ranked`.`segment` AS `segment`, `ranked`.`name` AS `name`, `ranked`.`middle` AS `middle`, `ranked`.`order` AS `order`, `ranked`.`segment_or_blank` AS `segment_or_blank`, `ranked`.`segment_is_null` AS `segment_is_null`, `ranked`.`name_or_blank` AS `name_or_blank`, `ranked`.`name_is_null` AS `name_is_null`, `ranked`.`place` AS `place`
  FROM `ranked`
  WHERE `ranked`.`place` <= 2
  ORDER BY `ranked`.`order` DESC, `ranked`.`segment` IS NULL, `ranked`.`segment` ASC, `ranked`.`name` IS NULL, `ranked`.`name` ASC
  LIMIT 1000
),
`rows` AS (
  SELECT `shown`.`segment` AS `segment`, `shown`.`name` AS `name`, `shown`.`middle` AS `middle`, `shown`.`order` AS `order`, 0 AS `_total`, 0 AS `_rest`
  FROM `shown`
),
`orders_by_segment_and_name_2` AS (
  SELECT `orders_2`.`segment` AS `segment`, SUM(CASE WHEN ABS(`orders_2`.`rank` - 1 - 0.5 * (`orders_2`.`count` - 1)) < 1 THEN CAST(`orders_2`.`middle` AS DOUBLE) * (1 - ABS(`orders_2`.`rank` - 1 - 0.5 * (`orders_2`.`count` - 1))) END) AS `middle`, SUM(`orders_2`.`revenue`) AS `revenue`
  FROM (SELECT `customers`.`segment` AS `segment`, `orders`.`amount` AS `middle`, `orders`.`amount` AS `revenue`, ROW_NUMBER() OVER (PARTITION BY `customers`.`segment` ORDER BY `orders`.`amount` IS NULL, `orders`.`amount` ASC) AS `rank`, COUNT(`orders`.`amount`) OVER (PARTITION BY `customers`.`segment`) AS `count` FROM `orders` LEFT JOIN `customers` ON `orders`.`customer_id` = `customers`.`id` JOIN `ranked` ON COALESCE(`customers`.`segment`, '') = `ranked`.`segment_or_blank` AND CASE WHEN `customers`.`segment` IS NULL THEN 1 ELSE 0 END = `ranked`.`segment_is_null` AND COALESCE(`customers`.`name`, '') = `ranked`.`name_or_blank` AND CASE WHEN `customers`.`name` IS NULL THEN 1 ELSE 0 END = `ranked`.`name_is_null` WHERE `ranked`.`place` > 2) AS `orders_2`
  GROUP BY `orders_2`.`segment`
),
`rows_2` AS (
  SELECT `parts`.`segment` AS `segment`, MAX(`parts`.`middle`) AS `middle`, MAX(`parts`.`revenue`) AS `order`, 0 AS `_total`, 1 AS `_rest`
  FROM (SELECT `orders_by_segment_and_name_2`.`segment` AS `segment`, `orders_by_segment_and_name_2`.`middle` AS `middle`, `orders_by_segment_and_name_2`.`revenue` AS `revenue`, CAST(NULL AS SIGNED) AS `there`, CAST(NULL AS SIGNED) AS `there_2` FROM `orders_by_segment_and_name_2`
UNION ALL SELECT `ranked`.`segment` AS `segment`, CAST(NULL AS DOUBLE) AS `middle`, (SELECT MAX(`orders_by_segment_and_name_2`.`revenue`) FROM `orders_by_segment_and_name_2` WHERE 1 = 0) AS `revenue`, `ranked`.`there` AS `there`, CAST(NULL AS SIGNED) AS `there_2` FROM (SELECT DISTINCT `ranked`.`segment` AS `segment`, 1 AS `there` FROM `ranked` WHERE `ranked`.`place` > 2) AS `ranked`
UNION ALL SELECT `shown`.`segment` AS `segment`, CAST(NULL AS DOUBLE) AS `middle`, (SELECT MAX(`orders_by_segment_and_name_2`.`revenue`) FROM `orders_by_segment_and_name_2` WHERE 1 = 0) AS `revenue`, CAST(NULL AS SIGNED) AS `there`, `shown`.`there` AS `there_2` FROM (SELECT DISTINCT `shown`.`segment` AS `segment`, 1 AS `there` FROM `shown`) AS `shown`) AS `parts`
  GROUP BY `parts`.`segment`
  HAVING MAX(`parts`.`there`) = 1 AND MAX(`parts`.`there_2`) = 1
)
SELECT `parts`.`segment` AS `segment`, `parts`.`name` AS `name`, `parts`.`middle` AS `middle`, `parts`.`_rest` AS `_rest`
FROM (SELECT `rows`.`segment` AS `segment`, `rows`.`name` AS `name`, `rows`.`middle` AS `middle`, `rows`.`order` AS `order`, `rows`.`_total` AS `_total`, `rows`.`_rest` AS `_rest` FROM `rows`
UNION ALL SELECT `rows_2`.`segment` AS `segment`, CAST(NULL AS CHAR) AS `name`, `rows_2`.`middle` AS `middle`, `rows_2`.`order` AS `order`, `rows_2`.`_total` AS `_total`, `rows_2`.`_rest` AS `_rest` FROM `rows_2`) AS `parts`
ORDER BY `parts`.`_total` IS NULL, `parts`.`_total` ASC, `parts`.`_rest` IS NULL, `parts`.`_rest` ASC, `parts`.`order` DESC, `parts`.`segment` IS NULL, `parts`.`segment` ASC, `parts`.`name` IS NULL, `parts`.`name` ASC

-- postgres
WITH "orders_by_segment_and_name" AS (
  SELECT "customers"."segment" AS "segment", "customers"."name" AS "name", percentile_cont(0.5) WITHIN GROUP (ORDER BY "orders"."amount") AS "middle", SUM("orders"."amount") AS "revenue"
  FROM "orders" LEFT JOIN "customers" ON "orders"."customer_id" = "customers"."id"
  GROUP BY "customers"."segment", "customers"."name"
),
"ranked" AS (
  SELECT "orders_by_segment_and_name"."segment" AS "segment", "orders_by_segment_and_name"."name" AS "name", "orders_by_segment_and_name"."middle" AS "middle", "orders_by_segment_and_name"."revenue" AS "order", coalesce("orders_by_segment_and_name"."segment", '') AS "segment_or_blank", CASE WHEN "orders_by_segment_and_name"."segment" IS NULL THEN 1 ELSE 0 END AS "segment_is_null", coalesce("orders_by_segment_and_name"."name", '') AS "name_or_blank", CASE WHEN "orders_by_segment_and_name"."name" IS NULL THEN 1 ELSE 0 END AS "name_is_null", ROW_NUMBER() OVER (PARTITION BY "orders_by_segment_and_name"."segment" ORDER BY "orders_by_segment_and_name"."revenue" DESC NULLS LAST, "orders_by_segment_and_name"."segment" ASC NULLS LAST, "orders_by_segment_and_name"."name" ASC NULLS LAST) AS "place"
  FROM "orders_by_segment_and_name"
),
"shown" AS (
  SELECT "ranked"."segment" AS "segment", "ranked"."name" AS "name", "ranked"."middle" AS "middle", "ranked"."order" AS "order", "ranked"."segment_or_blank" AS "segment_or_blank", "ranked"."segment_is_null" AS "segment_is_null", "ranked"."name_or_blank" AS "name_or_blank", "ranked"."name_is_null" AS "name_is_null", "ranked"."place" AS "place"
  FROM "ranked"
  WHERE "ranked"."place" <= 2
  ORDER BY "ranked"."order" DESC NULLS LAST, "ranked"."segment" ASC NULLS LAST, "ranked"."name" ASC NULLS LAST
  LIMIT 1000
),
"rows" AS (
  SELECT "shown"."segment" AS "segment", "shown"."name" AS "name", "shown"."middle" AS "middle", "shown"."order" AS "order", 0 AS "_total", 0 AS "_rest"
  FROM "shown"
),
"orders_by_segment_and_name_2" AS (
  SELECT "customers"."segment" AS "segment", percentile_cont(0.5) WITHIN GROUP (ORDER BY "orders"."amount") AS "middle", SUM("orders"."amount") AS "revenue"
  FROM "orders" LEFT JOIN "customers" ON "orders"."customer_id" = "customers"."id" JOIN "ranked" ON coalesce("customers"."segment", '') = "ranked"."segment_or_blank" AND CASE WHEN "customers"."segment" IS NULL THEN 1 ELSE 0 END = "ranked"."segment_is_null" AND coalesce("customers"."name", '') = "ranked"."name_or_blank" AND CASE WHEN "customers"."name" IS NULL THEN 1 ELSE 0 END = "ranked"."name_is_null"
  WHERE "ranked"."place" > 2
  GROUP BY "customers"."segment"
),
"rows_2" AS (
  SELECT "parts"."segment" AS "segment", MAX("parts"."middle") AS "middle", MAX("parts"."revenue") AS "order", 0 AS "_total", 1 AS "_rest"
  FROM (SELECT "orders_by_segment_and_name_2"."segment" AS "segment", "orders_by_segment_and_name_2"."middle" AS "middle", "orders_by_segment_and_name_2"."revenue" AS "revenue", CAST(NULL AS bigint) AS "there", CAST(NULL AS bigint) AS "there_2" FROM "orders_by_segment_and_name_2"
UNION ALL SELECT "ranked"."segment" AS "segment", CAST(NULL AS double precision) AS "middle", (SELECT MAX("orders_by_segment_and_name_2"."revenue") FROM "orders_by_segment_and_name_2" WHERE 1 = 0) AS "revenue", "ranked"."there" AS "there", CAST(NULL AS bigint) AS "there_2" FROM (SELECT DISTINCT "ranked"."segment" AS "segment", 1 AS "there" FROM "ranked" WHERE "ranked"."place" > 2) AS "ranked"
UNION ALL SELECT "shown"."segment" AS "segment", CAST(NULL AS double precision) AS "middle", (SELECT MAX("orders_by_segment_and_name_2"."revenue") FROM "orders_by_segment_and_name_2" WHERE 1 = 0) AS "revenue", CAST(NULL AS bigint) AS "there", "shown"."there" AS "there_2" FROM (SELECT DISTINCT "shown"."segment" AS "segment", 1 AS "there" FROM "shown") AS "shown") AS "parts"
  GROUP BY "parts"."segment"
  HAVING MAX("parts"."there") = 1 AND MAX("parts"."there_2") = 1
)
SELECT "parts"."segment" AS "segment", "parts"."name" AS "name", "parts"."middle" AS "middle", "parts"."_rest" AS "_rest"
FROM (SELECT "rows"."segment" AS "segment", "rows"."name" AS "name", "rows"."middle" AS "middle", "rows"."order" AS "order", "rows"."_total" AS "_total", "rows"."_rest" AS "_rest" FROM "rows"
UNION ALL SELECT "rows_2"."segment" AS "segment", CAST(NULL AS text) AS "name", "rows_2"."middle" AS "middle", "rows_2"."order" AS "order", "rows_2"."_total" AS "_total", "rows_2"."_rest" AS "_rest" FROM "rows_2") AS "parts"
ORDER BY "parts"."_total" ASC NULLS LAST, "parts"."_rest" ASC NULLS LAST, "parts"."order" DESC NULLS LAST, "parts"."segment" ASC NULLS LAST, "parts"."name" ASC NULLS LAST

-- snowflake
WITH "orders_by_segment_and_name" AS (
  SELECT "customers"."SEGMENT" AS "segment_2", "customers"."NAME" AS "name_2", MEDIAN("orders"."AMOUNT"::FLOAT) AS "middle", SUM("orders"."AMOUNT") AS "revenue"
  FROM "ORDERS" AS "orders" LEFT JOIN "CUSTOMERS" AS "customers" ON "orders"."CUSTOMER_ID" = "customers"."ID"
  GROUP BY "customers"."SEGMENT", "customers"."NAME"
),
"ranked" AS (
  SELECT "orders_by_segment_and_name"."segment_2" AS "segment", "orders_by_segment_and_name"."name_2" AS "name", "orders_by_segment_and_name"."middle" AS "middle", "orders_by_segment_and_name"."revenue" AS "order", COALESCE("orders_by_segment_and_name"."segment_2", '') AS "segment_or_blank", CASE WHEN "orders_by_segment_and_name"."segment_2" IS NULL THEN 1 ELSE 0 END AS "segment_is_null", COALESCE("orders_by_segment_and_name"."name_2", '') AS "name_or_blank", CASE WHEN "orders_by_segment_and_name"."name_2" IS NULL THEN 1 ELSE 0 END AS "name_is_null", ROW_NUMBER() OVER (PARTITION BY "orders_by_segment_and_name"."segment_2" ORDER BY "orders_by_segment_and_name"."revenue" DESC NULLS LAST, "orders_by_segment_and_name"."segment_2" ASC NULLS LAST, "orders_by_segment_and_name"."name_2" ASC NULLS LAST) AS "place"
  FROM "orders_by_segment_and_name"
),
"shown" AS (
  SELECT "ranked"."segment" AS "segment", "ranked"."name" AS "name", "ranked"."middle" AS "middle", "ranked"."order" AS "order", "ranked"."segment_or_blank" AS "segment_or_blank", "ranked"."segment_is_null" AS "segment_is_null", "ranked"."name_or_blank" AS "name_or_blank", "ranked"."name_is_null" AS "name_is_null", "ranked"."place" AS "place"
  FROM "ranked"
  WHERE "ranked"."place" <= 2
  ORDER BY "ranked"."order" DESC NULLS LAST, "ranked"."segment" ASC NULLS LAST, "ranked"."name" ASC NULLS LAST
  LIMIT 1000
),
"rows" AS (
  SELECT "shown"."segment" AS "segment", "shown"."name" AS "name", "shown"."middle" AS "middle", "shown"."order" AS "order", 0 AS "_total", 0 AS "_rest"
  FROM "shown"
),
"orders_by_segment_and_name_2" AS (
  SELECT "customers"."SEGMENT" AS "segment_2", MEDIAN("orders"."AMOUNT"::FLOAT) AS "middle", SUM("orders"."AMOUNT") AS "revenue"
  FROM "ORDERS" AS "orders" LEFT JOIN "CUSTOMERS" AS "customers" ON "orders"."CUSTOMER_ID" = "customers"."ID" JOIN "ranked" ON COALESCE("customers"."SEGMENT", '') = "ranked"."segment_or_blank" AND CASE WHEN "customers"."SEGMENT" IS NULL THEN 1 ELSE 0 END = "ranked"."segment_is_null" AND COALESCE("customers"."NAME", '') = "ranked"."name_or_blank" AND CASE WHEN "customers"."NAME" IS NULL THEN 1 ELSE 0 END = "ranked"."name_is_null"
  WHERE "ranked"."place" > 2
  GROUP BY "customers"."SEGMENT"
),
"rows_2" AS (
  SELECT "parts"."segment" AS "segment", MAX("parts"."middle") AS "middle", MAX("parts"."revenue") AS "order", 0 AS "_total", 1 AS "_rest"
  FROM (SELECT "orders_by_segment_and_name_2"."segment_2" AS "segment", "orders_by_segment_and_name_2"."middle" AS "middle", "orders_by_segment_and_name_2"."revenue" AS "revenue", CAST(NULL AS NUMBER(38,0)) AS "there", CAST(NULL AS NUMBER(38,0)) AS "there_2" FROM "orders_by_segment_and_name_2"
UNION ALL SELECT "ranked"."segment" AS "segment", CAST(NULL AS FLOAT) AS "middle", (SELECT MAX("orders_by_segment_and_name_2"."revenue") FROM "orders_by_segment_and_name_2" WHERE 1 = 0) AS "revenue", "ranked"."there" AS "there", CAST(NULL AS NUMBER(38,0)) AS "there_2" FROM (SELECT DISTINCT "ranked"."segment" AS "segment", 1 AS "there" FROM "ranked" WHERE "ranked"."place" > 2) AS "ranked"
UNION ALL SELECT "shown"."segment" AS "segment", CAST(NULL AS FLOAT) AS "middle", (SELECT MAX("orders_by_segment_and_name_2"."revenue") FROM "orders_by_segment_and_name_2" WHERE 1 = 0) AS "revenue", CAST(NULL AS NUMBER(38,0)) AS "there", "shown"."there" AS "there_2" FROM (SELECT DISTINCT "shown"."segment" AS "segment", 1 AS "there" FROM "shown") AS "shown") AS "parts"
  GROUP BY "parts"."segment"
  HAVING MAX("parts"."there") = 1 AND MAX("parts"."there_2") = 1
)
SELECT "parts"."segment" AS "segment", "parts"."name" AS "name", "parts"."middle" AS "middle", "parts"."_rest" AS "_rest"
FROM (SELECT "rows"."segment" AS "segment", "rows"."name" AS "name", "rows"."middle" AS "middle", "rows"."order" AS "order", "rows"."_total" AS "_total", "rows"."_rest" AS "_rest" FROM "rows"
UNION ALL SELECT "rows_2"."segment" AS "segment", CAST(NULL AS VARCHAR) AS "name", "rows_2"."middle" AS "middle", "rows_2"."order" AS "order", "rows_2"."_total" AS "_total", "rows_2"."_rest" AS "_rest" FROM "rows_2") AS "parts"
ORDER BY "parts"."_total" ASC NULLS LAST, "parts"."_rest" ASC NULLS LAST, "parts"."order" DESC NULLS LAST, "parts"."segment" ASC NULLS LAST, "parts"."name" ASC NULLS LAST

-- sqlite
WITH "orders_by_segment_and_name" AS (
  SELECT "orders_2"."segment" AS "segment", "orders_2"."name" AS "name", SUM(CASE WHEN abs("orders_2"."rank" - 1 - 0.5 * ("orders_2"."count" - 1)) < 1 THEN CAST("orders_2"."middle" AS REAL) * (1 - abs("orders_2"."rank" - 1 - 0.5 * ("orders_2"."count" - 1))) END) AS "middle", SUM("orders_2"."revenue") AS "revenue"
  FROM (SELECT "customers"."segment" AS "segment", "customers"."name" AS "name", "orders"."amount" AS "middle", "orders"."amount" AS "revenue", ROW_NUMBER() OVER (PARTITION BY "customers"."segment", "customers"."name" ORDER BY "orders"."amount" ASC NULLS LAST) AS "rank", COUNT("orders"."amount") OVER (PARTITION BY "customers"."segment", "customers"."name") AS "count" FROM "orders" LEFT JOIN "customers" ON "orders"."customer_id" = "customers"."id") AS "orders_2"
  GROUP BY "orders_2"."segment", "orders_2"."name"
),
"ranked" AS (
  SELECT "orders_by_segment_and_name"."segment" AS "segment", "orders_by_segment_and_name"."name" AS "name", "orders_by_segment_and_name"."middle" AS "middle", "orders_by_segment_and_name"."revenue" AS "order", coalesce("orders_by_segment_and_name"."segment", '') AS "segment_or_blank", CASE WHEN "orders_by_segment_and_name"."segment" IS NULL THEN 1 ELSE 0 END AS "segment_is_null", coalesce("orders_by_segment_and_name"."name", '') AS "name_or_blank", CASE WHEN "orders_by_segment_and_name"."name" IS NULL THEN 1 ELSE 0 END AS "name_is_null", ROW_NUMBER() OVER (PARTITION BY "orders_by_segment_and_name"."segment" ORDER BY "orders_by_segment_and_name"."revenue" DESC NULLS LAST, "orders_by_segment_and_name"."segment" ASC NULLS LAST, "orders_by_segment_and_name"."name" ASC NULLS LAST) AS "place"
  FROM "orders_by_segment_and_name"
),
"shown" AS (
  SELECT "ranked"."segment" AS "segment", "ranked"."name" AS "name", "ranked"."middle" AS "middle", "ranked"."order" AS "order", "ranked"."segment_or_blank" AS "segment_or_blank", "ranked"."segment_is_null" AS "segment_is_null", "ranked"."name_or_blank" AS "name_or_blank", "ranked"."name_is_null" AS "name_is_null", "ranked"."place" AS "place"
  FROM "ranked"
  WHERE "ranked"."place" <= 2
  ORDER BY "ranked"."order" DESC NULLS LAST, "ranked"."segment" ASC NULLS LAST, "ranked"."name" ASC NULLS LAST
  LIMIT 1000
),
"rows" AS (
  SELECT "shown"."segment" AS "segment", "shown"."name" AS "name", "shown"."middle" AS "middle", "shown"."order" AS "order", 0 AS "_total", 0 AS "_rest"
  FROM "shown"
),
"orders_by_segment_and_name_2" AS (
  SELECT "orders_2"."segment" AS "segment", SUM(CASE WHEN abs("orders_2"."rank" - 1 - 0.5 * ("orders_2"."count" - 1)) < 1 THEN CAST("orders_2"."middle" AS REAL) * (1 - abs("orders_2"."rank" - 1 - 0.5 * ("orders_2"."count" - 1))) END) AS "middle", SUM("orders_2"."revenue") AS "revenue"
  FROM (SELECT "customers"."segment" AS "segment", "orders"."amount" AS "middle", "orders"."amount" AS "revenue", ROW_NUMBER() OVER (PARTITION BY "customers"."segment" ORDER BY "orders"."amount" ASC NULLS LAST) AS "rank", COUNT("orders"."amount") OVER (PARTITION BY "customers"."segment") AS "count" FROM "orders" LEFT JOIN "customers" ON "orders"."customer_id" = "customers"."id" JOIN "ranked" ON coalesce("customers"."segment", '') = "ranked"."segment_or_blank" AND CASE WHEN "customers"."segment" IS NULL THEN 1 ELSE 0 END = "ranked"."segment_is_null" AND coalesce("customers"."name", '') = "ranked"."name_or_blank" AND CASE WHEN "customers"."name" IS NULL THEN 1 ELSE 0 END = "ranked"."name_is_null" WHERE "ranked"."place" > 2) AS "orders_2"
  GROUP BY "orders_2"."segment"
),
"rows_2" AS (
  SELECT "parts"."segment" AS "segment", MAX("parts"."middle") AS "middle", MAX("parts"."revenue") AS "order", 0 AS "_total", 1 AS "_rest"
  FROM (SELECT "orders_by_segment_and_name_2"."segment" AS "segment", "orders_by_segment_and_name_2"."middle" AS "middle", "orders_by_segment_and_name_2"."revenue" AS "revenue", CAST(NULL AS INTEGER) AS "there", CAST(NULL AS INTEGER) AS "there_2" FROM "orders_by_segment_and_name_2"
UNION ALL SELECT "ranked"."segment" AS "segment", CAST(NULL AS REAL) AS "middle", (SELECT MAX("orders_by_segment_and_name_2"."revenue") FROM "orders_by_segment_and_name_2" WHERE 1 = 0) AS "revenue", "ranked"."there" AS "there", CAST(NULL AS INTEGER) AS "there_2" FROM (SELECT DISTINCT "ranked"."segment" AS "segment", 1 AS "there" FROM "ranked" WHERE "ranked"."place" > 2) AS "ranked"
UNION ALL SELECT "shown"."segment" AS "segment", CAST(NULL AS REAL) AS "middle", (SELECT MAX("orders_by_segment_and_name_2"."revenue") FROM "orders_by_segment_and_name_2" WHERE 1 = 0) AS "revenue", CAST(NULL AS INTEGER) AS "there", "shown"."there" AS "there_2" FROM (SELECT DISTINCT "shown"."segment" AS "segment", 1 AS "there" FROM "shown") AS "shown") AS "parts"
  GROUP BY "parts"."segment"
  HAVING MAX("parts"."there") = 1 AND MAX("parts"."there_2") = 1
)
SELECT "parts"."segment" AS "segment", "parts"."name" AS "name", "parts"."middle" AS "middle", "parts"."_rest" AS "_rest"
FROM (SELECT "rows"."segment" AS "segment", "rows"."name" AS "name", "rows"."middle" AS "middle", "rows"."order" AS "order", "rows"."_total" AS "_total", "rows"."_rest" AS "_rest" FROM "rows"
UNION ALL SELECT "rows_2"."segment" AS "segment", CAST(NULL AS TEXT) AS "name", "rows_2"."middle" AS "middle", "rows_2"."order" AS "order", "rows_2"."_total" AS "_total", "rows_2"."_rest" AS "_rest" FROM "rows_2") AS "parts"
ORDER BY "parts"."_total" ASC NULLS LAST, "parts"."_rest" ASC NULLS LAST, "parts"."order" DESC NULLS LAST, "parts"."segment" ASC NULLS LAST, "parts"."name" ASC NULLS LAST

-- sqlserver
WITH [orders_by_segment_and_name] AS (
  SELECT [orders_2].[segment] AS [segment], [orders_2].[name] AS [name], SUM(CASE WHEN ABS([orders_2].[rank] - 1 - 0.5 * ([orders_2].[count] - 1)) < 1 THEN CAST([orders_2].[middle] AS float) * (1 - ABS([orders_2].[rank] - 1 - 0.5 * ([orders_2].[count] - 1))) END) AS [middle], SUM([orders_2].[revenue]) AS [revenue]
  FROM (SELECT [customers].[segment] AS [segment], [customers].[name] AS [name], [orders].[amount] AS [middle], [orders].[amount] AS [revenue], ROW_NUMBER() OVER (PARTITION BY [customers].[segment], [customers].[name] ORDER BY CASE WHEN [orders].[amount] IS NULL THEN 1 ELSE 0 END, [orders].[amount] ASC) AS [rank], COUNT([orders].[amount]) OVER (PARTITION BY [customers].[segment], [customers].[name]) AS [count] FROM [orders] LEFT JOIN [customers] ON [orders].[customer_id] = [customers].[id]) AS [orders_2]
  GROUP BY [orders_2].[segment], [orders_2].[name]
),
[ranked] AS (
  SELECT [orders_by_segment_and_name].[segment] AS [segment], [orders_by_segment_and_name].[name] AS [name], [orders_by_segment_and_name].[middle] AS [middle], [orders_by_segment_and_name].[revenue] AS [order], COALESCE([orders_by_segment_and_name].[segment], N'') AS [segment_or_blank], CASE WHEN [orders_by_segment_and_name].[segment] IS NULL THEN 1 ELSE 0 END AS [segment_is_null], COALESCE([orders_by_segment_and_name].[name], N'') AS [name_or_blank], CASE WHEN [orders_by_segment_and_name].[name] IS NULL THEN 1 ELSE 0 END AS [name_is_null], ROW_NUMBER() OVER (PARTITION BY [orders_by_segment_and_name].[segment] ORDER BY CASE WHEN [orders_by_segment_and_name].[revenue] IS NULL THEN 1 ELSE 0 END, [orders_by_segment_and_name].[revenue] DESC, CASE WHEN [orders_by_segment_and_name].[segment] IS NULL THEN 1 ELSE 0 END, [orders_by_segment_and_name].[segment] ASC, CASE WHEN [orders_by_segment_and_name].[name] IS NULL THEN 1 ELSE 0 END, [orders_by_segment_and_name].[name] ASC) AS [place]
  FROM [orders_by_segment_and_name]
),
[shown] AS (
  SELECT TOP (1000) [ranked].[segment] AS [segment], [ranked].[name] AS [name], [ranked].[middle] AS [middle], [ranked].[order] AS [order], [ranked].[segment_or_blank] AS [segment_or_blank], [ranked].[segment_is_null] AS [segment_is_null], [ranked].[name_or_blank] AS [name_or_blank], [ranked].[name_is_null] AS [name_is_null], [ranked].[place] AS [place]
  FROM [ranked]
  WHERE [ranked].[place] <= 2
  ORDER BY CASE WHEN [ranked].[order] IS NULL THEN 1 ELSE 0 END, [ranked].[order] DESC, CASE WHEN [ranked].[segment] IS NULL THEN 1 ELSE 0 END, [ranked].[segment] ASC, CASE WHEN [ranked].[name] IS NULL THEN 1 ELSE 0 END, [ranked].[name] ASC
),
[rows] AS (
  SELECT [shown].[segment] AS [segment], [shown].[name] AS [name], [shown].[middle] AS [middle], [shown].[order] AS [order], 0 AS [_total], 0 AS [_rest]
  FROM [shown]
),
[orders_by_segment_and_name_2] AS (
  SELECT [orders_2].[segment] AS [segment], SUM(CASE WHEN ABS([orders_2].[rank] - 1 - 0.5 * ([orders_2].[count] - 1)) < 1 THEN CAST([orders_2].[middle] AS float) * (1 - ABS([orders_2].[rank] - 1 - 0.5 * ([orders_2].[count] - 1))) END) AS [middle], SUM([orders_2].[revenue]) AS [revenue]
  FROM (SELECT [customers].[segment] AS [segment], [orders].[amount] AS [middle], [orders].[amount] AS [revenue], ROW_NUMBER() OVER (PARTITION BY [customers].[segment] ORDER BY CASE WHEN [orders].[amount] IS NULL THEN 1 ELSE 0 END, [orders].[amount] ASC) AS [rank], COUNT([orders].[amount]) OVER (PARTITION BY [customers].[segment]) AS [count] FROM [orders] LEFT JOIN [customers] ON [orders].[customer_id] = [customers].[id] JOIN [ranked] ON COALESCE([customers].[segment], N'') = [ranked].[segment_or_blank] AND CASE WHEN [customers].[segment] IS NULL THEN 1 ELSE 0 END = [ranked].[segment_is_null] AND COALESCE([customers].[name], N'') = [ranked].[name_or_blank] AND CASE WHEN [customers].[name] IS NULL THEN 1 ELSE 0 END = [ranked].[name_is_null] WHERE [ranked].[place] > 2) AS [orders_2]
  GROUP BY [orders_2].[segment]
),
[rows_2] AS (
  SELECT [parts].[segment] AS [segment], MAX([parts].[middle]) AS [middle], MAX([parts].[revenue]) AS [order], 0 AS [_total], 1 AS [_rest]
  FROM (SELECT [orders_by_segment_and_name_2].[segment] AS [segment], [orders_by_segment_and_name_2].[middle] AS [middle], [orders_by_segment_and_name_2].[revenue] AS [revenue], CAST(NULL AS bigint) AS [there], CAST(NULL AS bigint) AS [there_2] FROM [orders_by_segment_and_name_2]
UNION ALL SELECT [ranked].[segment] AS [segment], CAST(NULL AS float) AS [middle], (SELECT MAX([orders_by_segment_and_name_2].[revenue]) FROM [orders_by_segment_and_name_2] WHERE 1 = 0) AS [revenue], [ranked].[there] AS [there], CAST(NULL AS bigint) AS [there_2] FROM (SELECT DISTINCT [ranked].[segment] AS [segment], 1 AS [there] FROM [ranked] WHERE [ranked].[place] > 2) AS [ranked]
UNION ALL SELECT [shown].[segment] AS [segment], CAST(NULL AS float) AS [middle], (SELECT MAX([orders_by_segment_and_name_2].[revenue]) FROM [orders_by_segment_and_name_2] WHERE 1 = 0) AS [revenue], CAST(NULL AS bigint) AS [there], [shown].[there] AS [there_2] FROM (SELECT DISTINCT [shown].[segment] AS [segment], 1 AS [there] FROM [shown]) AS [shown]) AS [parts]
  GROUP BY [parts].[segment]
  HAVING MAX([parts].[there]) = 1 AND MAX([parts].[there_2]) = 1
)
SELECT [parts].[segment] AS [segment], [parts].[name] AS [name], [parts].[middle] AS [middle], [parts].[_rest] AS [_rest]
FROM (SELECT [rows].[segment] AS [segment], [rows].[name] AS [name], [rows].[middle] AS [middle], [rows].[order] AS [order], [rows].[_total] AS [_total], [rows].[_rest] AS [_rest] FROM [rows]
UNION ALL SELECT [rows_2].[segment] AS [segment], CAST(NULL AS nvarchar(max)) AS [name], [rows_2].[middle] AS [middle], [rows_2].[order] AS [order], [rows_2].[_total] AS [_total], [rows_2].[_rest] AS [_rest] FROM [rows_2]) AS [parts]
ORDER BY CASE WHEN [parts].[_total] IS NULL THEN 1 ELSE 0 END, [parts].[_total] ASC, CASE WHEN [parts].[_rest] IS NULL THEN 1 ELSE 0 END, [parts].[_rest] ASC, CASE WHEN [parts].[order] IS NULL THEN 1 ELSE 0 END, [parts].[order] DESC, CASE WHEN [parts].[segment] IS NULL THEN 1 ELSE 0 END, [parts].[segment] ASC, CASE WHEN [parts].[name] IS NULL THEN 1 ELSE 0 END, [parts].[name] ASC

