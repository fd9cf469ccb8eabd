-- bigquery
WITH `orders_by_day` AS (
  SELECT CAST(`orders`.`day` AS DATE) AS `day_2`, `orders`.`status` AS `status`, `orders`.`customer_id` AS `value`
  FROM `orders`
  GROUP BY CAST(`orders`.`day` AS DATE), `orders`.`status`, `orders`.`customer_id`
),
`orders_intervals` AS (
  SELECT `orders_by_day_2`.`status` AS `status`, `orders_by_day_2`.`day` AS `day`, CASE WHEN `orders_by_day_2`.`next` < DATE_ADD(`orders_by_day_2`.`day`, INTERVAL 28 DAY) THEN `orders_by_day_2`.`next` ELSE DATE_ADD(`orders_by_day_2`.`day`, INTERVAL 28 DAY) END AS `until`, COUNT(`orders_by_day_2`.`buyers`) AS `values`, COUNT(`orders_by_day_2`.`day`) AS `rows`
  FROM (SELECT `orders_by_day`.`day_2` AS `day`, `orders_by_day`.`status` AS `status`, `orders_by_day`.`value` AS `buyers`, FIRST_VALUE(`orders_by_day`.`day_2`) OVER (PARTITION BY `orders_by_day`.`status`, `orders_by_day`.`value` ORDER BY `orders_by_day`.`day_2` ASC NULLS FIRST ROWS BETWEEN 1 FOLLOWING AND 1 FOLLOWING) AS `next` FROM `orders_by_day`) AS `orders_by_day_2`
  WHERE `orders_by_day_2`.`day` IS NOT NULL AND `orders_by_day_2`.`day` < CASE WHEN `orders_by_day_2`.`next` < DATE_ADD(`orders_by_day_2`.`day`, INTERVAL 28 DAY) THEN `orders_by_day_2`.`next` ELSE DATE_ADD(`orders_by_day_2`.`day`, INTERVAL 28 DAY) END
  GROUP BY `orders_by_day_2`.`status`, `orders_by_day_2`.`day`, CASE WHEN `orders_by_day_2`.`next` < DATE_ADD(`orders_by_day_2`.`day`, INTERVAL 28 DAY) THEN `orders_by_day_2`.`next` ELSE DATE_ADD(`orders_by_day_2`.`day`, INTERVAL 28 DAY) END
),
`orders_intervals_2` AS (
  SELECT `orders_by_day_2`.`status` AS `status`, `orders_by_day_2`.`first_day` AS `first_day`, `orders_by_day_2`.`month` AS `month`, COUNT(`orders_by_day_2`.`buyers`) AS `values`, COUNT(`orders_by_day_2`.`first_day`) AS `rows`, MAX(`orders_by_day_2`.`last_day`) AS `last_day`
  FROM (SELECT `orders_by_day`.`status` AS `status`, `orders_by_day`.`value` AS `buyers`, DATE_TRUNC(CAST(`orders_by_day`.`day_2` AS DATE), MONTH) AS `month`, MIN(`orders_by_day`.`day_2`) AS `first_day`, MAX(`orders_by_day`.`day_2`) AS `last_day` FROM `orders_by_day` GROUP BY `orders_by_day`.`status`, `orders_by_day`.`value`, DATE_TRUNC(CAST(`orders_by_day`.`day_2` AS DATE), MONTH) HAVING MIN(`orders_by_day`.`day_2`) IS NOT NULL) AS `orders_by_day_2`
  GROUP BY `orders_by_day_2`.`status`, `orders_by_day_2`.`first_day`, `orders_by_day_2`.`month`
),
`shown` AS (
  SELECT `parts`.`day_day` AS `day_day`
  FROM (SELECT `orders_intervals`.`day` AS `day_day` FROM `orders_intervals`
UNION ALL SELECT `orders_intervals_2`.`first_day` AS `day_day` FROM `orders_intervals_2`
UNION ALL SELECT `orders_intervals_2`.`last_day` AS `day_day` FROM `orders_intervals_2`) AS `parts`
),
`every_day` AS (
  SELECT `periods`.period AS `period`
  FROM (SELECT period FROM UNNEST(GENERATE_DATE_ARRAY(CAST((SELECT MIN(`shown`.`day_day`) AS `first_day_day` FROM `shown`) AS DATE), CAST((SELECT MAX(`shown`.`day_day`) AS `last_day_day` FROM `shown`) AS DATE), INTERVAL 1 DAY)) AS period) AS `periods`
),
`periods` AS (
  SELECT `every_day`.`period` AS `period`, DATE_ADD(DATE_ADD(`every_day`.`period`, INTERVAL 1 DAY), INTERVAL -1 DAY) AS `last_day`
  FROM `every_day`
),
`orders_by_day_day_and_status` AS (
  SELECT CAST(`parts_3`.`values_now` AS INT64) AS `buyers`, `parts_3`.`day_day` AS `day_day`, `parts_3`.`status` AS `status`
  FROM (SELECT `parts_2`.`status` AS `status`, `parts_2`.`at` AS `at`, `parts_2`.`day_day` AS `day_day`, `parts_2`.`values` AS `values`, `parts_2`.`rows` AS `rows`, `parts_2`.`values_now` AS `values_now`, `parts_2`.`rows_now` AS `rows_now`, MAX(`parts_2`.`rows_now`) OVER (PARTITION BY `parts_2`.`status`) AS `most` FROM (SELECT `parts`.`status` AS `status`, `parts`.`at` AS `at`, `parts`.`day_day` AS `day_day`, `parts`.`values` AS `values`, `parts`.`rows` AS `rows`, SUM(`parts`.`values`) OVER (PARTITION BY `parts`.`status` ORDER BY `parts`.`at` ASC NULLS FIRST, `parts`.`day_day` ASC NULLS FIRST ROWS UNBOUNDED PRECEDING) AS `values_now`, SUM(`parts`.`rows`) OVER (PARTITION BY `parts`.`status` ORDER BY `parts`.`at` ASC NULLS FIRST, `parts`.`day_day` ASC NULLS FIRST ROWS UNBOUNDED PRECEDING) AS `rows_now` FROM (SELECT `orders_intervals`.`status` AS `status`, `orders_intervals`.`day` AS `at`, CAST(NULL AS DATE) AS `day_day`, `orders_intervals`.`values` AS `values`, `orders_intervals`.`rows` AS `rows` FROM `orders_intervals`
UNION ALL SELECT `orders_intervals_2`.`status` AS `status`, `periods`.`last_day` AS `at`, `periods`.`period` AS `day_day`, 0 AS `values`, 0 AS `rows` FROM `periods` CROSS JOIN (SELECT DISTINCT `orders_intervals`.`status` AS `status` FROM `orders_intervals`) AS `orders_intervals_2`
UNION ALL SELECT `orders_intervals`.`status` AS `status`, `orders_intervals`.`until` AS `at`, CAST(NULL AS DATE) AS `day_day`, -`orders_intervals`.`values` AS `values`, -`orders_intervals`.`rows` AS `rows` FROM `orders_intervals`) AS `parts`) AS `parts_2` WHERE `parts_2`.`day_day` IS NOT NULL) AS `parts_3`
  WHERE `parts_3`.`most` > 0
),
`periods_2` AS (
  SELECT `every_day`.`period` AS `period`, DATE_TRUNC(CAST(`every_day`.`period` AS DATE), MONTH) AS `since`, DATE_ADD(DATE_ADD(`every_day`.`period`, INTERVAL 1 DAY), INTERVAL -1 DAY) AS `last_day`
  FROM `every_day`
),
`orders_by_day_day_and_status_2` AS (
  SELECT CAST(`parts_3`.`values_now` AS INT64) AS `buyers`, `parts_3`.`day_day` AS `day_day`, `parts_3`.`status` AS `status`
  FROM (SELECT `parts_2`.`status` AS `status`, `parts_2`.`at` AS `at`, `parts_2`.`day_day` AS `day_day`, `parts_2`.`since` AS `since`, `parts_2`.`values` AS `values`, `parts_2`.`rows` AS `rows`, `parts_2`.`values_now` AS `values_now`, `parts_2`.`rows_now` AS `rows_now`, MAX(`parts_2`.`rows_now`) OVER (PARTITION BY `parts_2`.`status`) AS `most` FROM (SELECT `parts`.`status` AS `status`, `parts`.`at` AS `at`, `parts`.`day_day` AS `day_day`, `parts`.`since` AS `since`, `parts`.`values` AS `values`, `parts`.`rows` AS `rows`, SUM(`parts`.`values`) OVER (PARTITION BY `parts`.`status`, `parts`.`since` ORDER BY `parts`.`at` ASC NULLS FIRST, `parts`.`day_day` ASC NULLS FIRST ROWS UNBOUNDED PRECEDING) AS `values_now`, SUM(`parts`.`rows`) OVER (PARTITION BY `parts`.`status`, `parts`.`since` ORDER BY `parts`.`at` ASC NULLS FIRST, `parts`.`day_day` ASC NULLS FIRST ROWS UNBOUNDED PRECEDING) AS `rows_now` FROM (SELECT `orders_intervals_2`.`status` AS `status`, `orders_intervals_2`.`first_day` AS `at`, CAST(NULL AS DATE) AS `day_day`, `orders_intervals_2`.`month` AS `since`, `orders_intervals_2`.`values` AS `values`, `orders_intervals_2`.`rows` AS `rows` FROM `orders_intervals_2`
UNION ALL SELECT `orders_intervals_2_2`.`status` AS `status`, `periods_2`.`last_day` AS `at`, `periods_2`.`period` AS `day_day`, `periods_2`.`since` AS `since`, 0 AS `values`, 0 AS `rows` FROM `periods_2` CROSS JOIN (SELECT DISTINCT `orders_intervals_2`.`status` AS `status` FROM `orders_intervals_2`) AS `orders_intervals_2_2`) AS `parts`) AS `parts_2` WHERE `parts_2`.`day_day` IS NOT NULL) AS `parts_3`
  WHERE `parts_3`.`most` > 0
)
SELECT `parts`.`day_day` AS `day_day`, `parts`.`status` AS `status`, COALESCE(MAX(`parts`.`buyers`), 0) AS `buyers_28d`, COALESCE(MAX(`parts`.`buyers_2`), 0) AS `buyers_mtd`
FROM (SELECT `orders_by_day_day_and_status`.`day_day` AS `day_day`, `orders_by_day_day_and_status`.`status` AS `status`, `orders_by_day_day_and_status`.`buyers` AS `buyers`, CAST(NULL AS INT64) AS `buyers_2` FROM `orders_by_day_day_and_status`
UNION ALL SELECT `orders_by_day_day_and_status_2`.`day_day` AS `day_day`, `orders_by_day_day_and_status_2`.`status` AS `status`, CAST(NULL AS INT64) AS `buyers`, `orders_by_day_day_and_status_2`.`buyers` AS `buyers_2` FROM `orders_by_day_day_and_status_2`) AS `parts`
GROUP BY `parts`.`day_day`, `parts`.`status`
ORDER BY `parts`.`day_day` ASC NULLS LAST, `parts`.`status` ASC NULLS LAST
LIMIT 1000

-- clickhouse
WITH `orders_by_day` AS (
  SELECT toDate32(`orders`.`day`) AS `day_2`, `orders`.`status` AS `status`, toNullable(`orders`.`customer_id`) AS `value`
  FROM `orders`
  GROUP BY toDate32(`orders`.`day`), `orders`.`status`, toNullable(`orders`.`customer_id`)
),
`orders_intervals` AS (
  SELECT `orders_by_day_2`.`status` AS `status`, `orders_by_day_2`.`day` AS `day`, CASE WHEN `orders_by_day_2`.`next` < addDays(`orders_by_day_2`.`day`, 28) THEN `orders_by_day_2`.`next` ELSE addDays(`orders_by_day_2`.`day`, 28) END AS `until`, toInt64(count(`orders_by_day_2`.`buyers`)) AS `values`, toInt64(count(`orders_by_day_2`.`day`)) AS `rows`
  FROM (SELECT `orders_by_day`.`day_2` AS `day`, `orders_by_day`.`status` AS `status`, `orders_by_day`.`value` AS `buyers`, FIRST_VALUE(`orders_by_day`.`day_2`) OVER (PARTITION BY `orders_by_day`.`status`, `orders_by_day`.`value` ORDER BY `orders_by_day`.`day_2` ASC NULLS LAST ROWS BETWEEN 1 FOLLOWING AND 1 FOLLOWING) AS `next` FROM `orders_by_day`) AS `orders_by_day_2`
  WHERE `orders_by_day_2`.`day` IS NOT NULL AND `orders_by_day_2`.`day` < CASE WHEN `orders_by_day_2`.`next` < addDays(`orders_by_day_2`.`day`, 28) THEN `orders_by_day_2`.`next` ELSE addDays(`orders_by_day_2`.`day`, 28) END
  GROUP BY `orders_by_day_2`.`status`, `orders_by_day_2`.`day`, CASE WHEN `orders_by_day_2`.`next` < addDays(`orders_by_day_2`.`day`, 28) THEN `orders_by_day_2`.`next` ELSE addDays(`orders_by_day_2`.`day`, 28) END
),
`every_day` AS (
  SELECT `periods`.period AS `period`
  FROM (WITH (SELECT (toDate32(`ends`.`first_day_day`), toDate32(`ends`.`last_day_day`)) FROM (SELECT minOrNull(toDate32(`orders`.`day`)) AS `first_day_day`, maxOrNull(toDate32(`orders`.`day`)) AS `last_day_day` FROM `orders`) AS `ends`) AS loam_ends SELECT addDays(loam_ends.1, arrayJoin(range(toUInt64(ifNull(greatest(dateDiff('day', loam_ends.1, loam_ends.2) + 1, 0), 0))))) AS period) AS `periods`
),
`periods` AS (
  SELECT `every_day`.`period` AS `period`, addDays(addDays(`every_day`.`period`, 1), -1) AS `last_day`
  FROM `every_day`
),
`orders_by_day_day_and_status` AS (
  SELECT CAST(`parts_3`.`values_now` AS Nullable(Int64)) AS `buyers`, `parts_3`.`day_day` AS `day_day`, `parts_3`.`status` AS `status`
  FROM (SELECT `parts_2`.`status` AS `status`, `parts_2`.`at` AS `at`, `parts_2`.`day_day` AS `day_day`, `parts_2`.`values` AS `values`, `parts_2`.`rows` AS `rows`, `parts_2`.`values_now` AS `values_now`, `parts_2`.`rows_now` AS `rows_now`, MAX(`parts_2`.`rows_now`) OVER (PARTITION BY `parts_2`.`status`) AS `most` FROM (SELECT `parts`.`status` AS `status`, `parts`.`at` AS `at`, `parts`.`day_day` AS `day_day`, `parts`.`values` AS `values`, `parts`.`rows` AS `rows`, SUM(`parts`.`values`) OVER (PARTITION BY `parts`.`status` ORDER BY `parts`.`at` ASC NULLS LAST, `parts`.`day_day` ASC NULLS FIRST ROWS UNBOUNDED PRECEDING) AS `values_now`, SUM(`parts`.`rows`) OVER (PARTITION BY `parts`.`status` ORDER BY `parts`.`at` ASC NULLS LAST, `parts`.`day_day` ASC NULLS FIRST ROWS UNBOUNDED PRECEDING) AS `rows_now` FROM (SELECT `orders_intervals`.`status` AS `status`, CASE WHEN `periods`.period = toDate32('2000-01-01') THEN `orders_intervals`.`day` ELSE `orders_intervals`.`until` END AS `at`, CAST(NULL AS Nullable(Date32)) AS `day_day`, CASE WHEN `periods`.period = toDate32('2000-01-01') THEN `orders_intervals`.`values` ELSE -`orders_intervals`.`values` END AS `values`, CASE WHEN `periods`.period = toDate32('2000-01-01') THEN `orders_intervals`.`rows` ELSE -`orders_intervals`.`rows` END AS `rows` FROM `orders_intervals` CROSS JOIN (SELECT addDays(toDate32('2000-01-01'), number) AS period FROM numbers(toUInt64(ifNull(greatest(dateDiff('day', toDate32('2000-01-01'), toDate32('2000-01-02')) + 1, 0), 0)))) AS `periods`
UNION ALL SELECT `orders_intervals_2`.`status` AS `status`, `periods`.`last_day` AS `at`, `periods`.`period` AS `day_day`, 0 AS `values`, 0 AS `rows` FROM `periods` CROSS JOIN (SELECT DISTINCT `orders_intervals`.`status` AS `status` FROM `orders_intervals`) AS `orders_intervals_2`) AS `parts`) AS `parts_2` WHERE `parts_2`.`day_day` IS NOT NULL) AS `parts_3`
  WHERE `parts_3`.`most` > 0
),
`orders_intervals_2` AS (
  SELECT `orders_by_day_2`.`status` AS `status`, `orders_by_day_2`.`first_day` AS `first_day`, `orders_by_day_2`.`month` AS `month`, toInt64(count(`orders_by_day_2`.`buyers`)) AS `values`, toInt64(count(`orders_by_day_2`.`first_day`)) AS `rows`
  FROM (SELECT `orders_by_day`.`status` AS `status`, `orders_by_day`.`value` AS `buyers`, makeDate32(toYear(`orders_by_day`.`day_2`), toMonth(`orders_by_day`.`day_2`), 1) AS `month`, minOrNull(`orders_by_day`.`day_2`) AS `first_day` FROM `orders_by_day` GROUP BY `orders_by_day`.`status`, `orders_by_day`.`value`, makeDate32(toYear(`orders_by_day`.`day_2`), toMonth(`orders_by_day`.`day_2`), 1) HAVING minOrNull(`orders_by_day`.`day_2`) IS NOT NULL) AS `orders_by_day_2`
  GROUP BY `orders_by_day_2`.`status`, `orders_by_day_2`.`first_day`, `orders_by_day_2`.`month`
),
`periods_2` AS (
  SELECT `every_day`.`period` AS `period`, makeDate32(toYear(`every_day`.`period`), toMonth(`every_day`.`period`), 1) AS `since`, addDays(addDays(`every_day`.`period`, 1), -1) AS `last_day`
  FROM `every_day`
),
`orders_by_day_day_and_status_2` AS (
  SELECT CAST(`parts_3`.`values_now` AS Nullable(Int64)) AS `buyers`, `parts_3`.`day_day` AS `day_day`, `parts_3`.`status` AS `status`
  FROM (SELECT `parts_2`.`status` AS `status`, `parts_2`.`at` AS `at`, `parts_2`.`day_day` AS `day_day`, `parts_2`.`since` AS `since`, `parts_2`.`values` AS `values`, `parts_2`.`rows` AS `rows`, `parts_2`.`values_now` AS `values_now`, `parts_2`.`rows_now` AS `rows_now`, MAX(`parts_2`.`rows_now`) OVER (PARTITION BY `parts_2`.`status`) AS `most` FROM (SELECT `parts`.`status` AS `status`, `parts`.`at` AS `at`, `parts`.`day_day` AS `day_day`, `parts`.`since` AS `since`, `parts`.`values` AS `values`, `parts`.`rows` AS `rows`, SUM(`parts`.`values`) OVER (PARTITION BY `parts`.`status`, `parts`.`since` ORDER BY `parts`.`at` ASC NULLS LAST, `parts`.`day_day` ASC NULLS FIRST ROWS UNBOUNDED PRECEDING) AS `values_now`, SUM(`parts`.`rows`) OVER (PARTITION BY `parts`.`status`, `parts`.`since` ORDER BY `parts`.`at` ASC NULLS LAST, `parts`.`day_day` ASC NULLS FIRST ROWS UNBOUNDED PRECEDING) AS `rows_now` FROM (SELECT `orders_intervals_2`.`status` AS `status`, `orders_intervals_2`.`first_day` AS `at`, CAST(NULL AS Nullable(Date32)) AS `day_day`, `orders_intervals_2`.`month` AS `since`, `orders_intervals_2`.`values` AS `values`, `orders_intervals_2`.`rows` AS `rows` FROM `orders_intervals_2`
UNION ALL SELECT `orders_intervals_2_2`.`status` AS `status`, `periods_2`.`last_day` AS `at`, `periods_2`.`period` AS `day_day`, `periods_2`.`since` AS `since`, 0 AS `values`, 0 AS `rows` FROM `periods_2` CROSS JOIN (SELECT DISTINCT `orders_intervals_2`.`status` AS `status` FROM `orders_intervals_2`) AS `orders_intervals_2_2`) AS `parts`) AS `parts_2` WHERE `parts_2`.`day_day` IS NOT NULL) AS `parts_3`
  WHERE `parts_3`.`most` > 0
)
SELECT `parts`.`day_day` AS `day_day`, `parts`.`status` AS `status`, coalesce(maxOrNull(`parts`.`buyers`), 0) AS `buyers_28d`, coalesce(maxOrNull(`parts`.`buyers_2`), 0) AS `buyers_mtd`
FROM (SELECT `orders_by_day_day_and_status`.`day_day` AS `day_day`, `orders_by_day_day_and_status`.`status` AS `status`, `orders_by_day_day_and_status`.`buyers` AS `buyers`, CAST(NULL AS Nullable(Int64)) AS `buyers_2` FROM `orders_by_day_day_and_status`
UNION ALL SELECT `orders_by_day_day_and_status_2`.`day_day` AS `day_day`, `orders_by_day_day_and_status_2`.`status` AS `status`, CAST(NULL AS Nullable(Int64)) AS `buyers`, `orders_by_day_day_and_status_2`.`buyers` AS `buyers_2` FROM `orders_by_day_day_and_status_2`) AS `parts`
GROUP BY `parts`.`day_day`, `parts`.`status`
ORDER BY `parts`.`day_day` ASC NULLS LAST, `parts`.`status` ASC NULLS LAST
LIMIT 1000

-- duckdb
WITH "orders_by_day" AS (
  SELECT CAST(date_trunc('day', "orders"."day") AS DATE) AS "day_2", "orders"."status" AS "status", "orders"."customer_id" AS "value"
  FROM "orders"
  GROUP BY CAST(date_trunc('day', "orders"."day") AS DATE), "orders"."status", "orders"."customer_id"
),
"orders_intervals" AS (
  SELECT "orders_by_day_2"."status" AS "status", "orders_by_day_2"."day" AS "day", CASE WHEN "orders_by_day_2"."next" < CAST("orders_by_day_2"."day" + INTERVAL (28) day AS DATE) THEN "orders_by_day_2"."next" ELSE CAST("orders_by_day_2"."day" + INTERVAL (28) day AS DATE) END AS "until", COUNT("orders_by_day_2"."buyers") AS "values", COUNT("orders_by_day_2"."day") AS "rows"
  FROM (SELECT "orders_by_day"."day_2" AS "day", "orders_by_day"."status" AS "status", "orders_by_day"."value" AS "buyers", FIRST_VALUE("orders_by_day"."day_2") OVER (PARTITION BY "orders_by_day"."status", "orders_by_day"."value" ORDER BY "orders_by_day"."day_2" ASC NULLS LAST ROWS BETWEEN 1 FOLLOWING AND 1 FOLLOWING) AS "next" FROM "orders_by_day") AS "orders_by_day_2"
  WHERE "orders_by_day_2"."day" IS NOT NULL AND "orders_by_day_2"."day" < CASE WHEN "orders_by_day_2"."next" < CAST("orders_by_day_2"."day" + INTERVAL (28) day AS DATE) THEN "orders_by_day_2"."next" ELSE CAST("orders_by_day_2"."day" + INTERVAL (28) day AS DATE) END
  GROUP BY "orders_by_day_2"."status", "orders_by_day_2"."day", CASE WHEN "orders_by_day_2"."next" < CAST("orders_by_day_2"."day" + INTERVAL (28) day AS DATE) THEN "orders_by_day_2"."next" ELSE CAST("orders_by_day_2"."day" + INTERVAL (28) day AS DATE) END
),
"orders_intervals_2" AS (
  SELECT "orders_by_day_2"."status" AS "status", "orders_by_day_2"."first_day" AS "first_day", "orders_by_day_2"."month" AS "month", COUNT("orders_by_day_2"."buyers") AS "values", COUNT("orders_by_day_2"."first_day") AS "rows", MAX("orders_by_day_2"."last_day") AS "last_day"
  FROM (SELECT "orders_by_day"."status" AS "status", "orders_by_day"."value" AS "buyers", CAST(date_trunc('month', "orders_by_day"."day_2") AS DATE) AS "month", MIN("orders_by_day"."day_2") AS "first_day", MAX("orders_by_day"."day_2") AS "last_day" FROM "orders_by_day" GROUP BY "orders_by_day"."status", "orders_by_day"."value", CAST(date_trunc('month', "orders_by_day"."day_2") AS DATE) HAVING MIN("orders_by_day"."day_2") IS NOT NULL) AS "orders_by_day_2"
  GROUP BY "orders_by_day_2"."status", "orders_by_day_2"."first_day", "orders_by_day_2"."month"
),
"shown" AS (
  SELECT "parts"."day_day" AS "day_day"
  FROM (SELECT "orders_intervals"."day" AS "day_day" FROM "orders_intervals"
UNION ALL SELECT "orders_intervals_2"."first_day" AS "day_day" FROM "orders_intervals_2"
UNION ALL SELECT "orders_intervals_2"."last_day" AS "day_day" FROM "orders_intervals_2") AS "parts"
),
"every_day" AS (
  SELECT "periods".period AS "period"
  FROM (SELECT CAST(unnest(generate_series(CAST(date_trunc('day', (SELECT MIN("shown"."day_day") AS "first_day_day" FROM "shown")) AS DATE), CAST(date_trunc('day', (SELECT MAX("shown"."day_day") AS "last_day_day" FROM "shown")) AS DATE), INTERVAL 1 day)) AS DATE) AS period) AS "periods"
),
"periods" AS (
  SELECT "every_day"."period" AS "period", CAST(CAST("every_day"."period" + INTERVAL (1) day AS DATE) + INTERVAL (-1) day AS DATE) AS "last_day"
  FROM "every_day"
),
"orders_by_day_day_and_status" AS (
  SELECT CAST("parts_3"."values_now" AS BIGINT) AS "buyers", "parts_3"."day_day" AS "day_day", "parts_3"."status" AS "status"
  FROM (SELECT "parts_2"."status" AS "status", "parts_2"."at" AS "at", "parts_2"."day_day" AS "day_day", "parts_2"."values" AS "values", "parts_2"."rows" AS "rows", "parts_2"."values_now" AS "values_now", "parts_2"."rows_now" AS "rows_now", MAX("parts_2"."rows_now") OVER (PARTITION BY "parts_2"."status") AS "most" FROM (SELECT "parts"."status" AS "status", "parts"."at" AS "at", "parts"."day_day" AS "day_day", "parts"."values" AS "values", "parts"."rows" AS "rows", SUM("parts"."values") OVER (PARTITION BY "parts"."status" ORDER BY "parts"."at" ASC NULLS LAST, "parts"."day_day" ASC NULLS FIRST ROWS UNBOUNDED PRECEDING) AS "values_now", SUM("parts"."rows") OVER (PARTITION BY "parts"."status" ORDER BY "parts"."at" ASC NULLS LAST, "parts"."day_day" ASC NULLS FIRST ROWS UNBOUNDED PRECEDING) AS "rows_now" FROM (SELECT "orders_intervals"."status" AS "status", "orders_intervals"."day" AS "at", CAST(NULL AS DATE) AS "day_day", "orders_intervals"."values" AS "values", "orders_intervals"."rows" AS "rows" FROM "orders_intervals"
UNION ALL SELECT "orders_intervals_2"."status" AS "status", "periods"."last_day" AS "at", "periods"."period" AS "day_day", 0 AS "values", 0 AS "rows" FROM "periods" CROSS JOIN (SELECT DISTINCT "orders_intervals"."status" AS "status" FROM "orders_intervals") AS "orders_intervals_2"
UNION ALL SELECT "orders_intervals"."status" AS "status", "orders_intervals"."until" AS "at", CAST(NULL AS DATE) AS "day_day", -"orders_intervals"."values" AS "values", -"orders_intervals"."rows" AS "rows" FROM "orders_intervals") AS "parts") AS "parts_2" WHERE "parts_2"."day_day" IS NOT NULL) AS "parts_3"
  WHERE "parts_3"."most" > 0
),
"periods_2" AS (
  SELECT "every_day"."period" AS "period", CAST(date_trunc('month', "every_day"."period") AS DATE) AS "since", CAST(CAST("every_day"."period" + INTERVAL (1) day AS DATE) + INTERVAL (-1) day AS DATE) AS "last_day"
  FROM "every_day"
),
"orders_by_day_day_and_status_2" AS (
  SELECT CAST("parts_3"."values_now" AS BIGINT) AS "buyers", "parts_3"."day_day" AS "day_day", "parts_3"."status" AS "status"
  FROM (SELECT "parts_2"."status" AS "status", "parts_2"."at" AS "at", "parts_2"."day_day" AS "day_day", "parts_2"."since" AS "since", "parts_2"."values" AS "values", "parts_2"."rows" AS "rows", "parts_2"."values_now" AS "values_now", "parts_2"."rows_now" AS "rows_now", MAX("parts_2"."rows_now") OVER (PARTITION BY "parts_2"."status") AS "most" FROM (SELECT "parts"."status" AS "status", "parts"."at" AS "at", "parts"."day_day" AS "day_day", "parts"."since" AS "since", "parts"."values" AS "values", "parts"."rows" AS "rows", SUM("parts"."values") OVER (PARTITION BY "parts"."status", "parts"."since" ORDER BY "parts"."at" ASC NULLS LAST, "parts"."day_day" ASC NULLS FIRST ROWS UNBOUNDED PRECEDING) AS "values_now", SUM("parts"."rows") OVER (PARTITION BY "parts"."status", "parts"."since" ORDER BY "parts"."at" ASC NULLS LAST, "parts"."day_day" ASC NULLS FIRST ROWS UNBOUNDED PRECEDING) AS "rows_now" FROM (SELECT "orders_intervals_2"."status" AS "status", "orders_intervals_2"."first_day" AS "at", CAST(NULL AS DATE) AS "day_day", "orders_intervals_2"."month" AS "since", "orders_intervals_2"."values" AS "values", "orders_intervals_2"."rows" AS "rows" FROM "orders_intervals_2"
UNION ALL SELECT "orders_intervals_2_2"."status" AS "status", "periods_2"."last_day" AS "at", "periods_2"."period" AS "day_day", "periods_2"."since" AS "since", 0 AS "values", 0 AS "rows" FROM "periods_2" CROSS JOIN (SELECT DISTINCT "orders_intervals_2"."status" AS "status" FROM "orders_intervals_2") AS "orders_intervals_2_2") AS "parts") AS "parts_2" WHERE "parts_2"."day_day" IS NOT NULL) AS "parts_3"
  WHERE "parts_3"."most" > 0
)
SELECT "parts"."day_day" AS "day_day", "parts"."status" AS "status", coalesce(MAX("parts"."buyers"), 0) AS "buyers_28d", coalesce(MAX("parts"."buyers_2"), 0) AS "buyers_mtd"
FROM (SELECT "orders_by_day_day_and_status"."day_day" AS "day_day", "orders_by_day_day_and_status"."status" AS "status", "orders_by_day_day_and_status"."buyers" AS "buyers", CAST(NULL AS BIGINT) AS "buyers_2" FROM "orders_by_day_day_and_status"
UNION ALL SELECT "orders_by_day_day_and_status_2"."day_day" AS "day_day", "orders_by_day_day_and_status_2"."status" AS "status", CAST(NULL AS BIGINT) AS "buyers", "orders_by_day_day_and_status_2"."buyers" AS "buyers_2" FROM "orders_by_day_day_and_status_2") AS "parts"
GROUP BY "parts"."day_day", "parts"."status"
ORDER BY "parts"."day_day" ASC NULLS LAST, "parts"."status" ASC NULLS LAST
LIMIT 1000

-- mysql
WITH `orders_by_day` AS (
  SELECT SQL_BIG_RESULT `orders_2`.`day_2` AS `day`, `orders_2`.`status` AS `status`, `orders_2`.`value` AS `value`
  FROM (SELECT DATE(`orders`.`day`) AS `day_2`, `orders`.`status` AS `status`, `orders`.`customer_id` AS `value` FROM `orders`) AS `orders_2`
  GROUP BY `orders_2`.`day_2`, `orders_2`.`status`, `orders_2`.`value`
),
`orders_intervals` AS (
  SELECT `orders_by_day_3`.`status` AS `status`, `orders_by_day_3`.`day` AS `day`, `orders_by_day_3`.`until` AS `until`, COUNT(`orders_by_day_3`.`buyers`) AS `values`, COUNT(`orders_by_day_3`.`day`) AS `rows`
  FROM (SELECT `orders_by_day_2`.`status` AS `status`, `orders_by_day_2`.`buyers` AS `buyers`, `orders_by_day_2`.`day` AS `day`, CASE WHEN `orders_by_day_2`.`next` < DATE_ADD(`orders_by_day_2`.`day`, INTERVAL 28 DAY) THEN `orders_by_day_2`.`next` ELSE DATE_ADD(`orders_by_day_2`.`day`, INTERVAL 28 DAY) END AS `until` FROM (SELECT `orders_by_day`.`day` AS `day`, `orders_by_day`.`status` AS `status`, `orders_by_day`.`value` AS `buyers`, FIRST_VALUE(`orders_by_day`.`day`) OVER (PARTITION BY `orders_by_day`.`status`, `orders_by_day`.`value` ORDER BY `orders_by_day`.`day` ASC ROWS BETWEEN 1 FOLLOWING AND 1 FOLLOWING) AS `next` FROM `orders_by_day`) AS `orders_by_day_2` WHERE `orders_by_day_2`.`day` IS NOT NULL AND `orders_by_day_2`.`day` < CASE WHEN `orders_by_day_2`.`next` < DATE_ADD(`orders_by_day_2`.`day`, INTERVAL 28 DAY) THEN `orders_by_day_2`.`next` ELSE DATE_ADD(`orders_by_day_2`.`day`, INTERVAL 28 DAY) END) AS `orders_by_day_3`
  GROUP BY `orders_by_day_3`.`status`, `orders_by_day_3`.`day`, `orders_by_day_3`.`until`
),
`every_day` AS (
  SELECT `periods`.period AS `period`
  FROM (SELECT DATE_ADD(b.lo, INTERVAL n.i - 1 DAY) AS period FROM (SELECT DATE(`ends`.`first_day_day`) AS lo, DATE(`ends`.`last_day_day`) AS hi FROM (SELECT MIN(DATE(`orders`.`day`)) AS `first_day_day`, MAX(DATE(`orders`.`day`)) AS `last_day_day` FROM `orders`) AS `ends`) AS b JOIN JSON_TABLE(CONCAT('[0', REPEAT(',0', TIMESTAMPDIFF(DAY, b.lo, b.hi)), ']'), '$[*]' COLUMNS (i FOR ORDINALITY)) AS n WHERE b.lo <= b.hi) AS `periods`
),
`periods` AS (
  SELECT `every_day`.`period` AS `period`, DATE_ADD(DATE_ADD(`every_day`.`period`, INTERVAL 1 DAY), INTERVAL -1 DAY) AS `last_day`
  FROM `every_day`
),
`orders_by_day_day_and_status` AS (
  SELECT CAST(`parts_3`.`values_now` AS SIGNED) AS `buyers`, `parts_3`.`day_day` AS `day_day`, `parts_3`.`status` AS `status`
  FROM (SELECT `parts_2`.`status` AS `status`, `parts_2`.`at` AS `at`, `parts_2`.`day_day` AS `day_day`, `parts_2`.`values` AS `values`, `parts_2`.`rows` AS `rows`, `parts_2`.`values_now` AS `values_now`, `parts_2`.`rows_now` AS `rows_now`, MAX(`parts_2`.`rows_now`) OVER (PARTITION BY `parts_2`.`status`) AS `most` FROM (SELECT `parts`.`status` AS `status`, `parts`.`at` AS `at`, `parts`.`day_day` AS `day_day`, `parts`.`values` AS `values`, `parts`.`rows` AS `rows`, SUM(`parts`.`values`) OVER (PARTITION BY `parts`.`status` ORDER BY `parts`.`at` ASC, `parts`.`day_day` ASC ROWS UNBOUNDED PRECEDING) AS `values_now`, SUM(`parts`.`rows`) OVER (PARTITION BY `parts`.`status` ORDER BY `parts`.`at` ASC, `parts`.`day_day` ASC ROWS UNBOUNDED PRECEDING) AS `rows_now` FROM (SELECT `orders_intervals`.`status` AS `status`, CASE WHEN `periods`.period = DATE '2000-01-01' THEN `orders_intervals`.`day` ELSE `orders_intervals`.`until` END AS `at`, CAST(NULL AS DATE) AS `day_day`, CASE WHEN `periods`.period = DATE '2000-01-01' THEN `orders_intervals`.`values` ELSE -`orders_intervals`.`values` END AS `values`, CASE WHEN `periods`.period = DATE '2000-01-01' THEN `orders_intervals`.`rows` ELSE -`orders_intervals`.`rows` END AS `rows` FROM `orders_intervals` CROSS JOIN (SELECT DATE_ADD(b.lo, INTERVAL n.i - 1 DAY) AS period FROM (SELECT DATE '2000-01-01' AS lo, DATE '2000-01-02' AS hi) AS b JOIN JSON_TABLE(CONCAT('[0', REPEAT(',0', TIMESTAMPDIFF(DAY, b.lo, b.hi)), ']'), '$[*]' COLUMNS (i FOR ORDINALITY)) AS n WHERE b.lo <= b.hi) AS `periods`
UNION ALL SELECT `orders_intervals_2`.`status` AS `status`, `periods`.`last_day` AS `at`, `periods`.`period` AS `day_day`, 0 AS `values`, 0 AS `rows` FROM `periods` CROSS JOIN (SELECT DISTINCT `orders_intervals`.`status` AS `status` FROM `orders_intervals`) AS `orders_intervals_2`) AS `parts`) AS `parts_2` WHERE `parts_2`.`day_day` IS NOT NULL) AS `parts_3`
  WHERE `parts_3`.`most` > 0
),
`orders_intervals_2` AS (
  SELECT `orders_by_day_3`.`status` AS `status`, `orders_by_day_3`.`first_day` AS `first_day`, `orders_by_day_3`.`month` AS `month`, COUNT(`orders_by_day_3`.`buyers`) AS `values`, COUNT(`orders_by_day_3`.`first_day`) AS `rows`
  FROM (SELECT SQL_BIG_RESULT `orders_by_day_2`.`status` AS `status`, `orders_by_day_2`.`buyers` AS `buyers`, `orders_by_day_2`.`month` AS `month`, MIN(`orders_by_day_2`.`day`) AS `first_day` FROM (SELECT `orders_by_day`.`day` AS `day`, `orders_by_day`.`status` AS `status`, `orders_by_day`.`value` AS `buyers`, CAST(DATE_FORMAT(`orders_by_day`.`day`, '%Y-%m-01') AS DATE) AS `month` FROM `orders_by_day`) AS `orders_by_day_2` GROUP BY `orders_by_day_2`.`status`, `orders_by_day_2`.`buyers`, `orders_by_day_2`.`month` HAVING MIN(`orders_by_day_2`.`day`) IS NOT NULL) AS `orders_by_day_3`
  GROUP BY `orders_by_day_3`.`status`, `orders_by_day_3`.`first_day`, `orders_by_day_3`.`month`
),
`periods_2` AS (
  SELECT `every_day`.`period` AS `period`, CAST(DATE_FORMAT(`every_day`.`period`, '%Y-%m-01') AS DATE) AS `since`, DATE_ADD(DATE_ADD(`every_day`.`period`, INTERVAL 1 DAY), INTERVAL -1 DAY) AS `last_day`
  FROM `every_day`
),
`orders_by_day_day_and_status_2` AS (
  SELECT CAST(`parts_3`.`values_now` AS SIGNED) AS `buyers`, `parts_3`.`day_day` AS `day_day`, `parts_3`.`status` AS `status`
  FROM (SELECT `parts_2`.`status` AS `status`, `parts_2`.`at` AS `at`, `parts_2`.`day_day` AS `day_day`, `parts_2`.`since` AS `since`, `parts_2`.`values` AS `values`, `parts_2`.`rows` AS `rows`, `parts_2`.`values_now` AS `values_now`, `parts_2`.`rows_now` AS `rows_now`, MAX(`parts_2`.`rows_now`) OVER (PARTITION BY `parts_2`.`status`) AS `most` FROM (SELECT `parts`.`status` AS `status`, `parts`.`at` AS `at`, `parts`.`day_day` AS `day_day`, `parts`.`since` AS `since`, `parts`.`values` AS `values`, `parts`.`rows` AS `rows`, SUM(`parts`.`values`) OVER (PARTITION BY `parts`.`status`, `parts`.`since` ORDER BY `parts`.`at` ASC, `parts`.`day_day` ASC ROWS UNBOUNDED PRECEDING) AS `values_now`, SUM(`parts`.`rows`) OVER (PARTITION BY `parts`.`status`, `parts`.`since` ORDER BY `parts`.`at` ASC, `parts`.`day_day` ASC ROWS UNBOUNDED PRECEDING) AS `rows_now` FROM (SELECT `orders_intervals_2`.`status` AS `status`, `orders_intervals_2`.`first_day` AS `at`, CAST(NULL AS DATE) AS `day_day`, `orders_intervals_2`.`month` AS `since`, `orders_intervals_2`.`values` AS `values`, `orders_intervals_2`.`rows` AS `rows` FROM `orders_intervals_2`
UNION ALL SELECT `orders_intervals_2_2`.`status` AS `status`, `periods_2`.`last_day` AS `at`, `periods_2`.`period` AS `day_day`, `periods_2`.`since` AS `since`, 0 AS `values`, 0 AS `rows` FROM `periods_2` CROSS JOIN (SELECT DISTINCT `orders_intervals_2`.`status` AS `status` FROM `orders_intervals_2`) AS `orders_intervals_2_2`) AS `parts`) AS `parts_2` WHERE `parts_2`.`day_day` IS NOT NULL) AS `parts_3`
  WHERE `parts_3`.`most` > 0
)
SELECT `parts`.`day_day` AS `day_day`, `parts`.`status` AS `status`, COALESCE(MAX(`parts`.`buyers`), 0) AS `buyers_28d`, COALESCE(MAX(`parts`.`buyers_2`), 0) AS `buyers_mtd`
FROM (SELECT `orders_by_day_day_and_status`.`day_day` AS `day_day`, `orders_by_day_day_and_status`.`status` AS `status`, `orders_by_day_day_and_status`.`buyers` AS `buyers`, CAST(NULL AS SIGNED) AS `buyers_2` FROM `orders_by_day_day_and_status`
UNION ALL SELECT `orders_by_day_day_and_status_2`.`day_day` AS `day_day`, `orders_by_day_day_and_status_2`.`status` AS `status`, CAST(NULL AS SIGNED) AS `buyers`, `orders_by_day_day_and_status_2`.`buyers` AS `buyers_2` FROM `orders_by_day_day_and_status_2`) AS `parts`
GROUP BY `parts`.`day_day`, `parts`.`status`
ORDER BY `parts`.`day_day` IS NULL, `parts`.`day_day` ASC, `parts`.`status` IS NULL, `parts`.`status` ASC
LIMIT 1000

-- postgres
WITH "orders_by_day" AS (
  SELECT CAST("orders"."day" AS date) AS "day_2", "orders"."status" AS "status", "orders"."customer_id" AS "value"
  FROM "orders"
  GROUP BY CAST("orders"."day" AS date), "orders"."status", "orders"."customer_id"
),
"orders_intervals" AS (
  SELECT "orders_by_day_2"."status" AS "status", "orders_by_day_2"."day" AS "day", CASE WHEN "orders_by_day_2"."next" < CAST("orders_by_day_2"."day" + make_interval(days => 28) AS date) THEN "orders_by_day_2"."next" ELSE CAST("orders_by_day_2"."day" + make_interval(days => 28) AS date) END AS "until", COUNT("orders_by_day_2"."buyers") AS "values", COUNT("orders_by_day_2"."day") AS "rows"
  FROM (SELECT "orders_by_day"."day_2" AS "day", "orders_by_day"."status" AS "status", "orders_by_day"."value" AS "buyers", FIRST_VALUE("orders_by_day"."day_2") OVER (PARTITION BY "orders_by_day"."status", "orders_by_day"."value" ORDER BY "orders_by_day"."day_2" ASC NULLS LAST ROWS BETWEEN 1 FOLLOWING AND 1 FOLLOWING) AS "next" FROM "orders_by_day") AS "orders_by_day_2"
  WHERE "orders_by_day_2"."day" IS NOT NULL AND "orders_by_day_2"."day" < CASE WHEN "orders_by_day_2"."next" < CAST("orders_by_day_2"."day" + make_interval(days => 28) AS date) THEN "orders_by_day_2"."next" ELSE CAST("orders_by_day_2"."day" + make_interval(days => 28) AS date) END
  GROUP BY "orders_by_day_2"."status", "orders_by_day_2"."day", CASE WHEN "orders_by_day_2"."next" < CAST("orders_by_day_2"."day" + make_interval(days => 28) AS date) THEN "orders_by_day_2"."next" ELSE CAST("orders_by_day_2"."day" + make_interval(days => 28) AS date) END
),
"orders_intervals_2" AS (
  SELECT "orders_by_day_2"."status" AS "status", "orders_by_day_2"."first_day" AS "first_day", "orders_by_day_2"."month" AS "month", COUNT("orders_by_day_2"."buyers") AS "values", COUNT("orders_by_day_2"."first_day") AS "rows", MAX("orders_by_day_2"."last_day") AS "last_day"
  FROM (SELECT "orders_by_day"."status" AS "status", "orders_by_day"."value" AS "buyers", CAST(date_trunc('month', "orders_by_day"."day_2") AS date) AS "month", MIN("orders_by_day"."day_2") AS "first_day", MAX("orders_by_day"."day_2") AS "last_day" FROM "orders_by_day" GROUP BY "orders_by_day"."status", "orders_by_day"."value", CAST(date_trunc('month', "orders_by_day"."day_2") AS date) HAVING MIN("orders_by_day"."day_2") IS NOT NULL) AS "orders_by_day_2"
  GROUP BY "orders_by_day_2"."status", "orders_by_day_2"."first_day", "orders_by_day_2"."month"
),
"shown" AS (
  SELECT "parts"."day_day" AS "day_day"
  FROM (SELECT "orders_intervals"."day" AS "day_day" FROM "orders_intervals"
UNION ALL SELECT "orders_intervals_2"."first_day" AS "day_day" FROM "orders_intervals_2"
UNION ALL SELECT "orders_intervals_2"."last_day" AS "day_day" FROM "orders_intervals_2") AS "parts"
),
"every_day" AS (
  SELECT "periods".period AS "period"
  FROM (SELECT CAST(p AS date) AS period FROM generate_series(CAST(CAST((SELECT MIN("shown"."day_day") AS "first_day_day" FROM "shown") AS date) AS timestamp), CAST(CAST((SELECT MAX("shown"."day_day") AS "last_day_day" FROM "shown") AS date) AS timestamp), INTERVAL '1 day') AS s (p)) AS "periods"
),
"periods" AS (
  SELECT "every_day"."period" AS "period", CAST(CAST("every_day"."period" + make_interval(days => 1) AS date) + make_interval(days => -1) AS date) AS "last_day"
  FROM "every_day"
),
"orders_by_day_day_and_status" AS (
  SELECT CAST("parts_3"."values_now" AS bigint) AS "buyers", "parts_3"."day_day" AS "day_day", "parts_3"."status" AS "status"
  FROM (SELECT "parts_2"."status" AS "status", "parts_2"."at" AS "at", "parts_2"."day_day" AS "day_day", "parts_2"."values" AS "values", "parts_2"."rows" AS "rows", "parts_2"."values_now" AS "values_now", "parts_2"."rows_now" AS "rows_now", MAX("parts_2"."rows_now") OVER (PARTITION BY "parts_2"."status") AS "most" FROM (SELECT "parts"."status" AS "status", "parts"."at" AS "at", "parts"."day_day" AS "day_day", "parts"."values" AS "values", "parts"."rows" AS "rows", SUM("parts"."values") OVER (PARTITION BY "parts"."status" ORDER BY "parts"."at" ASC NULLS LAST, "parts"."day_day" ASC NULLS FIRST ROWS UNBOUNDED PRECEDING) AS "values_now", SUM("parts"."rows") OVER (PARTITION BY "parts"."status" ORDER BY "parts"."at" ASC NULLS LAST, "parts"."day_day" ASC NULLS FIRST ROWS UNBOUNDED PRECEDING) AS "rows_now" FROM (SELECT "orders_intervals"."status" AS "status", "orders_intervals"."day" AS "at", CAST(NULL AS date) AS "day_day", "orders_intervals"."values" AS "values", "orders_intervals"."rows" AS "rows" FROM "orders_intervals"
UNION ALL SELECT "orders_intervals_2"."status" AS "status", "periods"."last_day" AS "at", "periods"."period" AS "day_day", 0 AS "values", 0 AS "rows" FROM "periods" CROSS JOIN (SELECT DISTINCT "orders_intervals"."status" AS "status" FROM "orders_intervals") AS "orders_intervals_2"
UNION ALL SELECT "orders_intervals"."status" AS "status", "orders_intervals"."until" AS "at", CAST(NULL AS date) AS "day_day", -"orders_intervals"."values" AS "values", -"orders_intervals"."rows" AS "rows" FROM "orders_intervals") AS "parts") AS "parts_2" WHERE "parts_2"."day_day" IS NOT NULL) AS "parts_3"
  WHERE "parts_3"."most" > 0
),
"periods_2" AS (
  SELECT "every_day"."period" AS "period", CAST(date_trunc('month', "every_day"."period") AS date) AS "since", CAST(CAST("every_day"."period" + make_interval(days => 1) AS date) + make_interval(days => -1) AS date) AS "last_day"
  FROM "every_day"
),
"orders_by_day_day_and_status_2" AS (
  SELECT CAST("parts_3"."values_now" AS bigint) AS "buyers", "parts_3"."day_day" AS "day_day", "parts_3"."status" AS "status"
  FROM (SELECT "parts_2"."status" AS "status", "parts_2"."at" AS "at", "parts_2"."day_day" AS "day_day", "parts_2"."since" AS "since", "parts_2"."values" AS "values", "parts_2"."rows" AS "rows", "parts_2"."values_now" AS "values_now", "parts_2"."rows_now" AS "rows_now", MAX("parts_2"."rows_now") OVER (PARTITION BY "parts_2"."status") AS "most" FROM (SELECT "parts"."status" AS "status", "parts"."at" AS "at", "parts"."day_day" AS "day_day", "parts"."since" AS "since", "parts"."values" AS "values", "parts"."rows" AS "rows", SUM("parts"."values") OVER (PARTITION BY "parts"."status", "parts"."since" ORDER BY "parts"."at" ASC NULLS LAST, "parts"."day_day" ASC NULLS FIRST ROWS UNBOUNDED PRECEDING) AS "values_now", SUM("parts"."rows") OVER (PARTITION BY "parts"."status", "parts"."since" ORDER BY "parts"."at" ASC NULLS LAST, "parts"."day_day" ASC NULLS FIRST ROWS UNBOUNDED PRECEDING) AS "rows_now" FROM (SELECT "orders_intervals_2"."status" AS "status", "orders_intervals_2"."first_day" AS "at", CAST(NULL AS date) AS "day_day", "orders_intervals_2"."month" AS "since", "orders_intervals_2"."values" AS "values", "orders_intervals_2"."rows" AS "rows" FROM "orders_intervals_2"
UNION ALL SELECT "orders_intervals_2_2"."status" AS "status", "periods_2"."last_day" AS "at", "periods_2"."period" AS "day_day", "periods_2"."since" AS "since", 0 AS "values", 0 AS "rows" FROM "periods_2" CROSS JOIN (SELECT DISTINCT "orders_intervals_2"."status" AS "status" FROM "orders_intervals_2") AS "orders_intervals_2_2") AS "parts") AS "parts_2" WHERE "parts_2"."day_day" IS NOT NULL) AS "parts_3"
  WHERE "parts_3"."most" > 0
)
SELECT "parts"."day_day" AS "day_day", "parts"."status" AS "status", coalesce(MAX("parts"."buyers"), 0) AS "buyers_28d", coalesce(MAX("parts"."buyers_2"), 0) AS "buyers_mtd"
FROM (SELECT "orders_by_day_day_and_status"."day_day" AS "day_day", "orders_by_day_day_and_status"."status" AS "status", "orders_by_day_day_and_status"."buyers" AS "buyers", CAST(NULL AS bigint) AS "buyers_2" FROM "orders_by_day_day_and_status"
UNION ALL SELECT "orders_by_day_day_and_status_2"."day_day" AS "day_day", "orders_by_day_day_and_status_2"."status" AS "status", CAST(NULL AS bigint) AS "buyers", "orders_by_day_day_and_status_2"."buyers" AS "buyers_2" FROM "orders_by_day_day_and_status_2") AS "parts"
GROUP BY "parts"."day_day", "parts"."status"
ORDER BY "parts"."day_day" ASC NULLS LAST, "parts"."status" ASC NULLS LAST
LIMIT 1000

-- snowflake
WITH "orders_by_day" AS (
  SELECT DATE_TRUNC('DAY', "orders"."DAY")::DATE AS "day_2", "orders"."STATUS" AS "status_2", "orders"."CUSTOMER_ID" AS "value"
  FROM "ORDERS" AS "orders"
  GROUP BY DATE_TRUNC('DAY', "orders"."DAY")::DATE, "orders"."STATUS", "orders"."CUSTOMER_ID"
),
"orders_intervals" AS (
  SELECT "orders_by_day_2"."status" AS "status", "orders_by_day_2"."day" AS "day", CASE WHEN "orders_by_day_2"."next" < DATEADD(DAY, 28, "orders_by_day_2"."day") THEN "orders_by_day_2"."next" ELSE DATEADD(DAY, 28, "orders_by_day_2"."day") END AS "until", COUNT("orders_by_day_2"."buyers") AS "values", COUNT("orders_by_day_2"."day") AS "rows"
  FROM (SELECT "orders_by_day"."day_2" AS "day", "orders_by_day"."status_2" AS "status", "orders_by_day"."value" AS "buyers", FIRST_VALUE("orders_by_day"."day_2") OVER (PARTITION BY "orders_by_day"."status_2", "orders_by_day"."value" ORDER BY "orders_by_day"."day_2" ASC NULLS LAST ROWS BETWEEN 1 FOLLOWING AND 1 FOLLOWING) AS "next" FROM "orders_by_day") AS "orders_by_day_2"
  WHERE "orders_by_day_2"."day" IS NOT NULL AND "orders_by_day_2"."day" < CASE WHEN "orders_by_day_2"."next" < DATEADD(DAY, 28, "orders_by_day_2"."day") THEN "orders_by_day_2"."next" ELSE DATEADD(DAY, 28, "orders_by_day_2"."day") END
  GROUP BY "orders_by_day_2"."status", "orders_by_day_2"."day", CASE WHEN "orders_by_day_2"."next" < DATEADD(DAY, 28, "orders_by_day_2"."day") THEN "orders_by_day_2"."next" ELSE DATEADD(DAY, 28, "orders_by_day_2"."day") END
),
"orders_intervals_2" AS (
  SELECT "orders_by_day_2"."status" AS "status", "orders_by_day_2"."first_day" AS "first_day", "orders_by_day_2"."month" AS "month", COUNT("orders_by_day_2"."buyers") AS "values", COUNT("orders_by_day_2"."first_day") AS "rows", MAX("orders_by_day_2"."last_day") AS "last_day"
  FROM (SELECT "orders_by_day"."status_2" AS "status", "orders_by_day"."value" AS "buyers", DATE_TRUNC('MONTH', "orders_by_day"."day_2")::DATE AS "month", MIN("orders_by_day"."day_2") AS "first_day", MAX("orders_by_day"."day_2") AS "last_day" FROM "orders_by_day" GROUP BY "orders_by_day"."status_2", "orders_by_day"."value", DATE_TRUNC('MONTH', "orders_by_day"."day_2")::DATE HAVING MIN("orders_by_day"."day_2") IS NOT NULL) AS "orders_by_day_2"
  GROUP BY "orders_by_day_2"."status", "orders_by_day_2"."first_day", "orders_by_day_2"."month"
),
"shown" AS (
  SELECT "parts"."day_day" AS "day_day"
  FROM (SELECT "orders_intervals"."day" AS "day_day" FROM "orders_intervals"
UNION ALL SELECT "orders_intervals_2"."first_day" AS "day_day" FROM "orders_intervals_2"
UNION ALL SELECT "orders_intervals_2"."last_day" AS "day_day" FROM "orders_intervals_2") AS "parts"
),
"every_day" AS (
  SELECT "periods".period AS "period"
  FROM (SELECT DATEADD(DAY, ROW_NUMBER() OVER (ORDER BY NULL) - 1, DATE_TRUNC('DAY', (SELECT MIN("shown"."day_day") AS "first_day_day" FROM "shown"))::DATE) AS period FROM TABLE(GENERATOR(ROWCOUNT => 100000)) QUALIFY period <= DATE_TRUNC('DAY', (SELECT MAX("shown"."day_day") AS "last_day_day" FROM "shown"))::DATE) AS "periods"
),
"periods" AS (
  SELECT "every_day"."period" AS "period", DATEADD(DAY, -1, DATEADD(DAY, 1, "every_day"."period")) AS "last_day"
  FROM "every_day"
),
"orders_by_day_day_and_status" AS (
  SELECT CAST("parts_3"."values_now" AS NUMBER(38,0)) AS "buyers", "parts_3"."day_day" AS "day_day", "parts_3"."status" AS "status"
  FROM (SELECT "parts_2"."status" AS "status", "parts_2"."at" AS "at", "parts_2"."day_day" AS "day_day", "parts_2"."values" AS "values", "parts_2"."rows" AS "rows", "parts_2"."values_now" AS "values_now", "parts_2"."rows_now" AS "rows_now", MAX("parts_2"."rows_now") OVER (PARTITION BY "parts_2"."status") AS "most" FROM (SELECT "parts"."status" AS "status", "parts"."at" AS "at", "parts"."day_day" AS "day_day", "parts"."values" AS "values", "parts"."rows" AS "rows", SUM("parts"."values") OVER (PARTITION BY "parts"."status" ORDER BY "parts"."at" ASC NULLS LAST, "parts"."day_day" ASC NULLS FIRST ROWS UNBOUNDED PRECEDING) AS "values_now", SUM("parts"."rows") OVER (PARTITION BY "parts"."status" ORDER BY "parts"."at" ASC NULLS LAST, "parts"."day_day" ASC NULLS FIRST ROWS UNBOUNDED PRECEDING) AS "rows_now" FROM (SELECT "orders_intervals"."status" AS "status", "orders_intervals"."day" AS "at", CAST(NULL AS DATE) AS "day_day", "orders_intervals"."values" AS "values", "orders_intervals"."rows" AS "rows" FROM "orders_intervals"
UNION ALL SELECT "orders_intervals_2"."status" AS "status", "periods"."last_day" AS "at", "periods"."period" AS "day_day", 0 AS "values", 0 AS "rows" FROM "periods" CROSS JOIN (SELECT DISTINCT "orders_intervals"."status" AS "status" FROM "orders_intervals") AS "orders_intervals_2"
UNION ALL SELECT "orders_intervals"."status" AS "status", "orders_intervals"."until" AS "at", CAST(NULL AS DATE) AS "day_day", -"orders_intervals"."values" AS "values", -"orders_intervals"."rows" AS "rows" FROM "orders_intervals") AS "parts") AS "parts_2" WHERE "parts_2"."day_day" IS NOT NULL) AS "parts_3"
  WHERE "parts_3"."most" > 0
),
"periods_2" AS (
  SELECT "every_day"."period" AS "period", DATE_TRUNC('MONTH', "every_day"."period")::DATE AS "since", DATEADD(DAY, -1, DATEADD(DAY, 1, "every_day"."period")) AS "last_day"
  FROM "every_day"
),
"orders_by_day_day_and_status_2" AS (
  SELECT CAST("parts_3"."values_now" AS NUMBER(38,0)) AS "buyers", "parts_3"."day_day" AS "day_day", "parts_3"."status" AS "status"
  FROM (SELECT "parts_2"."status" AS "status", "parts_2"."at" AS "at", "parts_2"."day_day" AS "day_day", "parts_2"."since" AS "since", "parts_2"."values" AS "values", "parts_2"."rows" AS "rows", "parts_2"."values_now" AS "values_now", "parts_2"."rows_now" AS "rows_now", MAX("parts_2"."rows_now") OVER (PARTITION BY "parts_2"."status") AS "most" FROM (SELECT "parts"."status" AS "status", "parts"."at" AS "at", "parts"."day_day" AS "day_day", "parts"."since" AS "since", "parts"."values" AS "values", "parts"."rows" AS "rows", SUM("parts"."values") OVER (PARTITION BY "parts"."status", "parts"."since" ORDER BY "parts"."at" ASC NULLS LAST, "parts"."day_day" ASC NULLS FIRST ROWS UNBOUNDED PRECEDING) AS "values_now", SUM("parts"."rows") OVER (PARTITION BY "parts"."status", "parts"."since" ORDER BY "parts"."at" ASC NULLS LAST, "parts"."day_day" ASC NULLS FIRST ROWS UNBOUNDED PRECEDING) AS "rows_now" FROM (SELECT "orders_intervals_2"."status" AS "status", "orders_intervals_2"."first_day" AS "at", CAST(NULL AS DATE) AS "day_day", "orders_intervals_2"."month" AS "since", "orders_intervals_2"."values" AS "values", "orders_intervals_2"."rows" AS "rows" FROM "orders_intervals_2"
UNION ALL SELECT "orders_intervals_2_2"."status" AS "status", "periods_2"."last_day" AS "at", "periods_2"."period" AS "day_day", "periods_2"."since" AS "since", 0 AS "values", 0 AS "rows" FROM "periods_2" CROSS JOIN (SELECT DISTINCT "orders_intervals_2"."status" AS "status" FROM "orders_intervals_2") AS "orders_intervals_2_2") AS "parts") AS "parts_2" WHERE "parts_2"."day_day" IS NOT NULL) AS "parts_3"
  WHERE "parts_3"."most" > 0
)
SELECT "parts"."day_day" AS "day_day", "parts"."status" AS "status", COALESCE(MAX("parts"."buyers"), 0) AS "buyers_28d", COALESCE(MAX("parts"."buyers_2"), 0) AS "buyers_mtd"
FROM (SELECT "orders_by_day_day_and_status"."day_day" AS "day_day", "orders_by_day_day_and_status"."status" AS "status", "orders_by_day_day_and_status"."buyers" AS "buyers", CAST(NULL AS NUMBER(38,0)) AS "buyers_2" FROM "orders_by_day_day_and_status"
UNION ALL SELECT "orders_by_day_day_and_status_2"."day_day" AS "day_day", "orders_by_day_day_and_status_2"."status" AS "status", CAST(NULL AS NUMBER(38,0)) AS "buyers", "orders_by_day_day_and_status_2"."buyers" AS "buyers_2" FROM "orders_by_day_day_and_status_2") AS "parts"
GROUP BY "parts"."day_day", "parts"."status"
ORDER BY "parts"."day_day" ASC NULLS LAST, "parts"."status" ASC NULLS LAST
LIMIT 1000

-- sqlite
WITH "orders_by_day" AS (
  SELECT date("orders"."day") AS "day_2", "orders"."status" AS "status", "orders"."customer_id" AS "value"
  FROM "orders"
  GROUP BY date("orders"."day"), "orders"."status", "orders"."customer_id"
),
"orders_intervals" AS (
  SELECT "orders_by_day_2"."status" AS "status", "orders_by_day_2"."day" AS "day", CASE WHEN "orders_by_day_2"."next" < date("orders_by_day_2"."day", (28) || ' days') THEN "orders_by_day_2"."next" ELSE date("orders_by_day_2"."day", (28) || ' days') END AS "until", COUNT("orders_by_day_2"."buyers") AS "values", COUNT("orders_by_day_2"."day") AS "rows"
  FROM (SELECT "orders_by_day"."day_2" AS "day", "orders_by_day"."status" AS "status", "orders_by_day"."value" AS "buyers", FIRST_VALUE("orders_by_day"."day_2") OVER (PARTITION BY "orders_by_day"."status", "orders_by_day"."value" ORDER BY "orders_by_day"."day_2" ASC NULLS FIRST ROWS BETWEEN 1 FOLLOWING AND 1 FOLLOWING) AS "next" FROM "orders_by_day") AS "orders_by_day_2"
  WHERE "orders_by_day_2"."day" IS NOT NULL AND "orders_by_day_2"."day" < CASE WHEN "orders_by_day_2"."next" < date("orders_by_day_2"."day", (28) || ' days') THEN "orders_by_day_2"."next" ELSE date("orders_by_day_2"."day", (28) || ' days') END
  GROUP BY "orders_by_day_2"."status", "orders_by_day_2"."day", CASE WHEN "orders_by_day_2"."next" < date("orders_by_day_2"."day", (28) || ' days') THEN "orders_by_day_2"."next" ELSE date("orders_by_day_2"."day", (28) || ' days') END
),
"orders_intervals_2" AS (
  SELECT "orders_by_day_2"."status" AS "status", "orders_by_day_2"."first_day" AS "first_day", "orders_by_day_2"."month" AS "month", COUNT("orders_by_day_2"."buyers") AS "values", COUNT("orders_by_day_2"."first_day") AS "rows", MAX("orders_by_day_2"."last_day") AS "last_day"
  FROM (SELECT "orders_by_day"."status" AS "status", "orders_by_day"."value" AS "buyers", date("orders_by_day"."day_2", 'start of month') AS "month", MIN("orders_by_day"."day_2") AS "first_day", MAX("orders_by_day"."day_2") AS "last_day" FROM "orders_by_day" GROUP BY "orders_by_day"."status", "orders_by_day"."value", date("orders_by_day"."day_2", 'start of month') HAVING MIN("orders_by_day"."day_2") IS NOT NULL) AS "orders_by_day_2"
  GROUP BY "orders_by_day_2"."status", "orders_by_day_2"."first_day", "orders_by_day_2"."month"
),
"shown" AS (
  SELECT "parts"."day_day" AS "day_day"
  FROM (SELECT "orders_intervals"."day" AS "day_day" FROM "orders_intervals"
UNION ALL SELECT "orders_intervals_2"."first_day" AS "day_day" FROM "orders_intervals_2"
UNION ALL SELECT "orders_intervals_2"."last_day" AS "day_day" FROM "orders_intervals_2") AS "parts"
),
"every_day" AS (
  SELECT "periods".period AS "period"
  FROM (WITH RECURSIVE spine (period) AS (SELECT date(date((SELECT MIN("shown"."day_day") AS "first_day_day" FROM "shown"))) WHERE date(date((SELECT MIN("shown"."day_day") AS "first_day_day" FROM "shown"))) <= date(date((SELECT MAX("shown"."day_day") AS "last_day_day" FROM "shown"))) UNION ALL SELECT date(period, (1) || ' days') FROM spine WHERE date(period, (1) || ' days') <= date(date((SELECT MAX("shown"."day_day") AS "last_day_day" FROM "shown")))) SELECT period FROM spine) AS "periods"
),
"periods" AS (
  SELECT "every_day"."period" AS "period", date(date("every_day"."period", (1) || ' days'), (-1) || ' days') AS "last_day"
  FROM "every_day"
),
"orders_by_day_day_and_status" AS (
  SELECT CAST("parts_3"."values_now" AS INTEGER) AS "buyers", "parts_3"."day_day" AS "day_day", "parts_3"."status" AS "status"
  FROM (SELECT "parts_2"."status" AS "status", "parts_2"."at" AS "at", "parts_2"."day_day" AS "day_day", "parts_2"."values" AS "values", "parts_2"."rows" AS "rows", "parts_2"."values_now" AS "values_now", "parts_2"."rows_now" AS "rows_now", MAX("parts_2"."rows_now") OVER (PARTITION BY "parts_2"."status") AS "most" FROM (SELECT "parts"."status" AS "status", "parts"."at" AS "at", "parts"."day_day" AS "day_day", "parts"."values" AS "values", "parts"."rows" AS "rows", SUM("parts"."values") OVER (PARTITION BY "parts"."status" ORDER BY "parts"."at" ASC NULLS FIRST, "parts"."day_day" ASC NULLS FIRST ROWS UNBOUNDED PRECEDING) AS "values_now", SUM("parts"."rows") OVER (PARTITION BY "parts"."status" ORDER BY "parts"."at" ASC NULLS FIRST, "parts"."day_day" ASC NULLS FIRST ROWS UNBOUNDED PRECEDING) AS "rows_now" FROM (SELECT "orders_intervals"."status" AS "status", "orders_intervals"."day" AS "at", date(NULL) AS "day_day", "orders_intervals"."values" AS "values", "orders_intervals"."rows" AS "rows" FROM "orders_intervals"
UNION ALL SELECT "orders_intervals_2"."status" AS "status", "periods"."last_day" AS "at", "periods"."period" AS "day_day", 0 AS "values", 0 AS "rows" FROM "periods" CROSS JOIN (SELECT DISTINCT "orders_intervals"."status" AS "status" FROM "orders_intervals") AS "orders_intervals_2"
UNION ALL SELECT "orders_intervals"."status" AS "status", "orders_intervals"."until" AS "at", date(NULL) AS "day_day", -"orders_intervals"."values" AS "values", -"orders_intervals"."rows" AS "rows" FROM "orders_intervals") AS "parts") AS "parts_2" WHERE "parts_2"."day_day" IS NOT NULL) AS "parts_3"
  WHERE "parts_3"."most" > 0
),
"periods_2" AS (
  SELECT "every_day"."period" AS "period", date("every_day"."period", 'start of month') AS "since", date(date("every_day"."period", (1) || ' days'), (-1) || ' days') AS "last_day"
  FROM "every_day"
),
"orders_by_day_day_and_status_2" AS (
  SELECT CAST("parts_3"."values_now" AS INTEGER) AS "buyers", "parts_3"."day_day" AS "day_day", "parts_3"."status" AS "status"
  FROM (SELECT "parts_2"."status" AS "status", "parts_2"."at" AS "at", "parts_2"."day_day" AS "day_day", "parts_2"."since" AS "since", "parts_2"."values" AS "values", "parts_2"."rows" AS "rows", "parts_2"."values_now" AS "values_now", "parts_2"."rows_now" AS "rows_now", MAX("parts_2"."rows_now") OVER (PARTITION BY "parts_2"."status") AS "most" FROM (SELECT "parts"."status" AS "status", "parts"."at" AS "at", "parts"."day_day" AS "day_day", "parts"."since" AS "since", "parts"."values" AS "values", "parts"."rows" AS "rows", SUM("parts"."values") OVER (PARTITION BY "parts"."status", "parts"."since" ORDER BY "parts"."at" ASC NULLS FIRST, "parts"."day_day" ASC NULLS FIRST ROWS UNBOUNDED PRECEDING) AS "values_now", SUM("parts"."rows") OVER (PARTITION BY "parts"."status", "parts"."since" ORDER BY "parts"."at" ASC NULLS FIRST, "parts"."day_day" ASC NULLS FIRST ROWS UNBOUNDED PRECEDING) AS "rows_now" FROM (SELECT "orders_intervals_2"."status" AS "status", "orders_intervals_2"."first_day" AS "at", date(NULL) AS "day_day", "orders_intervals_2"."month" AS "since", "orders_intervals_2"."values" AS "values", "orders_intervals_2"."rows" AS "rows" FROM "orders_intervals_2"
UNION ALL SELECT "orders_intervals_2_2"."status" AS "status", "periods_2"."last_day" AS "at", "periods_2"."period" AS "day_day", "periods_2"."since" AS "since", 0 AS "values", 0 AS "rows" FROM "periods_2" CROSS JOIN (SELECT DISTINCT "orders_intervals_2"."status" AS "status" FROM "orders_intervals_2") AS "orders_intervals_2_2") AS "parts") AS "parts_2" WHERE "parts_2"."day_day" IS NOT NULL) AS "parts_3"
  WHERE "parts_3"."most" > 0
)
SELECT "parts"."day_day" AS "day_day", "parts"."status" AS "status", coalesce(MAX("parts"."buyers"), 0) AS "buyers_28d", coalesce(MAX("parts"."buyers_2"), 0) AS "buyers_mtd"
FROM (SELECT "orders_by_day_day_and_status"."day_day" AS "day_day", "orders_by_day_day_and_status"."status" AS "status", "orders_by_day_day_and_status"."buyers" AS "buyers", CAST(NULL AS INTEGER) AS "buyers_2" FROM "orders_by_day_day_and_status"
UNION ALL SELECT "orders_by_day_day_and_status_2"."day_day" AS "day_day", "orders_by_day_day_and_status_2"."status" AS "status", CAST(NULL AS INTEGER) AS "buyers", "orders_by_day_day_and_status_2"."buyers" AS "buyers_2" FROM "orders_by_day_day_and_status_2") AS "parts"
GROUP BY "parts"."day_day", "parts"."status"
ORDER BY "parts"."day_day" ASC NULLS LAST, "parts"."status" ASC NULLS LAST
LIMIT 1000

-- sqlserver
WITH [orders_by_day] AS (
  SELECT [orders_2].[day_2] AS [day], [orders_2].[status] AS [status], [orders_2].[value] AS [value]
  FROM (SELECT CAST([orders].[day] AS date) AS [day_2], [orders].[status] AS [status], [orders].[customer_id] AS [value] FROM [orders]) AS [orders_2]
  GROUP BY [orders_2].[day_2], [orders_2].[status], [orders_2].[value]
),
[orders_intervals] AS (
  SELECT [orders_by_day_3].[status] AS [status], [orders_by_day_3].[day] AS [day], [orders_by_day_3].[until] AS [until], COUNT_BIG([orders_by_day_3].[buyers]) AS [values], COUNT_BIG([orders_by_day_3].[day]) AS [rows]
  FROM (SELECT [orders_by_day_2].[status] AS [status], [orders_by_day_2].[buyers] AS [buyers], [orders_by_day_2].[day] AS [day], CASE WHEN [orders_by_day_2].[next] < DATEADD(DAY, 28, [orders_by_day_2].[day]) THEN [orders_by_day_2].[next] ELSE DATEADD(DAY, 28, [orders_by_day_2].[day]) END AS [until] FROM (SELECT [orders_by_day].[day] AS [day], [orders_by_day].[status] AS [status], [orders_by_day].[value] AS [buyers], FIRST_VALUE([orders_by_day].[day]) OVER (PARTITION BY [orders_by_day].[status], [orders_by_day].[value] ORDER BY CASE WHEN [orders_by_day].[day] IS NULL THEN 0 ELSE 1 END, [orders_by_day].[day] ASC ROWS BETWEEN 1 FOLLOWING AND 1 FOLLOWING) AS [next] FROM [orders_by_day]) AS [orders_by_day_2] WHERE [orders_by_day_2].[day] IS NOT NULL AND [orders_by_day_2].[day] < CASE WHEN [orders_by_day_2].[next] < DATEADD(DAY, 28, [orders_by_day_2].[day]) THEN [orders_by_day_2].[next] ELSE DATEADD(DAY, 28, [orders_by_day_2].[day]) END) AS [orders_by_day_3]
  GROUP BY [orders_by_day_3].[status], [orders_by_day_3].[day], [orders_by_day_3].[until]
),
[orders_intervals_2] AS (
  SELECT [orders_by_day_3].[status] AS [status], [orders_by_day_3].[first_day] AS [first_day], [orders_by_day_3].[month] AS [month], COUNT_BIG([orders_by_day_3].[buyers]) AS [values], COUNT_BIG([orders_by_day_3].[first_day]) AS [rows], MAX([orders_by_day_3].[last_day]) AS [last_day]
  FROM (SELECT [orders_by_day_2].[status] AS [status], [orders_by_day_2].[buyers] AS [buyers], [orders_by_day_2].[month] AS [month], MIN([orders_by_day_2].[day]) AS [first_day], MAX([orders_by_day_2].[day]) AS [last_day] FROM (SELECT [orders_by_day].[day] AS [day], [orders_by_day].[status] AS [status], [orders_by_day].[value] AS [buyers], DATETRUNC(month, CAST([orders_by_day].[day] AS date)) AS [month] FROM [orders_by_day]) AS [orders_by_day_2] GROUP BY [orders_by_day_2].[status], [orders_by_day_2].[buyers], [orders_by_day_2].[month] HAVING MIN([orders_by_day_2].[day]) IS NOT NULL) AS [orders_by_day_3]
  GROUP BY [orders_by_day_3].[status], [orders_by_day_3].[first_day], [orders_by_day_3].[month]
),
[shown] AS (
  SELECT [parts].[day_day] AS [day_day]
  FROM (SELECT [orders_intervals].[day] AS [day_day] FROM [orders_intervals]
UNION ALL SELECT [orders_intervals_2].[first_day] AS [day_day] FROM [orders_intervals_2]
UNION ALL SELECT [orders_intervals_2].[last_day] AS [day_day] FROM [orders_intervals_2]) AS [parts]
),
[every_day] AS (
  SELECT [periods].period AS [period]
  FROM (SELECT TOP (DATEDIFF(DAY, CAST((SELECT MIN([shown].[day_day]) AS [first_day_day] FROM [shown]) AS date), CAST((SELECT MAX([shown].[day_day]) AS [last_day_day] FROM [shown]) AS date)) + 1) DATEADD(DAY, ROW_NUMBER() OVER (ORDER BY (SELECT NULL)) - 1, CAST((SELECT MIN([shown].[day_day]) AS [first_day_day] FROM [shown]) AS date)) AS period FROM sys.all_columns a CROSS JOIN sys.all_columns b) AS [periods]
),
[periods] AS (
  SELECT [every_day].[period] AS [period], DATEADD(DAY, -1, DATEADD(DAY, 1, [every_day].[period])) AS [last_day]
  FROM [every_day]
),
[orders_by_day_day_and_status] AS (
  SELECT CAST([parts_3].[values_now] AS bigint) AS [buyers], [parts_3].[day_day] AS [day_day], [parts_3].[status] AS [status]
  FROM (SELECT [parts_2].[status] AS [status], [parts_2].[at] AS [at], [parts_2].[day_day] AS [day_day], [parts_2].[values] AS [values], [parts_2].[rows] AS [rows], [parts_2].[values_now] AS [values_now], [parts_2].[rows_now] AS [rows_now], MAX([parts_2].[rows_now]) OVER (PARTITION BY [parts_2].[status]) AS [most] FROM (SELECT [parts].[status] AS [status], [parts].[at] AS [at], [parts].[day_day] AS [day_day], [parts].[values] AS [values], [parts].[rows] AS [rows], SUM([parts].[values]) OVER (PARTITION BY [parts].[status] ORDER BY CASE WHEN [parts].[at] IS NULL THEN 0 ELSE 1 END, [parts].[at] ASC, CASE WHEN [parts].[day_day] IS NULL THEN 0 ELSE 1 END, [parts].[day_day] ASC ROWS UNBOUNDED PRECEDING) AS [values_now], SUM([parts].[rows]) OVER (PARTITION BY [parts].[status] ORDER BY CASE WHEN [parts].[at] IS NULL THEN 0 ELSE 1 END, [parts].[at] ASC, CASE WHEN [parts].[day_day] IS NULL THEN 0 ELSE 1 END, [parts].[day_day] ASC ROWS UNBOUNDED PRECEDING) AS [rows_now] FROM (SELECT [orders_intervals].[status] AS [status], [orders_intervals].[day] AS [at], CAST(NULL AS date) AS [day_day], [orders_intervals].[values] AS [values], [orders_intervals].[rows] AS [rows] FROM [orders_intervals]
UNION ALL SELECT [orders_intervals_2].[status] AS [status], [periods].[last_day] AS [at], [periods].[period] AS [day_day], 0 AS [values], 0 AS [rows] FROM [periods] CROSS JOIN (SELECT DISTINCT [orders_intervals].[status] AS [status] FROM [orders_intervals]) AS [orders_intervals_2]
UNION ALL SELECT [orders_intervals].[status] AS [status], [orders_intervals].[until] AS [at], CAST(NULL AS date) AS [day_day], -[orders_intervals].[values] AS [values], -[orders_intervals].[rows] AS [rows] FROM [orders_intervals]) AS [parts]) AS [parts_2] WHERE [parts_2].[day_day] IS NOT NULL) AS [parts_3]
  WHERE [parts_3].[most] > 0
),
[periods_2] AS (
  SELECT [every_day].[period] AS [period], DATETRUNC(month, CAST([every_day].[period] AS date)) AS [since], DATEADD(DAY, -1, DATEADD(DAY, 1, [every_day].[period])) AS [last_day]
  FROM [every_day]
),
[orders_by_day_day_and_status_2] AS (
  SELECT CAST([parts_3].[values_now] AS bigint) AS [buyers], [parts_3].[day_day] AS [day_day], [parts_3].[status] AS [status]
  FROM (SELECT [parts_2].[status] AS [status], [parts_2].[at] AS [at], [parts_2].[day_day] AS [day_day], [parts_2].[since] AS [since], [parts_2].[values] AS [values], [parts_2].[rows] AS [rows], [parts_2].[values_now] AS [values_now], [parts_2].[rows_now] AS [rows_now], MAX([parts_2].[rows_now]) OVER (PARTITION BY [parts_2].[status]) AS [most] FROM (SELECT [parts].[status] AS [status], [parts].[at] AS [at], [parts].[day_day] AS [day_day], [parts].[since] AS [since], [parts].[values] AS [values], [parts].[rows] AS [rows], SUM([parts].[values]) OVER (PARTITION BY [parts].[status], [parts].[since] ORDER BY CASE WHEN [parts].[at] IS NULL THEN 0 ELSE 1 END, [parts].[at] ASC, CASE WHEN [parts].[day_day] IS NULL THEN 0 ELSE 1 END, [parts].[day_day] ASC ROWS UNBOUNDED PRECEDING) AS [values_now], SUM([parts].[rows]) OVER (PARTITION BY [parts].[status], [parts].[since] ORDER BY CASE WHEN [parts].[at] IS NULL THEN 0 ELSE 1 END, [parts].[at] ASC, CASE WHEN [parts].[day_day] IS NULL THEN 0 ELSE 1 END, [parts].[day_day] ASC ROWS UNBOUNDED PRECEDING) AS [rows_now] FROM (SELECT [orders_intervals_2].[status] AS [status], [orders_intervals_2].[first_day] AS [at], CAST(NULL AS date) AS [day_day], [orders_intervals_2].[month] AS [since], [orders_intervals_2].[values] AS [values], [orders_intervals_2].[rows] AS [rows] FROM [orders_intervals_2]
UNION ALL SELECT [orders_intervals_2_2].[status] AS [status], [periods_2].[last_day] AS [at], [periods_2].[period] AS [day_day], [periods_2].[since] AS [since], 0 AS [values], 0 AS [rows] FROM [periods_2] CROSS JOIN (SELECT DISTINCT [orders_intervals_2].[status] AS [status] FROM [orders_intervals_2]) AS [orders_intervals_2_2]) AS [parts]) AS [parts_2] WHERE [parts_2].[day_day] IS NOT NULL) AS [parts_3]
  WHERE [parts_3].[most] > 0
)
SELECT TOP (1000) [parts].[day_day] AS [day_day], [parts].[status] AS [status], COALESCE(MAX([parts].[buyers]), 0) AS [buyers_28d], COALESCE(MAX([parts].[buyers_2]), 0) AS [buyers_mtd]
FROM (SELECT [orders_by_day_day_and_status].[day_day] AS [day_day], [orders_by_day_day_and_status].[status] AS [status], [orders_by_day_day_and_status].[buyers] AS [buyers], CAST(NULL AS bigint) AS [buyers_2] FROM [orders_by_day_day_and_status]
UNION ALL SELECT [orders_by_day_day_and_status_2].[day_day] AS [day_day], [orders_by_day_day_and_status_2].[status] AS [status], CAST(NULL AS bigint) AS [buyers], [orders_by_day_day_and_status_2].[buyers] AS [buyers_2] FROM [orders_by_day_day_and_status_2]) AS [parts]
GROUP BY [parts].[day_day], [parts].[status]
ORDER BY CASE WHEN [parts].[day_day] IS NULL THEN 1 ELSE 0 END, [parts].[day_day] ASC, CASE WHEN [parts].[status] IS NULL THEN 1 ELSE 0 END, [parts].[status] ASC

