-- bigquery
-- unsupported_on_dialect: coalesce(…, 0) cannot be written in the bigquery dialect
-- write it in another way, or as a definition in the engine's own SQL

-- clickhouse
WITH `orders_days` AS (
  SELECT `orders`.`status` AS `status`, toNullable(`orders`.`customer_id`) AS `buyers`, toDate32(`orders`.`day`) AS `day_2`
  FROM `orders`
  GROUP BY `orders`.`status`, toNullable(`orders`.`customer_id`), toDate32(`orders`.`day`)
),
`orders_first_days` AS (
  SELECT `orders`.`status` AS `status`, toNullable(`orders`.`customer_id`) AS `buyers`, makeDate32(toYear(toDate32(`orders`.`day`)), toMonth(toDate32(`orders`.`day`)), 1) AS `month`, minOrNull(toDate32(`orders`.`day`)) AS `first_day`, maxOrNull(toDate32(`orders`.`day`)) AS `last_day`
  FROM `orders`
  GROUP BY `orders`.`status`, toNullable(`orders`.`customer_id`), makeDate32(toYear(toDate32(`orders`.`day`)), toMonth(toDate32(`orders`.`day`)), 1)
),
`shown` AS (
  SELECT `parts`.`day_day` AS `day_day`
  FROM (SELECT `orders_days`.`day_2` AS `day_day` FROM `orders_days`
UNION ALL SELECT `orders_first_days`.`first_day` AS `day_day` FROM `orders_first_days`
UNION ALL SELECT `orders_first_days`.`last_day` AS `day_day` FROM `orders_first_days`) AS `parts`
),
`every_day` AS (
  SELECT `periods`.period AS `period`
  FROM (SELECT addDays(toDate32((SELECT minOrNull(`shown`.`day_day`) AS `first_day_day` FROM `shown`)), number) AS period FROM numbers(toUInt64(ifNull(greatest(dateDiff('day', toDate32((SELECT minOrNull(`shown`.`day_day`) AS `first_day_day` FROM `shown`)), toDate32((SELECT maxOrNull(`shown`.`day_day`) AS `last_day_day` FROM `shown`))) + 1, 0), 0)))) AS `periods`
),
`periods` AS (
  SELECT `every_day`.`period` AS `period`, addDays(addDays(`every_day`.`period`, 1), -1) AS `enters_after`, addDays(addDays(addDays(`every_day`.`period`, 1), -28), -1) AS `leaves_after`
  FROM `every_day`
),
`orders_spells` AS (
  SELECT `orders_days_2`.`status` AS `status`, `orders_days_2`.`enters_2` AS `enters`, CASE WHEN `orders_days_2`.`leaves_2` IS NULL OR `orders_days_2`.`next` < `orders_days_2`.`leaves_2` THEN `orders_days_2`.`next` ELSE `orders_days_2`.`leaves_2` END AS `until`, toInt64(count(`orders_days_2`.`buyers`)) AS `values`
  FROM (SELECT `orders_days`.`status` AS `status`, `orders_days`.`buyers` AS `buyers`, `orders_days`.`day_2` AS `day`, `parts_2`.`turn` AS `turn`, `parts_2`.`day` AS `day_2`, `parts_2`.`enters` AS `enters`, `parts_2`.`leaves` AS `leaves`, `parts_2`.`enters_2` AS `enters_2`, `parts_2`.`leaves_2` AS `leaves_2`, FIRST_VALUE(`parts_2`.`enters_2`) OVER (PARTITION BY `orders_days`.`status`, `orders_days`.`buyers` ORDER BY `orders_days`.`day_2` ASC NULLS LAST ROWS BETWEEN 1 FOLLOWING AND 1 FOLLOWING) AS `next` FROM `orders_days` JOIN (SELECT `parts`.`turn` AS `turn`, `parts`.`day` AS `day`, `parts`.`enters` AS `enters`, `parts`.`leaves` AS `leaves`, MIN(`parts`.`enters`) OVER (ORDER BY `parts`.`turn` DESC NULLS LAST, `parts`.`day` ASC NULLS FIRST ROWS UNBOUNDED PRECEDING) AS `enters_2`, MIN(`parts`.`leaves`) OVER (ORDER BY `parts`.`turn` DESC NULLS LAST, `parts`.`day` ASC NULLS FIRST ROWS UNBOUNDED PRECEDING) AS `leaves_2` FROM (SELECT `orders_days`.`day` AS `turn`, `orders_days`.`day` AS `day`, CAST(NULL AS Nullable(Date32)) AS `enters`, CAST(NULL AS Nullable(Date32)) AS `leaves` FROM (SELECT DISTINCT `orders_days`.`day_2` AS `day` FROM `orders_days`) AS `orders_days`
UNION ALL SELECT `periods`.`enters_after` AS `turn`, CAST(NULL AS Nullable(Date32)) AS `day`, `periods`.`period` AS `enters`, CAST(NULL AS Nullable(Date32)) AS `leaves` FROM `periods`
UNION ALL SELECT `periods`.`leaves_after` AS `turn`, CAST(NULL AS Nullable(Date32)) AS `day`, CAST(NULL AS Nullable(Date32)) AS `enters`, `periods`.`period` AS `leaves` FROM `periods`) AS `parts`) AS `parts_2` ON `orders_days`.`day_2` = `parts_2`.`day` WHERE `parts_2`.`day` IS NOT NULL) AS `orders_days_2`
  WHERE `orders_days_2`.`enters_2` IS NOT NULL AND (CASE WHEN `orders_days_2`.`leaves_2` IS NULL OR `orders_days_2`.`next` < `orders_days_2`.`leaves_2` THEN `orders_days_2`.`next` ELSE `orders_days_2`.`leaves_2` END IS NULL OR `orders_days_2`.`enters_2` < CASE WHEN `orders_days_2`.`leaves_2` IS NULL OR `orders_days_2`.`next` < `orders_days_2`.`leaves_2` THEN `orders_days_2`.`next` ELSE `orders_days_2`.`leaves_2` END)
  GROUP BY `orders_days_2`.`status`, `orders_days_2`.`enters_2`, CASE WHEN `orders_days_2`.`leaves_2` IS NULL OR `orders_days_2`.`next` < `orders_days_2`.`leaves_2` THEN `orders_days_2`.`next` ELSE `orders_days_2`.`leaves_2` END
),
`orders_by_day_day_and_status` AS (
  SELECT `parts_3`.`status` AS `status`, `parts_3`.`day_day` AS `day_day`, CAST(`parts_3`.`sum` AS Nullable(Int64)) AS `buyers`
  FROM (SELECT `parts_2`.`status` AS `status`, `parts_2`.`day_day` AS `day_day`, `parts_2`.`change` AS `change`, SUM(`parts_2`.`change`) OVER (PARTITION BY `parts_2`.`status` ORDER BY `parts_2`.`day_day` ASC NULLS LAST ROWS UNBOUNDED PRECEDING) AS `sum` FROM (SELECT `parts`.`status` AS `status`, `parts`.`day_day` AS `day_day`, sumOrNull(toDecimal128(`parts`.`change`, 0)) AS `change` FROM (SELECT `orders_spells`.`status` AS `status`, `orders_spells`.`enters` AS `day_day`, `orders_spells`.`values` AS `change` FROM `orders_spells`
UNION ALL SELECT `orders_spells`.`status` AS `status`, `orders_spells`.`until` AS `day_day`, -`orders_spells`.`values` AS `change` FROM `orders_spells` WHERE `orders_spells`.`until` IS NOT NULL
UNION ALL SELECT `orders_spells_2`.`status` AS `status`, `periods`.`period` AS `day_day`, 0 AS `change` FROM `periods` CROSS JOIN (SELECT DISTINCT `orders_spells`.`status` AS `status` FROM `orders_spells`) AS `orders_spells_2`) AS `parts` GROUP BY `parts`.`status`, `parts`.`day_day`) AS `parts_2`) AS `parts_3`
),
`periods_2` AS (
  SELECT `every_day`.`period` AS `period`, addDays(addDays(`every_day`.`period`, 1), -1) AS `enters_after`, addDays(makeDate32(toYear(`every_day`.`period`), toMonth(`every_day`.`period`), 1), -1) AS `leaves_after`
  FROM `every_day`
),
`orders_spells_2` AS (
  SELECT `orders_first_days_2`.`status` AS `status`, `orders_first_days_2`.`enters_2` AS `enters`, CASE WHEN `orders_first_days_2`.`leaves_2` IS NULL OR `orders_first_days_2`.`next` < `orders_first_days_2`.`leaves_2` THEN `orders_first_days_2`.`next` ELSE `orders_first_days_2`.`leaves_2` END AS `until`, toInt64(count(`orders_first_days_2`.`buyers`)) AS `values`
  FROM (SELECT `orders_first_days`.`status` AS `status`, `orders_first_days`.`buyers` AS `buyers`, `orders_first_days`.`month` AS `month`, `orders_first_days`.`first_day` AS `first_day`, `orders_first_days`.`last_day` AS `last_day`, `parts_2`.`turn` AS `turn`, `parts_2`.`day` AS `day`, `parts_2`.`enters` AS `enters`, `parts_2`.`leaves` AS `leaves`, `parts_2`.`enters_2` AS `enters_2`, `parts_2`.`leaves_2` AS `leaves_2`, FIRST_VALUE(`parts_2`.`enters_2`) OVER (PARTITION BY `orders_first_days`.`status`, `orders_first_days`.`buyers` ORDER BY `orders_first_days`.`first_day` ASC NULLS LAST ROWS BETWEEN 1 FOLLOWING AND 1 FOLLOWING) AS `next` FROM `orders_first_days` JOIN (SELECT `parts`.`turn` AS `turn`, `parts`.`day` AS `day`, `parts`.`enters` AS `enters`, `parts`.`leaves` AS `leaves`, MIN(`parts`.`enters`) OVER (ORDER BY `parts`.`turn` DESC NULLS LAST, `parts`.`day` ASC NULLS FIRST ROWS UNBOUNDED PRECEDING) AS `enters_2`, MIN(`parts`.`leaves`) OVER (ORDER BY `parts`.`turn` DESC NULLS LAST, `parts`.`day` ASC NULLS FIRST ROWS UNBOUNDED PRECEDING) AS `leaves_2` FROM (SELECT `orders_first_days`.`day` AS `turn`, `orders_first_days`.`day` AS `day`, CAST(NULL AS Nullable(Date32)) AS `enters`, CAST(NULL AS Nullable(Date32)) AS `leaves` FROM (SELECT DISTINCT `orders_first_days`.`first_day` AS `day` FROM `orders_first_days`) AS `orders_first_days`
UNION ALL SELECT `periods_2`.`enters_after` AS `turn`, CAST(NULL AS Nullable(Date32)) AS `day`, `periods_2`.`period` AS `enters`, CAST(NULL AS Nullable(Date32)) AS `leaves` FROM `periods_2`
UNION ALL SELECT `periods_2`.`leaves_after` AS `turn`, CAST(NULL AS Nullable(Date32)) AS `day`, CAST(NULL AS Nullable(Date32)) AS `enters`, `periods_2`.`period` AS `leaves` FROM `periods_2`) AS `parts`) AS `parts_2` ON `orders_first_days`.`first_day` = `parts_2`.`day` WHERE `parts_2`.`day` IS NOT NULL) AS `orders_first_days_2`
  WHERE `orders_first_days_2`.`enters_2` IS NOT NULL AND (CASE WHEN `orders_first_days_2`.`leaves_2` IS NULL OR `orders_first_days_2`.`next` < `orders_first_days_2`.`leaves_2` THEN `orders_first_days_2`.`next` ELSE `orders_first_days_2`.`leaves_2` END IS NULL OR `orders_first_days_2`.`enters_2` < CASE WHEN `orders_first_days_2`.`leaves_2` IS NULL OR `orders_first_days_2`.`next` < `orders_first_days_2`.`leaves_2` THEN `orders_first_days_2`.`next` ELSE `orders_first_days_2`.`leaves_2` END)
  GROUP BY `orders_first_days_2`.`status`, `orders_first_days_2`.`enters_2`, CASE WHEN `orders_first_days_2`.`leaves_2` IS NULL OR `orders_first_days_2`.`next` < `orders_first_days_2`.`leaves_2` THEN `orders_first_days_2`.`next` ELSE `orders_first_days_2`.`leaves_2` END
),
`orders_by_day_day_and_status_2` AS (
  SELECT `parts_3`.`status` AS `status`, `parts_3`.`day_day` AS `day_day`, CAST(`parts_3`.`sum` AS Nullable(Int64)) AS `buyers`
  FROM (SELECT `parts_2`.`status` AS `status`, `parts_2`.`day_day` AS `day_day`, `parts_2`.`change` AS `change`, SUM(`parts_2`.`change`) OVER (PARTITION BY `parts_2`.`status` ORDER BY `parts_2`.`day_day` ASC NULLS LAST ROWS UNBOUNDED PRECEDING) AS `sum` FROM (SELECT `parts`.`status` AS `status`, `parts`.`day_day` AS `day_day`, sumOrNull(toDecimal128(`parts`.`change`, 0)) AS `change` FROM (SELECT `orders_spells_2`.`status` AS `status`, `orders_spells_2`.`enters` AS `day_day`, `orders_spells_2`.`values` AS `change` FROM `orders_spells_2`
UNION ALL SELECT `orders_spells_2`.`status` AS `status`, `orders_spells_2`.`until` AS `day_day`, -`orders_spells_2`.`values` AS `change` FROM `orders_spells_2` WHERE `orders_spells_2`.`until` IS NOT NULL
UNION ALL SELECT `orders_spells_2_2`.`status` AS `status`, `periods_2`.`period` AS `day_day`, 0 AS `change` FROM `periods_2` CROSS JOIN (SELECT DISTINCT `orders_spells_2`.`status` AS `status` FROM `orders_spells_2`) AS `orders_spells_2_2`) AS `parts` GROUP BY `parts`.`status`, `parts`.`day_day`) AS `parts_2`) AS `parts_3`
)
SELECT `parts`.`day_day` AS `day_day`, `parts`.`status` AS `status`, coalesce(maxOrNull(`parts`.`buyers`), 0) AS `buyers_28d`, coalesce(maxOrNull(`parts`.`buyers_2`), 0) AS `buyers_mtd`
FROM (SELECT `orders_by_day_day_and_status`.`day_day` AS `day_day`, `orders_by_day_day_and_status`.`status` AS `status`, `orders_by_day_day_and_status`.`buyers` AS `buyers`, CAST(NULL AS Nullable(Int64)) AS `buyers_2` FROM `orders_by_day_day_and_status`
UNION ALL SELECT `orders_by_day_day_and_status_2`.`day_day` AS `day_day`, `orders_by_day_day_and_status_2`.`status` AS `status`, CAST(NULL AS Nullable(Int64)) AS `buyers`, `orders_by_day_day_and_status_2`.`buyers` AS `buyers_2` FROM `orders_by_day_day_and_status_2`) AS `parts`
GROUP BY `parts`.`day_day`, `parts`.`status`
ORDER BY `parts`.`day_day` ASC NULLS LAST, `parts`.`status` ASC NULLS LAST
LIMIT 1000

-- duckdb
WITH "orders_days" AS (
  SELECT "orders"."status" AS "status", "orders"."customer_id" AS "buyers", CAST(date_trunc('day', "orders"."day") AS DATE) AS "day_2"
  FROM "orders"
  GROUP BY "orders"."status", "orders"."customer_id", CAST(date_trunc('day', "orders"."day") AS DATE)
),
"orders_first_days" AS (
  SELECT "orders"."status" AS "status", "orders"."customer_id" AS "buyers", CAST(date_trunc('month', CAST(date_trunc('day', "orders"."day") AS DATE)) AS DATE) AS "month", MIN(CAST(date_trunc('day', "orders"."day") AS DATE)) AS "first_day", MAX(CAST(date_trunc('day', "orders"."day") AS DATE)) AS "last_day"
  FROM "orders"
  GROUP BY "orders"."status", "orders"."customer_id", CAST(date_trunc('month', CAST(date_trunc('day', "orders"."day") AS DATE)) AS DATE)
),
"shown" AS (
  SELECT "parts"."day_day" AS "day_day"
  FROM (SELECT "orders_days"."day_2" AS "day_day" FROM "orders_days"
UNION ALL SELECT "orders_first_days"."first_day" AS "day_day" FROM "orders_first_days"
UNION ALL SELECT "orders_first_days"."last_day" AS "day_day" FROM "orders_first_days") AS "parts"
),
"every_day" AS (
  SELECT "periods".period AS "period"
  FROM (SELECT CAST(unnest(generate_series(CAST(date_trunc('day', (SELECT MIN("shown"."day_day") AS "first_day_day" FROM "shown")) AS DATE), CAST(date_trunc('day', (SELECT MAX("shown"."day_day") AS "last_day_day" FROM "shown")) AS DATE), INTERVAL 1 day)) AS DATE) AS period) AS "periods"
),
"periods" AS (
  SELECT "every_day"."period" AS "period", CAST(CAST("every_day"."period" + INTERVAL (1) day AS DATE) + INTERVAL (-1) day AS DATE) AS "enters_after", CAST(CAST(CAST("every_day"."period" + INTERVAL (1) day AS DATE) + INTERVAL (-28) day AS DATE) + INTERVAL (-1) day AS DATE) AS "leaves_after"
  FROM "every_day"
),
"orders_spells" AS (
  SELECT "orders_days_2"."status" AS "status", "orders_days_2"."enters_2" AS "enters", CASE WHEN "orders_days_2"."leaves_2" IS NULL OR "orders_days_2"."next" < "orders_days_2"."leaves_2" THEN "orders_days_2"."next" ELSE "orders_days_2"."leaves_2" END AS "until", COUNT("orders_days_2"."buyers") AS "values"
  FROM (SELECT "orders_days"."status" AS "status", "orders_days"."buyers" AS "buyers", "orders_days"."day_2" AS "day", "parts_2"."turn" AS "turn", "parts_2"."day" AS "day_2", "parts_2"."enters" AS "enters", "parts_2"."leaves" AS "leaves", "parts_2"."enters_2" AS "enters_2", "parts_2"."leaves_2" AS "leaves_2", FIRST_VALUE("parts_2"."enters_2") OVER (PARTITION BY "orders_days"."status", "orders_days"."buyers" ORDER BY "orders_days"."day_2" ASC NULLS LAST ROWS BETWEEN 1 FOLLOWING AND 1 FOLLOWING) AS "next" FROM "orders_days" JOIN (SELECT "parts"."turn" AS "turn", "parts"."day" AS "day", "parts"."enters" AS "enters", "parts"."leaves" AS "leaves", MIN("parts"."enters") OVER (ORDER BY "parts"."turn" DESC NULLS LAST, "parts"."day" ASC NULLS FIRST ROWS UNBOUNDED PRECEDING) AS "enters_2", MIN("parts"."leaves") OVER (ORDER BY "parts"."turn" DESC NULLS LAST, "parts"."day" ASC NULLS FIRST ROWS UNBOUNDED PRECEDING) AS "leaves_2" FROM (SELECT "orders_days"."day" AS "turn", "orders_days"."day" AS "day", CAST(NULL AS DATE) AS "enters", CAST(NULL AS DATE) AS "leaves" FROM (SELECT DISTINCT "orders_days"."day_2" AS "day" FROM "orders_days") AS "orders_days"
UNION ALL SELECT "periods"."enters_after" AS "turn", CAST(NULL AS DATE) AS "day", "periods"."period" AS "enters", CAST(NULL AS DATE) AS "leaves" FROM "periods"
UNION ALL SELECT "periods"."leaves_after" AS "turn", CAST(NULL AS DATE) AS "day", CAST(NULL AS DATE) AS "enters", "periods"."period" AS "leaves" FROM "periods") AS "parts") AS "parts_2" ON "orders_days"."day_2" = "parts_2"."day" WHERE "parts_2"."day" IS NOT NULL) AS "orders_days_2"
  WHERE "orders_days_2"."enters_2" IS NOT NULL AND (CASE WHEN "orders_days_2"."leaves_2" IS NULL OR "orders_days_2"."next" < "orders_days_2"."leaves_2" THEN "orders_days_2"."next" ELSE "orders_days_2"."leaves_2" END IS NULL OR "orders_days_2"."enters_2" < CASE WHEN "orders_days_2"."leaves_2" IS NULL OR "orders_days_2"."next" < "orders_days_2"."leaves_2" THEN "orders_days_2"."next" ELSE "orders_days_2"."leaves_2" END)
  GROUP BY "orders_days_2"."status", "orders_days_2"."enters_2", CASE WHEN "orders_days_2"."leaves_2" IS NULL OR "orders_days_2"."next" < "orders_days_2"."leaves_2" THEN "orders_days_2"."next" ELSE "orders_days_2"."leaves_2" END
),
"orders_by_day_day_and_status" AS (
  SELECT "parts_3"."status" AS "status", "parts_3"."day_day" AS "day_day", CAST("parts_3"."sum" AS BIGINT) AS "buyers"
  FROM (SELECT "parts_2"."status" AS "status", "parts_2"."day_day" AS "day_day", "parts_2"."change" AS "change", SUM("parts_2"."change") OVER (PARTITION BY "parts_2"."status" ORDER BY "parts_2"."day_day" ASC NULLS LAST ROWS UNBOUNDED PRECEDING) AS "sum" FROM (SELECT "parts"."status" AS "status", "parts"."day_day" AS "day_day", SUM("parts"."change") AS "change" FROM (SELECT "orders_spells"."status" AS "status", "orders_spells"."enters" AS "day_day", "orders_spells"."values" AS "change" FROM "orders_spells"
UNION ALL SELECT "orders_spells"."status" AS "status", "orders_spells"."until" AS "day_day", -"orders_spells"."values" AS "change" FROM "orders_spells" WHERE "orders_spells"."until" IS NOT NULL
UNION ALL SELECT "orders_spells_2"."status" AS "status", "periods"."period" AS "day_day", 0 AS "change" FROM "periods" CROSS JOIN (SELECT DISTINCT "orders_spells"."status" AS "status" FROM "orders_spells") AS "orders_spells_2") AS "parts" GROUP BY "parts"."status", "parts"."day_day") AS "parts_2") AS "parts_3"
),
"periods_2" AS (
  SELECT "every_day"."period" AS "period", CAST(CAST("every_day"."period" + INTERVAL (1) day AS DATE) + INTERVAL (-1) day AS DATE) AS "enters_after", CAST(CAST(date_trunc('month', "every_day"."period") AS DATE) + INTERVAL (-1) day AS DATE) AS "leaves_after"
  FROM "every_day"
),
"orders_spells_2" AS (
  SELECT "orders_first_days_2"."status" AS "status", "orders_first_days_2"."enters_2" AS "enters", CASE WHEN "orders_first_days_2"."leaves_2" IS NULL OR "orders_first_days_2"."next" < "orders_first_days_2"."leaves_2" THEN "orders_first_days_2"."next" ELSE "orders_first_days_2"."leaves_2" END AS "until", COUNT("orders_first_days_2"."buyers") AS "values"
  FROM (SELECT "orders_first_days"."status" AS "status", "orders_first_days"."buyers" AS "buyers", "orders_first_days"."month" AS "month", "orders_first_days"."first_day" AS "first_day", "orders_first_days"."last_day" AS "last_day", "parts_2"."turn" AS "turn", "parts_2"."day" AS "day", "parts_2"."enters" AS "enters", "parts_2"."leaves" AS "leaves", "parts_2"."enters_2" AS "enters_2", "parts_2"."leaves_2" AS "leaves_2", FIRST_VALUE("parts_2"."enters_2") OVER (PARTITION BY "orders_first_days"."status", "orders_first_days"."buyers" ORDER BY "orders_first_days"."first_day" ASC NULLS LAST ROWS BETWEEN 1 FOLLOWING AND 1 FOLLOWING) AS "next" FROM "orders_first_days" JOIN (SELECT "parts"."turn" AS "turn", "parts"."day" AS "day", "parts"."enters" AS "enters", "parts"."leaves" AS "leaves", MIN("parts"."enters") OVER (ORDER BY "parts"."turn" DESC NULLS LAST, "parts"."day" ASC NULLS FIRST ROWS UNBOUNDED PRECEDING) AS "enters_2", MIN("parts"."leaves") OVER (ORDER BY "parts"."turn" DESC NULLS LAST, "parts"."day" ASC NULLS FIRST ROWS UNBOUNDED PRECEDING) AS "leaves_2" FROM (SELECT "orders_first_days"."day" AS "turn", "orders_first_days"."day" AS "day", CAST(NULL AS DATE) AS "enters", CAST(NULL AS DATE) AS "leaves" FROM (SELECT DISTINCT "orders_first_days"."first_day" AS "day" FROM "orders_first_days") AS "orders_first_days"
UNION ALL SELECT "periods_2"."enters_after" AS "turn", CAST(NULL AS DATE) AS "day", "periods_2"."period" AS "enters", CAST(NULL AS DATE) AS "leaves" FROM "periods_2"
UNION ALL SELECT "periods_2"."leaves_after" AS "turn", CAST(NULL AS DATE) AS "day", CAST(NULL AS DATE) AS "enters", "periods_2"."period" AS "leaves" FROM "periods_2") AS "parts") AS "parts_2" ON "orders_first_days"."first_day" = "parts_2"."day" WHERE "parts_2"."day" IS NOT NULL) AS "orders_first_days_2"
  WHERE "orders_first_days_2"."enters_2" IS NOT NULL AND (CASE WHEN "orders_first_days_2"."leaves_2" IS NULL OR "orders_first_days_2"."next" < "orders_first_days_2"."leaves_2" THEN "orders_first_days_2"."next" ELSE "orders_first_days_2"."leaves_2" END IS NULL OR "orders_first_days_2"."enters_2" < CASE WHEN "orders_first_days_2"."leaves_2" IS NULL OR "orders_first_days_2"."next" < "orders_first_days_2"."leaves_2" THEN "orders_first_days_2"."next" ELSE "orders_first_days_2"."leaves_2" END)
  GROUP BY "orders_first_days_2"."status", "orders_first_days_2"."enters_2", CASE WHEN "orders_first_days_2"."leaves_2" IS NULL OR "orders_first_days_2"."next" < "orders_first_days_2"."leaves_2" THEN "orders_first_days_2"."next" ELSE "orders_first_days_2"."leaves_2" END
),
"orders_by_day_day_and_status_2" AS (
  SELECT "parts_3"."status" AS "status", "parts_3"."day_day" AS "day_day", CAST("parts_3"."sum" AS BIGINT) AS "buyers"
  FROM (SELECT "parts_2"."status" AS "status", "parts_2"."day_day" AS "day_day", "parts_2"."change" AS "change", SUM("parts_2"."change") OVER (PARTITION BY "parts_2"."status" ORDER BY "parts_2"."day_day" ASC NULLS LAST ROWS UNBOUNDED PRECEDING) AS "sum" FROM (SELECT "parts"."status" AS "status", "parts"."day_day" AS "day_day", SUM("parts"."change") AS "change" FROM (SELECT "orders_spells_2"."status" AS "status", "orders_spells_2"."enters" AS "day_day", "orders_spells_2"."values" AS "change" FROM "orders_spells_2"
UNION ALL SELECT "orders_spells_2"."status" AS "status", "orders_spells_2"."until" AS "day_day", -"orders_spells_2"."values" AS "change" FROM "orders_spells_2" WHERE "orders_spells_2"."until" IS NOT NULL
UNION ALL SELECT "orders_spells_2_2"."status" AS "status", "periods_2"."period" AS "day_day", 0 AS "change" FROM "periods_2" CROSS JOIN (SELECT DISTINCT "orders_spells_2"."status" AS "status" FROM "orders_spells_2") AS "orders_spells_2_2") AS "parts" GROUP BY "parts"."status", "parts"."day_day") AS "parts_2") AS "parts_3"
)
SELECT "parts"."day_day" AS "day_day", "parts"."status" AS "status", coalesce(MAX("parts"."buyers"), 0) AS "buyers_28d", coalesce(MAX("parts"."buyers_2"), 0) AS "buyers_mtd"
FROM (SELECT "orders_by_day_day_and_status"."day_day" AS "day_day", "orders_by_day_day_and_status"."status" AS "status", "orders_by_day_day_and_status"."buyers" AS "buyers", CAST(NULL AS BIGINT) AS "buyers_2" FROM "orders_by_day_day_and_status"
UNION ALL SELECT "orders_by_day_day_and_status_2"."day_day" AS "day_day", "orders_by_day_day_and_status_2"."status" AS "status", CAST(NULL AS BIGINT) AS "buyers", "orders_by_day_day_and_status_2"."buyers" AS "buyers_2" FROM "orders_by_day_day_and_status_2") AS "parts"
GROUP BY "parts"."day_day", "parts"."status"
ORDER BY "parts"."day_day" ASC NULLS LAST, "parts"."status" ASC NULLS LAST
LIMIT 1000

-- mysql
WITH `orders_days` AS (
  SELECT `orders_2`.`status` AS `status`, `orders_2`.`buyers` AS `buyers`, `orders_2`.`day_2` AS `day`
  FROM (SELECT DATE(`orders`.`day`) AS `day_2`, `orders`.`status` AS `status`, `orders`.`customer_id` AS `buyers` FROM `orders`) AS `orders_2`
  GROUP BY `orders_2`.`status`, `orders_2`.`buyers`, `orders_2`.`day_2`
),
`orders_first_days` AS (
  SELECT `orders_2`.`status` AS `status`, `orders_2`.`buyers` AS `buyers`, `orders_2`.`month` AS `month`, MIN(`orders_2`.`day_2`) AS `first_day`, MAX(`orders_2`.`day_2`) AS `last_day`
  FROM (SELECT DATE(`orders`.`day`) AS `day_2`, `orders`.`status` AS `status`, `orders`.`customer_id` AS `buyers`, CAST(DATE_FORMAT(DATE(`orders`.`day`), '%Y-%m-01') AS DATE) AS `month` FROM `orders`) AS `orders_2`
  GROUP BY `orders_2`.`status`, `orders_2`.`buyers`, `orders_2`.`month`
),
`shown` AS (
  SELECT `parts`.`day_day` AS `day_day`
  FROM (SELECT `orders_days`.`day` AS `day_day` FROM `orders_days`
UNION ALL SELECT `orders_first_days`.`first_day` AS `day_day` FROM `orders_first_days`
UNION ALL SELECT `orders_first_days`.`last_day` AS `day_day` FROM `orders_first_days`) AS `parts`
),
`every_day` AS (
  SELECT `periods`.period AS `period`
  FROM (SELECT DATE_ADD(b.lo, INTERVAL n.i - 1 DAY) AS period FROM (SELECT DATE((SELECT MIN(`shown`.`day_day`) AS `first_day_day` FROM `shown`)) AS lo, DATE((SELECT MAX(`shown`.`day_day`) AS `last_day_day` FROM `shown`)) AS hi) AS b JOIN JSON_TABLE(CONCAT('[0', REPEAT(',0', TIMESTAMPDIFF(DAY, b.lo, b.hi)), ']'), '$[*]' COLUMNS (i FOR ORDINALITY)) AS n WHERE b.lo <= b.hi) AS `periods`
),
`periods` AS (
  SELECT `every_day`.`period` AS `period`, DATE_ADD(DATE_ADD(`every_day`.`period`, INTERVAL 1 DAY), INTERVAL -1 DAY) AS `enters_after`, DATE_ADD(DATE_ADD(DATE_ADD(`every_day`.`period`, INTERVAL 1 DAY), INTERVAL -28 DAY), INTERVAL -1 DAY) AS `leaves_after`
  FROM `every_day`
),
`orders_spells` AS (
  SELECT `orders_days_3`.`status` AS `status`, `orders_days_3`.`enters` AS `enters`, `orders_days_3`.`until` AS `until`, COUNT(`orders_days_3`.`buyers`) AS `values`
  FROM (SELECT `orders_days_2`.`status` AS `status`, `orders_days_2`.`buyers` AS `buyers`, `orders_days_2`.`enters_2` AS `enters`, CASE WHEN `orders_days_2`.`leaves_2` IS NULL OR `orders_days_2`.`next` < `orders_days_2`.`leaves_2` THEN `orders_days_2`.`next` ELSE `orders_days_2`.`leaves_2` END AS `until` FROM (SELECT `orders_days`.`status` AS `status`, `orders_days`.`buyers` AS `buyers`, `orders_days`.`day` AS `day`, `parts_2`.`turn` AS `turn`, `parts_2`.`day` AS `day_2`, `parts_2`.`enters` AS `enters`, `parts_2`.`leaves` AS `leaves`, `parts_2`.`enters_2` AS `enters_2`, `parts_2`.`leaves_2` AS `leaves_2`, FIRST_VALUE(`parts_2`.`enters_2`) OVER (PARTITION BY `orders_days`.`status`, `orders_days`.`buyers` ORDER BY `orders_days`.`day` IS NULL, `orders_days`.`day` ASC ROWS BETWEEN 1 FOLLOWING AND 1 FOLLOWING) AS `next` FROM `orders_days` JOIN (SELECT `parts`.`turn` AS `turn`, `parts`.`day` AS `day`, `parts`.`enters` AS `enters`, `parts`.`leaves` AS `leaves`, MIN(`parts`.`enters`) OVER (ORDER BY `parts`.`turn` IS NULL, `parts`.`turn` DESC, `parts`.`day` IS NOT NULL, `parts`.`day` ASC ROWS UNBOUNDED PRECEDING) AS `enters_2`, MIN(`parts`.`leaves`) OVER (ORDER BY `parts`.`turn` IS NULL, `parts`.`turn` DESC, `parts`.`day` IS NOT NULL, `parts`.`day` ASC ROWS UNBOUNDED PRECEDING) AS `leaves_2` FROM (SELECT `orders_days`.`day` AS `turn`, `orders_days`.`day` AS `day`, CAST(NULL AS DATE) AS `enters`, CAST(NULL AS DATE) AS `leaves` FROM (SELECT DISTINCT `orders_days`.`day` AS `day` FROM `orders_days`) AS `orders_days`
UNION ALL SELECT `periods`.`enters_after` AS `turn`, CAST(NULL AS DATE) AS `day`, `periods`.`period` AS `enters`, CAST(NULL AS DATE) AS `leaves` FROM `periods`
UNION ALL SELECT `periods`.`leaves_after` AS `turn`, CAST(NULL AS DATE) AS `day`, CAST(NULL AS DATE) AS `enters`, `periods`.`period` AS `leaves` FROM `periods`) AS `parts`) AS `parts_2` ON `orders_days`.`day` = `parts_2`.`day` WHERE `parts_2`.`day` IS NOT NULL) AS `orders_days_2` WHERE `orders_days_2`.`enters_2` IS NOT NULL AND (CASE WHEN `orders_days_2`.`leaves_2` IS NULL OR `orders_days_2`.`next` < `orders_days_2`.`leaves_2` THEN `orders_days_2`.`next` ELSE `orders_days_2`.`leaves_2` END IS NULL OR `orders_days_2`.`enters_2` < CASE WHEN `orders_days_2`.`leaves_2` IS NULL OR `orders_days_2`.`next` < `orders_days_2`.`leaves_2` THEN `orders_days_2`.`next` ELSE `orders_days_2`.`leaves_2` END)) AS `orders_days_3`
  GROUP BY `orders_days_3`.`status`, `orders_days_3`.`enters`, `orders_days_3`.`until`
),
`orders_by_day_day_and_status` AS (
  SELECT `parts_3`.`status` AS `status`, `parts_3`.`day_day` AS `day_day`, CAST(`parts_3`.`sum` AS SIGNED) AS `buyers`
  FROM (SELECT `parts_2`.`status` AS `status`, `parts_2`.`day_day` AS `day_day`, `parts_2`.`change` AS `change`, SUM(`parts_2`.`change`) OVER (PARTITION BY `parts_2`.`status` ORDER BY `parts_2`.`day_day` IS NULL, `parts_2`.`day_day` ASC ROWS UNBOUNDED PRECEDING) AS `sum` FROM (SELECT `parts`.`status` AS `status`, `parts`.`day_day` AS `day_day`, SUM(`parts`.`change`) AS `change` FROM (SELECT `orders_spells`.`status` AS `status`, `orders_spells`.`enters` AS `day_day`, `orders_spells`.`values` AS `change` FROM `orders_spells`
UNION ALL SELECT `orders_spells`.`status` AS `status`, `orders_spells`.`until` AS `day_day`, -`orders_spells`.`values` AS `change` FROM `orders_spells` WHERE `orders_spells`.`until` IS NOT NULL
UNION ALL SELECT `orders_spells_2`.`status` AS `status`, `periods`.`period` AS `day_day`, 0 AS `change` FROM `periods` CROSS JOIN (SELECT DISTINCT `orders_spells`.`status` AS `status` FROM `orders_spells`) AS `orders_spells_2`) AS `parts` GROUP BY `parts`.`status`, `parts`.`day_day`) AS `parts_2`) AS `parts_3`
),
`periods_2` AS (
  SELECT `every_day`.`period` AS `period`, DATE_ADD(DATE_ADD(`every_day`.`period`, INTERVAL 1 DAY), INTERVAL -1 DAY) AS `enters_after`, DATE_ADD(CAST(DATE_FORMAT(`every_day`.`period`, '%Y-%m-01') AS DATE), INTERVAL -1 DAY) AS `leaves_after`
  FROM `every_day`
),
`orders_spells_2` AS (
  SELECT `orders_first_days_3`.`status` AS `status`, `orders_first_days_3`.`enters` AS `enters`, `orders_first_days_3`.`until` AS `until`, COUNT(`orders_first_days_3`.`buyers`) AS `values`
  FROM (SELECT `orders_first_days_2`.`status` AS `status`, `orders_first_days_2`.`buyers` AS `buyers`, `orders_first_days_2`.`enters_2` AS `enters`, CASE WHEN `orders_first_days_2`.`leaves_2` IS NULL OR `orders_first_days_2`.`next` < `orders_first_days_2`.`leaves_2` THEN `orders_first_days_2`.`next` ELSE `orders_first_days_2`.`leaves_2` END AS `until` FROM (SELECT `orders_first_days`.`status` AS `status`, `orders_first_days`.`buyers` AS `buyers`, `orders_first_days`.`month` AS `month`, `orders_first_days`.`first_day` AS `first_day`, `orders_first_days`.`last_day` AS `last_day`, `parts_2`.`turn` AS `turn`, `parts_2`.`day` AS `day`, `parts_2`.`enters` AS `enters`, `parts_2`.`leaves` AS `leaves`, `parts_2`.`enters_2` AS `enters_2`, `parts_2`.`leaves_2` AS `leaves_2`, FIRST_VALUE(`parts_2`.`enters_2`) OVER (PARTITION BY `orders_first_days`.`status`, `orders_first_days`.`buyers` ORDER BY `orders_first_days`.`first_day` IS NULL, `orders_first_days`.`first_day` ASC ROWS BETWEEN 1 FOLLOWING AND 1 FOLLOWING) AS `next` FROM `orders_first_days` JOIN (SELECT `parts`.`turn` AS `turn`, `parts`.`day` AS `day`, `parts`.`enters` AS `enters`, `parts`.`leaves` AS `leaves`, MIN(`parts`.`enters`) OVER (ORDER BY `parts`.`turn` IS NULL, `parts`.`turn` DESC, `parts`.`day` IS NOT NULL, `parts`.`day` ASC ROWS UNBOUNDED PRECEDING) AS `enters_2`, MIN(`parts`.`leaves`) OVER (ORDER BY `parts`.`turn` IS NULL, `parts`.`turn` DESC, `parts`.`day` IS NOT NULL, `parts`.`day` ASC ROWS UNBOUNDED PRECEDING) AS `leaves_2` FROM (SELECT `orders_first_days`.`day` AS `turn`, `orders_first_days`.`day` AS `day`, CAST(NULL AS DATE) AS `enters`, CAST(NULL AS DATE) AS `leaves` FROM (SELECT DISTINCT `orders_first_days`.`first_day` AS `day` FROM `orders_first_days`) AS `orders_first_days`
UNION ALL SELECT `periods_2`.`enters_after` AS `turn`, CAST(NULL AS DATE) AS `day`, `periods_2`.`period` AS `enters`, CAST(NULL AS DATE) AS `leaves` FROM `periods_2`
UNION ALL SELECT `periods_2`.`leaves_after` AS `turn`, CAST(NULL AS DATE) AS `day`, CAST(NULL AS DATE) AS `enters`, `periods_2`.`period` AS `leaves` FROM `periods_2`) AS `parts`) AS `parts_2` ON `orders_first_days`.`first_day` = `parts_2`.`day` WHERE `parts_2`.`day` IS NOT NULL) AS `orders_first_days_2` WHERE `orders_first_days_2`.`enters_2` IS NOT NULL AND (CASE WHEN `orders_first_days_2`.`leaves_2` IS NULL OR `orders_first_days_2`.`next` < `orders_first_days_2`.`leaves_2` THEN `orders_first_days_2`.`next` ELSE `orders_first_days_2`.`leaves_2` END IS NULL OR `orders_first_days_2`.`enters_2` < CASE WHEN `orders_first_days_2`.`leaves_2` IS NULL OR `orders_first_days_2`.`next` < `orders_first_days_2`.`leaves_2` THEN `orders_first_days_2`.`next` ELSE `orders_first_days_2`.`leaves_2` END)) AS `orders_first_days_3`
  GROUP BY `orders_first_days_3`.`status`, `orders_first_days_3`.`enters`, `orders_first_days_3`.`until`
),
`orders_by_day_day_and_status_2` AS (
  SELECT `parts_3`.`status` AS `status`, `parts_3`.`day_day` AS `day_day`, CAST(`parts_3`.`sum` AS SIGNED) AS `buyers`
  FROM (SELECT `parts_2`.`status` AS `status`, `parts_2`.`day_day` AS `day_day`, `parts_2`.`change` AS `change`, SUM(`parts_2`.`change`) OVER (PARTITION BY `parts_2`.`status` ORDER BY `parts_2`.`day_day` IS NULL, `parts_2`.`day_day` ASC ROWS UNBOUNDED PRECEDING) AS `sum` FROM (SELECT `parts`.`status` AS `status`, `parts`.`day_day` AS `day_day`, SUM(`parts`.`change`) AS `change` FROM (SELECT `orders_spells_2`.`status` AS `status`, `orders_spells_2`.`enters` AS `day_day`, `orders_spells_2`.`values` AS `change` FROM `orders_spells_2`
UNION ALL SELECT `orders_spells_2`.`status` AS `status`, `orders_spells_2`.`until` AS `day_day`, -`orders_spells_2`.`values` AS `change` FROM `orders_spells_2` WHERE `orders_spells_2`.`until` IS NOT NULL
UNION ALL SELECT `orders_spells_2_2`.`status` AS `status`, `periods_2`.`period` AS `day_day`, 0 AS `change` FROM `periods_2` CROSS JOIN (SELECT DISTINCT `orders_spells_2`.`status` AS `status` FROM `orders_spells_2`) AS `orders_spells_2_2`) AS `parts` GROUP BY `parts`.`status`, `parts`.`day_day`) AS `parts_2`) AS `parts_3`
)
SELECT `parts`.`day_day` AS `day_day`, `parts`.`status` AS `status`, COALESCE(MAX(`parts`.`buyers`), 0) AS `buyers_28d`, COALESCE(MAX(`parts`.`buyers_2`), 0) AS `buyers_mtd`
FROM (SELECT `orders_by_day_day_and_status`.`day_day` AS `day_day`, `orders_by_day_day_and_status`.`status` AS `status`, `orders_by_day_day_and_status`.`buyers` AS `buyers`, CAST(NULL AS SIGNED) AS `buyers_2` FROM `orders_by_day_day_and_status`
UNION ALL SELECT `orders_by_day_day_and_status_2`.`day_day` AS `day_day`, `orders_by_day_day_and_status_2`.`status` AS `status`, CAST(NULL AS SIGNED) AS `buyers`, `orders_by_day_day_and_status_2`.`buyers` AS `buyers_2` FROM `orders_by_day_day_and_status_2`) AS `parts`
GROUP BY `parts`.`day_day`, `parts`.`status`
ORDER BY `parts`.`day_day` IS NULL, `parts`.`day_day` ASC, `parts`.`status` IS NULL, `parts`.`status` ASC
LIMIT 1000

-- postgres
WITH "orders_days" AS (
  SELECT "orders"."status" AS "status", "orders"."customer_id" AS "buyers", CAST("orders"."day" AS date) AS "day_2"
  FROM "orders"
  GROUP BY "orders"."status", "orders"."customer_id", CAST("orders"."day" AS date)
),
"orders_first_days" AS (
  SELECT "orders"."status" AS "status", "orders"."customer_id" AS "buyers", CAST(date_trunc('month', CAST("orders"."day" AS date)) AS date) AS "month", MIN(CAST("orders"."day" AS date)) AS "first_day", MAX(CAST("orders"."day" AS date)) AS "last_day"
  FROM "orders"
  GROUP BY "orders"."status", "orders"."customer_id", CAST(date_trunc('month', CAST("orders"."day" AS date)) AS date)
),
"shown" AS (
  SELECT "parts"."day_day" AS "day_day"
  FROM (SELECT "orders_days"."day_2" AS "day_day" FROM "orders_days"
UNION ALL SELECT "orders_first_days"."first_day" AS "day_day" FROM "orders_first_days"
UNION ALL SELECT "orders_first_days"."last_day" AS "day_day" FROM "orders_first_days") AS "parts"
),
"every_day" AS (
  SELECT "periods".period AS "period"
  FROM (SELECT CAST(p AS date) AS period FROM generate_series(CAST(CAST((SELECT MIN("shown"."day_day") AS "first_day_day" FROM "shown") AS date) AS timestamp), CAST(CAST((SELECT MAX("shown"."day_day") AS "last_day_day" FROM "shown") AS date) AS timestamp), INTERVAL '1 day') AS s (p)) AS "periods"
),
"periods" AS (
  SELECT "every_day"."period" AS "period", CAST(CAST("every_day"."period" + make_interval(days => 1) AS date) + make_interval(days => -1) AS date) AS "enters_after", CAST(CAST(CAST("every_day"."period" + make_interval(days => 1) AS date) + make_interval(days => -28) AS date) + make_interval(days => -1) AS date) AS "leaves_after"
  FROM "every_day"
),
"orders_spells" AS (
  SELECT "orders_days_2"."status" AS "status", "orders_days_2"."enters_2" AS "enters", CASE WHEN "orders_days_2"."leaves_2" IS NULL OR "orders_days_2"."next" < "orders_days_2"."leaves_2" THEN "orders_days_2"."next" ELSE "orders_days_2"."leaves_2" END AS "until", COUNT("orders_days_2"."buyers") AS "values"
  FROM (SELECT "orders_days"."status" AS "status", "orders_days"."buyers" AS "buyers", "orders_days"."day_2" AS "day", "parts_2"."turn" AS "turn", "parts_2"."day" AS "day_2", "parts_2"."enters" AS "enters", "parts_2"."leaves" AS "leaves", "parts_2"."enters_2" AS "enters_2", "parts_2"."leaves_2" AS "leaves_2", FIRST_VALUE("parts_2"."enters_2") OVER (PARTITION BY "orders_days"."status", "orders_days"."buyers" ORDER BY "orders_days"."day_2" ASC NULLS LAST ROWS BETWEEN 1 FOLLOWING AND 1 FOLLOWING) AS "next" FROM "orders_days" JOIN (SELECT "parts"."turn" AS "turn", "parts"."day" AS "day", "parts"."enters" AS "enters", "parts"."leaves" AS "leaves", MIN("parts"."enters") OVER (ORDER BY "parts"."turn" DESC NULLS LAST, "parts"."day" ASC NULLS FIRST ROWS UNBOUNDED PRECEDING) AS "enters_2", MIN("parts"."leaves") OVER (ORDER BY "parts"."turn" DESC NULLS LAST, "parts"."day" ASC NULLS FIRST ROWS UNBOUNDED PRECEDING) AS "leaves_2" FROM (SELECT "orders_days"."day" AS "turn", "orders_days"."day" AS "day", CAST(NULL AS date) AS "enters", CAST(NULL AS date) AS "leaves" FROM (SELECT DISTINCT "orders_days"."day_2" AS "day" FROM "orders_days") AS "orders_days"
UNION ALL SELECT "periods"."enters_after" AS "turn", CAST(NULL AS date) AS "day", "periods"."period" AS "enters", CAST(NULL AS date) AS "leaves" FROM "periods"
UNION ALL SELECT "periods"."leaves_after" AS "turn", CAST(NULL AS date) AS "day", CAST(NULL AS date) AS "enters", "periods"."period" AS "leaves" FROM "periods") AS "parts") AS "parts_2" ON "orders_days"."day_2" = "parts_2"."day" WHERE "parts_2"."day" IS NOT NULL) AS "orders_days_2"
  WHERE "orders_days_2"."enters_2" IS NOT NULL AND (CASE WHEN "orders_days_2"."leaves_2" IS NULL OR "orders_days_2"."next" < "orders_days_2"."leaves_2" THEN "orders_days_2"."next" ELSE "orders_days_2"."leaves_2" END IS NULL OR "orders_days_2"."enters_2" < CASE WHEN "orders_days_2"."leaves_2" IS NULL OR "orders_days_2"."next" < "orders_days_2"."leaves_2" THEN "orders_days_2"."next" ELSE "orders_days_2"."leaves_2" END)
  GROUP BY "orders_days_2"."status", "orders_days_2"."enters_2", CASE WHEN "orders_days_2"."leaves_2" IS NULL OR "orders_days_2"."next" < "orders_days_2"."leaves_2" THEN "orders_days_2"."next" ELSE "orders_days_2"."leaves_2" END
),
"orders_by_day_day_and_status" AS (
  SELECT "parts_3"."status" AS "status", "parts_3"."day_day" AS "day_day", CAST("parts_3"."sum" AS bigint) AS "buyers"
  FROM (SELECT "parts_2"."status" AS "status", "parts_2"."day_day" AS "day_day", "parts_2"."change" AS "change", SUM("parts_2"."change") OVER (PARTITION BY "parts_2"."status" ORDER BY "parts_2"."day_day" ASC NULLS LAST ROWS UNBOUNDED PRECEDING) AS "sum" FROM (SELECT "parts"."status" AS "status", "parts"."day_day" AS "day_day", SUM("parts"."change") AS "change" FROM (SELECT "orders_spells"."status" AS "status", "orders_spells"."enters" AS "day_day", "orders_spells"."values" AS "change" FROM "orders_spells"
UNION ALL SELECT "orders_spells"."status" AS "status", "orders_spells"."until" AS "day_day", -"orders_spells"."values" AS "change" FROM "orders_spells" WHERE "orders_spells"."until" IS NOT NULL
UNION ALL SELECT "orders_spells_2"."status" AS "status", "periods"."period" AS "day_day", 0 AS "change" FROM "periods" CROSS JOIN (SELECT DISTINCT "orders_spells"."status" AS "status" FROM "orders_spells") AS "orders_spells_2") AS "parts" GROUP BY "parts"."status", "parts"."day_day") AS "parts_2") AS "parts_3"
),
"periods_2" AS (
  SELECT "every_day"."period" AS "period", CAST(CAST("every_day"."period" + make_interval(days => 1) AS date) + make_interval(days => -1) AS date) AS "enters_after", CAST(CAST(date_trunc('month', "every_day"."period") AS date) + make_interval(days => -1) AS date) AS "leaves_after"
  FROM "every_day"
),
"orders_spells_2" AS (
  SELECT "orders_first_days_2"."status" AS "status", "orders_first_days_2"."enters_2" AS "enters", CASE WHEN "orders_first_days_2"."leaves_2" IS NULL OR "orders_first_days_2"."next" < "orders_first_days_2"."leaves_2" THEN "orders_first_days_2"."next" ELSE "orders_first_days_2"."leaves_2" END AS "until", COUNT("orders_first_days_2"."buyers") AS "values"
  FROM (SELECT "orders_first_days"."status" AS "status", "orders_first_days"."buyers" AS "buyers", "orders_first_days"."month" AS "month", "orders_first_days"."first_day" AS "first_day", "orders_first_days"."last_day" AS "last_day", "parts_2"."turn" AS "turn", "parts_2"."day" AS "day", "parts_2"."enters" AS "enters", "parts_2"."leaves" AS "leaves", "parts_2"."enters_2" AS "enters_2", "parts_2"."leaves_2" AS "leaves_2", FIRST_VALUE("parts_2"."enters_2") OVER (PARTITION BY "orders_first_days"."status", "orders_first_days"."buyers" ORDER BY "orders_first_days"."first_day" ASC NULLS LAST ROWS BETWEEN 1 FOLLOWING AND 1 FOLLOWING) AS "next" FROM "orders_first_days" JOIN (SELECT "parts"."turn" AS "turn", "parts"."day" AS "day", "parts"."enters" AS "enters", "parts"."leaves" AS "leaves", MIN("parts"."enters") OVER (ORDER BY "parts"."turn" DESC NULLS LAST, "parts"."day" ASC NULLS FIRST ROWS UNBOUNDED PRECEDING) AS "enters_2", MIN("parts"."leaves") OVER (ORDER BY "parts"."turn" DESC NULLS LAST, "parts"."day" ASC NULLS FIRST ROWS UNBOUNDED PRECEDING) AS "leaves_2" FROM (SELECT "orders_first_days"."day" AS "turn", "orders_first_days"."day" AS "day", CAST(NULL AS date) AS "enters", CAST(NULL AS date) AS "leaves" FROM (SELECT DISTINCT "orders_first_days"."first_day" AS "day" FROM "orders_first_days") AS "orders_first_days"
UNION ALL SELECT "periods_2"."enters_after" AS "turn", CAST(NULL AS date) AS "day", "periods_2"."period" AS "enters", CAST(NULL AS date) AS "leaves" FROM "periods_2"
UNION ALL SELECT "periods_2"."leaves_after" AS "turn", CAST(NULL AS date) AS "day", CAST(NULL AS date) AS "enters", "periods_2"."period" AS "leaves" FROM "periods_2") AS "parts") AS "parts_2" ON "orders_first_days"."first_day" = "parts_2"."day" WHERE "parts_2"."day" IS NOT NULL) AS "orders_first_days_2"
  WHERE "orders_first_days_2"."enters_2" IS NOT NULL AND (CASE WHEN "orders_first_days_2"."leaves_2" IS NULL OR "orders_first_days_2"."next" < "orders_first_days_2"."leaves_2" THEN "orders_first_days_2"."next" ELSE "orders_first_days_2"."leaves_2" END IS NULL OR "orders_first_days_2"."enters_2" < CASE WHEN "orders_first_days_2"."leaves_2" IS NULL OR "orders_first_days_2"."next" < "orders_first_days_2"."leaves_2" THEN "orders_first_days_2"."next" ELSE "orders_first_days_2"."leaves_2" END)
  GROUP BY "orders_first_days_2"."status", "orders_first_days_2"."enters_2", CASE WHEN "orders_first_days_2"."leaves_2" IS NULL OR "orders_first_days_2"."next" < "orders_first_days_2"."leaves_2" THEN "orders_first_days_2"."next" ELSE "orders_first_days_2"."leaves_2" END
),
"orders_by_day_day_and_status_2" AS (
  SELECT "parts_3"."status" AS "status", "parts_3"."day_day" AS "day_day", CAST("parts_3"."sum" AS bigint) AS "buyers"
  FROM (SELECT "parts_2"."status" AS "status", "parts_2"."day_day" AS "day_day", "parts_2"."change" AS "change", SUM("parts_2"."change") OVER (PARTITION BY "parts_2"."status" ORDER BY "parts_2"."day_day" ASC NULLS LAST ROWS UNBOUNDED PRECEDING) AS "sum" FROM (SELECT "parts"."status" AS "status", "parts"."day_day" AS "day_day", SUM("parts"."change") AS "change" FROM (SELECT "orders_spells_2"."status" AS "status", "orders_spells_2"."enters" AS "day_day", "orders_spells_2"."values" AS "change" FROM "orders_spells_2"
UNION ALL SELECT "orders_spells_2"."status" AS "status", "orders_spells_2"."until" AS "day_day", -"orders_spells_2"."values" AS "change" FROM "orders_spells_2" WHERE "orders_spells_2"."until" IS NOT NULL
UNION ALL SELECT "orders_spells_2_2"."status" AS "status", "periods_2"."period" AS "day_day", 0 AS "change" FROM "periods_2" CROSS JOIN (SELECT DISTINCT "orders_spells_2"."status" AS "status" FROM "orders_spells_2") AS "orders_spells_2_2") AS "parts" GROUP BY "parts"."status", "parts"."day_day") AS "parts_2") AS "parts_3"
)
SELECT "parts"."day_day" AS "day_day", "parts"."status" AS "status", coalesce(MAX("parts"."buyers"), 0) AS "buyers_28d", coalesce(MAX("parts"."buyers_2"), 0) AS "buyers_mtd"
FROM (SELECT "orders_by_day_day_and_status"."day_day" AS "day_day", "orders_by_day_day_and_status"."status" AS "status", "orders_by_day_day_and_status"."buyers" AS "buyers", CAST(NULL AS bigint) AS "buyers_2" FROM "orders_by_day_day_and_status"
UNION ALL SELECT "orders_by_day_day_and_status_2"."day_day" AS "day_day", "orders_by_day_day_and_status_2"."status" AS "status", CAST(NULL AS bigint) AS "buyers", "orders_by_day_day_and_status_2"."buyers" AS "buyers_2" FROM "orders_by_day_day_and_status_2") AS "parts"
GROUP BY "parts"."day_day", "parts"."status"
ORDER BY "parts"."day_day" ASC NULLS LAST, "parts"."status" ASC NULLS LAST
LIMIT 1000

-- snowflake
-- unsupported_on_dialect: coalesce(…, 0) cannot be written in the snowflake dialect
-- write it in another way, or as a definition in the engine's own SQL

-- sqlite
WITH "orders_days" AS (
  SELECT "orders"."status" AS "status", "orders"."customer_id" AS "buyers", date("orders"."day") AS "day_2"
  FROM "orders"
  GROUP BY "orders"."status", "orders"."customer_id", date("orders"."day")
),
"orders_first_days" AS (
  SELECT "orders"."status" AS "status", "orders"."customer_id" AS "buyers", date(date("orders"."day"), 'start of month') AS "month", MIN(date("orders"."day")) AS "first_day", MAX(date("orders"."day")) AS "last_day"
  FROM "orders"
  GROUP BY "orders"."status", "orders"."customer_id", date(date("orders"."day"), 'start of month')
),
"shown" AS (
  SELECT "parts"."day_day" AS "day_day"
  FROM (SELECT "orders_days"."day_2" AS "day_day" FROM "orders_days"
UNION ALL SELECT "orders_first_days"."first_day" AS "day_day" FROM "orders_first_days"
UNION ALL SELECT "orders_first_days"."last_day" AS "day_day" FROM "orders_first_days") AS "parts"
),
"every_day" AS (
  SELECT "periods".period AS "period"
  FROM (WITH RECURSIVE spine (period) AS (SELECT date(date((SELECT MIN("shown"."day_day") AS "first_day_day" FROM "shown"))) WHERE date(date((SELECT MIN("shown"."day_day") AS "first_day_day" FROM "shown"))) <= date(date((SELECT MAX("shown"."day_day") AS "last_day_day" FROM "shown"))) UNION ALL SELECT date(period, (1) || ' days') FROM spine WHERE date(period, (1) || ' days') <= date(date((SELECT MAX("shown"."day_day") AS "last_day_day" FROM "shown")))) SELECT period FROM spine) AS "periods"
),
"periods" AS (
  SELECT "every_day"."period" AS "period", date(date("every_day"."period", (1) || ' days'), (-1) || ' days') AS "enters_after", date(date(date("every_day"."period", (1) || ' days'), (-28) || ' days'), (-1) || ' days') AS "leaves_after"
  FROM "every_day"
),
"orders_spells" AS (
  SELECT "orders_days_2"."status" AS "status", "orders_days_2"."enters_2" AS "enters", CASE WHEN "orders_days_2"."leaves_2" IS NULL OR "orders_days_2"."next" < "orders_days_2"."leaves_2" THEN "orders_days_2"."next" ELSE "orders_days_2"."leaves_2" END AS "until", COUNT("orders_days_2"."buyers") AS "values"
  FROM (SELECT "orders_days"."status" AS "status", "orders_days"."buyers" AS "buyers", "orders_days"."day_2" AS "day", "parts_2"."turn" AS "turn", "parts_2"."day" AS "day_2", "parts_2"."enters" AS "enters", "parts_2"."leaves" AS "leaves", "parts_2"."enters_2" AS "enters_2", "parts_2"."leaves_2" AS "leaves_2", FIRST_VALUE("parts_2"."enters_2") OVER (PARTITION BY "orders_days"."status", "orders_days"."buyers" ORDER BY "orders_days"."day_2" ASC NULLS LAST ROWS BETWEEN 1 FOLLOWING AND 1 FOLLOWING) AS "next" FROM "orders_days" JOIN (SELECT "parts"."turn" AS "turn", "parts"."day" AS "day", "parts"."enters" AS "enters", "parts"."leaves" AS "leaves", MIN("parts"."enters") OVER (ORDER BY "parts"."turn" DESC NULLS LAST, "parts"."day" ASC NULLS FIRST ROWS UNBOUNDED PRECEDING) AS "enters_2", MIN("parts"."leaves") OVER (ORDER BY "parts"."turn" DESC NULLS LAST, "parts"."day" ASC NULLS FIRST ROWS UNBOUNDED PRECEDING) AS "leaves_2" FROM (SELECT "orders_days"."day" AS "turn", "orders_days"."day" AS "day", date(NULL) AS "enters", date(NULL) AS "leaves" FROM (SELECT DISTINCT "orders_days"."day_2" AS "day" FROM "orders_days") AS "orders_days"
UNION ALL SELECT "periods"."enters_after" AS "turn", date(NULL) AS "day", "periods"."period" AS "enters", date(NULL) AS "leaves" FROM "periods"
UNION ALL SELECT "periods"."leaves_after" AS "turn", date(NULL) AS "day", date(NULL) AS "enters", "periods"."period" AS "leaves" FROM "periods") AS "parts") AS "parts_2" ON "orders_days"."day_2" = "parts_2"."day" WHERE "parts_2"."day" IS NOT NULL) AS "orders_days_2"
  WHERE "orders_days_2"."enters_2" IS NOT NULL AND (CASE WHEN "orders_days_2"."leaves_2" IS NULL OR "orders_days_2"."next" < "orders_days_2"."leaves_2" THEN "orders_days_2"."next" ELSE "orders_days_2"."leaves_2" END IS NULL OR "orders_days_2"."enters_2" < CASE WHEN "orders_days_2"."leaves_2" IS NULL OR "orders_days_2"."next" < "orders_days_2"."leaves_2" THEN "orders_days_2"."next" ELSE "orders_days_2"."leaves_2" END)
  GROUP BY "orders_days_2"."status", "orders_days_2"."enters_2", CASE WHEN "orders_days_2"."leaves_2" IS NULL OR "orders_days_2"."next" < "orders_days_2"."leaves_2" THEN "orders_days_2"."next" ELSE "orders_days_2"."leaves_2" END
),
"orders_by_day_day_and_status" AS (
  SELECT "parts_3"."status" AS "status", "parts_3"."day_day" AS "day_day", CAST("parts_3"."sum" AS INTEGER) AS "buyers"
  FROM (SELECT "parts_2"."status" AS "status", "parts_2"."day_day" AS "day_day", "parts_2"."change" AS "change", SUM("parts_2"."change") OVER (PARTITION BY "parts_2"."status" ORDER BY "parts_2"."day_day" ASC NULLS LAST ROWS UNBOUNDED PRECEDING) AS "sum" FROM (SELECT "parts"."status" AS "status", "parts"."day_day" AS "day_day", SUM("parts"."change") AS "change" FROM (SELECT "orders_spells"."status" AS "status", "orders_spells"."enters" AS "day_day", "orders_spells"."values" AS "change" FROM "orders_spells"
UNION ALL SELECT "orders_spells"."status" AS "status", "orders_spells"."until" AS "day_day", -"orders_spells"."values" AS "change" FROM "orders_spells" WHERE "orders_spells"."until" IS NOT NULL
UNION ALL SELECT "orders_spells_2"."status" AS "status", "periods"."period" AS "day_day", 0 AS "change" FROM "periods" CROSS JOIN (SELECT DISTINCT "orders_spells"."status" AS "status" FROM "orders_spells") AS "orders_spells_2") AS "parts" GROUP BY "parts"."status", "parts"."day_day") AS "parts_2") AS "parts_3"
),
"periods_2" AS (
  SELECT "every_day"."period" AS "period", date(date("every_day"."period", (1) || ' days'), (-1) || ' days') AS "enters_after", date(date("every_day"."period", 'start of month'), (-1) || ' days') AS "leaves_after"
  FROM "every_day"
),
"orders_spells_2" AS (
  SELECT "orders_first_days_2"."status" AS "status", "orders_first_days_2"."enters_2" AS "enters", CASE WHEN "orders_first_days_2"."leaves_2" IS NULL OR "orders_first_days_2"."next" < "orders_first_days_2"."leaves_2" THEN "orders_first_days_2"."next" ELSE "orders_first_days_2"."leaves_2" END AS "until", COUNT("orders_first_days_2"."buyers") AS "values"
  FROM (SELECT "orders_first_days"."status" AS "status", "orders_first_days"."buyers" AS "buyers", "orders_first_days"."month" AS "month", "orders_first_days"."first_day" AS "first_day", "orders_first_days"."last_day" AS "last_day", "parts_2"."turn" AS "turn", "parts_2"."day" AS "day", "parts_2"."enters" AS "enters", "parts_2"."leaves" AS "leaves", "parts_2"."enters_2" AS "enters_2", "parts_2"."leaves_2" AS "leaves_2", FIRST_VALUE("parts_2"."enters_2") OVER (PARTITION BY "orders_first_days"."status", "orders_first_days"."buyers" ORDER BY "orders_first_days"."first_day" ASC NULLS LAST ROWS BETWEEN 1 FOLLOWING AND 1 FOLLOWING) AS "next" FROM "orders_first_days" JOIN (SELECT "parts"."turn" AS "turn", "parts"."day" AS "day", "parts"."enters" AS "enters", "parts"."leaves" AS "leaves", MIN("parts"."enters") OVER (ORDER BY "parts"."turn" DESC NULLS LAST, "parts"."day" ASC NULLS FIRST ROWS UNBOUNDED PRECEDING) AS "enters_2", MIN("parts"."leaves") OVER (ORDER BY "parts"."turn" DESC NULLS LAST, "parts"."day" ASC NULLS FIRST ROWS UNBOUNDED PRECEDING) AS "leaves_2" FROM (SELECT "orders_first_days"."day" AS "turn", "orders_first_days"."day" AS "day", date(NULL) AS "enters", date(NULL) AS "leaves" FROM (SELECT DISTINCT "orders_first_days"."first_day" AS "day" FROM "orders_first_days") AS "orders_first_days"
UNION ALL SELECT "periods_2"."enters_after" AS "turn", date(NULL) AS "day", "periods_2"."period" AS "enters", date(NULL) AS "leaves" FROM "periods_2"
UNION ALL SELECT "periods_2"."leaves_after" AS "turn", date(NULL) AS "day", date(NULL) AS "enters", "periods_2"."period" AS "leaves" FROM "periods_2") AS "parts") AS "parts_2" ON "orders_first_days"."first_day" = "parts_2"."day" WHERE "parts_2"."day" IS NOT NULL) AS "orders_first_days_2"
  WHERE "orders_first_days_2"."enters_2" IS NOT NULL AND (CASE WHEN "orders_first_days_2"."leaves_2" IS NULL OR "orders_first_days_2"."next" < "orders_first_days_2"."leaves_2" THEN "orders_first_days_2"."next" ELSE "orders_first_days_2"."leaves_2" END IS NULL OR "orders_first_days_2"."enters_2" < CASE WHEN "orders_first_days_2"."leaves_2" IS NULL OR "orders_first_days_2"."next" < "orders_first_days_2"."leaves_2" THEN "orders_first_days_2"."next" ELSE "orders_first_days_2"."leaves_2" END)
  GROUP BY "orders_first_days_2"."status", "orders_first_days_2"."enters_2", CASE WHEN "orders_first_days_2"."leaves_2" IS NULL OR "orders_first_days_2"."next" < "orders_first_days_2"."leaves_2" THEN "orders_first_days_2"."next" ELSE "orders_first_days_2"."leaves_2" END
),
"orders_by_day_day_and_status_2" AS (
  SELECT "parts_3"."status" AS "status", "parts_3"."day_day" AS "day_day", CAST("parts_3"."sum" AS INTEGER) AS "buyers"
  FROM (SELECT "parts_2"."status" AS "status", "parts_2"."day_day" AS "day_day", "parts_2"."change" AS "change", SUM("parts_2"."change") OVER (PARTITION BY "parts_2"."status" ORDER BY "parts_2"."day_day" ASC NULLS LAST ROWS UNBOUNDED PRECEDING) AS "sum" FROM (SELECT "parts"."status" AS "status", "parts"."day_day" AS "day_day", SUM("parts"."change") AS "change" FROM (SELECT "orders_spells_2"."status" AS "status", "orders_spells_2"."enters" AS "day_day", "orders_spells_2"."values" AS "change" FROM "orders_spells_2"
UNION ALL SELECT "orders_spells_2"."status" AS "status", "orders_spells_2"."until" AS "day_day", -"orders_spells_2"."values" AS "change" FROM "orders_spells_2" WHERE "orders_spells_2"."until" IS NOT NULL
UNION ALL SELECT "orders_spells_2_2"."status" AS "status", "periods_2"."period" AS "day_day", 0 AS "change" FROM "periods_2" CROSS JOIN (SELECT DISTINCT "orders_spells_2"."status" AS "status" FROM "orders_spells_2") AS "orders_spells_2_2") AS "parts" GROUP BY "parts"."status", "parts"."day_day") AS "parts_2") AS "parts_3"
)
SELECT "parts"."day_day" AS "day_day", "parts"."status" AS "status", coalesce(MAX("parts"."buyers"), 0) AS "buyers_28d", coalesce(MAX("parts"."buyers_2"), 0) AS "buyers_mtd"
FROM (SELECT "orders_by_day_day_and_status"."day_day" AS "day_day", "orders_by_day_day_and_status"."status" AS "status", "orders_by_day_day_and_status"."buyers" AS "buyers", CAST(NULL AS INTEGER) AS "buyers_2" FROM "orders_by_day_day_and_status"
UNION ALL SELECT "orders_by_day_day_and_status_2"."day_day" AS "day_day", "orders_by_day_day_and_status_2"."status" AS "status", CAST(NULL AS INTEGER) AS "buyers", "orders_by_day_day_and_status_2"."buyers" AS "buyers_2" FROM "orders_by_day_day_and_status_2") AS "parts"
GROUP BY "parts"."day_day", "parts"."status"
ORDER BY "parts"."day_day" ASC NULLS LAST, "parts"."status" ASC NULLS LAST
LIMIT 1000

-- sqlserver
-- unsupported_on_dialect: coalesce(…, 0) cannot be written in the sqlserver dialect
-- write it in another way, or as a definition in the engine's own SQL

