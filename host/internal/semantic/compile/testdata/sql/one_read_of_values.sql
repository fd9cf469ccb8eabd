-- bigquery
WITH `orders_by_day` AS (
  SELECT CAST(`orders`.`day` AS DATE) AS `day_2`, `orders`.`customer_id` AS `value`
  FROM `orders`
  GROUP BY CAST(`orders`.`day` AS DATE), `orders`.`customer_id`
),
`orders_by_day_week` AS (
  SELECT DATE_TRUNC(CAST(`orders_by_day`.`day_2` AS DATE), WEEK(MONDAY)) AS `day_week`, COUNT(DISTINCT `orders_by_day`.`value`) AS `buyers`
  FROM `orders_by_day`
  GROUP BY DATE_TRUNC(CAST(`orders_by_day`.`day_2` AS DATE), WEEK(MONDAY))
),
`orders_intervals` AS (
  SELECT `orders_by_day_2`.`day` AS `day`, CASE WHEN `orders_by_day_2`.`next` < DATE_ADD(`orders_by_day_2`.`day`, INTERVAL 28 DAY) THEN `orders_by_day_2`.`next` ELSE DATE_ADD(`orders_by_day_2`.`day`, INTERVAL 28 DAY) END AS `until`, COUNT(`orders_by_day_2`.`buyers`) AS `values`
  FROM (SELECT `orders_by_day`.`day_2` AS `day`, `orders_by_day`.`value` AS `buyers`, FIRST_VALUE(`orders_by_day`.`day_2`) OVER (PARTITION BY `orders_by_day`.`value` ORDER BY `orders_by_day`.`day_2` ASC NULLS FIRST ROWS BETWEEN 1 FOLLOWING AND 1 FOLLOWING) AS `next` FROM `orders_by_day`) AS `orders_by_day_2`
  WHERE `orders_by_day_2`.`day` IS NOT NULL AND `orders_by_day_2`.`day` < CASE WHEN `orders_by_day_2`.`next` < DATE_ADD(`orders_by_day_2`.`day`, INTERVAL 28 DAY) THEN `orders_by_day_2`.`next` ELSE DATE_ADD(`orders_by_day_2`.`day`, INTERVAL 28 DAY) END
  GROUP BY `orders_by_day_2`.`day`, CASE WHEN `orders_by_day_2`.`next` < DATE_ADD(`orders_by_day_2`.`day`, INTERVAL 28 DAY) THEN `orders_by_day_2`.`next` ELSE DATE_ADD(`orders_by_day_2`.`day`, INTERVAL 28 DAY) END
),
`orders_intervals_2` AS (
  SELECT `orders_by_day_3`.`first_day` AS `first_day`, CASE WHEN `orders_by_day_3`.`next` < DATE_ADD(DATE_ADD(DATE_ADD(DATE_TRUNC(CAST(`orders_by_day_3`.`first_day` AS DATE), MONTH), INTERVAL 1 MONTH), INTERVAL 1 WEEK), INTERVAL -1 DAY) THEN `orders_by_day_3`.`next` ELSE DATE_ADD(DATE_ADD(DATE_ADD(DATE_TRUNC(CAST(`orders_by_day_3`.`first_day` AS DATE), MONTH), INTERVAL 1 MONTH), INTERVAL 1 WEEK), INTERVAL -1 DAY) END AS `until`, COUNT(`orders_by_day_3`.`buyers`) AS `values`, MAX(`orders_by_day_3`.`last_day`) AS `last_day`
  FROM (SELECT `orders_by_day_2`.`buyers` AS `buyers`, `orders_by_day_2`.`month` AS `month`, `orders_by_day_2`.`first_day` AS `first_day`, `orders_by_day_2`.`last_day` AS `last_day`, FIRST_VALUE(`orders_by_day_2`.`first_day`) OVER (PARTITION BY `orders_by_day_2`.`buyers` ORDER BY `orders_by_day_2`.`first_day` ASC NULLS FIRST ROWS BETWEEN 1 FOLLOWING AND 1 FOLLOWING) AS `next` FROM (SELECT `orders_by_day`.`value` AS `buyers`, DATE_TRUNC(CAST(`orders_by_day`.`day_2` AS DATE), MONTH) AS `month`, MIN(`orders_by_day`.`day_2`) AS `first_day`, MAX(`orders_by_day`.`day_2`) AS `last_day` FROM `orders_by_day` GROUP BY `orders_by_day`.`value`, DATE_TRUNC(CAST(`orders_by_day`.`day_2` AS DATE), MONTH)) AS `orders_by_day_2`) AS `orders_by_day_3`
  WHERE `orders_by_day_3`.`first_day` IS NOT NULL AND `orders_by_day_3`.`first_day` < CASE WHEN `orders_by_day_3`.`next` < DATE_ADD(DATE_ADD(DATE_ADD(DATE_TRUNC(CAST(`orders_by_day_3`.`first_day` AS DATE), MONTH), INTERVAL 1 MONTH), INTERVAL 1 WEEK), INTERVAL -1 DAY) THEN `orders_by_day_3`.`next` ELSE DATE_ADD(DATE_ADD(DATE_ADD(DATE_TRUNC(CAST(`orders_by_day_3`.`first_day` AS DATE), MONTH), INTERVAL 1 MONTH), INTERVAL 1 WEEK), INTERVAL -1 DAY) END
  GROUP BY `orders_by_day_3`.`first_day`, CASE WHEN `orders_by_day_3`.`next` < DATE_ADD(DATE_ADD(DATE_ADD(DATE_TRUNC(CAST(`orders_by_day_3`.`first_day` AS DATE), MONTH), INTERVAL 1 MONTH), INTERVAL 1 WEEK), INTERVAL -1 DAY) THEN `orders_by_day_3`.`next` ELSE DATE_ADD(DATE_ADD(DATE_ADD(DATE_TRUNC(CAST(`orders_by_day_3`.`first_day` AS DATE), MONTH), INTERVAL 1 MONTH), INTERVAL 1 WEEK), INTERVAL -1 DAY) END
),
`shown` AS (
  SELECT `parts`.`day_week` AS `day_week`
  FROM (SELECT `orders_by_day_week`.`day_week` AS `day_week` FROM `orders_by_day_week`
UNION ALL SELECT `orders_intervals`.`day` AS `day_week` FROM `orders_intervals`
UNION ALL SELECT `orders_intervals_2`.`first_day` AS `day_week` FROM `orders_intervals_2`
UNION ALL SELECT `orders_intervals_2`.`last_day` AS `day_week` FROM `orders_intervals_2`) AS `parts`
),
`every_week` AS (
  SELECT `periods`.period AS `period`
  FROM (SELECT period FROM UNNEST(GENERATE_DATE_ARRAY(DATE_TRUNC(CAST((SELECT MIN(`shown`.`day_week`) AS `first_day_week` FROM `shown`) AS DATE), WEEK(MONDAY)), DATE_TRUNC(CAST((SELECT MAX(`shown`.`day_week`) AS `last_day_week` FROM `shown`) AS DATE), WEEK(MONDAY)), INTERVAL 1 WEEK)) AS period) AS `periods`
),
`periods` AS (
  SELECT `every_week`.`period` AS `period`, DATE_ADD(DATE_ADD(`every_week`.`period`, INTERVAL 1 WEEK), INTERVAL -1 DAY) AS `last_day`
  FROM `every_week`
),
`orders_by_day_week_2` AS (
  SELECT CAST(`parts_2`.`values_now` AS INT64) AS `buyers`, `parts_2`.`day_week` AS `day_week`
  FROM (SELECT `parts`.`at` AS `at`, `parts`.`day_week` AS `day_week`, `parts`.`values` AS `values`, SUM(`parts`.`values`) OVER (ORDER BY `parts`.`at` ASC NULLS FIRST, `parts`.`day_week` ASC NULLS FIRST ROWS UNBOUNDED PRECEDING) AS `values_now` FROM (SELECT `orders_intervals`.`day` AS `at`, CAST(NULL AS DATE) AS `day_week`, `orders_intervals`.`values` AS `values` FROM `orders_intervals`
UNION ALL SELECT `periods`.`last_day` AS `at`, `periods`.`period` AS `day_week`, 0 AS `values` FROM `periods`
UNION ALL SELECT `orders_intervals`.`until` AS `at`, CAST(NULL AS DATE) AS `day_week`, -`orders_intervals`.`values` AS `values` FROM `orders_intervals`) AS `parts`) AS `parts_2`
  WHERE `parts_2`.`day_week` IS NOT NULL
),
`periods_2` AS (
  SELECT `every_week`.`period` AS `period`, DATE_ADD(DATE_ADD(`every_week`.`period`, INTERVAL 1 WEEK), INTERVAL -1 DAY) AS `last_day`
  FROM `every_week`
),
`orders_by_day_week_3` AS (
  SELECT CAST(`parts_2`.`values_now` AS INT64) AS `buyers`, `parts_2`.`day_week` AS `day_week`
  FROM (SELECT `parts`.`at` AS `at`, `parts`.`day_week` AS `day_week`, `parts`.`values` AS `values`, SUM(`parts`.`values`) OVER (ORDER BY `parts`.`at` ASC NULLS FIRST, `parts`.`day_week` ASC NULLS FIRST ROWS UNBOUNDED PRECEDING) AS `values_now` FROM (SELECT `orders_intervals_2`.`first_day` AS `at`, CAST(NULL AS DATE) AS `day_week`, `orders_intervals_2`.`values` AS `values` FROM `orders_intervals_2`
UNION ALL SELECT `periods_2`.`last_day` AS `at`, `periods_2`.`period` AS `day_week`, 0 AS `values` FROM `periods_2`
UNION ALL SELECT `orders_intervals_2`.`until` AS `at`, CAST(NULL AS DATE) AS `day_week`, -`orders_intervals_2`.`values` AS `values` FROM `orders_intervals_2`) AS `parts`) AS `parts_2`
  WHERE `parts_2`.`day_week` IS NOT NULL
)
SELECT `parts`.`day_week` AS `day_week`, COALESCE(MAX(`parts`.`buyers`), 0) AS `buyers`, COALESCE(MAX(`parts`.`buyers_2`), 0) AS `buyers_28d`, COALESCE(MAX(`parts`.`buyers_3`), 0) AS `buyers_mtd`
FROM (SELECT `orders_by_day_week`.`day_week` AS `day_week`, `orders_by_day_week`.`buyers` AS `buyers`, CAST(NULL AS INT64) AS `buyers_2`, CAST(NULL AS INT64) AS `buyers_3` FROM `orders_by_day_week`
UNION ALL SELECT `orders_by_day_week_2`.`day_week` AS `day_week`, CAST(NULL AS INT64) AS `buyers`, `orders_by_day_week_2`.`buyers` AS `buyers_2`, CAST(NULL AS INT64) AS `buyers_3` FROM `orders_by_day_week_2`
UNION ALL SELECT `orders_by_day_week_3`.`day_week` AS `day_week`, CAST(NULL AS INT64) AS `buyers`, CAST(NULL AS INT64) AS `buyers_2`, `orders_by_day_week_3`.`buyers` AS `buyers_3` FROM `orders_by_day_week_3`) AS `parts`
GROUP BY `parts`.`day_week`
ORDER BY `parts`.`day_week` ASC NULLS LAST
LIMIT 1000

-- clickhouse
WITH `orders_by_day` AS (
  SELECT toDate32(`orders`.`day`) AS `day_2`, toNullable(`orders`.`customer_id`) AS `value`
  FROM `orders`
  GROUP BY toDate32(`orders`.`day`), toNullable(`orders`.`customer_id`)
),
`orders_by_day_week` AS (
  SELECT addDays(toDate32(`orders_by_day`.`day_2`), 1 - toDayOfWeek(`orders_by_day`.`day_2`)) AS `day_week`, toInt64(ifNull(uniqExact(`orders_by_day`.`value`), 0)) AS `buyers`
  FROM `orders_by_day`
  GROUP BY addDays(toDate32(`orders_by_day`.`day_2`), 1 - toDayOfWeek(`orders_by_day`.`day_2`))
),
`orders_intervals` AS (
  SELECT `orders_by_day_2`.`day` AS `day`, CASE WHEN `orders_by_day_2`.`next` < addDays(`orders_by_day_2`.`day`, 28) THEN `orders_by_day_2`.`next` ELSE addDays(`orders_by_day_2`.`day`, 28) END AS `until`, toInt64(count(`orders_by_day_2`.`buyers`)) AS `values`
  FROM (SELECT `orders_by_day`.`day_2` AS `day`, `orders_by_day`.`value` AS `buyers`, FIRST_VALUE(`orders_by_day`.`day_2`) OVER (PARTITION BY `orders_by_day`.`value` ORDER BY `orders_by_day`.`day_2` ASC NULLS LAST ROWS BETWEEN 1 FOLLOWING AND 1 FOLLOWING) AS `next` FROM `orders_by_day`) AS `orders_by_day_2`
  WHERE `orders_by_day_2`.`day` IS NOT NULL AND `orders_by_day_2`.`day` < CASE WHEN `orders_by_day_2`.`next` < addDays(`orders_by_day_2`.`day`, 28) THEN `orders_by_day_2`.`next` ELSE addDays(`orders_by_day_2`.`day`, 28) END
  GROUP BY `orders_by_day_2`.`day`, CASE WHEN `orders_by_day_2`.`next` < addDays(`orders_by_day_2`.`day`, 28) THEN `orders_by_day_2`.`next` ELSE addDays(`orders_by_day_2`.`day`, 28) END
),
`every_week` AS (
  SELECT `periods`.period AS `period`
  FROM (WITH (SELECT (addDays(toDate32(`ends`.`first_day_week`), 1 - toDayOfWeek(`ends`.`first_day_week`)), addDays(toDate32(`ends`.`last_day_week`), 1 - toDayOfWeek(`ends`.`last_day_week`))) FROM (SELECT minOrNull(`parts`.`day_week`) AS `first_day_week`, maxOrNull(`parts`.`day_week`) AS `last_day_week` FROM (SELECT addDays(toDate32(toDate32(`orders`.`day`)), 1 - toDayOfWeek(toDate32(`orders`.`day`))) AS `day_week` FROM `orders`
UNION ALL SELECT toDate32(`orders`.`day`) AS `day_week` FROM `orders`) AS `parts`) AS `ends`) AS loam_ends SELECT addWeeks(loam_ends.1, arrayJoin(range(toUInt64(ifNull(greatest(dateDiff('week', loam_ends.1, loam_ends.2) + 1, 0), 0))))) AS period) AS `periods`
),
`periods` AS (
  SELECT `every_week`.`period` AS `period`, addDays(addWeeks(`every_week`.`period`, 1), -1) AS `last_day`
  FROM `every_week`
),
`orders_by_day_week_2` AS (
  SELECT CAST(`parts_2`.`values_now` AS Nullable(Int64)) AS `buyers`, `parts_2`.`day_week` AS `day_week`
  FROM (SELECT `parts`.`at` AS `at`, `parts`.`day_week` AS `day_week`, `parts`.`values` AS `values`, SUM(`parts`.`values`) OVER (ORDER BY `parts`.`at` ASC NULLS LAST, `parts`.`day_week` ASC NULLS FIRST ROWS UNBOUNDED PRECEDING) AS `values_now` FROM (SELECT CASE WHEN `periods`.period = toDate32('2000-01-01') THEN `orders_intervals`.`day` ELSE `orders_intervals`.`until` END AS `at`, CAST(NULL AS Nullable(Date32)) AS `day_week`, CASE WHEN `periods`.period = toDate32('2000-01-01') THEN `orders_intervals`.`values` ELSE -`orders_intervals`.`values` END AS `values` FROM `orders_intervals` CROSS JOIN (SELECT addDays(toDate32('2000-01-01'), number) AS period FROM numbers(toUInt64(ifNull(greatest(dateDiff('day', toDate32('2000-01-01'), toDate32('2000-01-02')) + 1, 0), 0)))) AS `periods`
UNION ALL SELECT `periods`.`last_day` AS `at`, `periods`.`period` AS `day_week`, 0 AS `values` FROM `periods`) AS `parts`) AS `parts_2`
  WHERE `parts_2`.`day_week` IS NOT NULL
),
`orders_intervals_2` AS (
  SELECT `orders_by_day_3`.`first_day` AS `first_day`, CASE WHEN `orders_by_day_3`.`next` < addDays(addWeeks(addMonths(makeDate32(toYear(`orders_by_day_3`.`first_day`), toMonth(`orders_by_day_3`.`first_day`), 1), 1), 1), -1) THEN `orders_by_day_3`.`next` ELSE addDays(addWeeks(addMonths(makeDate32(toYear(`orders_by_day_3`.`first_day`), toMonth(`orders_by_day_3`.`first_day`), 1), 1), 1), -1) END AS `until`, toInt64(count(`orders_by_day_3`.`buyers`)) AS `values`
  FROM (SELECT `orders_by_day_2`.`buyers` AS `buyers`, `orders_by_day_2`.`month` AS `month`, `orders_by_day_2`.`first_day` AS `first_day`, FIRST_VALUE(`orders_by_day_2`.`first_day`) OVER (PARTITION BY `orders_by_day_2`.`buyers` ORDER BY `orders_by_day_2`.`first_day` ASC NULLS LAST ROWS BETWEEN 1 FOLLOWING AND 1 FOLLOWING) AS `next` FROM (SELECT `orders_by_day`.`value` AS `buyers`, makeDate32(toYear(`orders_by_day`.`day_2`), toMonth(`orders_by_day`.`day_2`), 1) AS `month`, minOrNull(`orders_by_day`.`day_2`) AS `first_day` FROM `orders_by_day` GROUP BY `orders_by_day`.`value`, makeDate32(toYear(`orders_by_day`.`day_2`), toMonth(`orders_by_day`.`day_2`), 1)) AS `orders_by_day_2`) AS `orders_by_day_3`
  WHERE `orders_by_day_3`.`first_day` IS NOT NULL AND `orders_by_day_3`.`first_day` < CASE WHEN `orders_by_day_3`.`next` < addDays(addWeeks(addMonths(makeDate32(toYear(`orders_by_day_3`.`first_day`), toMonth(`orders_by_day_3`.`first_day`), 1), 1), 1), -1) THEN `orders_by_day_3`.`next` ELSE addDays(addWeeks(addMonths(makeDate32(toYear(`orders_by_day_3`.`first_day`), toMonth(`orders_by_day_3`.`first_day`), 1), 1), 1), -1) END
  GROUP BY `orders_by_day_3`.`first_day`, CASE WHEN `orders_by_day_3`.`next` < addDays(addWeeks(addMonths(makeDate32(toYear(`orders_by_day_3`.`first_day`), toMonth(`orders_by_day_3`.`first_day`), 1), 1), 1), -1) THEN `orders_by_day_3`.`next` ELSE addDays(addWeeks(addMonths(makeDate32(toYear(`orders_by_day_3`.`first_day`), toMonth(`orders_by_day_3`.`first_day`), 1), 1), 1), -1) END
),
`periods_2` AS (
  SELECT `every_week`.`period` AS `period`, addDays(addWeeks(`every_week`.`period`, 1), -1) AS `last_day`
  FROM `every_week`
),
`orders_by_day_week_3` AS (
  SELECT CAST(`parts_2`.`values_now` AS Nullable(Int64)) AS `buyers`, `parts_2`.`day_week` AS `day_week`
  FROM (SELECT `parts`.`at` AS `at`, `parts`.`day_week` AS `day_week`, `parts`.`values` AS `values`, SUM(`parts`.`values`) OVER (ORDER BY `parts`.`at` ASC NULLS LAST, `parts`.`day_week` ASC NULLS FIRST ROWS UNBOUNDED PRECEDING) AS `values_now` FROM (SELECT CASE WHEN `periods`.period = toDate32('2000-01-01') THEN `orders_intervals_2`.`first_day` ELSE `orders_intervals_2`.`until` END AS `at`, CAST(NULL AS Nullable(Date32)) AS `day_week`, CASE WHEN `periods`.period = toDate32('2000-01-01') THEN `orders_intervals_2`.`values` ELSE -`orders_intervals_2`.`values` END AS `values` FROM `orders_intervals_2` CROSS JOIN (SELECT addDays(toDate32('2000-01-01'), number) AS period FROM numbers(toUInt64(ifNull(greatest(dateDiff('day', toDate32('2000-01-01'), toDate32('2000-01-02')) + 1, 0), 0)))) AS `periods`
UNION ALL SELECT `periods_2`.`last_day` AS `at`, `periods_2`.`period` AS `day_week`, 0 AS `values` FROM `periods_2`) AS `parts`) AS `parts_2`
  WHERE `parts_2`.`day_week` IS NOT NULL
)
SELECT `parts`.`day_week` AS `day_week`, coalesce(maxOrNull(`parts`.`buyers`), 0) AS `buyers`, coalesce(maxOrNull(`parts`.`buyers_2`), 0) AS `buyers_28d`, coalesce(maxOrNull(`parts`.`buyers_3`), 0) AS `buyers_mtd`
FROM (SELECT `orders_by_day_week`.`day_week` AS `day_week`, `orders_by_day_week`.`buyers` AS `buyers`, CAST(NULL AS Nullable(Int64)) AS `buyers_2`, CAST(NULL AS Nullable(Int64)) AS `buyers_3` FROM `orders_by_day_week`
UNION ALL SELECT `orders_by_day_week_2`.`day_week` AS `day_week`, CAST(NULL AS Nullable(Int64)) AS `buyers`, `orders_by_day_week_2`.`buyers` AS `buyers_2`, CAST(NULL AS Nullable(Int64)) AS `buyers_3` FROM `orders_by_day_week_2`
UNION ALL SELECT `orders_by_day_week_3`.`day_week` AS `day_week`, CAST(NULL AS Nullable(Int64)) AS `buyers`, CAST(NULL AS Nullable(Int64)) AS `buyers_2`, `orders_by_day_week_3`.`buyers` AS `buyers_3` FROM `orders_by_day_week_3`) AS `parts`
GROUP BY `parts`.`day_week`
ORDER BY `parts`.`day_week` ASC NULLS LAST
LIMIT 1000

-- duckdb
WITH "orders_by_day" AS (
  SELECT CAST(date_trunc('day', "orders"."day") AS DATE) AS "day_2", "orders"."customer_id" AS "value"
  FROM "orders"
  GROUP BY CAST(date_trunc('day', "orders"."day") AS DATE), "orders"."customer_id"
),
"orders_by_day_week" AS (
  SELECT CAST(date_trunc('week', "orders_by_day"."day_2") AS DATE) AS "day_week", COUNT(DISTINCT "orders_by_day"."value") AS "buyers"
  FROM "orders_by_day"
  GROUP BY CAST(date_trunc('week', "orders_by_day"."day_2") AS DATE)
),
"orders_intervals" AS (
  SELECT "orders_by_day_2"."day" AS "day", CASE WHEN "orders_by_day_2"."next" < CAST("orders_by_day_2"."day" + INTERVAL (28) day AS DATE) THEN "orders_by_day_2"."next" ELSE CAST("orders_by_day_2"."day" + INTERVAL (28) day AS DATE) END AS "until", COUNT("orders_by_day_2"."buyers") AS "values"
  FROM (SELECT "orders_by_day"."day_2" AS "day", "orders_by_day"."value" AS "buyers", FIRST_VALUE("orders_by_day"."day_2") OVER (PARTITION BY "orders_by_day"."value" ORDER BY "orders_by_day"."day_2" ASC NULLS LAST ROWS BETWEEN 1 FOLLOWING AND 1 FOLLOWING) AS "next" FROM "orders_by_day") AS "orders_by_day_2"
  WHERE "orders_by_day_2"."day" IS NOT NULL AND "orders_by_day_2"."day" < CASE WHEN "orders_by_day_2"."next" < CAST("orders_by_day_2"."day" + INTERVAL (28) day AS DATE) THEN "orders_by_day_2"."next" ELSE CAST("orders_by_day_2"."day" + INTERVAL (28) day AS DATE) END
  GROUP BY "orders_by_day_2"."day", CASE WHEN "orders_by_day_2"."next" < CAST("orders_by_day_2"."day" + INTERVAL (28) day AS DATE) THEN "orders_by_day_2"."next" ELSE CAST("orders_by_day_2"."day" + INTERVAL (28) day AS DATE) END
),
"orders_intervals_2" AS (
  SELECT "orders_by_day_3"."first_day" AS "first_day", CASE WHEN "orders_by_day_3"."next" < CAST(CAST(CAST(CAST(date_trunc('month', "orders_by_day_3"."first_day") AS DATE) + INTERVAL (1) month AS DATE) + INTERVAL (1) week AS DATE) + INTERVAL (-1) day AS DATE) THEN "orders_by_day_3"."next" ELSE CAST(CAST(CAST(CAST(date_trunc('month', "orders_by_day_3"."first_day") AS DATE) + INTERVAL (1) month AS DATE) + INTERVAL (1) week AS DATE) + INTERVAL (-1) day AS DATE) END AS "until", COUNT("orders_by_day_3"."buyers") AS "values", MAX("orders_by_day_3"."last_day") AS "last_day"
  FROM (SELECT "orders_by_day_2"."buyers" AS "buyers", "orders_by_day_2"."month" AS "month", "orders_by_day_2"."first_day" AS "first_day", "orders_by_day_2"."last_day" AS "last_day", FIRST_VALUE("orders_by_day_2"."first_day") OVER (PARTITION BY "orders_by_day_2"."buyers" ORDER BY "orders_by_day_2"."first_day" ASC NULLS LAST ROWS BETWEEN 1 FOLLOWING AND 1 FOLLOWING) AS "next" FROM (SELECT "orders_by_day"."value" AS "buyers", CAST(date_trunc('month', "orders_by_day"."day_2") AS DATE) AS "month", MIN("orders_by_day"."day_2") AS "first_day", MAX("orders_by_day"."day_2") AS "last_day" FROM "orders_by_day" GROUP BY "orders_by_day"."value", CAST(date_trunc('month', "orders_by_day"."day_2") AS DATE)) AS "orders_by_day_2") AS "orders_by_day_3"
  WHERE "orders_by_day_3"."first_day" IS NOT NULL AND "orders_by_day_3"."first_day" < CASE WHEN "orders_by_day_3"."next" < CAST(CAST(CAST(CAST(date_trunc('month', "orders_by_day_3"."first_day") AS DATE) + INTERVAL (1) month AS DATE) + INTERVAL (1) week AS DATE) + INTERVAL (-1) day AS DATE) THEN "orders_by_day_3"."next" ELSE CAST(CAST(CAST(CAST(date_trunc('month', "orders_by_day_3"."first_day") AS DATE) + INTERVAL (1) month AS DATE) + INTERVAL (1) week AS DATE) + INTERVAL (-1) day AS DATE) END
  GROUP BY "orders_by_day_3"."first_day", CASE WHEN "orders_by_day_3"."next" < CAST(CAST(CAST(CAST(date_trunc('month', "orders_by_day_3"."first_day") AS DATE) + INTERVAL (1) month AS DATE) + INTERVAL (1) week AS DATE) + INTERVAL (-1) day AS DATE) THEN "orders_by_day_3"."next" ELSE CAST(CAST(CAST(CAST(date_trunc('month', "orders_by_day_3"."first_day") AS DATE) + INTERVAL (1) month AS DATE) + INTERVAL (1) week AS DATE) + INTERVAL (-1) day AS DATE) END
),
"shown" AS (
  SELECT "parts"."day_week" AS "day_week"
  FROM (SELECT "orders_by_day_week"."day_week" AS "day_week" FROM "orders_by_day_week"
UNION ALL SELECT "orders_intervals"."day" AS "day_week" FROM "orders_intervals"
UNION ALL SELECT "orders_intervals_2"."first_day" AS "day_week" FROM "orders_intervals_2"
UNION ALL SELECT "orders_intervals_2"."last_day" AS "day_week" FROM "orders_intervals_2") AS "parts"
),
"every_week" AS (
  SELECT "periods".period AS "period"
  FROM (SELECT CAST(unnest(generate_series(CAST(date_trunc('week', (SELECT MIN("shown"."day_week") AS "first_day_week" FROM "shown")) AS DATE), CAST(date_trunc('week', (SELECT MAX("shown"."day_week") AS "last_day_week" FROM "shown")) AS DATE), INTERVAL 1 week)) AS DATE) AS period) AS "periods"
),
"periods" AS (
  SELECT "every_week"."period" AS "period", CAST(CAST("every_week"."period" + INTERVAL (1) week AS DATE) + INTERVAL (-1) day AS DATE) AS "last_day"
  FROM "every_week"
),
"orders_by_day_week_2" AS (
  SELECT CAST("parts_2"."values_now" AS BIGINT) AS "buyers", "parts_2"."day_week" AS "day_week"
  FROM (SELECT "parts"."at" AS "at", "parts"."day_week" AS "day_week", "parts"."values" AS "values", SUM("parts"."values") OVER (ORDER BY "parts"."at" ASC NULLS LAST, "parts"."day_week" ASC NULLS FIRST ROWS UNBOUNDED PRECEDING) AS "values_now" FROM (SELECT "orders_intervals"."day" AS "at", CAST(NULL AS DATE) AS "day_week", "orders_intervals"."values" AS "values" FROM "orders_intervals"
UNION ALL SELECT "periods"."last_day" AS "at", "periods"."period" AS "day_week", 0 AS "values" FROM "periods"
UNION ALL SELECT "orders_intervals"."until" AS "at", CAST(NULL AS DATE) AS "day_week", -"orders_intervals"."values" AS "values" FROM "orders_intervals") AS "parts") AS "parts_2"
  WHERE "parts_2"."day_week" IS NOT NULL
),
"periods_2" AS (
  SELECT "every_week"."period" AS "period", CAST(CAST("every_week"."period" + INTERVAL (1) week AS DATE) + INTERVAL (-1) day AS DATE) AS "last_day"
  FROM "every_week"
),
"orders_by_day_week_3" AS (
  SELECT CAST("parts_2"."values_now" AS BIGINT) AS "buyers", "parts_2"."day_week" AS "day_week"
  FROM (SELECT "parts"."at" AS "at", "parts"."day_week" AS "day_week", "parts"."values" AS "values", SUM("parts"."values") OVER (ORDER BY "parts"."at" ASC NULLS LAST, "parts"."day_week" ASC NULLS FIRST ROWS UNBOUNDED PRECEDING) AS "values_now" FROM (SELECT "orders_intervals_2"."first_day" AS "at", CAST(NULL AS DATE) AS "day_week", "orders_intervals_2"."values" AS "values" FROM "orders_intervals_2"
UNION ALL SELECT "periods_2"."last_day" AS "at", "periods_2"."period" AS "day_week", 0 AS "values" FROM "periods_2"
UNION ALL SELECT "orders_intervals_2"."until" AS "at", CAST(NULL AS DATE) AS "day_week", -"orders_intervals_2"."values" AS "values" FROM "orders_intervals_2") AS "parts") AS "parts_2"
  WHERE "parts_2"."day_week" IS NOT NULL
)
SELECT "parts"."day_week" AS "day_week", coalesce(MAX("parts"."buyers"), 0) AS "buyers", coalesce(MAX("parts"."buyers_2"), 0) AS "buyers_28d", coalesce(MAX("parts"."buyers_3"), 0) AS "buyers_mtd"
FROM (SELECT "orders_by_day_week"."day_week" AS "day_week", "orders_by_day_week"."buyers" AS "buyers", CAST(NULL AS BIGINT) AS "buyers_2", CAST(NULL AS BIGINT) AS "buyers_3" FROM "orders_by_day_week"
UNION ALL SELECT "orders_by_day_week_2"."day_week" AS "day_week", CAST(NULL AS BIGINT) AS "buyers", "orders_by_day_week_2"."buyers" AS "buyers_2", CAST(NULL AS BIGINT) AS "buyers_3" FROM "orders_by_day_week_2"
UNION ALL SELECT "orders_by_day_week_3"."day_week" AS "day_week", CAST(NULL AS BIGINT) AS "buyers", CAST(NULL AS BIGINT) AS "buyers_2", "orders_by_day_week_3"."buyers" AS "buyers_3" FROM "orders_by_day_week_3") AS "parts"
GROUP BY "parts"."day_week"
ORDER BY "parts"."day_week" ASC NULLS LAST
LIMIT 1000

-- mysql
WITH `orders_by_day` AS (
  SELECT SQL_BIG_RESULT `orders_2`.`day_2` AS `day`, `orders_2`.`value` AS `value`
  FROM (SELECT DATE(`orders`.`day`) AS `day_2`, `orders`.`customer_id` AS `value` FROM `orders`) AS `orders_2`
  GROUP BY `orders_2`.`day_2`, `orders_2`.`value`
),
`orders_by_day_week` AS (
  SELECT `orders_by_day_2`.`day_week` AS `day_week`, COUNT(DISTINCT `orders_by_day_2`.`buyers`) AS `buyers`
  FROM (SELECT DATE_SUB(DATE(`orders_by_day`.`day`), INTERVAL WEEKDAY(`orders_by_day`.`day`) DAY) AS `day_week`, `orders_by_day`.`value` AS `buyers` FROM `orders_by_day`) AS `orders_by_day_2`
  GROUP BY `orders_by_day_2`.`day_week`
),
`orders_intervals` AS (
  SELECT `orders_by_day_3`.`day` AS `day`, `orders_by_day_3`.`until` AS `until`, COUNT(`orders_by_day_3`.`buyers`) AS `values`
  FROM (SELECT `orders_by_day_2`.`buyers` AS `buyers`, `orders_by_day_2`.`day` AS `day`, CASE WHEN `orders_by_day_2`.`next` < DATE_ADD(`orders_by_day_2`.`day`, INTERVAL 28 DAY) THEN `orders_by_day_2`.`next` ELSE DATE_ADD(`orders_by_day_2`.`day`, INTERVAL 28 DAY) END AS `until` FROM (SELECT `orders_by_day`.`day` AS `day`, `orders_by_day`.`value` AS `buyers`, FIRST_VALUE(`orders_by_day`.`day`) OVER (PARTITION BY `orders_by_day`.`value` ORDER BY `orders_by_day`.`day` ASC ROWS BETWEEN 1 FOLLOWING AND 1 FOLLOWING) AS `next` FROM `orders_by_day`) AS `orders_by_day_2` WHERE `orders_by_day_2`.`day` IS NOT NULL AND `orders_by_day_2`.`day` < CASE WHEN `orders_by_day_2`.`next` < DATE_ADD(`orders_by_day_2`.`day`, INTERVAL 28 DAY) THEN `orders_by_day_2`.`next` ELSE DATE_ADD(`orders_by_day_2`.`day`, INTERVAL 28 DAY) END) AS `orders_by_day_3`
  GROUP BY `orders_by_day_3`.`day`, `orders_by_day_3`.`until`
),
`every_week` AS (
  SELECT `periods`.period AS `period`
  FROM (SELECT DATE_ADD(b.lo, INTERVAL n.i - 1 WEEK) AS period FROM (SELECT DATE_SUB(DATE(`ends`.`first_day_week`), INTERVAL WEEKDAY(`ends`.`first_day_week`) DAY) AS lo, DATE_SUB(DATE(`ends`.`last_day_week`), INTERVAL WEEKDAY(`ends`.`last_day_week`) DAY) AS hi FROM (SELECT MIN(`parts`.`day_week`) AS `first_day_week`, MAX(`parts`.`day_week`) AS `last_day_week` FROM (SELECT DATE_SUB(DATE(DATE(`orders`.`day`)), INTERVAL WEEKDAY(DATE(`orders`.`day`)) DAY) AS `day_week` FROM `orders`
UNION ALL SELECT DATE(`orders`.`day`) AS `day_week` FROM `orders`) AS `parts`) AS `ends`) AS b JOIN JSON_TABLE(CONCAT('[0', REPEAT(',0', TIMESTAMPDIFF(WEEK, b.lo, b.hi)), ']'), '$[*]' COLUMNS (i FOR ORDINALITY)) AS n WHERE b.lo <= b.hi) AS `periods`
),
`periods` AS (
  SELECT `every_week`.`period` AS `period`, DATE_ADD(DATE_ADD(`every_week`.`period`, INTERVAL 1 WEEK), INTERVAL -1 DAY) AS `last_day`
  FROM `every_week`
),
`orders_by_day_week_2` AS (
  SELECT CAST(`parts_2`.`values_now` AS SIGNED) AS `buyers`, `parts_2`.`day_week` AS `day_week`
  FROM (SELECT `parts`.`at` AS `at`, `parts`.`day_week` AS `day_week`, `parts`.`values` AS `values`, SUM(`parts`.`values`) OVER (ORDER BY `parts`.`at` ASC, `parts`.`day_week` ASC ROWS UNBOUNDED PRECEDING) AS `values_now` FROM (SELECT CASE WHEN `periods`.period = DATE '2000-01-01' THEN `orders_intervals`.`day` ELSE `orders_intervals`.`until` END AS `at`, CAST(NULL AS DATE) AS `day_week`, CASE WHEN `periods`.period = DATE '2000-01-01' THEN `orders_intervals`.`values` ELSE -`orders_intervals`.`values` END AS `values` FROM `orders_intervals` CROSS JOIN (SELECT DATE_ADD(b.lo, INTERVAL n.i - 1 DAY) AS period FROM (SELECT DATE '2000-01-01' AS lo, DATE '2000-01-02' AS hi) AS b JOIN JSON_TABLE(CONCAT('[0', REPEAT(',0', TIMESTAMPDIFF(DAY, b.lo, b.hi)), ']'), '$[*]' COLUMNS (i FOR ORDINALITY)) AS n WHERE b.lo <= b.hi) AS `periods`
UNION ALL SELECT `periods`.`last_day` AS `at`, `periods`.`period` AS `day_week`, 0 AS `values` FROM `periods`) AS `parts`) AS `parts_2`
  WHERE `parts_2`.`day_week` IS NOT NULL
),
`orders_intervals_2` AS (
  SELECT `orders_by_day_5`.`first_day` AS `first_day`, `orders_by_day_5`.`until` AS `until`, COUNT(`orders_by_day_5`.`buyers`) AS `values`
  FROM (SELECT `orders_by_day_4`.`buyers` AS `buyers`, `orders_by_day_4`.`first_day` AS `first_day`, CASE WHEN `orders_by_day_4`.`next` < DATE_ADD(DATE_ADD(DATE_ADD(CAST(DATE_FORMAT(`orders_by_day_4`.`first_day`, '%Y-%m-01') AS DATE), INTERVAL 1 MONTH), INTERVAL 1 WEEK), INTERVAL -1 DAY) THEN `orders_by_day_4`.`next` ELSE DATE_ADD(DATE_ADD(DATE_ADD(CAST(DATE_FORMAT(`orders_by_day_4`.`first_day`, '%Y-%m-01') AS DATE), INTERVAL 1 MONTH), INTERVAL 1 WEEK), INTERVAL -1 DAY) END AS `until` FROM (SELECT `orders_by_day_3`.`buyers` AS `buyers`, `orders_by_day_3`.`month` AS `month`, `orders_by_day_3`.`first_day` AS `first_day`, FIRST_VALUE(`orders_by_day_3`.`first_day`) OVER (PARTITION BY `orders_by_day_3`.`buyers` ORDER BY `orders_by_day_3`.`first_day` ASC ROWS BETWEEN 1 FOLLOWING AND 1 FOLLOWING) AS `next` FROM (SELECT SQL_BIG_RESULT `orders_by_day_2`.`buyers` AS `buyers`, `orders_by_day_2`.`month` AS `month`, MIN(`orders_by_day_2`.`day`) AS `first_day` FROM (SELECT `orders_by_day`.`day` AS `day`, `orders_by_day`.`value` AS `buyers`, CAST(DATE_FORMAT(`orders_by_day`.`day`, '%Y-%m-01') AS DATE) AS `month` FROM `orders_by_day`) AS `orders_by_day_2` GROUP BY `orders_by_day_2`.`buyers`, `orders_by_day_2`.`month`) AS `orders_by_day_3`) AS `orders_by_day_4` WHERE `orders_by_day_4`.`first_day` IS NOT NULL AND `orders_by_day_4`.`first_day` < CASE WHEN `orders_by_day_4`.`next` < DATE_ADD(DATE_ADD(DATE_ADD(CAST(DATE_FORMAT(`orders_by_day_4`.`first_day`, '%Y-%m-01') AS DATE), INTERVAL 1 MONTH), INTERVAL 1 WEEK), INTERVAL -1 DAY) THEN `orders_by_day_4`.`next` ELSE DATE_ADD(DATE_ADD(DATE_ADD(CAST(DATE_FORMAT(`orders_by_day_4`.`first_day`, '%Y-%m-01') AS DATE), INTERVAL 1 MONTH), INTERVAL 1 WEEK), INTERVAL -1 DAY) END) AS `orders_by_day_5`
  GROUP BY `orders_by_day_5`.`first_day`, `orders_by_day_5`.`until`
),
`periods_2` AS (
  SELECT `every_week`.`period` AS `period`, DATE_ADD(DATE_ADD(`every_week`.`period`, INTERVAL 1 WEEK), INTERVAL -1 DAY) AS `last_day`
  FROM `every_week`
),
`orders_by_day_week_3` AS (
  SELECT CAST(`parts_2`.`values_now` AS SIGNED) AS `buyers`, `parts_2`.`day_week` AS `day_week`
  FROM (SELECT `parts`.`at` AS `at`, `parts`.`day_week` AS `day_week`, `parts`.`values` AS `values`, SUM(`parts`.`values`) OVER (ORDER BY `parts`.`at` ASC, `parts`.`day_week` ASC ROWS UNBOUNDED PRECEDING) AS `values_now` FROM (SELECT CASE WHEN `periods`.period = DATE '2000-01-01' THEN `orders_intervals_2`.`first_day` ELSE `orders_intervals_2`.`until` END AS `at`, CAST(NULL AS DATE) AS `day_week`, CASE WHEN `periods`.period = DATE '2000-01-01' THEN `orders_intervals_2`.`values` ELSE -`orders_intervals_2`.`values` END AS `values` FROM `orders_intervals_2` CROSS JOIN (SELECT DATE_ADD(b.lo, INTERVAL n.i - 1 DAY) AS period FROM (SELECT DATE '2000-01-01' AS lo, DATE '2000-01-02' AS hi) AS b JOIN JSON_TABLE(CONCAT('[0', REPEAT(',0', TIMESTAMPDIFF(DAY, b.lo, b.hi)), ']'), '$[*]' COLUMNS (i FOR ORDINALITY)) AS n WHERE b.lo <= b.hi) AS `periods`
UNION ALL SELECT `periods_2`.`last_day` AS `at`, `periods_2`.`period` AS `day_week`, 0 AS `values` FROM `periods_2`) AS `parts`) AS `parts_2`
  WHERE `parts_2`.`day_week` IS NOT NULL
)
SELECT `parts`.`day_week` AS `day_week`, COALESCE(MAX(`parts`.`buyers`), 0) AS `buyers`, COALESCE(MAX(`parts`.`buyers_2`), 0) AS `buyers_28d`, COALESCE(MAX(`parts`.`buyers_3`), 0) AS `buyers_mtd`
FROM (SELECT `orders_by_day_week`.`day_week` AS `day_week`, `orders_by_day_week`.`buyers` AS `buyers`, CAST(NULL AS SIGNED) AS `buyers_2`, CAST(NULL AS SIGNED) AS `buyers_3` FROM `orders_by_day_week`
UNION ALL SELECT `orders_by_day_week_2`.`day_week` AS `day_week`, CAST(NULL AS SIGNED) AS `buyers`, `orders_by_day_week_2`.`buyers` AS `buyers_2`, CAST(NULL AS SIGNED) AS `buyers_3` FROM `orders_by_day_week_2`
UNION ALL SELECT `orders_by_day_week_3`.`day_week` AS `day_week`, CAST(NULL AS SIGNED) AS `buyers`, CAST(NULL AS SIGNED) AS `buyers_2`, `orders_by_day_week_3`.`buyers` AS `buyers_3` FROM `orders_by_day_week_3`) AS `parts`
GROUP BY `parts`.`day_week`
ORDER BY `parts`.`day_week` IS NULL, `parts`.`day_week` ASC
LIMIT 1000

-- postgres
WITH "orders_by_day" AS (
  SELECT CAST("orders"."day" AS date) AS "day_2", "orders"."customer_id" AS "value"
  FROM "orders"
  GROUP BY CAST("orders"."day" AS date), "orders"."customer_id"
),
"orders_by_day_week" AS (
  SELECT CAST(date_trunc('week', "orders_by_day"."day_2") AS date) AS "day_week", COUNT(DISTINCT "orders_by_day"."value") AS "buyers"
  FROM "orders_by_day"
  GROUP BY CAST(date_trunc('week', "orders_by_day"."day_2") AS date)
),
"orders_intervals" AS (
  SELECT "orders_by_day_2"."day" AS "day", CASE WHEN "orders_by_day_2"."next" < CAST("orders_by_day_2"."day" + make_interval(days => 28) AS date) THEN "orders_by_day_2"."next" ELSE CAST("orders_by_day_2"."day" + make_interval(days => 28) AS date) END AS "until", COUNT("orders_by_day_2"."buyers") AS "values"
  FROM (SELECT "orders_by_day"."day_2" AS "day", "orders_by_day"."value" AS "buyers", FIRST_VALUE("orders_by_day"."day_2") OVER (PARTITION BY "orders_by_day"."value" ORDER BY "orders_by_day"."day_2" ASC NULLS LAST ROWS BETWEEN 1 FOLLOWING AND 1 FOLLOWING) AS "next" FROM "orders_by_day") AS "orders_by_day_2"
  WHERE "orders_by_day_2"."day" IS NOT NULL AND "orders_by_day_2"."day" < CASE WHEN "orders_by_day_2"."next" < CAST("orders_by_day_2"."day" + make_interval(days => 28) AS date) THEN "orders_by_day_2"."next" ELSE CAST("orders_by_day_2"."day" + make_interval(days => 28) AS date) END
  GROUP BY "orders_by_day_2"."day", CASE WHEN "orders_by_day_2"."next" < CAST("orders_by_day_2"."day" + make_interval(days => 28) AS date) THEN "orders_by_day_2"."next" ELSE CAST("orders_by_day_2"."day" + make_interval(days => 28) AS date) END
),
"orders_intervals_2" AS (
  SELECT "orders_by_day_3"."first_day" AS "first_day", CASE WHEN "orders_by_day_3"."next" < CAST(CAST(CAST(CAST(date_trunc('month', "orders_by_day_3"."first_day") AS date) + make_interval(months => 1) AS date) + make_interval(weeks => 1) AS date) + make_interval(days => -1) AS date) THEN "orders_by_day_3"."next" ELSE CAST(CAST(CAST(CAST(date_trunc('month', "orders_by_day_3"."first_day") AS date) + make_interval(months => 1) AS date) + make_interval(weeks => 1) AS date) + make_interval(days => -1) AS date) END AS "until", COUNT("orders_by_day_3"."buyers") AS "values", MAX("orders_by_day_3"."last_day") AS "last_day"
  FROM (SELECT "orders_by_day_2"."buyers" AS "buyers", "orders_by_day_2"."month" AS "month", "orders_by_day_2"."first_day" AS "first_day", "orders_by_day_2"."last_day" AS "last_day", FIRST_VALUE("orders_by_day_2"."first_day") OVER (PARTITION BY "orders_by_day_2"."buyers" ORDER BY "orders_by_day_2"."first_day" ASC NULLS LAST ROWS BETWEEN 1 FOLLOWING AND 1 FOLLOWING) AS "next" FROM (SELECT "orders_by_day"."value" AS "buyers", CAST(date_trunc('month', "orders_by_day"."day_2") AS date) AS "month", MIN("orders_by_day"."day_2") AS "first_day", MAX("orders_by_day"."day_2") AS "last_day" FROM "orders_by_day" GROUP BY "orders_by_day"."value", CAST(date_trunc('month', "orders_by_day"."day_2") AS date)) AS "orders_by_day_2") AS "orders_by_day_3"
  WHERE "orders_by_day_3"."first_day" IS NOT NULL AND "orders_by_day_3"."first_day" < CASE WHEN "orders_by_day_3"."next" < CAST(CAST(CAST(CAST(date_trunc('month', "orders_by_day_3"."first_day") AS date) + make_interval(months => 1) AS date) + make_interval(weeks => 1) AS date) + make_interval(days => -1) AS date) THEN "orders_by_day_3"."next" ELSE CAST(CAST(CAST(CAST(date_trunc('month', "orders_by_day_3"."first_day") AS date) + make_interval(months => 1) AS date) + make_interval(weeks => 1) AS date) + make_interval(days => -1) AS date) END
  GROUP BY "orders_by_day_3"."first_day", CASE WHEN "orders_by_day_3"."next" < CAST(CAST(CAST(CAST(date_trunc('month', "orders_by_day_3"."first_day") AS date) + make_interval(months => 1) AS date) + make_interval(weeks => 1) AS date) + make_interval(days => -1) AS date) THEN "orders_by_day_3"."next" ELSE CAST(CAST(CAST(CAST(date_trunc('month', "orders_by_day_3"."first_day") AS date) + make_interval(months => 1) AS date) + make_interval(weeks => 1) AS date) + make_interval(days => -1) AS date) END
),
"shown" AS (
  SELECT "parts"."day_week" AS "day_week"
  FROM (SELECT "orders_by_day_week"."day_week" AS "day_week" FROM "orders_by_day_week"
UNION ALL SELECT "orders_intervals"."day" AS "day_week" FROM "orders_intervals"
UNION ALL SELECT "orders_intervals_2"."first_day" AS "day_week" FROM "orders_intervals_2"
UNION ALL SELECT "orders_intervals_2"."last_day" AS "day_week" FROM "orders_intervals_2") AS "parts"
),
"every_week" AS (
  SELECT "periods".period AS "period"
  FROM (SELECT CAST(p AS date) AS period FROM generate_series(CAST(CAST(date_trunc('week', (SELECT MIN("shown"."day_week") AS "first_day_week" FROM "shown")) AS date) AS timestamp), CAST(CAST(date_trunc('week', (SELECT MAX("shown"."day_week") AS "last_day_week" FROM "shown")) AS date) AS timestamp), INTERVAL '7 days') AS s (p)) AS "periods"
),
"periods" AS (
  SELECT "every_week"."period" AS "period", CAST(CAST("every_week"."period" + make_interval(weeks => 1) AS date) + make_interval(days => -1) AS date) AS "last_day"
  FROM "every_week"
),
"orders_by_day_week_2" AS (
  SELECT CAST("parts_2"."values_now" AS bigint) AS "buyers", "parts_2"."day_week" AS "day_week"
  FROM (SELECT "parts"."at" AS "at", "parts"."day_week" AS "day_week", "parts"."values" AS "values", SUM("parts"."values") OVER (ORDER BY "parts"."at" ASC NULLS LAST, "parts"."day_week" ASC NULLS FIRST ROWS UNBOUNDED PRECEDING) AS "values_now" FROM (SELECT "orders_intervals"."day" AS "at", CAST(NULL AS date) AS "day_week", "orders_intervals"."values" AS "values" FROM "orders_intervals"
UNION ALL SELECT "periods"."last_day" AS "at", "periods"."period" AS "day_week", 0 AS "values" FROM "periods"
UNION ALL SELECT "orders_intervals"."until" AS "at", CAST(NULL AS date) AS "day_week", -"orders_intervals"."values" AS "values" FROM "orders_intervals") AS "parts") AS "parts_2"
  WHERE "parts_2"."day_week" IS NOT NULL
),
"periods_2" AS (
  SELECT "every_week"."period" AS "period", CAST(CAST("every_week"."period" + make_interval(weeks => 1) AS date) + make_interval(days => -1) AS date) AS "last_day"
  FROM "every_week"
),
"orders_by_day_week_3" AS (
  SELECT CAST("parts_2"."values_now" AS bigint) AS "buyers", "parts_2"."day_week" AS "day_week"
  FROM (SELECT "parts"."at" AS "at", "parts"."day_week" AS "day_week", "parts"."values" AS "values", SUM("parts"."values") OVER (ORDER BY "parts"."at" ASC NULLS LAST, "parts"."day_week" ASC NULLS FIRST ROWS UNBOUNDED PRECEDING) AS "values_now" FROM (SELECT "orders_intervals_2"."first_day" AS "at", CAST(NULL AS date) AS "day_week", "orders_intervals_2"."values" AS "values" FROM "orders_intervals_2"
UNION ALL SELECT "periods_2"."last_day" AS "at", "periods_2"."period" AS "day_week", 0 AS "values" FROM "periods_2"
UNION ALL SELECT "orders_intervals_2"."until" AS "at", CAST(NULL AS date) AS "day_week", -"orders_intervals_2"."values" AS "values" FROM "orders_intervals_2") AS "parts") AS "parts_2"
  WHERE "parts_2"."day_week" IS NOT NULL
)
SELECT "parts"."day_week" AS "day_week", coalesce(MAX("parts"."buyers"), 0) AS "buyers", coalesce(MAX("parts"."buyers_2"), 0) AS "buyers_28d", coalesce(MAX("parts"."buyers_3"), 0) AS "buyers_mtd"
FROM (SELECT "orders_by_day_week"."day_week" AS "day_week", "orders_by_day_week"."buyers" AS "buyers", CAST(NULL AS bigint) AS "buyers_2", CAST(NULL AS bigint) AS "buyers_3" FROM "orders_by_day_week"
UNION ALL SELECT "orders_by_day_week_2"."day_week" AS "day_week", CAST(NULL AS bigint) AS "buyers", "orders_by_day_week_2"."buyers" AS "buyers_2", CAST(NULL AS bigint) AS "buyers_3" FROM "orders_by_day_week_2"
UNION ALL SELECT "orders_by_day_week_3"."day_week" AS "day_week", CAST(NULL AS bigint) AS "buyers", CAST(NULL AS bigint) AS "buyers_2", "orders_by_day_week_3"."buyers" AS "buyers_3" FROM "orders_by_day_week_3") AS "parts"
GROUP BY "parts"."day_week"
ORDER BY "parts"."day_week" ASC NULLS LAST
LIMIT 1000

-- snowflake
WITH "orders_by_day" AS (
  SELECT DATE_TRUNC('DAY', "orders"."DAY")::DATE AS "day_2", "orders"."CUSTOMER_ID" AS "value"
  FROM "ORDERS" AS "orders"
  GROUP BY DATE_TRUNC('DAY', "orders"."DAY")::DATE, "orders"."CUSTOMER_ID"
),
"orders_by_day_week" AS (
  SELECT DATEADD('DAY', 1 - DAYOFWEEKISO("orders_by_day"."day_2"), "orders_by_day"."day_2"::DATE) AS "day_week", COUNT(DISTINCT "orders_by_day"."value") AS "buyers"
  FROM "orders_by_day"
  GROUP BY DATEADD('DAY', 1 - DAYOFWEEKISO("orders_by_day"."day_2"), "orders_by_day"."day_2"::DATE)
),
"orders_intervals" AS (
  SELECT "orders_by_day_2"."day" AS "day", CASE WHEN "orders_by_day_2"."next" < DATEADD(DAY, 28, "orders_by_day_2"."day") THEN "orders_by_day_2"."next" ELSE DATEADD(DAY, 28, "orders_by_day_2"."day") END AS "until", COUNT("orders_by_day_2"."buyers") AS "values"
  FROM (SELECT "orders_by_day"."day_2" AS "day", "orders_by_day"."value" AS "buyers", FIRST_VALUE("orders_by_day"."day_2") OVER (PARTITION BY "orders_by_day"."value" ORDER BY "orders_by_day"."day_2" ASC NULLS LAST ROWS BETWEEN 1 FOLLOWING AND 1 FOLLOWING) AS "next" FROM "orders_by_day") AS "orders_by_day_2"
  WHERE "orders_by_day_2"."day" IS NOT NULL AND "orders_by_day_2"."day" < CASE WHEN "orders_by_day_2"."next" < DATEADD(DAY, 28, "orders_by_day_2"."day") THEN "orders_by_day_2"."next" ELSE DATEADD(DAY, 28, "orders_by_day_2"."day") END
  GROUP BY "orders_by_day_2"."day", CASE WHEN "orders_by_day_2"."next" < DATEADD(DAY, 28, "orders_by_day_2"."day") THEN "orders_by_day_2"."next" ELSE DATEADD(DAY, 28, "orders_by_day_2"."day") END
),
"orders_intervals_2" AS (
  SELECT "orders_by_day_3"."first_day" AS "first_day", CASE WHEN "orders_by_day_3"."next" < DATEADD(DAY, -1, DATEADD(WEEK, 1, DATEADD(MONTH, 1, DATE_TRUNC('MONTH', "orders_by_day_3"."first_day")::DATE))) THEN "orders_by_day_3"."next" ELSE DATEADD(DAY, -1, DATEADD(WEEK, 1, DATEADD(MONTH, 1, DATE_TRUNC('MONTH', "orders_by_day_3"."first_day")::DATE))) END AS "until", COUNT("orders_by_day_3"."buyers") AS "values", MAX("orders_by_day_3"."last_day") AS "last_day"
  FROM (SELECT "orders_by_day_2"."buyers" AS "buyers", "orders_by_day_2"."month" AS "month", "orders_by_day_2"."first_day" AS "first_day", "orders_by_day_2"."last_day" AS "last_day", FIRST_VALUE("orders_by_day_2"."first_day") OVER (PARTITION BY "orders_by_day_2"."buyers" ORDER BY "orders_by_day_2"."first_day" ASC NULLS LAST ROWS BETWEEN 1 FOLLOWING AND 1 FOLLOWING) AS "next" FROM (SELECT "orders_by_day"."value" AS "buyers", DATE_TRUNC('MONTH', "orders_by_day"."day_2")::DATE AS "month", MIN("orders_by_day"."day_2") AS "first_day", MAX("orders_by_day"."day_2") AS "last_day" FROM "orders_by_day" GROUP BY "orders_by_day"."value", DATE_TRUNC('MONTH', "orders_by_day"."day_2")::DATE) AS "orders_by_day_2") AS "orders_by_day_3"
  WHERE "orders_by_day_3"."first_day" IS NOT NULL AND "orders_by_day_3"."first_day" < CASE WHEN "orders_by_day_3"."next" < DATEADD(DAY, -1, DATEADD(WEEK, 1, DATEADD(MONTH, 1, DATE_TRUNC('MONTH', "orders_by_day_3"."first_day")::DATE))) THEN "orders_by_day_3"."next" ELSE DATEADD(DAY, -1, DATEADD(WEEK, 1, DATEADD(MONTH, 1, DATE_TRUNC('MONTH', "orders_by_day_3"."first_day")::DATE))) END
  GROUP BY "orders_by_day_3"."first_day", CASE WHEN "orders_by_day_3"."next" < DATEADD(DAY, -1, DATEADD(WEEK, 1, DATEADD(MONTH, 1, DATE_TRUNC('MONTH', "orders_by_day_3"."first_day")::DATE))) THEN "orders_by_day_3"."next" ELSE DATEADD(DAY, -1, DATEADD(WEEK, 1, DATEADD(MONTH, 1, DATE_TRUNC('MONTH', "orders_by_day_3"."first_day")::DATE))) END
),
"shown" AS (
  SELECT "parts"."day_week" AS "day_week"
  FROM (SELECT "orders_by_day_week"."day_week" AS "day_week" FROM "orders_by_day_week"
UNION ALL SELECT "orders_intervals"."day" AS "day_week" FROM "orders_intervals"
UNION ALL SELECT "orders_intervals_2"."first_day" AS "day_week" FROM "orders_intervals_2"
UNION ALL SELECT "orders_intervals_2"."last_day" AS "day_week" FROM "orders_intervals_2") AS "parts"
),
"every_week" AS (
  SELECT "periods".period AS "period"
  FROM (SELECT DATEADD(WEEK, ROW_NUMBER() OVER (ORDER BY NULL) - 1, DATEADD('DAY', 1 - DAYOFWEEKISO((SELECT MIN("shown"."day_week") AS "first_day_week" FROM "shown")), (SELECT MIN("shown"."day_week") AS "first_day_week" FROM "shown")::DATE)) AS period FROM TABLE(GENERATOR(ROWCOUNT => 100000)) QUALIFY period <= DATEADD('DAY', 1 - DAYOFWEEKISO((SELECT MAX("shown"."day_week") AS "last_day_week" FROM "shown")), (SELECT MAX("shown"."day_week") AS "last_day_week" FROM "shown")::DATE)) AS "periods"
),
"periods" AS (
  SELECT "every_week"."period" AS "period", DATEADD(DAY, -1, DATEADD(WEEK, 1, "every_week"."period")) AS "last_day"
  FROM "every_week"
),
"orders_by_day_week_2" AS (
  SELECT CAST("parts_2"."values_now" AS NUMBER(38,0)) AS "buyers", "parts_2"."day_week" AS "day_week"
  FROM (SELECT "parts"."at" AS "at", "parts"."day_week" AS "day_week", "parts"."values" AS "values", SUM("parts"."values") OVER (ORDER BY "parts"."at" ASC NULLS LAST, "parts"."day_week" ASC NULLS FIRST ROWS UNBOUNDED PRECEDING) AS "values_now" FROM (SELECT "orders_intervals"."day" AS "at", CAST(NULL AS DATE) AS "day_week", "orders_intervals"."values" AS "values" FROM "orders_intervals"
UNION ALL SELECT "periods"."last_day" AS "at", "periods"."period" AS "day_week", 0 AS "values" FROM "periods"
UNION ALL SELECT "orders_intervals"."until" AS "at", CAST(NULL AS DATE) AS "day_week", -"orders_intervals"."values" AS "values" FROM "orders_intervals") AS "parts") AS "parts_2"
  WHERE "parts_2"."day_week" IS NOT NULL
),
"periods_2" AS (
  SELECT "every_week"."period" AS "period", DATEADD(DAY, -1, DATEADD(WEEK, 1, "every_week"."period")) AS "last_day"
  FROM "every_week"
),
"orders_by_day_week_3" AS (
  SELECT CAST("parts_2"."values_now" AS NUMBER(38,0)) AS "buyers", "parts_2"."day_week" AS "day_week"
  FROM (SELECT "parts"."at" AS "at", "parts"."day_week" AS "day_week", "parts"."values" AS "values", SUM("parts"."values") OVER (ORDER BY "parts"."at" ASC NULLS LAST, "parts"."day_week" ASC NULLS FIRST ROWS UNBOUNDED PRECEDING) AS "values_now" FROM (SELECT "orders_intervals_2"."first_day" AS "at", CAST(NULL AS DATE) AS "day_week", "orders_intervals_2"."values" AS "values" FROM "orders_intervals_2"
UNION ALL SELECT "periods_2"."last_day" AS "at", "periods_2"."period" AS "day_week", 0 AS "values" FROM "periods_2"
UNION ALL SELECT "orders_intervals_2"."until" AS "at", CAST(NULL AS DATE) AS "day_week", -"orders_intervals_2"."values" AS "values" FROM "orders_intervals_2") AS "parts") AS "parts_2"
  WHERE "parts_2"."day_week" IS NOT NULL
)
SELECT "parts"."day_week" AS "day_week", COALESCE(MAX("parts"."buyers"), 0) AS "buyers", COALESCE(MAX("parts"."buyers_2"), 0) AS "buyers_28d", COALESCE(MAX("parts"."buyers_3"), 0) AS "buyers_mtd"
FROM (SELECT "orders_by_day_week"."day_week" AS "day_week", "orders_by_day_week"."buyers" AS "buyers", CAST(NULL AS NUMBER(38,0)) AS "buyers_2", CAST(NULL AS NUMBER(38,0)) AS "buyers_3" FROM "orders_by_day_week"
UNION ALL SELECT "orders_by_day_week_2"."day_week" AS "day_week", CAST(NULL AS NUMBER(38,0)) AS "buyers", "orders_by_day_week_2"."buyers" AS "buyers_2", CAST(NULL AS NUMBER(38,0)) AS "buyers_3" FROM "orders_by_day_week_2"
UNION ALL SELECT "orders_by_day_week_3"."day_week" AS "day_week", CAST(NULL AS NUMBER(38,0)) AS "buyers", CAST(NULL AS NUMBER(38,0)) AS "buyers_2", "orders_by_day_week_3"."buyers" AS "buyers_3" FROM "orders_by_day_week_3") AS "parts"
GROUP BY "parts"."day_week"
ORDER BY "parts"."day_week" ASC NULLS LAST
LIMIT 1000

-- sqlite
WITH "orders_by_day" AS (
  SELECT date("orders"."day") AS "day_2", "orders"."customer_id" AS "value"
  FROM "orders"
  GROUP BY date("orders"."day"), "orders"."customer_id"
),
"orders_by_day_week" AS (
  SELECT date("orders_by_day"."day_2", 'weekday 0', '-6 days') AS "day_week", COUNT(DISTINCT "orders_by_day"."value") AS "buyers"
  FROM "orders_by_day"
  GROUP BY date("orders_by_day"."day_2", 'weekday 0', '-6 days')
),
"orders_intervals" AS (
  SELECT "orders_by_day_2"."day" AS "day", CASE WHEN "orders_by_day_2"."next" < date("orders_by_day_2"."day", (28) || ' days') THEN "orders_by_day_2"."next" ELSE date("orders_by_day_2"."day", (28) || ' days') END AS "until", COUNT("orders_by_day_2"."buyers") AS "values"
  FROM (SELECT "orders_by_day"."day_2" AS "day", "orders_by_day"."value" AS "buyers", FIRST_VALUE("orders_by_day"."day_2") OVER (PARTITION BY "orders_by_day"."value" ORDER BY "orders_by_day"."day_2" ASC NULLS FIRST ROWS BETWEEN 1 FOLLOWING AND 1 FOLLOWING) AS "next" FROM "orders_by_day") AS "orders_by_day_2"
  WHERE "orders_by_day_2"."day" IS NOT NULL AND "orders_by_day_2"."day" < CASE WHEN "orders_by_day_2"."next" < date("orders_by_day_2"."day", (28) || ' days') THEN "orders_by_day_2"."next" ELSE date("orders_by_day_2"."day", (28) || ' days') END
  GROUP BY "orders_by_day_2"."day", CASE WHEN "orders_by_day_2"."next" < date("orders_by_day_2"."day", (28) || ' days') THEN "orders_by_day_2"."next" ELSE date("orders_by_day_2"."day", (28) || ' days') END
),
"orders_intervals_2" AS (
  SELECT "orders_by_day_3"."first_day" AS "first_day", CASE WHEN "orders_by_day_3"."next" < date(date(date(date("orders_by_day_3"."first_day", 'start of month'), (1) || ' months', 'floor'), (7 * 1) || ' days'), (-1) || ' days') THEN "orders_by_day_3"."next" ELSE date(date(date(date("orders_by_day_3"."first_day", 'start of month'), (1) || ' months', 'floor'), (7 * 1) || ' days'), (-1) || ' days') END AS "until", COUNT("orders_by_day_3"."buyers") AS "values", MAX("orders_by_day_3"."last_day") AS "last_day"
  FROM (SELECT "orders_by_day_2"."buyers" AS "buyers", "orders_by_day_2"."month" AS "month", "orders_by_day_2"."first_day" AS "first_day", "orders_by_day_2"."last_day" AS "last_day", FIRST_VALUE("orders_by_day_2"."first_day") OVER (PARTITION BY "orders_by_day_2"."buyers" ORDER BY "orders_by_day_2"."first_day" ASC NULLS FIRST ROWS BETWEEN 1 FOLLOWING AND 1 FOLLOWING) AS "next" FROM (SELECT "orders_by_day"."value" AS "buyers", date("orders_by_day"."day_2", 'start of month') AS "month", MIN("orders_by_day"."day_2") AS "first_day", MAX("orders_by_day"."day_2") AS "last_day" FROM "orders_by_day" GROUP BY "orders_by_day"."value", date("orders_by_day"."day_2", 'start of month')) AS "orders_by_day_2") AS "orders_by_day_3"
  WHERE "orders_by_day_3"."first_day" IS NOT NULL AND "orders_by_day_3"."first_day" < CASE WHEN "orders_by_day_3"."next" < date(date(date(date("orders_by_day_3"."first_day", 'start of month'), (1) || ' months', 'floor'), (7 * 1) || ' days'), (-1) || ' days') THEN "orders_by_day_3"."next" ELSE date(date(date(date("orders_by_day_3"."first_day", 'start of month'), (1) || ' months', 'floor'), (7 * 1) || ' days'), (-1) || ' days') END
  GROUP BY "orders_by_day_3"."first_day", CASE WHEN "orders_by_day_3"."next" < date(date(date(date("orders_by_day_3"."first_day", 'start of month'), (1) || ' months', 'floor'), (7 * 1) || ' days'), (-1) || ' days') THEN "orders_by_day_3"."next" ELSE date(date(date(date("orders_by_day_3"."first_day", 'start of month'), (1) || ' months', 'floor'), (7 * 1) || ' days'), (-1) || ' days') END
),
"shown" AS (
  SELECT "parts"."day_week" AS "day_week"
  FROM (SELECT "orders_by_day_week"."day_week" AS "day_week" FROM "orders_by_day_week"
UNION ALL SELECT "orders_intervals"."day" AS "day_week" FROM "orders_intervals"
UNION ALL SELECT "orders_intervals_2"."first_day" AS "day_week" FROM "orders_intervals_2"
UNION ALL SELECT "orders_intervals_2"."last_day" AS "day_week" FROM "orders_intervals_2") AS "parts"
),
"every_week" AS (
  SELECT "periods".period AS "period"
  FROM (WITH RECURSIVE spine (period) AS (SELECT date(date((SELECT MIN("shown"."day_week") AS "first_day_week" FROM "shown"), 'weekday 0', '-6 days')) WHERE date(date((SELECT MIN("shown"."day_week") AS "first_day_week" FROM "shown"), 'weekday 0', '-6 days')) <= date(date((SELECT MAX("shown"."day_week") AS "last_day_week" FROM "shown"), 'weekday 0', '-6 days')) UNION ALL SELECT date(period, (7 * 1) || ' days') FROM spine WHERE date(period, (7 * 1) || ' days') <= date(date((SELECT MAX("shown"."day_week") AS "last_day_week" FROM "shown"), 'weekday 0', '-6 days'))) SELECT period FROM spine) AS "periods"
),
"periods" AS (
  SELECT "every_week"."period" AS "period", date(date("every_week"."period", (7 * 1) || ' days'), (-1) || ' days') AS "last_day"
  FROM "every_week"
),
"orders_by_day_week_2" AS (
  SELECT CAST("parts_2"."values_now" AS INTEGER) AS "buyers", "parts_2"."day_week" AS "day_week"
  FROM (SELECT "parts"."at" AS "at", "parts"."day_week" AS "day_week", "parts"."values" AS "values", SUM("parts"."values") OVER (ORDER BY "parts"."at" ASC NULLS FIRST, "parts"."day_week" ASC NULLS FIRST ROWS UNBOUNDED PRECEDING) AS "values_now" FROM (SELECT "orders_intervals"."day" AS "at", date(NULL) AS "day_week", "orders_intervals"."values" AS "values" FROM "orders_intervals"
UNION ALL SELECT "periods"."last_day" AS "at", "periods"."period" AS "day_week", 0 AS "values" FROM "periods"
UNION ALL SELECT "orders_intervals"."until" AS "at", date(NULL) AS "day_week", -"orders_intervals"."values" AS "values" FROM "orders_intervals") AS "parts") AS "parts_2"
  WHERE "parts_2"."day_week" IS NOT NULL
),
"periods_2" AS (
  SELECT "every_week"."period" AS "period", date(date("every_week"."period", (7 * 1) || ' days'), (-1) || ' days') AS "last_day"
  FROM "every_week"
),
"orders_by_day_week_3" AS (
  SELECT CAST("parts_2"."values_now" AS INTEGER) AS "buyers", "parts_2"."day_week" AS "day_week"
  FROM (SELECT "parts"."at" AS "at", "parts"."day_week" AS "day_week", "parts"."values" AS "values", SUM("parts"."values") OVER (ORDER BY "parts"."at" ASC NULLS FIRST, "parts"."day_week" ASC NULLS FIRST ROWS UNBOUNDED PRECEDING) AS "values_now" FROM (SELECT "orders_intervals_2"."first_day" AS "at", date(NULL) AS "day_week", "orders_intervals_2"."values" AS "values" FROM "orders_intervals_2"
UNION ALL SELECT "periods_2"."last_day" AS "at", "periods_2"."period" AS "day_week", 0 AS "values" FROM "periods_2"
UNION ALL SELECT "orders_intervals_2"."until" AS "at", date(NULL) AS "day_week", -"orders_intervals_2"."values" AS "values" FROM "orders_intervals_2") AS "parts") AS "parts_2"
  WHERE "parts_2"."day_week" IS NOT NULL
)
SELECT "parts"."day_week" AS "day_week", coalesce(MAX("parts"."buyers"), 0) AS "buyers", coalesce(MAX("parts"."buyers_2"), 0) AS "buyers_28d", coalesce(MAX("parts"."buyers_3"), 0) AS "buyers_mtd"
FROM (SELECT "orders_by_day_week"."day_week" AS "day_week", "orders_by_day_week"."buyers" AS "buyers", CAST(NULL AS INTEGER) AS "buyers_2", CAST(NULL AS INTEGER) AS "buyers_3" FROM "orders_by_day_week"
UNION ALL SELECT "orders_by_day_week_2"."day_week" AS "day_week", CAST(NULL AS INTEGER) AS "buyers", "orders_by_day_week_2"."buyers" AS "buyers_2", CAST(NULL AS INTEGER) AS "buyers_3" FROM "orders_by_day_week_2"
UNION ALL SELECT "orders_by_day_week_3"."day_week" AS "day_week", CAST(NULL AS INTEGER) AS "buyers", CAST(NULL AS INTEGER) AS "buyers_2", "orders_by_day_week_3"."buyers" AS "buyers_3" FROM "orders_by_day_week_3") AS "parts"
GROUP BY "parts"."day_week"
ORDER BY "parts"."day_week" ASC NULLS LAST
LIMIT 1000

-- sqlserver
WITH [orders_by_day] AS (
  SELECT [orders_2].[day_2] AS [day], [orders_2].[value] AS [value]
  FROM (SELECT CAST([orders].[day] AS date) AS [day_2], [orders].[customer_id] AS [value] FROM [orders]) AS [orders_2]
  GROUP BY [orders_2].[day_2], [orders_2].[value]
),
[orders_by_day_week] AS (
  SELECT [orders_by_day_2].[day_week] AS [day_week], COUNT_BIG(DISTINCT [orders_by_day_2].[buyers]) AS [buyers]
  FROM (SELECT CAST(DATETRUNC(iso_week, [orders_by_day].[day]) AS date) AS [day_week], [orders_by_day].[value] AS [buyers] FROM [orders_by_day]) AS [orders_by_day_2]
  GROUP BY [orders_by_day_2].[day_week]
),
[orders_intervals] AS (
  SELECT [orders_by_day_3].[day] AS [day], [orders_by_day_3].[until] AS [until], COUNT_BIG([orders_by_day_3].[buyers]) AS [values]
  FROM (SELECT [orders_by_day_2].[buyers] AS [buyers], [orders_by_day_2].[day] AS [day], CASE WHEN [orders_by_day_2].[next] < DATEADD(DAY, 28, [orders_by_day_2].[day]) THEN [orders_by_day_2].[next] ELSE DATEADD(DAY, 28, [orders_by_day_2].[day]) END AS [until] FROM (SELECT [orders_by_day].[day] AS [day], [orders_by_day].[value] AS [buyers], FIRST_VALUE([orders_by_day].[day]) OVER (PARTITION BY [orders_by_day].[value] ORDER BY CASE WHEN [orders_by_day].[day] IS NULL THEN 0 ELSE 1 END, [orders_by_day].[day] ASC ROWS BETWEEN 1 FOLLOWING AND 1 FOLLOWING) AS [next] FROM [orders_by_day]) AS [orders_by_day_2] WHERE [orders_by_day_2].[day] IS NOT NULL AND [orders_by_day_2].[day] < CASE WHEN [orders_by_day_2].[next] < DATEADD(DAY, 28, [orders_by_day_2].[day]) THEN [orders_by_day_2].[next] ELSE DATEADD(DAY, 28, [orders_by_day_2].[day]) END) AS [orders_by_day_3]
  GROUP BY [orders_by_day_3].[day], [orders_by_day_3].[until]
),
[orders_intervals_2] AS (
  SELECT [orders_by_day_5].[first_day] AS [first_day], [orders_by_day_5].[until] AS [until], COUNT_BIG([orders_by_day_5].[buyers]) AS [values], MAX([orders_by_day_5].[last_day]) AS [last_day]
  FROM (SELECT [orders_by_day_4].[buyers] AS [buyers], [orders_by_day_4].[first_day] AS [first_day], [orders_by_day_4].[last_day] AS [last_day], CASE WHEN [orders_by_day_4].[next] < DATEADD(DAY, -1, DATEADD(WEEK, 1, DATEADD(MONTH, 1, DATETRUNC(month, CAST([orders_by_day_4].[first_day] AS date))))) THEN [orders_by_day_4].[next] ELSE DATEADD(DAY, -1, DATEADD(WEEK, 1, DATEADD(MONTH, 1, DATETRUNC(month, CAST([orders_by_day_4].[first_day] AS date))))) END AS [until] FROM (SELECT [orders_by_day_3].[buyers] AS [buyers], [orders_by_day_3].[month] AS [month], [orders_by_day_3].[first_day] AS [first_day], [orders_by_day_3].[last_day] AS [last_day], FIRST_VALUE([orders_by_day_3].[first_day]) OVER (PARTITION BY [orders_by_day_3].[buyers] ORDER BY CASE WHEN [orders_by_day_3].[first_day] IS NULL THEN 0 ELSE 1 END, [orders_by_day_3].[first_day] ASC ROWS BETWEEN 1 FOLLOWING AND 1 FOLLOWING) AS [next] FROM (SELECT [orders_by_day_2].[buyers] AS [buyers], [orders_by_day_2].[month] AS [month], MIN([orders_by_day_2].[day]) AS [first_day], MAX([orders_by_day_2].[day]) AS [last_day] FROM (SELECT [orders_by_day].[day] AS [day], [orders_by_day].[value] AS [buyers], DATETRUNC(month, CAST([orders_by_day].[day] AS date)) AS [month] FROM [orders_by_day]) AS [orders_by_day_2] GROUP BY [orders_by_day_2].[buyers], [orders_by_day_2].[month]) AS [orders_by_day_3]) AS [orders_by_day_4] WHERE [orders_by_day_4].[first_day] IS NOT NULL AND [orders_by_day_4].[first_day] < CASE WHEN [orders_by_day_4].[next] < DATEADD(DAY, -1, DATEADD(WEEK, 1, DATEADD(MONTH, 1, DATETRUNC(month, CAST([orders_by_day_4].[first_day] AS date))))) THEN [orders_by_day_4].[next] ELSE DATEADD(DAY, -1, DATEADD(WEEK, 1, DATEADD(MONTH, 1, DATETRUNC(month, CAST([orders_by_day_4].[first_day] AS date))))) END) AS [orders_by_day_5]
  GROUP BY [orders_by_day_5].[first_day], [orders_by_day_5].[until]
),
[shown] AS (
  SELECT [parts].[day_week] AS [day_week]
  FROM (SELECT [orders_by_day_week].[day_week] AS [day_week] FROM [orders_by_day_week]
UNION ALL SELECT [orders_intervals].[day] AS [day_week] FROM [orders_intervals]
UNION ALL SELECT [orders_intervals_2].[first_day] AS [day_week] FROM [orders_intervals_2]
UNION ALL SELECT [orders_intervals_2].[last_day] AS [day_week] FROM [orders_intervals_2]) AS [parts]
),
[every_week] AS (
  SELECT [periods].period AS [period]
  FROM (SELECT TOP (DATEDIFF(WEEK, CAST(DATETRUNC(iso_week, (SELECT MIN([shown].[day_week]) AS [first_day_week] FROM [shown])) AS date), CAST(DATETRUNC(iso_week, (SELECT MAX([shown].[day_week]) AS [last_day_week] FROM [shown])) AS date)) + 1) DATEADD(WEEK, ROW_NUMBER() OVER (ORDER BY (SELECT NULL)) - 1, CAST(DATETRUNC(iso_week, (SELECT MIN([shown].[day_week]) AS [first_day_week] FROM [shown])) AS date)) AS period FROM sys.all_columns a CROSS JOIN sys.all_columns b) AS [periods]
),
[periods] AS (
  SELECT [every_week].[period] AS [period], DATEADD(DAY, -1, DATEADD(WEEK, 1, [every_week].[period])) AS [last_day]
  FROM [every_week]
),
[orders_by_day_week_2] AS (
  SELECT CAST([parts_2].[values_now] AS bigint) AS [buyers], [parts_2].[day_week] AS [day_week]
  FROM (SELECT [parts].[at] AS [at], [parts].[day_week] AS [day_week], [parts].[values] AS [values], SUM([parts].[values]) OVER (ORDER BY CASE WHEN [parts].[at] IS NULL THEN 0 ELSE 1 END, [parts].[at] ASC, CASE WHEN [parts].[day_week] IS NULL THEN 0 ELSE 1 END, [parts].[day_week] ASC ROWS UNBOUNDED PRECEDING) AS [values_now] FROM (SELECT [orders_intervals].[day] AS [at], CAST(NULL AS date) AS [day_week], [orders_intervals].[values] AS [values] FROM [orders_intervals]
UNION ALL SELECT [periods].[last_day] AS [at], [periods].[period] AS [day_week], 0 AS [values] FROM [periods]
UNION ALL SELECT [orders_intervals].[until] AS [at], CAST(NULL AS date) AS [day_week], -[orders_intervals].[values] AS [values] FROM [orders_intervals]) AS [parts]) AS [parts_2]
  WHERE [parts_2].[day_week] IS NOT NULL
),
[periods_2] AS (
  SELECT [every_week].[period] AS [period], DATEADD(DAY, -1, DATEADD(WEEK, 1, [every_week].[period])) AS [last_day]
  FROM [every_week]
),
[orders_by_day_week_3] AS (
  SELECT CAST([parts_2].[values_now] AS bigint) AS [buyers], [parts_2].[day_week] AS [day_week]
  FROM (SELECT [parts].[at] AS [at], [parts].[day_week] AS [day_week], [parts].[values] AS [values], SUM([parts].[values]) OVER (ORDER BY CASE WHEN [parts].[at] IS NULL THEN 0 ELSE 1 END, [parts].[at] ASC, CASE WHEN [parts].[day_week] IS NULL THEN 0 ELSE 1 END, [parts].[day_week] ASC ROWS UNBOUNDED PRECEDING) AS [values_now] FROM (SELECT [orders_intervals_2].[first_day] AS [at], CAST(NULL AS date) AS [day_week], [orders_intervals_2].[values] AS [values] FROM [orders_intervals_2]
UNION ALL SELECT [periods_2].[last_day] AS [at], [periods_2].[period] AS [day_week], 0 AS [values] FROM [periods_2]
UNION ALL SELECT [orders_intervals_2].[until] AS [at], CAST(NULL AS date) AS [day_week], -[orders_intervals_2].[values] AS [values] FROM [orders_intervals_2]) AS [parts]) AS [parts_2]
  WHERE [parts_2].[day_week] IS NOT NULL
)
SELECT TOP (1000) [parts].[day_week] AS [day_week], COALESCE(MAX([parts].[buyers]), 0) AS [buyers], COALESCE(MAX([parts].[buyers_2]), 0) AS [buyers_28d], COALESCE(MAX([parts].[buyers_3]), 0) AS [buyers_mtd]
FROM (SELECT [orders_by_day_week].[day_week] AS [day_week], [orders_by_day_week].[buyers] AS [buyers], CAST(NULL AS bigint) AS [buyers_2], CAST(NULL AS bigint) AS [buyers_3] FROM [orders_by_day_week]
UNION ALL SELECT [orders_by_day_week_2].[day_week] AS [day_week], CAST(NULL AS bigint) AS [buyers], [orders_by_day_week_2].[buyers] AS [buyers_2], CAST(NULL AS bigint) AS [buyers_3] FROM [orders_by_day_week_2]
UNION ALL SELECT [orders_by_day_week_3].[day_week] AS [day_week], CAST(NULL AS bigint) AS [buyers], CAST(NULL AS bigint) AS [buyers_2], [orders_by_day_week_3].[buyers] AS [buyers_3] FROM [orders_by_day_week_3]) AS [parts]
GROUP BY [parts].[day_week]
ORDER BY CASE WHEN [parts].[day_week] IS NULL THEN 1 ELSE 0 END, [parts].[day_week] ASC

