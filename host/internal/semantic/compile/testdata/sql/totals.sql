-- bigquery
WITH `orders_by_segment_and_status` AS (
  SELECT `customers`.`segment` AS `segment`, `orders`.`status` AS `status`, SUM(`orders`.`amount`) AS `revenue`, COUNT(DISTINCT `orders`.`customer_id`) AS `buyers`
  FROM `orders` LEFT JOIN `customers` ON `orders`.`customer_id` = `customers`.`id`
  GROUP BY `customers`.`segment`, `orders`.`status`
),
`shown` AS (
  SELECT `orders_by_segment_and_status`.`segment` AS `segment`, `orders_by_segment_and_status`.`status` AS `status`, `orders_by_segment_and_status`.`revenue` AS `revenue`, `orders_by_segment_and_status`.`buyers` AS `buyers`
  FROM `orders_by_segment_and_status`
  ORDER BY `orders_by_segment_and_status`.`segment` ASC NULLS LAST, `orders_by_segment_and_status`.`status` ASC NULLS LAST
  LIMIT 10
),
`rows` AS (
  SELECT `shown`.`segment` AS `segment`, `shown`.`status` AS `status`, `shown`.`revenue` AS `revenue`, `shown`.`buyers` AS `buyers`, 0 AS `_total`, 0 AS `_rest`
  FROM `shown`
),
`orders_by_segment_and_status_2` AS (
  SELECT `customers`.`segment` AS `segment`, SUM(`orders`.`amount`) AS `revenue`, COUNT(DISTINCT `orders`.`customer_id`) AS `buyers`
  FROM `orders` LEFT JOIN `customers` ON `orders`.`customer_id` = `customers`.`id`
  GROUP BY `customers`.`segment`
),
`rows_2` AS (
  SELECT `parts`.`segment` AS `segment`, MAX(`parts`.`revenue`) AS `revenue`, COALESCE(MAX(`parts`.`buyers`), 0) AS `buyers`, 1 AS `_total`, 0 AS `_rest`
  FROM (SELECT `orders_by_segment_and_status_2`.`segment` AS `segment`, `orders_by_segment_and_status_2`.`revenue` AS `revenue`, `orders_by_segment_and_status_2`.`buyers` AS `buyers`, CAST(NULL AS INT64) AS `there` FROM `orders_by_segment_and_status_2`
UNION ALL SELECT `shown`.`segment` AS `segment`, (SELECT MAX(`orders_by_segment_and_status_2`.`revenue`) FROM `orders_by_segment_and_status_2` WHERE 1 = 0) AS `revenue`, CAST(NULL AS INT64) AS `buyers`, `shown`.`there` AS `there` FROM (SELECT DISTINCT `shown`.`segment` AS `segment`, 1 AS `there` FROM `shown`) AS `shown`) AS `parts`
  GROUP BY `parts`.`segment`
  HAVING MAX(`parts`.`there`) = 1
),
`rows_3` AS (
  SELECT SUM(`orders`.`amount`) AS `revenue`, COUNT(DISTINCT `orders`.`customer_id`) AS `buyers`, 2 AS `_total`, 0 AS `_rest`
  FROM `orders`
)
SELECT `parts`.`segment` AS `segment`, `parts`.`status` AS `status`, `parts`.`revenue` AS `revenue`, `parts`.`buyers` AS `buyers`, `parts`.`_total` AS `_total`
FROM (SELECT `rows`.`segment` AS `segment`, `rows`.`status` AS `status`, `rows`.`revenue` AS `revenue`, `rows`.`buyers` AS `buyers`, `rows`.`_total` AS `_total`, `rows`.`_rest` AS `_rest` FROM `rows`
UNION ALL SELECT `rows_2`.`segment` AS `segment`, CAST(NULL AS STRING) AS `status`, `rows_2`.`revenue` AS `revenue`, `rows_2`.`buyers` AS `buyers`, `rows_2`.`_total` AS `_total`, `rows_2`.`_rest` AS `_rest` FROM `rows_2`
UNION ALL SELECT CAST(NULL AS STRING) AS `segment`, CAST(NULL AS STRING) AS `status`, `rows_3`.`revenue` AS `revenue`, `rows_3`.`buyers` AS `buyers`, `rows_3`.`_total` AS `_total`, `rows_3`.`_rest` AS `_rest` FROM `rows_3`) AS `parts`
ORDER BY `parts`.`_total` ASC NULLS LAST, `parts`.`_rest` ASC NULLS LAST, `parts`.`segment` ASC NULLS LAST, `parts`.`status` ASC NULLS LAST

-- clickhouse
WITH `orders_by_segment_and_status` AS (
  SELECT `customers`.`segment` AS `segment`, `orders`.`status` AS `status`, sumOrNull(toNullable(`orders`.`amount`)) AS `revenue`, toInt64(ifNull(uniqExact(toNullable(`orders`.`customer_id`)), 0)) AS `buyers`
  FROM `orders` LEFT JOIN (SELECT toNullable(`customers`.`id`) AS `id`, toNullable(`customers`.`segment`) AS `segment` FROM `customers`) AS `customers` ON `orders`.`customer_id` = `customers`.`id`
  GROUP BY `customers`.`segment`, `orders`.`status`
),
`shown` AS (
  SELECT `orders_by_segment_and_status`.`segment` AS `segment`, `orders_by_segment_and_status`.`status` AS `status`, `orders_by_segment_and_status`.`revenue` AS `revenue`, `orders_by_segment_and_status`.`buyers` AS `buyers`
  FROM `orders_by_segment_and_status`
  ORDER BY `orders_by_segment_and_status`.`segment` ASC NULLS LAST, `orders_by_segment_and_status`.`status` ASC NULLS LAST
  LIMIT 10
),
`rows` AS (
  SELECT `shown`.`segment` AS `segment`, `shown`.`status` AS `status`, `shown`.`revenue` AS `revenue`, `shown`.`buyers` AS `buyers`, 0 AS `_total`, 0 AS `_rest`
  FROM `shown`
),
`orders_by_segment_and_status_2` AS (
  SELECT `customers`.`segment` AS `segment`, sumOrNull(toNullable(`orders`.`amount`)) AS `revenue`, toInt64(ifNull(uniqExact(toNullable(`orders`.`customer_id`)), 0)) AS `buyers`
  FROM `orders` LEFT JOIN (SELECT toNullable(`customers`.`id`) AS `id`, toNullable(`customers`.`segment`) AS `segment` FROM `customers`) AS `customers` ON `orders`.`customer_id` = `customers`.`id`
  GROUP BY `customers`.`segment`
),
`rows_2` AS (
  SELECT `parts`.`segment` AS `segment`, maxOrNull(`parts`.`revenue`) AS `revenue`, coalesce(maxOrNull(`parts`.`buyers`), 0) AS `buyers`, 1 AS `_total`, 0 AS `_rest`
  FROM (SELECT `orders_by_segment_and_status_2`.`segment` AS `segment`, `orders_by_segment_and_status_2`.`revenue` AS `revenue`, `orders_by_segment_and_status_2`.`buyers` AS `buyers`, CAST(NULL AS Nullable(Int64)) AS `there` FROM `orders_by_segment_and_status_2`
UNION ALL SELECT `shown`.`segment` AS `segment`, (SELECT MAX(`orders_by_segment_and_status_2`.`revenue`) FROM `orders_by_segment_and_status_2` WHERE 1 = 0) AS `revenue`, CAST(NULL AS Nullable(Int64)) AS `buyers`, `shown`.`there` AS `there` FROM (SELECT DISTINCT `shown`.`segment` AS `segment`, 1 AS `there` FROM `shown`) AS `shown`) AS `parts`
  GROUP BY `parts`.`segment`
  HAVING maxOrNull(`parts`.`there`) = 1
),
`rows_3` AS (
  SELECT sumOrNull(toNullable(`orders`.`amount`)) AS `revenue`, toInt64(ifNull(uniqExact(toNullable(`orders`.`customer_id`)), 0)) AS `buyers`, 2 AS `_total`, 0 AS `_rest`
  FROM `orders`
)
SELECT `parts`.`segment` AS `segment`, `parts`.`status` AS `status`, `parts`.`revenue` AS `revenue`, `parts`.`buyers` AS `buyers`, `parts`.`_total` AS `_total`
FROM (SELECT `rows`.`segment` AS `segment`, `rows`.`status` AS `status`, `rows`.`revenue` AS `revenue`, `rows`.`buyers` AS `buyers`, `rows`.`_total` AS `_total`, `rows`.`_rest` AS `_rest` FROM `rows`
UNION ALL SELECT `rows_2`.`segment` AS `segment`, CAST(NULL AS Nullable(String)) AS `status`, `rows_2`.`revenue` AS `revenue`, `rows_2`.`buyers` AS `buyers`, `rows_2`.`_total` AS `_total`, `rows_2`.`_rest` AS `_rest` FROM `rows_2`
UNION ALL SELECT CAST(NULL AS Nullable(String)) AS `segment`, CAST(NULL AS Nullable(String)) AS `status`, `rows_3`.`revenue` AS `revenue`, `rows_3`.`buyers` AS `buyers`, `rows_3`.`_total` AS `_total`, `rows_3`.`_rest` AS `_rest` FROM `rows_3`) AS `parts`
ORDER BY `parts`.`_total` ASC NULLS LAST, `parts`.`_rest` ASC NULLS LAST, `parts`.`segment` ASC NULLS LAST, `parts`.`status` ASC NULLS LAST

-- duckdb
WITH "orders_by_segment_and_status" AS (
  SELECT "customers"."segment" AS "segment", "orders"."status" AS "status", SUM("orders"."amount") AS "revenue", COUNT(DISTINCT "orders"."customer_id") AS "buyers"
  FROM "orders" LEFT JOIN "customers" ON "orders"."customer_id" = "customers"."id"
  GROUP BY "customers"."segment", "orders"."status"
),
"shown" AS (
  SELECT "orders_by_segment_and_status"."segment" AS "segment", "orders_by_segment_and_status"."status" AS "status", "orders_by_segment_and_status"."revenue" AS "revenue", "orders_by_segment_and_status"."buyers" AS "buyers"
  FROM "orders_by_segment_and_status"
  ORDER BY "orders_by_segment_and_status"."segment" ASC NULLS LAST, "orders_by_segment_and_status"."status" ASC NULLS LAST
  LIMIT 10
),
"rows" AS (
  SELECT "shown"."segment" AS "segment", "shown"."status" AS "status", "shown"."revenue" AS "revenue", "shown"."buyers" AS "buyers", 0 AS "_total", 0 AS "_rest"
  FROM "shown"
),
"orders_by_segment_and_status_2" AS (
  SELECT "customers"."segment" AS "segment", SUM("orders"."amount") AS "revenue", COUNT(DISTINCT "orders"."customer_id") AS "buyers"
  FROM "orders" LEFT JOIN "customers" ON "orders"."customer_id" = "customers"."id"
  GROUP BY "customers"."segment"
),
"rows_2" AS (
  SELECT "parts"."segment" AS "segment", MAX("parts"."revenue") AS "revenue", coalesce(MAX("parts"."buyers"), 0) AS "buyers", 1 AS "_total", 0 AS "_rest"
  FROM (SELECT "orders_by_segment_and_status_2"."segment" AS "segment", "orders_by_segment_and_status_2"."revenue" AS "revenue", "orders_by_segment_and_status_2"."buyers" AS "buyers", CAST(NULL AS BIGINT) AS "there" FROM "orders_by_segment_and_status_2"
UNION ALL SELECT "shown"."segment" AS "segment", (SELECT MAX("orders_by_segment_and_status_2"."revenue") FROM "orders_by_segment_and_status_2" WHERE 1 = 0) AS "revenue", CAST(NULL AS BIGINT) AS "buyers", "shown"."there" AS "there" FROM (SELECT DISTINCT "shown"."segment" AS "segment", 1 AS "there" FROM "shown") AS "shown") AS "parts"
  GROUP BY "parts"."segment"
  HAVING MAX("parts"."there") = 1
),
"rows_3" AS (
  SELECT SUM("orders"."amount") AS "revenue", COUNT(DISTINCT "orders"."customer_id") AS "buyers", 2 AS "_total", 0 AS "_rest"
  FROM "orders"
)
SELECT "parts"."segment" AS "segment", "parts"."status" AS "status", "parts"."revenue" AS "revenue", "parts"."buyers" AS "buyers", "parts"."_total" AS "_total"
FROM (SELECT "rows"."segment" AS "segment", "rows"."status" AS "status", "rows"."revenue" AS "revenue", "rows"."buyers" AS "buyers", "rows"."_total" AS "_total", "rows"."_rest" AS "_rest" FROM "rows"
UNION ALL SELECT "rows_2"."segment" AS "segment", CAST(NULL AS VARCHAR) AS "status", "rows_2"."revenue" AS "revenue", "rows_2"."buyers" AS "buyers", "rows_2"."_total" AS "_total", "rows_2"."_rest" AS "_rest" FROM "rows_2"
UNION ALL SELECT CAST(NULL AS VARCHAR) AS "segment", CAST(NULL AS VARCHAR) AS "status", "rows_3"."revenue" AS "revenue", "rows_3"."buyers" AS "buyers", "rows_3"."_total" AS "_total", "rows_3"."_rest" AS "_rest" FROM "rows_3") AS "parts"
ORDER BY "parts"."_total" ASC NULLS LAST, "parts"."_rest" ASC NULLS LAST, "parts"."segment" ASC NULLS LAST, "parts"."status" ASC NULLS LAST

-- mysql
WITH `orders_by_segment_and_status` AS (
  SELECT `customers`.`segment` AS `segment`, `orders`.`status` AS `status`, SUM(`orders`.`amount`) AS `revenue`, COUNT(DISTINCT `orders`.`customer_id`) AS `buyers`
  FROM `orders` LEFT JOIN `customers` ON `orders`.`customer_id` = `customers`.`id`
  GROUP BY `customers`.`segment`, `orders`.`status`
),
`shown` AS (
  SELECT `orders_by_segment_and_status`.`segment` AS `segment`, `orders_by_segment_and_status`.`status` AS `status`, `orders_by_segment_and_status`.`revenue` AS `revenue`, `orders_by_segment_and_status`.`buyers` AS `buyers`
  FROM `orders_by_segment_and_status`
  ORDER BY `orders_by_segment_and_status`.`segment` IS NULL, `orders_by_segment_and_status`.`segment` ASC, `orders_by_segment_and_status`.`status` IS NULL, `orders_by_segment_and_status`.`status` ASC
  LIMIT 10
),
`rows` AS (
  SELECT `shown`.`segment` AS `segment`, `shown`.`status` AS `status`, `shown`.`revenue` AS `revenue`, `shown`.`buyers` AS `buyers`, 0 AS `_total`, 0 AS `_rest`
  FROM `shown`
),
`orders_by_segment_and_status_2` AS (
  SELECT `customers`.`segment` AS `segment`, SUM(`orders`.`amount`) AS `revenue`, COUNT(DISTINCT `orders`.`customer_id`) AS `buyers`
  FROM `orders` LEFT JOIN `customers` ON `orders`.`customer_id` = `customers`.`id`
  GROUP BY `customers`.`segment`
),
`rows_2` AS (
  SELECT `parts`.`segment` AS `segment`, MAX(`parts`.`revenue`) AS `revenue`, COALESCE(MAX(`parts`.`buyers`), 0) AS `buyers`, 1 AS `_total`, 0 AS `_rest`
  FROM (SELECT `orders_by_segment_and_status_2`.`segment` AS `segment`, `orders_by_segment_and_status_2`.`revenue` AS `revenue`, `orders_by_segment_and_status_2`.`buyers` AS `buyers`, CAST(NULL AS SIGNED) AS `there` FROM `orders_by_segment_and_status_2`
UNION ALL SELECT `shown`.`segment` AS `segment`, (SELECT MAX(`orders_by_segment_and_status_2`.`revenue`) FROM `orders_by_segment_and_status_2` WHERE 1 = 0) AS `revenue`, CAST(NULL AS SIGNED) AS `buyers`, `shown`.`there` AS `there` FROM (SELECT DISTINCT `shown`.`segment` AS `segment`, 1 AS `there` FROM `shown`) AS `shown`) AS `parts`
  GROUP BY `parts`.`segment`
  HAVING MAX(`parts`.`there`) = 1
),
`rows_3` AS (
  SELECT SUM(`orders`.`amount`) AS `revenue`, COUNT(DISTINCT `orders`.`customer_id`) AS `buyers`, 2 AS `_total`, 0 AS `_rest`
  FROM `orders`
)
SELECT `parts`.`segment` AS `segment`, `parts`.`status` AS `status`, `parts`.`revenue` AS `revenue`, `parts`.`buyers` AS `buyers`, `parts`.`_total` AS `_total`
FROM (SELECT `rows`.`segment` AS `segment`, `rows`.`status` AS `status`, `rows`.`revenue` AS `revenue`, `rows`.`buyers` AS `buyers`, `rows`.`_total` AS `_total`, `rows`.`_rest` AS `_rest` FROM `rows`
UNION ALL SELECT `rows_2`.`segment` AS `segment`, CAST(NULL AS CHAR) AS `status`, `rows_2`.`revenue` AS `revenue`, `rows_2`.`buyers` AS `buyers`, `rows_2`.`_total` AS `_total`, `rows_2`.`_rest` AS `_rest` FROM `rows_2`
UNION ALL SELECT CAST(NULL AS CHAR) AS `segment`, CAST(NULL AS CHAR) AS `status`, `rows_3`.`revenue` AS `revenue`, `rows_3`.`buyers` AS `buyers`, `rows_3`.`_total` AS `_total`, `rows_3`.`_rest` AS `_rest` FROM `rows_3`) AS `parts`
ORDER BY `parts`.`_total` IS NULL, `parts`.`_total` ASC, `parts`.`_rest` IS NULL, `parts`.`_rest` ASC, `parts`.`segment` IS NULL, `parts`.`segment` ASC, `parts`.`status` IS NULL, `parts`.`status` ASC

-- postgres
WITH "orders_by_segment_and_status" AS (
  SELECT "customers"."segment" AS "segment", "orders"."status" AS "status", SUM("orders"."amount") AS "revenue", COUNT(DISTINCT "orders"."customer_id") AS "buyers"
  FROM "orders" LEFT JOIN "customers" ON "orders"."customer_id" = "customers"."id"
  GROUP BY "customers"."segment", "orders"."status"
),
"shown" AS (
  SELECT "orders_by_segment_and_status"."segment" AS "segment", "orders_by_segment_and_status"."status" AS "status", "orders_by_segment_and_status"."revenue" AS "revenue", "orders_by_segment_and_status"."buyers" AS "buyers"
  FROM "orders_by_segment_and_status"
  ORDER BY "orders_by_segment_and_status"."segment" ASC NULLS LAST, "orders_by_segment_and_status"."status" ASC NULLS LAST
  LIMIT 10
),
"rows" AS (
  SELECT "shown"."segment" AS "segment", "shown"."status" AS "status", "shown"."revenue" AS "revenue", "shown"."buyers" AS "buyers", 0 AS "_total", 0 AS "_rest"
  FROM "shown"
),
"orders_by_segment_and_status_2" AS (
  SELECT "customers"."segment" AS "segment", SUM("orders"."amount") AS "revenue", COUNT(DISTINCT "orders"."customer_id") AS "buyers"
  FROM "orders" LEFT JOIN "customers" ON "orders"."customer_id" = "customers"."id"
  GROUP BY "customers"."segment"
),
"rows_2" AS (
  SELECT "parts"."segment" AS "segment", MAX("parts"."revenue") AS "revenue", coalesce(MAX("parts"."buyers"), 0) AS "buyers", 1 AS "_total", 0 AS "_rest"
  FROM (SELECT "orders_by_segment_and_status_2"."segment" AS "segment", "orders_by_segment_and_status_2"."revenue" AS "revenue", "orders_by_segment_and_status_2"."buyers" AS "buyers", CAST(NULL AS bigint) AS "there" FROM "orders_by_segment_and_status_2"
UNION ALL SELECT "shown"."segment" AS "segment", (SELECT MAX("orders_by_segment_and_status_2"."revenue") FROM "orders_by_segment_and_status_2" WHERE 1 = 0) AS "revenue", CAST(NULL AS bigint) AS "buyers", "shown"."there" AS "there" FROM (SELECT DISTINCT "shown"."segment" AS "segment", 1 AS "there" FROM "shown") AS "shown") AS "parts"
  GROUP BY "parts"."segment"
  HAVING MAX("parts"."there") = 1
),
"rows_3" AS (
  SELECT SUM("orders"."amount") AS "revenue", COUNT(DISTINCT "orders"."customer_id") AS "buyers", 2 AS "_total", 0 AS "_rest"
  FROM "orders"
)
SELECT "parts"."segment" AS "segment", "parts"."status" AS "status", "parts"."revenue" AS "revenue", "parts"."buyers" AS "buyers", "parts"."_total" AS "_total"
FROM (SELECT "rows"."segment" AS "segment", "rows"."status" AS "status", "rows"."revenue" AS "revenue", "rows"."buyers" AS "buyers", "rows"."_total" AS "_total", "rows"."_rest" AS "_rest" FROM "rows"
UNION ALL SELECT "rows_2"."segment" AS "segment", CAST(NULL AS text) AS "status", "rows_2"."revenue" AS "revenue", "rows_2"."buyers" AS "buyers", "rows_2"."_total" AS "_total", "rows_2"."_rest" AS "_rest" FROM "rows_2"
UNION ALL SELECT CAST(NULL AS text) AS "segment", CAST(NULL AS text) AS "status", "rows_3"."revenue" AS "revenue", "rows_3"."buyers" AS "buyers", "rows_3"."_total" AS "_total", "rows_3"."_rest" AS "_rest" FROM "rows_3") AS "parts"
ORDER BY "parts"."_total" ASC NULLS LAST, "parts"."_rest" ASC NULLS LAST, "parts"."segment" ASC NULLS LAST, "parts"."status" ASC NULLS LAST

-- snowflake
WITH "orders_by_segment_and_status" AS (
  SELECT "customers"."SEGMENT" AS "segment_2", "orders"."STATUS" AS "status_2", SUM("orders"."AMOUNT") AS "revenue", COUNT(DISTINCT "orders"."CUSTOMER_ID") AS "buyers"
  FROM "ORDERS" AS "orders" LEFT JOIN "CUSTOMERS" AS "customers" ON "orders"."CUSTOMER_ID" = "customers"."ID"
  GROUP BY "customers"."SEGMENT", "orders"."STATUS"
),
"shown" AS (
  SELECT "orders_by_segment_and_status"."segment_2" AS "segment", "orders_by_segment_and_status"."status_2" AS "status", "orders_by_segment_and_status"."revenue" AS "revenue", "orders_by_segment_and_status"."buyers" AS "buyers"
  FROM "orders_by_segment_and_status"
  ORDER BY "orders_by_segment_and_status"."segment_2" ASC NULLS LAST, "orders_by_segment_and_status"."status_2" ASC NULLS LAST
  LIMIT 10
),
"rows" AS (
  SELECT "shown"."segment" AS "segment", "shown"."status" AS "status", "shown"."revenue" AS "revenue", "shown"."buyers" AS "buyers", 0 AS "_total", 0 AS "_rest"
  FROM "shown"
),
"orders_by_segment_and_status_2" AS (
  SELECT "customers"."SEGMENT" AS "segment_2", SUM("orders"."AMOUNT") AS "revenue", COUNT(DISTINCT "orders"."CUSTOMER_ID") AS "buyers"
  FROM "ORDERS" AS "orders" LEFT JOIN "CUSTOMERS" AS "customers" ON "orders"."CUSTOMER_ID" = "customers"."ID"
  GROUP BY "customers"."SEGMENT"
),
"rows_2" AS (
  SELECT "parts"."segment" AS "segment", MAX("parts"."revenue") AS "revenue", COALESCE(MAX("parts"."buyers"), 0) AS "buyers", 1 AS "_total", 0 AS "_rest"
  FROM (SELECT "orders_by_segment_and_status_2"."segment_2" AS "segment", "orders_by_segment_and_status_2"."revenue" AS "revenue", "orders_by_segment_and_status_2"."buyers" AS "buyers", CAST(NULL AS NUMBER(38,0)) AS "there" FROM "orders_by_segment_and_status_2"
UNION ALL SELECT "shown"."segment" AS "segment", (SELECT MAX("orders_by_segment_and_status_2"."revenue") FROM "orders_by_segment_and_status_2" WHERE 1 = 0) AS "revenue", CAST(NULL AS NUMBER(38,0)) AS "buyers", "shown"."there" AS "there" FROM (SELECT DISTINCT "shown"."segment" AS "segment", 1 AS "there" FROM "shown") AS "shown") AS "parts"
  GROUP BY "parts"."segment"
  HAVING MAX("parts"."there") = 1
),
"rows_3" AS (
  SELECT SUM("orders"."AMOUNT") AS "revenue", COUNT(DISTINCT "orders"."CUSTOMER_ID") AS "buyers", 2 AS "_total", 0 AS "_rest"
  FROM "ORDERS" AS "orders"
)
SELECT "parts"."segment" AS "segment", "parts"."status" AS "status", "parts"."revenue" AS "revenue", "parts"."buyers" AS "buyers", "parts"."_total" AS "_total"
FROM (SELECT "rows"."segment" AS "segment", "rows"."status" AS "status", "rows"."revenue" AS "revenue", "rows"."buyers" AS "buyers", "rows"."_total" AS "_total", "rows"."_rest" AS "_rest" FROM "rows"
UNION ALL SELECT "rows_2"."segment" AS "segment", CAST(NULL AS VARCHAR) AS "status", "rows_2"."revenue" AS "revenue", "rows_2"."buyers" AS "buyers", "rows_2"."_total" AS "_total", "rows_2"."_rest" AS "_rest" FROM "rows_2"
UNION ALL SELECT CAST(NULL AS VARCHAR) AS "segment", CAST(NULL AS VARCHAR) AS "status", "rows_3"."revenue" AS "revenue", "rows_3"."buyers" AS "buyers", "rows_3"."_total" AS "_total", "rows_3"."_rest" AS "_rest" FROM "rows_3") AS "parts"
ORDER BY "parts"."_total" ASC NULLS LAST, "parts"."_rest" ASC NULLS LAST, "parts"."segment" ASC NULLS LAST, "parts"."status" ASC NULLS LAST

-- sqlite
WITH "orders_by_segment_and_status" AS (
  SELECT "customers"."segment" AS "segment", "orders"."status" AS "status", SUM("orders"."amount") AS "revenue", COUNT(DISTINCT "orders"."customer_id") AS "buyers"
  FROM "orders" LEFT JOIN "customers" ON "orders"."customer_id" = "customers"."id"
  GROUP BY "customers"."segment", "orders"."status"
),
"shown" AS (
  SELECT "orders_by_segment_and_status"."segment" AS "segment", "orders_by_segment_and_status"."status" AS "status", "orders_by_segment_and_status"."revenue" AS "revenue", "orders_by_segment_and_status"."buyers" AS "buyers"
  FROM "orders_by_segment_and_status"
  ORDER BY "orders_by_segment_and_status"."segment" ASC NULLS LAST, "orders_by_segment_and_status"."status" ASC NULLS LAST
  LIMIT 10
),
"rows" AS (
  SELECT "shown"."segment" AS "segment", "shown"."status" AS "status", "shown"."revenue" AS "revenue", "shown"."buyers" AS "buyers", 0 AS "_total", 0 AS "_rest"
  FROM "shown"
),
"orders_by_segment_and_status_2" AS (
  SELECT "customers"."segment" AS "segment", SUM("orders"."amount") AS "revenue", COUNT(DISTINCT "orders"."customer_id") AS "buyers"
  FROM "orders" LEFT JOIN "customers" ON "orders"."customer_id" = "customers"."id"
  GROUP BY "customers"."segment"
),
"rows_2" AS (
  SELECT "parts"."segment" AS "segment", MAX("parts"."revenue") AS "revenue", coalesce(MAX("parts"."buyers"), 0) AS "buyers", 1 AS "_total", 0 AS "_rest"
  FROM (SELECT "orders_by_segment_and_status_2"."segment" AS "segment", "orders_by_segment_and_status_2"."revenue" AS "revenue", "orders_by_segment_and_status_2"."buyers" AS "buyers", CAST(NULL AS INTEGER) AS "there" FROM "orders_by_segment_and_status_2"
UNION ALL SELECT "shown"."segment" AS "segment", (SELECT MAX("orders_by_segment_and_status_2"."revenue") FROM "orders_by_segment_and_status_2" WHERE 1 = 0) AS "revenue", CAST(NULL AS INTEGER) AS "buyers", "shown"."there" AS "there" FROM (SELECT DISTINCT "shown"."segment" AS "segment", 1 AS "there" FROM "shown") AS "shown") AS "parts"
  GROUP BY "parts"."segment"
  HAVING MAX("parts"."there") = 1
),
"rows_3" AS (
  SELECT SUM("orders"."amount") AS "revenue", COUNT(DISTINCT "orders"."customer_id") AS "buyers", 2 AS "_total", 0 AS "_rest"
  FROM "orders"
)
SELECT "parts"."segment" AS "segment", "parts"."status" AS "status", "parts"."revenue" AS "revenue", "parts"."buyers" AS "buyers", "parts"."_total" AS "_total"
FROM (SELECT "rows"."segment" AS "segment", "rows"."status" AS "status", "rows"."revenue" AS "revenue", "rows"."buyers" AS "buyers", "rows"."_total" AS "_total", "rows"."_rest" AS "_rest" FROM "rows"
UNION ALL SELECT "rows_2"."segment" AS "segment", CAST(NULL AS TEXT) AS "status", "rows_2"."revenue" AS "revenue", "rows_2"."buyers" AS "buyers", "rows_2"."_total" AS "_total", "rows_2"."_rest" AS "_rest" FROM "rows_2"
UNION ALL SELECT CAST(NULL AS TEXT) AS "segment", CAST(NULL AS TEXT) AS "status", "rows_3"."revenue" AS "revenue", "rows_3"."buyers" AS "buyers", "rows_3"."_total" AS "_total", "rows_3"."_rest" AS "_rest" FROM "rows_3") AS "parts"
ORDER BY "parts"."_total" ASC NULLS LAST, "parts"."_rest" ASC NULLS LAST, "parts"."segment" ASC NULLS LAST, "parts"."status" ASC NULLS LAST

-- sqlserver
WITH [orders_by_segment_and_status] AS (
  SELECT [customers].[segment] AS [segment], [orders].[status] AS [status], SUM([orders].[amount]) AS [revenue], COUNT_BIG(DISTINCT [orders].[customer_id]) AS [buyers]
  FROM [orders] LEFT JOIN [customers] ON [orders].[customer_id] = [customers].[id]
  GROUP BY [customers].[segment], [orders].[status]
),
[shown] AS (
  SELECT TOP (10) [orders_by_segment_and_status].[segment] AS [segment], [orders_by_segment_and_status].[status] AS [status], [orders_by_segment_and_status].[revenue] AS [revenue], [orders_by_segment_and_status].[buyers] AS [buyers]
  FROM [orders_by_segment_and_status]
  ORDER BY CASE WHEN [orders_by_segment_and_status].[segment] IS NULL THEN 1 ELSE 0 END, [orders_by_segment_and_status].[segment] ASC, CASE WHEN [orders_by_segment_and_status].[status] IS NULL THEN 1 ELSE 0 END, [orders_by_segment_and_status].[status] ASC
),
[rows] AS (
  SELECT [shown].[segment] AS [segment], [shown].[status] AS [status], [shown].[revenue] AS [revenue], [shown].[buyers] AS [buyers], 0 AS [_total], 0 AS [_rest]
  FROM [shown]
),
[orders_by_segment_and_status_2] AS (
  SELECT [customers].[segment] AS [segment], SUM([orders].[amount]) AS [revenue], COUNT_BIG(DISTINCT [orders].[customer_id]) AS [buyers]
  FROM [orders] LEFT JOIN [customers] ON [orders].[customer_id] = [customers].[id]
  GROUP BY [customers].[segment]
),
[rows_2] AS (
  SELECT [parts].[segment] AS [segment], MAX([parts].[revenue]) AS [revenue], COALESCE(MAX([parts].[buyers]), 0) AS [buyers], 1 AS [_total], 0 AS [_rest]
  FROM (SELECT [orders_by_segment_and_status_2].[segment] AS [segment], [orders_by_segment_and_status_2].[revenue] AS [revenue], [orders_by_segment_and_status_2].[buyers] AS [buyers], CAST(NULL AS bigint) AS [there] FROM [orders_by_segment_and_status_2]
UNION ALL SELECT [shown].[segment] AS [segment], (SELECT MAX([orders_by_segment_and_status_2].[revenue]) FROM [orders_by_segment_and_status_2] WHERE 1 = 0) AS [revenue], CAST(NULL AS bigint) AS [buyers], [shown].[there] AS [there] FROM (SELECT DISTINCT [shown].[segment] AS [segment], 1 AS [there] FROM [shown]) AS [shown]) AS [parts]
  GROUP BY [parts].[segment]
  HAVING MAX([parts].[there]) = 1
),
[rows_3] AS (
  SELECT SUM([orders].[amount]) AS [revenue], COUNT_BIG(DISTINCT [orders].[customer_id]) AS [buyers], 2 AS [_total], 0 AS [_rest]
  FROM [orders]
)
SELECT [parts].[segment] AS [segment], [parts].[status] AS [status], [parts].[revenue] AS [revenue], [parts].[buyers] AS [buyers], [parts].[_total] AS [_total]
FROM (SELECT [rows].[segment] AS [segment], [rows].[status] AS [status], [rows].[revenue] AS [revenue], [rows].[buyers] AS [buyers], [rows].[_total] AS [_total], [rows].[_rest] AS [_rest] FROM [rows]
UNION ALL SELECT [rows_2].[segment] AS [segment], CAST(NULL AS nvarchar(max)) AS [status], [rows_2].[revenue] AS [revenue], [rows_2].[buyers] AS [buyers], [rows_2].[_total] AS [_total], [rows_2].[_rest] AS [_rest] FROM [rows_2]
UNION ALL SELECT CAST(NULL AS nvarchar(max)) AS [segment], CAST(NULL AS nvarchar(max)) AS [status], [rows_3].[revenue] AS [revenue], [rows_3].[buyers] AS [buyers], [rows_3].[_total] AS [_total], [rows_3].[_rest] AS [_rest] FROM [rows_3]) AS [parts]
ORDER BY CASE WHEN [parts].[_total] IS NULL THEN 1 ELSE 0 END, [parts].[_total] ASC, CASE WHEN [parts].[_rest] IS NULL THEN 1 ELSE 0 END, [parts].[_rest] ASC, CASE WHEN [parts].[segment] IS NULL THEN 1 ELSE 0 END, [parts].[segment] ASC, CASE WHEN [parts].[status] IS NULL THEN 1 ELSE 0 END, [parts].[status] ASC

