-- bigquery
WITH `fiscal_days_2` AS (
  SELECT `fiscal`.`day` AS `day`, CASE WHEN MIN(`fiscal`.`quarter`) = MAX(`fiscal`.`quarter`) THEN MAX(`fiscal`.`quarter`) END AS `fiscal_quarter`, CASE WHEN MIN(`fiscal`.`year`) = MAX(`fiscal`.`year`) THEN MAX(`fiscal`.`year`) END AS `fiscal_year`
  FROM `fiscal_days` AS `fiscal`
  WHERE `fiscal`.`day` IS NOT NULL
  GROUP BY `fiscal`.`day`
),
`every_fiscal_quarter` AS (
  SELECT `fiscal_days_2_3`.`fiscal_quarter` AS `fiscal_quarter`, CAST(`fiscal_days_2_3`.`number` AS INT64) AS `number`, `fiscal_days_2_3`.`first` AS `first`, `fiscal_days_2_3`.`last` AS `last`
  FROM (SELECT `fiscal_days_2_2`.`fiscal_quarter` AS `fiscal_quarter`, `fiscal_days_2_2`.`first` AS `first`, `fiscal_days_2_2`.`last` AS `last`, ROW_NUMBER() OVER (ORDER BY `fiscal_days_2_2`.`first` ASC NULLS LAST) AS `number` FROM (SELECT `fiscal_days_2`.`fiscal_quarter` AS `fiscal_quarter`, MIN(`fiscal_days_2`.`day`) AS `first`, MAX(`fiscal_days_2`.`day`) AS `last` FROM `fiscal_days_2` WHERE `fiscal_days_2`.`fiscal_quarter` IS NOT NULL GROUP BY `fiscal_days_2`.`fiscal_quarter`) AS `fiscal_days_2_2`) AS `fiscal_days_2_3`
),
`every_fiscal_year` AS (
  SELECT `fiscal_days_2_3`.`fiscal_year` AS `fiscal_year`, CAST(`fiscal_days_2_3`.`number` AS INT64) AS `number`
  FROM (SELECT `fiscal_days_2_2`.`fiscal_year` AS `fiscal_year`, `fiscal_days_2_2`.`first` AS `first`, ROW_NUMBER() OVER (ORDER BY `fiscal_days_2_2`.`first` ASC NULLS LAST) AS `number` FROM (SELECT `fiscal_days_2`.`fiscal_year` AS `fiscal_year`, MIN(`fiscal_days_2`.`day`) AS `first` FROM `fiscal_days_2` WHERE `fiscal_days_2`.`fiscal_year` IS NOT NULL GROUP BY `fiscal_days_2`.`fiscal_year`) AS `fiscal_days_2_2`) AS `fiscal_days_2_3`
),
`periods` AS (
  SELECT `every_fiscal_quarter`.`fiscal_quarter` AS `period`, `every_fiscal_quarter_8`.`fiscal_quarter` AS `earlier`, `every_fiscal_quarter_8`.`first` AS `first`, CASE WHEN CAST('2024-02-01' AS DATE) > `every_fiscal_quarter_2`.`first` THEN DATE_DIFF(CAST(CAST('2024-02-01' AS DATE) AS DATE), CAST(`every_fiscal_quarter_2`.`first` AS DATE), DAY) END AS `cut_from`, CASE WHEN CAST('2024-04-11' AS DATE) <= `every_fiscal_quarter_2`.`last` THEN DATE_DIFF(CAST(CAST('2024-04-11' AS DATE) AS DATE), CAST(`every_fiscal_quarter_2`.`first` AS DATE), DAY) END AS `cut_until`
  FROM `every_fiscal_quarter` JOIN `every_fiscal_quarter` AS `every_fiscal_quarter_2` ON `every_fiscal_quarter`.`fiscal_quarter` = `every_fiscal_quarter_2`.`fiscal_quarter` LEFT JOIN (SELECT `every_fiscal_quarter_4`.`number` AS `number`, `every_fiscal_quarter_6`.`number` AS `earlier` FROM (SELECT `every_fiscal_quarter_3`.`number` AS `number`, `every_fiscal_quarter_3`.`first` AS `first`, `fiscal_days_2`.`day` AS `day`, `fiscal_days_2`.`fiscal_year` AS `fiscal_year`, `every_fiscal_year`.`fiscal_year` AS `fiscal_year_2`, `every_fiscal_year`.`number` AS `number_2`, ROW_NUMBER() OVER (PARTITION BY `every_fiscal_year`.`number` ORDER BY `every_fiscal_quarter_3`.`first` ASC NULLS LAST) AS `place` FROM `every_fiscal_quarter` AS `every_fiscal_quarter_3` JOIN `fiscal_days_2` ON `every_fiscal_quarter_3`.`first` = `fiscal_days_2`.`day` JOIN `every_fiscal_year` ON `fiscal_days_2`.`fiscal_year` = `every_fiscal_year`.`fiscal_year`) AS `every_fiscal_quarter_4` JOIN (SELECT `every_fiscal_quarter_5`.`number` AS `number`, `every_fiscal_quarter_5`.`first` AS `first`, `fiscal_days_2_2`.`day` AS `day`, `fiscal_days_2_2`.`fiscal_year` AS `fiscal_year`, `every_fiscal_year_2`.`fiscal_year` AS `fiscal_year_2`, `every_fiscal_year_2`.`number` AS `number_2`, ROW_NUMBER() OVER (PARTITION BY `every_fiscal_year_2`.`number` ORDER BY `every_fiscal_quarter_5`.`first` ASC NULLS LAST) AS `place` FROM `every_fiscal_quarter` AS `every_fiscal_quarter_5` JOIN `fiscal_days_2` AS `fiscal_days_2_2` ON `every_fiscal_quarter_5`.`first` = `fiscal_days_2_2`.`day` JOIN `every_fiscal_year` AS `every_fiscal_year_2` ON `fiscal_days_2_2`.`fiscal_year` = `every_fiscal_year_2`.`fiscal_year`) AS `every_fiscal_quarter_6` ON `every_fiscal_quarter_4`.`number_2` - 1 = `every_fiscal_quarter_6`.`number_2` AND CAST(`every_fiscal_quarter_4`.`place` AS INT64) = CAST(`every_fiscal_quarter_6`.`place` AS INT64)) AS `every_fiscal_quarter_7` ON `every_fiscal_quarter_2`.`number` = `every_fiscal_quarter_7`.`number` LEFT JOIN `every_fiscal_quarter` AS `every_fiscal_quarter_8` ON `every_fiscal_quarter_7`.`earlier` = `every_fiscal_quarter_8`.`number`
  WHERE `every_fiscal_quarter`.`last` >= CAST('2024-02-01' AS DATE) AND `every_fiscal_quarter`.`first` <= CAST('2024-04-10' AS DATE)
),
`orders_by_day` AS (
  SELECT CAST(`orders`.`day` AS DATE) AS `day_2`, SUM(`orders`.`amount`) AS `revenue`
  FROM `orders`
  GROUP BY CAST(`orders`.`day` AS DATE)
)
SELECT `periods`.`period` AS `day_fiscal_quarter`, SUM(`orders_by_day_2`.`revenue`) AS `revenue_last_fiscal_year`
FROM `periods` JOIN (SELECT `orders_by_day`.`day_2` AS `day`, `orders_by_day`.`revenue` AS `revenue`, `fiscal_days_2`.`day` AS `day_2`, `fiscal_days_2`.`fiscal_quarter` AS `fiscal_quarter` FROM `orders_by_day` JOIN `fiscal_days_2` ON `orders_by_day`.`day_2` = `fiscal_days_2`.`day` WHERE `fiscal_days_2`.`fiscal_quarter` IS NOT NULL) AS `orders_by_day_2` ON `orders_by_day_2`.`fiscal_quarter` = `periods`.`earlier` AND (`periods`.`cut_from` IS NULL OR DATE_DIFF(CAST(`orders_by_day_2`.`day` AS DATE), CAST(`periods`.`first` AS DATE), DAY) >= `periods`.`cut_from`) AND (`periods`.`cut_until` IS NULL OR DATE_DIFF(CAST(`orders_by_day_2`.`day` AS DATE), CAST(`periods`.`first` AS DATE), DAY) < `periods`.`cut_until`)
GROUP BY `periods`.`period`
ORDER BY `periods`.`period` ASC NULLS LAST
LIMIT 1000

-- clickhouse
WITH `fiscal_days_2` AS (
  SELECT `fiscal`.`day` AS `day`, CASE WHEN minOrNull(toNullable(`fiscal`.`quarter`)) = maxOrNull(toNullable(`fiscal`.`quarter`)) THEN maxOrNull(toNullable(`fiscal`.`quarter`)) END AS `fiscal_quarter`, CASE WHEN minOrNull(toNullable(`fiscal`.`year`)) = maxOrNull(toNullable(`fiscal`.`year`)) THEN maxOrNull(toNullable(`fiscal`.`year`)) END AS `fiscal_year`
  FROM `fiscal_days` AS `fiscal`
  WHERE `fiscal`.`day` IS NOT NULL
  GROUP BY `fiscal`.`day`
),
`every_fiscal_quarter` AS (
  SELECT toNullable(`fiscal_days_2_3`.`fiscal_quarter`) AS `fiscal_quarter`, toNullable(CAST(`fiscal_days_2_3`.`number` AS Nullable(Int64))) AS `number`, toNullable(`fiscal_days_2_3`.`first`) AS `first`, toNullable(`fiscal_days_2_3`.`last`) AS `last`
  FROM (SELECT `fiscal_days_2_2`.`fiscal_quarter` AS `fiscal_quarter`, `fiscal_days_2_2`.`first` AS `first`, `fiscal_days_2_2`.`last` AS `last`, ROW_NUMBER() OVER (ORDER BY `fiscal_days_2_2`.`first` ASC NULLS LAST) AS `number` FROM (SELECT `fiscal_days_2`.`fiscal_quarter` AS `fiscal_quarter`, minOrNull(`fiscal_days_2`.`day`) AS `first`, maxOrNull(`fiscal_days_2`.`day`) AS `last` FROM `fiscal_days_2` WHERE `fiscal_days_2`.`fiscal_quarter` IS NOT NULL GROUP BY `fiscal_days_2`.`fiscal_quarter`) AS `fiscal_days_2_2`) AS `fiscal_days_2_3`
),
`every_fiscal_year` AS (
  SELECT toNullable(`fiscal_days_2_3`.`fiscal_year`) AS `fiscal_year`, toNullable(CAST(`fiscal_days_2_3`.`number` AS Nullable(Int64))) AS `number`
  FROM (SELECT `fiscal_days_2_2`.`fiscal_year` AS `fiscal_year`, `fiscal_days_2_2`.`first` AS `first`, ROW_NUMBER() OVER (ORDER BY `fiscal_days_2_2`.`first` ASC NULLS LAST) AS `number` FROM (SELECT `fiscal_days_2`.`fiscal_year` AS `fiscal_year`, minOrNull(`fiscal_days_2`.`day`) AS `first` FROM `fiscal_days_2` WHERE `fiscal_days_2`.`fiscal_year` IS NOT NULL GROUP BY `fiscal_days_2`.`fiscal_year`) AS `fiscal_days_2_2`) AS `fiscal_days_2_3`
),
`periods` AS (
  SELECT `every_fiscal_quarter`.`fiscal_quarter` AS `period`, `every_fiscal_quarter_8`.`fiscal_quarter` AS `earlier`, `every_fiscal_quarter_8`.`first` AS `first`, CASE WHEN toDate32('2024-02-01') > `every_fiscal_quarter_2`.`first` THEN dateDiff('day', toDate32(`every_fiscal_quarter_2`.`first`), toDate32(toDate32('2024-02-01'))) END AS `cut_from`, CASE WHEN toDate32('2024-04-11') <= `every_fiscal_quarter_2`.`last` THEN dateDiff('day', toDate32(`every_fiscal_quarter_2`.`first`), toDate32(toDate32('2024-04-11'))) END AS `cut_until`
  FROM `every_fiscal_quarter` JOIN `every_fiscal_quarter` AS `every_fiscal_quarter_2` ON `every_fiscal_quarter`.`fiscal_quarter` = `every_fiscal_quarter_2`.`fiscal_quarter` LEFT JOIN (SELECT `every_fiscal_quarter_4`.`number` AS `number`, `every_fiscal_quarter_6`.`number` AS `earlier` FROM (SELECT `every_fiscal_quarter_3`.`number` AS `number`, `every_fiscal_quarter_3`.`first` AS `first`, `fiscal_days_2`.`day` AS `day`, `fiscal_days_2`.`fiscal_year` AS `fiscal_year`, `every_fiscal_year`.`fiscal_year` AS `fiscal_year_2`, `every_fiscal_year`.`number` AS `number_2`, ROW_NUMBER() OVER (PARTITION BY `every_fiscal_year`.`number` ORDER BY `every_fiscal_quarter_3`.`first` ASC NULLS LAST) AS `place` FROM `every_fiscal_quarter` AS `every_fiscal_quarter_3` JOIN `fiscal_days_2` ON `every_fiscal_quarter_3`.`first` = `fiscal_days_2`.`day` JOIN `every_fiscal_year` ON `fiscal_days_2`.`fiscal_year` = `every_fiscal_year`.`fiscal_year`) AS `every_fiscal_quarter_4` JOIN (SELECT `every_fiscal_quarter_5`.`number` AS `number`, `every_fiscal_quarter_5`.`first` AS `first`, `fiscal_days_2_2`.`day` AS `day`, `fiscal_days_2_2`.`fiscal_year` AS `fiscal_year`, `every_fiscal_year_2`.`fiscal_year` AS `fiscal_year_2`, `every_fiscal_year_2`.`number` AS `number_2`, ROW_NUMBER() OVER (PARTITION BY `every_fiscal_year_2`.`number` ORDER BY `every_fiscal_quarter_5`.`first` ASC NULLS LAST) AS `place` FROM `every_fiscal_quarter` AS `every_fiscal_quarter_5` JOIN `fiscal_days_2` AS `fiscal_days_2_2` ON `every_fiscal_quarter_5`.`first` = `fiscal_days_2_2`.`day` JOIN `every_fiscal_year` AS `every_fiscal_year_2` ON `fiscal_days_2_2`.`fiscal_year` = `every_fiscal_year_2`.`fiscal_year`) AS `every_fiscal_quarter_6` ON `every_fiscal_quarter_4`.`number_2` - 1 = `every_fiscal_quarter_6`.`number_2` AND toNullable(CAST(`every_fiscal_quarter_4`.`place` AS Nullable(Int64))) = toNullable(CAST(`every_fiscal_quarter_6`.`place` AS Nullable(Int64)))) AS `every_fiscal_quarter_7` ON `every_fiscal_quarter_2`.`number` = `every_fiscal_quarter_7`.`number` LEFT JOIN `every_fiscal_quarter` AS `every_fiscal_quarter_8` ON `every_fiscal_quarter_7`.`earlier` = `every_fiscal_quarter_8`.`number`
  WHERE `every_fiscal_quarter`.`last` >= toDate32('2024-02-01') AND `every_fiscal_quarter`.`first` <= toDate32('2024-04-10')
),
`orders_by_day` AS (
  SELECT toDate32(`orders`.`day`) AS `day_2`, sumOrNull(toNullable(`orders`.`amount`)) AS `revenue`
  FROM `orders`
  GROUP BY toDate32(`orders`.`day`)
)
SELECT `periods`.`period` AS `day_fiscal_quarter`, sumOrNull(`orders_by_day_2`.`revenue`) AS `revenue_last_fiscal_year`
FROM `periods` JOIN (SELECT `orders_by_day`.`day_2` AS `day`, `orders_by_day`.`revenue` AS `revenue`, `fiscal_days_2`.`day` AS `day_2`, `fiscal_days_2`.`fiscal_quarter` AS `fiscal_quarter` FROM `orders_by_day` JOIN `fiscal_days_2` ON `orders_by_day`.`day_2` = `fiscal_days_2`.`day` WHERE `fiscal_days_2`.`fiscal_quarter` IS NOT NULL) AS `orders_by_day_2` ON `orders_by_day_2`.`fiscal_quarter` = `periods`.`earlier` AND (`periods`.`cut_from` IS NULL OR dateDiff('day', toDate32(`periods`.`first`), toDate32(`orders_by_day_2`.`day`)) >= `periods`.`cut_from`) AND (`periods`.`cut_until` IS NULL OR dateDiff('day', toDate32(`periods`.`first`), toDate32(`orders_by_day_2`.`day`)) < `periods`.`cut_until`)
GROUP BY `periods`.`period`
ORDER BY `periods`.`period` ASC NULLS LAST
LIMIT 1000

-- duckdb
WITH "fiscal_days_2" AS (
  SELECT "fiscal"."day" AS "day", CASE WHEN MIN("fiscal"."quarter") = MAX("fiscal"."quarter") THEN MAX("fiscal"."quarter") END AS "fiscal_quarter", CASE WHEN MIN("fiscal"."year") = MAX("fiscal"."year") THEN MAX("fiscal"."year") END AS "fiscal_year"
  FROM "fiscal_days" AS "fiscal"
  WHERE "fiscal"."day" IS NOT NULL
  GROUP BY "fiscal"."day"
),
"every_fiscal_quarter" AS (
  SELECT "fiscal_days_2_3"."fiscal_quarter" AS "fiscal_quarter", CAST("fiscal_days_2_3"."number" AS BIGINT) AS "number", "fiscal_days_2_3"."first" AS "first", "fiscal_days_2_3"."last" AS "last"
  FROM (SELECT "fiscal_days_2_2"."fiscal_quarter" AS "fiscal_quarter", "fiscal_days_2_2"."first" AS "first", "fiscal_days_2_2"."last" AS "last", ROW_NUMBER() OVER (ORDER BY "fiscal_days_2_2"."first" ASC NULLS LAST) AS "number" FROM (SELECT "fiscal_days_2"."fiscal_quarter" AS "fiscal_quarter", MIN("fiscal_days_2"."day") AS "first", MAX("fiscal_days_2"."day") AS "last" FROM "fiscal_days_2" WHERE "fiscal_days_2"."fiscal_quarter" IS NOT NULL GROUP BY "fiscal_days_2"."fiscal_quarter") AS "fiscal_days_2_2") AS "fiscal_days_2_3"
),
"every_fiscal_year" AS (
  SELECT "fiscal_days_2_3"."fiscal_year" AS "fiscal_year", CAST("fiscal_days_2_3"."number" AS BIGINT) AS "number"
  FROM (SELECT "fiscal_days_2_2"."fiscal_year" AS "fiscal_year", "fiscal_days_2_2"."first" AS "first", ROW_NUMBER() OVER (ORDER BY "fiscal_days_2_2"."first" ASC NULLS LAST) AS "number" FROM (SELECT "fiscal_days_2"."fiscal_year" AS "fiscal_year", MIN("fiscal_days_2"."day") AS "first" FROM "fiscal_days_2" WHERE "fiscal_days_2"."fiscal_year" IS NOT NULL GROUP BY "fiscal_days_2"."fiscal_year") AS "fiscal_days_2_2") AS "fiscal_days_2_3"
),
"periods" AS (
  SELECT "every_fiscal_quarter"."fiscal_quarter" AS "period", "every_fiscal_quarter_8"."fiscal_quarter" AS "earlier", "every_fiscal_quarter_8"."first" AS "first", CASE WHEN CAST('2024-02-01' AS DATE) > "every_fiscal_quarter_2"."first" THEN date_diff('day', CAST("every_fiscal_quarter_2"."first" AS DATE), CAST(CAST('2024-02-01' AS DATE) AS DATE)) END AS "cut_from", CASE WHEN CAST('2024-04-11' AS DATE) <= "every_fiscal_quarter_2"."last" THEN date_diff('day', CAST("every_fiscal_quarter_2"."first" AS DATE), CAST(CAST('2024-04-11' AS DATE) AS DATE)) END AS "cut_until"
  FROM "every_fiscal_quarter" JOIN "every_fiscal_quarter" AS "every_fiscal_quarter_2" ON "every_fiscal_quarter"."fiscal_quarter" = "every_fiscal_quarter_2"."fiscal_quarter" LEFT JOIN (SELECT "every_fiscal_quarter_4"."number" AS "number", "every_fiscal_quarter_6"."number" AS "earlier" FROM (SELECT "every_fiscal_quarter_3"."number" AS "number", "every_fiscal_quarter_3"."first" AS "first", "fiscal_days_2"."day" AS "day", "fiscal_days_2"."fiscal_year" AS "fiscal_year", "every_fiscal_year"."fiscal_year" AS "fiscal_year_2", "every_fiscal_year"."number" AS "number_2", ROW_NUMBER() OVER (PARTITION BY "every_fiscal_year"."number" ORDER BY "every_fiscal_quarter_3"."first" ASC NULLS LAST) AS "place" FROM "every_fiscal_quarter" AS "every_fiscal_quarter_3" JOIN "fiscal_days_2" ON "every_fiscal_quarter_3"."first" = "fiscal_days_2"."day" JOIN "every_fiscal_year" ON "fiscal_days_2"."fiscal_year" = "every_fiscal_year"."fiscal_year") AS "every_fiscal_quarter_4" JOIN (SELECT "every_fiscal_quarter_5"."number" AS "number", "every_fiscal_quarter_5"."first" AS "first", "fiscal_days_2_2"."day" AS "day", "fiscal_days_2_2"."fiscal_year" AS "fiscal_year", "every_fiscal_year_2"."fiscal_year" AS "fiscal_year_2", "every_fiscal_year_2"."number" AS "number_2", ROW_NUMBER() OVER (PARTITION BY "every_fiscal_year_2"."number" ORDER BY "every_fiscal_quarter_5"."first" ASC NULLS LAST) AS "place" FROM "every_fiscal_quarter" AS "every_fiscal_quarter_5" JOIN "fiscal_days_2" AS "fiscal_days_2_2" ON "every_fiscal_quarter_5"."first" = "fiscal_days_2_2"."day" JOIN "every_fiscal_year" AS "every_fiscal_year_2" ON "fiscal_days_2_2"."fiscal_year" = "every_fiscal_year_2"."fiscal_year") AS "every_fiscal_quarter_6" ON "every_fiscal_quarter_4"."number_2" - 1 = "every_fiscal_quarter_6"."number_2" AND CAST("every_fiscal_quarter_4"."place" AS BIGINT) = CAST("every_fiscal_quarter_6"."place" AS BIGINT)) AS "every_fiscal_quarter_7" ON "every_fiscal_quarter_2"."number" = "every_fiscal_quarter_7"."number" LEFT JOIN "every_fiscal_quarter" AS "every_fiscal_quarter_8" ON "every_fiscal_quarter_7"."earlier" = "every_fiscal_quarter_8"."number"
  WHERE "every_fiscal_quarter"."last" >= CAST('2024-02-01' AS DATE) AND "every_fiscal_quarter"."first" <= CAST('2024-04-10' AS DATE)
),
"orders_by_day" AS (
  SELECT CAST(date_trunc('day', "orders"."day") AS DATE) AS "day_2", SUM("orders"."amount") AS "revenue"
  FROM "orders"
  GROUP BY CAST(date_trunc('day', "orders"."day") AS DATE)
)
SELECT "periods"."period" AS "day_fiscal_quarter", SUM("orders_by_day_2"."revenue") AS "revenue_last_fiscal_year"
FROM "periods" JOIN (SELECT "orders_by_day"."day_2" AS "day", "orders_by_day"."revenue" AS "revenue", "fiscal_days_2"."day" AS "day_2", "fiscal_days_2"."fiscal_quarter" AS "fiscal_quarter" FROM "orders_by_day" JOIN "fiscal_days_2" ON "orders_by_day"."day_2" = "fiscal_days_2"."day" WHERE "fiscal_days_2"."fiscal_quarter" IS NOT NULL) AS "orders_by_day_2" ON "orders_by_day_2"."fiscal_quarter" = "periods"."earlier" AND ("periods"."cut_from" IS NULL OR date_diff('day', CAST("periods"."first" AS DATE), CAST("orders_by_day_2"."day" AS DATE)) >= "periods"."cut_from") AND ("periods"."cut_until" IS NULL OR date_diff('day', CAST("periods"."first" AS DATE), CAST("orders_by_day_2"."day" AS DATE)) < "periods"."cut_until")
GROUP BY "periods"."period"
ORDER BY "periods"."period" ASC NULLS LAST
LIMIT 1000

-- mysql
WITH `fiscal_days_2` AS (
  SELECT `fiscal`.`day` AS `day`, CASE WHEN MIN(`fiscal`.`quarter`) = MAX(`fiscal`.`quarter`) THEN MAX(`fiscal`.`quarter`) END AS `fiscal_quarter`, CASE WHEN MIN(`fiscal`.`year`) = MAX(`fiscal`.`year`) THEN MAX(`fiscal`.`year`) END AS `fiscal_year`
  FROM `fiscal_days` AS `fiscal`
  WHERE `fiscal`.`day` IS NOT NULL
  GROUP BY `fiscal`.`day`
),
`every_fiscal_quarter` AS (
  SELECT `fiscal_days_2_3`.`fiscal_quarter` AS `fiscal_quarter`, CAST(`fiscal_days_2_3`.`number` AS SIGNED) AS `number`, `fiscal_days_2_3`.`first` AS `first`, `fiscal_days_2_3`.`last` AS `last`
  FROM (SELECT `fiscal_days_2_2`.`fiscal_quarter` AS `fiscal_quarter`, `fiscal_days_2_2`.`first` AS `first`, `fiscal_days_2_2`.`last` AS `last`, ROW_NUMBER() OVER (ORDER BY `fiscal_days_2_2`.`first` IS NULL, `fiscal_days_2_2`.`first` ASC) AS `number` FROM (SELECT `fiscal_days_2`.`fiscal_quarter` AS `fiscal_quarter`, MIN(`fiscal_days_2`.`day`) AS `first`, MAX(`fiscal_days_2`.`day`) AS `last` FROM `fiscal_days_2` WHERE `fiscal_days_2`.`fiscal_quarter` IS NOT NULL GROUP BY `fiscal_days_2`.`fiscal_quarter`) AS `fiscal_days_2_2`) AS `fiscal_days_2_3`
),
`every_fiscal_year` AS (
  SELECT `fiscal_days_2_3`.`fiscal_year` AS `fiscal_year`, CAST(`fiscal_days_2_3`.`number` AS SIGNED) AS `number`
  FROM (SELECT `fiscal_days_2_2`.`fiscal_year` AS `fiscal_year`, `fiscal_days_2_2`.`first` AS `first`, ROW_NUMBER() OVER (ORDER BY `fiscal_days_2_2`.`first` IS NULL, `fiscal_days_2_2`.`first` ASC) AS `number` FROM (SELECT `fiscal_days_2`.`fiscal_year` AS `fiscal_year`, MIN(`fiscal_days_2`.`day`) AS `first` FROM `fiscal_days_2` WHERE `fiscal_days_2`.`fiscal_year` IS NOT NULL GROUP BY `fiscal_days_2`.`fiscal_year`) AS `fiscal_days_2_2`) AS `fiscal_days_2_3`
),
`periods` AS (
  SELECT `every_fiscal_quarter`.`fiscal_quarter` AS `period`, `every_fiscal_quarter_8`.`fiscal_quarter` AS `earlier`, `every_fiscal_quarter_8`.`first` AS `first`, CASE WHEN DATE '2024-02-01' > `every_fiscal_quarter_2`.`first` THEN DATEDIFF(DATE '2024-02-01', `every_fiscal_quarter_2`.`first`) END AS `cut_from`, CASE WHEN DATE '2024-04-11' <= `every_fiscal_quarter_2`.`last` THEN DATEDIFF(DATE '2024-04-11', `every_fiscal_quarter_2`.`first`) END AS `cut_until`
  FROM `every_fiscal_quarter` JOIN `every_fiscal_quarter` AS `every_fiscal_quarter_2` ON `every_fiscal_quarter`.`fiscal_quarter` = `every_fiscal_quarter_2`.`fiscal_quarter` LEFT JOIN (SELECT `every_fiscal_quarter_4`.`number` AS `number`, `every_fiscal_quarter_6`.`number` AS `earlier` FROM (SELECT `every_fiscal_quarter_3`.`number` AS `number`, `every_fiscal_quarter_3`.`first` AS `first`, `fiscal_days_2`.`day` AS `day`, `fiscal_days_2`.`fiscal_year` AS `fiscal_year`, `every_fiscal_year`.`fiscal_year` AS `fiscal_year_2`, `every_fiscal_year`.`number` AS `number_2`, ROW_NUMBER() OVER (PARTITION BY `every_fiscal_year`.`number` ORDER BY `every_fiscal_quarter_3`.`first` IS NULL, `every_fiscal_quarter_3`.`first` ASC) AS `place` FROM `every_fiscal_quarter` AS `every_fiscal_quarter_3` JOIN `fiscal_days_2` ON `every_fiscal_quarter_3`.`first` = `fiscal_days_2`.`day` JOIN `every_fiscal_year` ON `fiscal_days_2`.`fiscal_year` = `every_fiscal_year`.`fiscal_year`) AS `every_fiscal_quarter_4` JOIN (SELECT `every_fiscal_quarter_5`.`number` AS `number`, `every_fiscal_quarter_5`.`first` AS `first`, `fiscal_days_2_2`.`day` AS `day`, `fiscal_days_2_2`.`fiscal_year` AS `fiscal_year`, `every_fiscal_year_2`.`fiscal_year` AS `fiscal_year_2`, `every_fiscal_year_2`.`number` AS `number_2`, ROW_NUMBER() OVER (PARTITION BY `every_fiscal_year_2`.`number` ORDER BY `every_fiscal_quarter_5`.`first` IS NULL, `every_fiscal_quarter_5`.`first` ASC) AS `place` FROM `every_fiscal_quarter` AS `every_fiscal_quarter_5` JOIN `fiscal_days_2` AS `fiscal_days_2_2` ON `every_fiscal_quarter_5`.`first` = `fiscal_days_2_2`.`day` JOIN `every_fiscal_year` AS `every_fiscal_year_2` ON `fiscal_days_2_2`.`fiscal_year` = `every_fiscal_year_2`.`fiscal_year`) AS `every_fiscal_quarter_6` ON `every_fiscal_quarter_4`.`number_2` - 1 = `every_fiscal_quarter_6`.`number_2` AND CAST(`every_fiscal_quarter_4`.`place` AS SIGNED) = CAST(`every_fiscal_quarter_6`.`place` AS SIGNED)) AS `every_fiscal_quarter_7` ON `every_fiscal_quarter_2`.`number` = `every_fiscal_quarter_7`.`number` LEFT JOIN `every_fiscal_quarter` AS `every_fiscal_quarter_8` ON `every_fiscal_quarter_7`.`earlier` = `every_fiscal_quarter_8`.`number`
  WHERE `every_fiscal_quarter`.`last` >= DATE '2024-02-01' AND `every_fiscal_quarter`.`first` <= DATE '2024-04-10'
),
`orders_by_day` AS (
  SELECT `orders_2`.`day_2` AS `day`, SUM(`orders_2`.`revenue`) AS `revenue`
  FROM (SELECT DATE(`orders`.`day`) AS `day_2`, `orders`.`amount` AS `revenue` FROM `orders`) AS `orders_2`
  GROUP BY `orders_2`.`day_2`
)
SELECT `periods`.`period` AS `day_fiscal_quarter`, SUM(`orders_by_day_2`.`revenue`) AS `revenue_last_fiscal_year`
FROM `periods` JOIN (SELECT `orders_by_day`.`day` AS `day`, `orders_by_day`.`revenue` AS `revenue`, `fiscal_days_2`.`day` AS `day_2`, `fiscal_days_2`.`fiscal_quarter` AS `fiscal_quarter` FROM `orders_by_day` JOIN `fiscal_days_2` ON `orders_by_day`.`day` = `fiscal_days_2`.`day` WHERE `fiscal_days_2`.`fiscal_quarter` IS NOT NULL) AS `orders_by_day_2` ON `orders_by_day_2`.`fiscal_quarter` = `periods`.`earlier` AND (`periods`.`cut_from` IS NULL OR DATEDIFF(`orders_by_day_2`.`day`, `periods`.`first`) >= `periods`.`cut_from`) AND (`periods`.`cut_until` IS NULL OR DATEDIFF(`orders_by_day_2`.`day`, `periods`.`first`) < `periods`.`cut_until`)
GROUP BY `periods`.`period`
ORDER BY `periods`.`period` IS NULL, `periods`.`period` ASC
LIMIT 1000

-- postgres
WITH "fiscal_days_2" AS (
  SELECT "fiscal"."day" AS "day", CASE WHEN MIN("fiscal"."quarter") = MAX("fiscal"."quarter") THEN MAX("fiscal"."quarter") END AS "fiscal_quarter", CASE WHEN MIN("fiscal"."year") = MAX("fiscal"."year") THEN MAX("fiscal"."year") END AS "fiscal_year"
  FROM "fiscal_days" AS "fiscal"
  WHERE "fiscal"."day" IS NOT NULL
  GROUP BY "fiscal"."day"
),
"every_fiscal_quarter" AS (
  SELECT "fiscal_days_2_3"."fiscal_quarter" AS "fiscal_quarter", CAST("fiscal_days_2_3"."number" AS bigint) AS "number", "fiscal_days_2_3"."first" AS "first", "fiscal_days_2_3"."last" AS "last"
  FROM (SELECT "fiscal_days_2_2"."fiscal_quarter" AS "fiscal_quarter", "fiscal_days_2_2"."first" AS "first", "fiscal_days_2_2"."last" AS "last", ROW_NUMBER() OVER (ORDER BY "fiscal_days_2_2"."first" ASC NULLS LAST) AS "number" FROM (SELECT "fiscal_days_2"."fiscal_quarter" AS "fiscal_quarter", MIN("fiscal_days_2"."day") AS "first", MAX("fiscal_days_2"."day") AS "last" FROM "fiscal_days_2" WHERE "fiscal_days_2"."fiscal_quarter" IS NOT NULL GROUP BY "fiscal_days_2"."fiscal_quarter") AS "fiscal_days_2_2") AS "fiscal_days_2_3"
),
"every_fiscal_year" AS (
  SELECT "fiscal_days_2_3"."fiscal_year" AS "fiscal_year", CAST("fiscal_days_2_3"."number" AS bigint) AS "number"
  FROM (SELECT "fiscal_days_2_2"."fiscal_year" AS "fiscal_year", "fiscal_days_2_2"."first" AS "first", ROW_NUMBER() OVER (ORDER BY "fiscal_days_2_2"."first" ASC NULLS LAST) AS "number" FROM (SELECT "fiscal_days_2"."fiscal_year" AS "fiscal_year", MIN("fiscal_days_2"."day") AS "first" FROM "fiscal_days_2" WHERE "fiscal_days_2"."fiscal_year" IS NOT NULL GROUP BY "fiscal_days_2"."fiscal_year") AS "fiscal_days_2_2") AS "fiscal_days_2_3"
),
"periods" AS (
  SELECT "every_fiscal_quarter"."fiscal_quarter" AS "period", "every_fiscal_quarter_8"."fiscal_quarter" AS "earlier", "every_fiscal_quarter_8"."first" AS "first", CASE WHEN DATE '2024-02-01' > "every_fiscal_quarter_2"."first" THEN (CAST(DATE '2024-02-01' AS date) - CAST("every_fiscal_quarter_2"."first" AS date)) END AS "cut_from", CASE WHEN DATE '2024-04-11' <= "every_fiscal_quarter_2"."last" THEN (CAST(DATE '2024-04-11' AS date) - CAST("every_fiscal_quarter_2"."first" AS date)) END AS "cut_until"
  FROM "every_fiscal_quarter" JOIN "every_fiscal_quarter" AS "every_fiscal_quarter_2" ON "every_fiscal_quarter"."fiscal_quarter" = "every_fiscal_quarter_2"."fiscal_quarter" LEFT JOIN (SELECT "every_fiscal_quarter_4"."number" AS "number", "every_fiscal_quarter_6"."number" AS "earlier" FROM (SELECT "every_fiscal_quarter_3"."number" AS "number", "every_fiscal_quarter_3"."first" AS "first", "fiscal_days_2"."day" AS "day", "fiscal_days_2"."fiscal_year" AS "fiscal_year", "every_fiscal_year"."fiscal_year" AS "fiscal_year_2", "every_fiscal_year"."number" AS "number_2", ROW_NUMBER() OVER (PARTITION BY "every_fiscal_year"."number" ORDER BY "every_fiscal_quarter_3"."first" ASC NULLS LAST) AS "place" FROM "every_fiscal_quarter" AS "every_fiscal_quarter_3" JOIN "fiscal_days_2" ON "every_fiscal_quarter_3"."first" = "fiscal_days_2"."day" JOIN "every_fiscal_year" ON "fiscal_days_2"."fiscal_year" = "every_fiscal_year"."fiscal_year") AS "every_fiscal_quarter_4" JOIN (SELECT "every_fiscal_quarter_5"."number" AS "number", "every_fiscal_quarter_5"."first" AS "first", "fiscal_days_2_2"."day" AS "day", "fiscal_days_2_2"."fiscal_year" AS "fiscal_year", "every_fiscal_year_2"."fiscal_year" AS "fiscal_year_2", "every_fiscal_year_2"."number" AS "number_2", ROW_NUMBER() OVER (PARTITION BY "every_fiscal_year_2"."number" ORDER BY "every_fiscal_quarter_5"."first" ASC NULLS LAST) AS "place" FROM "every_fiscal_quarter" AS "every_fiscal_quarter_5" JOIN "fiscal_days_2" AS "fiscal_days_2_2" ON "every_fiscal_quarter_5"."first" = "fiscal_days_2_2"."day" JOIN "every_fiscal_year" AS "every_fiscal_year_2" ON "fiscal_days_2_2"."fiscal_year" = "every_fiscal_year_2"."fiscal_year") AS "every_fiscal_quarter_6" ON "every_fiscal_quarter_4"."number_2" - 1 = "every_fiscal_quarter_6"."number_2" AND CAST("every_fiscal_quarter_4"."place" AS bigint) = CAST("every_fiscal_quarter_6"."place" AS bigint)) AS "every_fiscal_quarter_7" ON "every_fiscal_quarter_2"."number" = "every_fiscal_quarter_7"."number" LEFT JOIN "every_fiscal_quarter" AS "every_fiscal_quarter_8" ON "every_fiscal_quarter_7"."earlier" = "every_fiscal_quarter_8"."number"
  WHERE "every_fiscal_quarter"."last" >= DATE '2024-02-01' AND "every_fiscal_quarter"."first" <= DATE '2024-04-10'
),
"orders_by_day" AS (
  SELECT CAST("orders"."day" AS date) AS "day_2", SUM("orders"."amount") AS "revenue"
  FROM "orders"
  GROUP BY CAST("orders"."day" AS date)
)
SELECT "periods"."period" AS "day_fiscal_quarter", SUM("orders_by_day_2"."revenue") AS "revenue_last_fiscal_year"
FROM "periods" JOIN (SELECT "orders_by_day"."day_2" AS "day", "orders_by_day"."revenue" AS "revenue", "fiscal_days_2"."day" AS "day_2", "fiscal_days_2"."fiscal_quarter" AS "fiscal_quarter" FROM "orders_by_day" JOIN "fiscal_days_2" ON "orders_by_day"."day_2" = "fiscal_days_2"."day" WHERE "fiscal_days_2"."fiscal_quarter" IS NOT NULL) AS "orders_by_day_2" ON "orders_by_day_2"."fiscal_quarter" = "periods"."earlier" AND ("periods"."cut_from" IS NULL OR (CAST("orders_by_day_2"."day" AS date) - CAST("periods"."first" AS date)) >= "periods"."cut_from") AND ("periods"."cut_until" IS NULL OR (CAST("orders_by_day_2"."day" AS date) - CAST("periods"."first" AS date)) < "periods"."cut_until")
GROUP BY "periods"."period"
ORDER BY "periods"."period" ASC NULLS LAST
LIMIT 1000

-- snowflake
WITH "fiscal_days_2" AS (
  SELECT "fiscal"."DAY" AS "day_2", CASE WHEN MIN("fiscal"."QUARTER") = MAX("fiscal"."QUARTER") THEN MAX("fiscal"."QUARTER") END AS "fiscal_quarter", CASE WHEN MIN("fiscal"."YEAR") = MAX("fiscal"."YEAR") THEN MAX("fiscal"."YEAR") END AS "fiscal_year"
  FROM "FISCAL_DAYS" AS "fiscal"
  WHERE "fiscal"."DAY" IS NOT NULL
  GROUP BY "fiscal"."DAY"
),
"every_fiscal_quarter" AS (
  SELECT "fiscal_days_2_3"."fiscal_quarter" AS "fiscal_quarter", CAST("fiscal_days_2_3"."number" AS NUMBER(38,0)) AS "number", "fiscal_days_2_3"."first" AS "first", "fiscal_days_2_3"."last" AS "last"
  FROM (SELECT "fiscal_days_2_2"."fiscal_quarter" AS "fiscal_quarter", "fiscal_days_2_2"."first" AS "first", "fiscal_days_2_2"."last" AS "last", ROW_NUMBER() OVER (ORDER BY "fiscal_days_2_2"."first" ASC NULLS LAST) AS "number" FROM (SELECT "fiscal_days_2"."fiscal_quarter" AS "fiscal_quarter", MIN("fiscal_days_2"."day_2") AS "first", MAX("fiscal_days_2"."day_2") AS "last" FROM "fiscal_days_2" WHERE "fiscal_days_2"."fiscal_quarter" IS NOT NULL GROUP BY "fiscal_days_2"."fiscal_quarter") AS "fiscal_days_2_2") AS "fiscal_days_2_3"
),
"every_fiscal_year" AS (
  SELECT "fiscal_days_2_3"."fiscal_year" AS "fiscal_year", CAST("fiscal_days_2_3"."number" AS NUMBER(38,0)) AS "number"
  FROM (SELECT "fiscal_days_2_2"."fiscal_year" AS "fiscal_year", "fiscal_days_2_2"."first" AS "first", ROW_NUMBER() OVER (ORDER BY "fiscal_days_2_2"."first" ASC NULLS LAST) AS "number" FROM (SELECT "fiscal_days_2"."fiscal_year" AS "fiscal_year", MIN("fiscal_days_2"."day_2") AS "first" FROM "fiscal_days_2" WHERE "fiscal_days_2"."fiscal_year" IS NOT NULL GROUP BY "fiscal_days_2"."fiscal_year") AS "fiscal_days_2_2") AS "fiscal_days_2_3"
),
"periods" AS (
  SELECT "every_fiscal_quarter"."fiscal_quarter" AS "period", "every_fiscal_quarter_8"."fiscal_quarter" AS "earlier", "every_fiscal_quarter_8"."first" AS "first", CASE WHEN CAST('2024-02-01' AS DATE) > "every_fiscal_quarter_2"."first" THEN DATEDIFF(DAY, "every_fiscal_quarter_2"."first"::DATE, CAST('2024-02-01' AS DATE)::DATE) END AS "cut_from", CASE WHEN CAST('2024-04-11' AS DATE) <= "every_fiscal_quarter_2"."last" THEN DATEDIFF(DAY, "every_fiscal_quarter_2"."first"::DATE, CAST('2024-04-11' AS DATE)::DATE) END AS "cut_until"
  FROM "every_fiscal_quarter" JOIN "every_fiscal_quarter" AS "every_fiscal_quarter_2" ON "every_fiscal_quarter"."fiscal_quarter" = "every_fiscal_quarter_2"."fiscal_quarter" LEFT JOIN (SELECT "every_fiscal_quarter_4"."number" AS "number", "every_fiscal_quarter_6"."number" AS "earlier" FROM (SELECT "every_fiscal_quarter_3"."number" AS "number", "every_fiscal_quarter_3"."first" AS "first", "fiscal_days_2"."day_2" AS "day", "fiscal_days_2"."fiscal_year" AS "fiscal_year", "every_fiscal_year"."fiscal_year" AS "fiscal_year_2", "every_fiscal_year"."number" AS "number_2", ROW_NUMBER() OVER (PARTITION BY "every_fiscal_year"."number" ORDER BY "every_fiscal_quarter_3"."first" ASC NULLS LAST) AS "place" FROM "every_fiscal_quarter" AS "every_fiscal_quarter_3" JOIN "fiscal_days_2" ON "every_fiscal_quarter_3"."first" = "fiscal_days_2"."day_2" JOIN "every_fiscal_year" ON "fiscal_days_2"."fiscal_year" = "every_fiscal_year"."fiscal_year") AS "every_fiscal_quarter_4" JOIN (SELECT "every_fiscal_quarter_5"."number" AS "number", "every_fiscal_quarter_5"."first" AS "first", "fiscal_days_2_2"."day_2" AS "day", "fiscal_days_2_2"."fiscal_year" AS "fiscal_year", "every_fiscal_year_2"."fiscal_year" AS "fiscal_year_2", "every_fiscal_year_2"."number" AS "number_2", ROW_NUMBER() OVER (PARTITION BY "every_fiscal_year_2"."number" ORDER BY "every_fiscal_quarter_5"."first" ASC NULLS LAST) AS "place" FROM "every_fiscal_quarter" AS "every_fiscal_quarter_5" JOIN "fiscal_days_2" AS "fiscal_days_2_2" ON "every_fiscal_quarter_5"."first" = "fiscal_days_2_2"."day_2" JOIN "every_fiscal_year" AS "every_fiscal_year_2" ON "fiscal_days_2_2"."fiscal_year" = "every_fiscal_year_2"."fiscal_year") AS "every_fiscal_quarter_6" ON "every_fiscal_quarter_4"."number_2" - 1 = "every_fiscal_quarter_6"."number_2" AND CAST("every_fiscal_quarter_4"."place" AS NUMBER(38,0)) = CAST("every_fiscal_quarter_6"."place" AS NUMBER(38,0))) AS "every_fiscal_quarter_7" ON "every_fiscal_quarter_2"."number" = "every_fiscal_quarter_7"."number" LEFT JOIN "every_fiscal_quarter" AS "every_fiscal_quarter_8" ON "every_fiscal_quarter_7"."earlier" = "every_fiscal_quarter_8"."number"
  WHERE "every_fiscal_quarter"."last" >= CAST('2024-02-01' AS DATE) AND "every_fiscal_quarter"."first" <= CAST('2024-04-10' AS DATE)
),
"orders_by_day" AS (
  SELECT DATE_TRUNC('DAY', "orders"."DAY")::DATE AS "day_2", SUM("orders"."AMOUNT") AS "revenue"
  FROM "ORDERS" AS "orders"
  GROUP BY DATE_TRUNC('DAY', "orders"."DAY")::DATE
)
SELECT "periods"."period" AS "day_fiscal_quarter", SUM("orders_by_day_2"."revenue") AS "revenue_last_fiscal_year"
FROM "periods" JOIN (SELECT "orders_by_day"."day_2" AS "day", "orders_by_day"."revenue" AS "revenue", "fiscal_days_2"."day_2" AS "day_2", "fiscal_days_2"."fiscal_quarter" AS "fiscal_quarter" FROM "orders_by_day" JOIN "fiscal_days_2" ON "orders_by_day"."day_2" = "fiscal_days_2"."day_2" WHERE "fiscal_days_2"."fiscal_quarter" IS NOT NULL) AS "orders_by_day_2" ON "orders_by_day_2"."fiscal_quarter" = "periods"."earlier" AND ("periods"."cut_from" IS NULL OR DATEDIFF(DAY, "periods"."first"::DATE, "orders_by_day_2"."day"::DATE) >= "periods"."cut_from") AND ("periods"."cut_until" IS NULL OR DATEDIFF(DAY, "periods"."first"::DATE, "orders_by_day_2"."day"::DATE) < "periods"."cut_until")
GROUP BY "periods"."period"
ORDER BY "periods"."period" ASC NULLS LAST
LIMIT 1000

-- sqlite
WITH "fiscal_days_2" AS (
  SELECT "fiscal"."day" AS "day", CASE WHEN MIN("fiscal"."quarter") = MAX("fiscal"."quarter") THEN MAX("fiscal"."quarter") END AS "fiscal_quarter", CASE WHEN MIN("fiscal"."year") = MAX("fiscal"."year") THEN MAX("fiscal"."year") END AS "fiscal_year"
  FROM "fiscal_days" AS "fiscal"
  WHERE "fiscal"."day" IS NOT NULL
  GROUP BY "fiscal"."day"
),
"every_fiscal_quarter" AS (
  SELECT "fiscal_days_2_3"."fiscal_quarter" AS "fiscal_quarter", CAST("fiscal_days_2_3"."number" AS INTEGER) AS "number", "fiscal_days_2_3"."first" AS "first", "fiscal_days_2_3"."last" AS "last"
  FROM (SELECT "fiscal_days_2_2"."fiscal_quarter" AS "fiscal_quarter", "fiscal_days_2_2"."first" AS "first", "fiscal_days_2_2"."last" AS "last", ROW_NUMBER() OVER (ORDER BY "fiscal_days_2_2"."first" ASC NULLS LAST) AS "number" FROM (SELECT "fiscal_days_2"."fiscal_quarter" AS "fiscal_quarter", MIN("fiscal_days_2"."day") AS "first", MAX("fiscal_days_2"."day") AS "last" FROM "fiscal_days_2" WHERE "fiscal_days_2"."fiscal_quarter" IS NOT NULL GROUP BY "fiscal_days_2"."fiscal_quarter") AS "fiscal_days_2_2") AS "fiscal_days_2_3"
),
"every_fiscal_year" AS (
  SELECT "fiscal_days_2_3"."fiscal_year" AS "fiscal_year", CAST("fiscal_days_2_3"."number" AS INTEGER) AS "number"
  FROM (SELECT "fiscal_days_2_2"."fiscal_year" AS "fiscal_year", "fiscal_days_2_2"."first" AS "first", ROW_NUMBER() OVER (ORDER BY "fiscal_days_2_2"."first" ASC NULLS LAST) AS "number" FROM (SELECT "fiscal_days_2"."fiscal_year" AS "fiscal_year", MIN("fiscal_days_2"."day") AS "first" FROM "fiscal_days_2" WHERE "fiscal_days_2"."fiscal_year" IS NOT NULL GROUP BY "fiscal_days_2"."fiscal_year") AS "fiscal_days_2_2") AS "fiscal_days_2_3"
),
"periods" AS (
  SELECT "every_fiscal_quarter"."fiscal_quarter" AS "period", "every_fiscal_quarter_8"."fiscal_quarter" AS "earlier", "every_fiscal_quarter_8"."first" AS "first", CASE WHEN date('2024-02-01') > "every_fiscal_quarter_2"."first" THEN CAST(julianday(date(date('2024-02-01'))) - julianday(date("every_fiscal_quarter_2"."first")) AS INTEGER) END AS "cut_from", CASE WHEN date('2024-04-11') <= "every_fiscal_quarter_2"."last" THEN CAST(julianday(date(date('2024-04-11'))) - julianday(date("every_fiscal_quarter_2"."first")) AS INTEGER) END AS "cut_until"
  FROM "every_fiscal_quarter" JOIN "every_fiscal_quarter" AS "every_fiscal_quarter_2" ON "every_fiscal_quarter"."fiscal_quarter" = "every_fiscal_quarter_2"."fiscal_quarter" LEFT JOIN (SELECT "every_fiscal_quarter_4"."number" AS "number", "every_fiscal_quarter_6"."number" AS "earlier" FROM (SELECT "every_fiscal_quarter_3"."number" AS "number", "every_fiscal_quarter_3"."first" AS "first", "fiscal_days_2"."day" AS "day", "fiscal_days_2"."fiscal_year" AS "fiscal_year", "every_fiscal_year"."fiscal_year" AS "fiscal_year_2", "every_fiscal_year"."number" AS "number_2", ROW_NUMBER() OVER (PARTITION BY "every_fiscal_year"."number" ORDER BY "every_fiscal_quarter_3"."first" ASC NULLS LAST) AS "place" FROM "every_fiscal_quarter" AS "every_fiscal_quarter_3" JOIN "fiscal_days_2" ON "every_fiscal_quarter_3"."first" = "fiscal_days_2"."day" JOIN "every_fiscal_year" ON "fiscal_days_2"."fiscal_year" = "every_fiscal_year"."fiscal_year") AS "every_fiscal_quarter_4" JOIN (SELECT "every_fiscal_quarter_5"."number" AS "number", "every_fiscal_quarter_5"."first" AS "first", "fiscal_days_2_2"."day" AS "day", "fiscal_days_2_2"."fiscal_year" AS "fiscal_year", "every_fiscal_year_2"."fiscal_year" AS "fiscal_year_2", "every_fiscal_year_2"."number" AS "number_2", ROW_NUMBER() OVER (PARTITION BY "every_fiscal_year_2"."number" ORDER BY "every_fiscal_quarter_5"."first" ASC NULLS LAST) AS "place" FROM "every_fiscal_quarter" AS "every_fiscal_quarter_5" JOIN "fiscal_days_2" AS "fiscal_days_2_2" ON "every_fiscal_quarter_5"."first" = "fiscal_days_2_2"."day" JOIN "every_fiscal_year" AS "every_fiscal_year_2" ON "fiscal_days_2_2"."fiscal_year" = "every_fiscal_year_2"."fiscal_year") AS "every_fiscal_quarter_6" ON "every_fiscal_quarter_4"."number_2" - 1 = "every_fiscal_quarter_6"."number_2" AND CAST("every_fiscal_quarter_4"."place" AS INTEGER) = CAST("every_fiscal_quarter_6"."place" AS INTEGER)) AS "every_fiscal_quarter_7" ON "every_fiscal_quarter_2"."number" = "every_fiscal_quarter_7"."number" LEFT JOIN "every_fiscal_quarter" AS "every_fiscal_quarter_8" ON "every_fiscal_quarter_7"."earlier" = "every_fiscal_quarter_8"."number"
  WHERE "every_fiscal_quarter"."last" >= date('2024-02-01') AND "every_fiscal_quarter"."first" <= date('2024-04-10')
),
"orders_by_day" AS (
  SELECT date("orders"."day") AS "day_2", SUM("orders"."amount") AS "revenue"
  FROM "orders"
  GROUP BY date("orders"."day")
)
SELECT "periods"."period" AS "day_fiscal_quarter", SUM("orders_by_day_2"."revenue") AS "revenue_last_fiscal_year"
FROM "periods" JOIN (SELECT "orders_by_day"."day_2" AS "day", "orders_by_day"."revenue" AS "revenue", "fiscal_days_2"."day" AS "day_2", "fiscal_days_2"."fiscal_quarter" AS "fiscal_quarter" FROM "orders_by_day" JOIN "fiscal_days_2" ON "orders_by_day"."day_2" = "fiscal_days_2"."day" WHERE "fiscal_days_2"."fiscal_quarter" IS NOT NULL) AS "orders_by_day_2" ON "orders_by_day_2"."fiscal_quarter" = "periods"."earlier" AND ("periods"."cut_from" IS NULL OR CAST(julianday(date("orders_by_day_2"."day")) - julianday(date("periods"."first")) AS INTEGER) >= "periods"."cut_from") AND ("periods"."cut_until" IS NULL OR CAST(julianday(date("orders_by_day_2"."day")) - julianday(date("periods"."first")) AS INTEGER) < "periods"."cut_until")
GROUP BY "periods"."period"
ORDER BY "periods"."period" ASC NULLS LAST
LIMIT 1000

-- sqlserver
WITH [fiscal_days_2] AS (
  SELECT [fiscal].[day] AS [day], CASE WHEN MIN([fiscal].[quarter]) = MAX([fiscal].[quarter]) THEN MAX([fiscal].[quarter]) END AS [fiscal_quarter], CASE WHEN MIN([fiscal].[year]) = MAX([fiscal].[year]) THEN MAX([fiscal].[year]) END AS [fiscal_year]
  FROM [fiscal_days] AS [fiscal]
  WHERE [fiscal].[day] IS NOT NULL
  GROUP BY [fiscal].[day]
),
[every_fiscal_quarter] AS (
  SELECT [fiscal_days_2_3].[fiscal_quarter] AS [fiscal_quarter], CAST([fiscal_days_2_3].[number] AS bigint) AS [number], [fiscal_days_2_3].[first] AS [first], [fiscal_days_2_3].[last] AS [last]
  FROM (SELECT [fiscal_days_2_2].[fiscal_quarter] AS [fiscal_quarter], [fiscal_days_2_2].[first] AS [first], [fiscal_days_2_2].[last] AS [last], ROW_NUMBER() OVER (ORDER BY CASE WHEN [fiscal_days_2_2].[first] IS NULL THEN 1 ELSE 0 END, [fiscal_days_2_2].[first] ASC) AS [number] FROM (SELECT [fiscal_days_2].[fiscal_quarter] AS [fiscal_quarter], MIN([fiscal_days_2].[day]) AS [first], MAX([fiscal_days_2].[day]) AS [last] FROM [fiscal_days_2] WHERE [fiscal_days_2].[fiscal_quarter] IS NOT NULL GROUP BY [fiscal_days_2].[fiscal_quarter]) AS [fiscal_days_2_2]) AS [fiscal_days_2_3]
),
[every_fiscal_year] AS (
  SELECT [fiscal_days_2_3].[fiscal_year] AS [fiscal_year], CAST([fiscal_days_2_3].[number] AS bigint) AS [number]
  FROM (SELECT [fiscal_days_2_2].[fiscal_year] AS [fiscal_year], [fiscal_days_2_2].[first] AS [first], ROW_NUMBER() OVER (ORDER BY CASE WHEN [fiscal_days_2_2].[first] IS NULL THEN 1 ELSE 0 END, [fiscal_days_2_2].[first] ASC) AS [number] FROM (SELECT [fiscal_days_2].[fiscal_year] AS [fiscal_year], MIN([fiscal_days_2].[day]) AS [first] FROM [fiscal_days_2] WHERE [fiscal_days_2].[fiscal_year] IS NOT NULL GROUP BY [fiscal_days_2].[fiscal_year]) AS [fiscal_days_2_2]) AS [fiscal_days_2_3]
),
[periods] AS (
  SELECT [every_fiscal_quarter].[fiscal_quarter] AS [period], [every_fiscal_quarter_8].[fiscal_quarter] AS [earlier], [every_fiscal_quarter_8].[first] AS [first], CASE WHEN CAST(N'2024-02-01' AS date) > [every_fiscal_quarter_2].[first] THEN DATEDIFF(day, [every_fiscal_quarter_2].[first], CAST(N'2024-02-01' AS date)) END AS [cut_from], CASE WHEN CAST(N'2024-04-11' AS date) <= [every_fiscal_quarter_2].[last] THEN DATEDIFF(day, [every_fiscal_quarter_2].[first], CAST(N'2024-04-11' AS date)) END AS [cut_until]
  FROM [every_fiscal_quarter] JOIN [every_fiscal_quarter] AS [every_fiscal_quarter_2] ON [every_fiscal_quarter].[fiscal_quarter] = [every_fiscal_quarter_2].[fiscal_quarter] LEFT JOIN (SELECT [every_fiscal_quarter_4].[number] AS [number], [every_fiscal_quarter_6].[number] AS [earlier] FROM (SELECT [every_fiscal_quarter_3].[number] AS [number], [every_fiscal_quarter_3].[first] AS [first], [fiscal_days_2].[day] AS [day], [fiscal_days_2].[fiscal_year] AS [fiscal_year], [every_fiscal_year].[fiscal_year] AS [fiscal_year_2], [every_fiscal_year].[number] AS [number_2], ROW_NUMBER() OVER (PARTITION BY [every_fiscal_year].[number] ORDER BY CASE WHEN [every_fiscal_quarter_3].[first] IS NULL THEN 1 ELSE 0 END, [every_fiscal_quarter_3].[first] ASC) AS [place] FROM [every_fiscal_quarter] AS [every_fiscal_quarter_3] JOIN [fiscal_days_2] ON [every_fiscal_quarter_3].[first] = [fiscal_days_2].[day] JOIN [every_fiscal_year] ON [fiscal_days_2].[fiscal_year] = [every_fiscal_year].[fiscal_year]) AS [every_fiscal_quarter_4] JOIN (SELECT [every_fiscal_quarter_5].[number] AS [number], [every_fiscal_quarter_5].[first] AS [first], [fiscal_days_2_2].[day] AS [day], [fiscal_days_2_2].[fiscal_year] AS [fiscal_year], [every_fiscal_year_2].[fiscal_year] AS [fiscal_year_2], [every_fiscal_year_2].[number] AS [number_2], ROW_NUMBER() OVER (PARTITION BY [every_fiscal_year_2].[number] ORDER BY CASE WHEN [every_fiscal_quarter_5].[first] IS NULL THEN 1 ELSE 0 END, [every_fiscal_quarter_5].[first] ASC) AS [place] FROM [every_fiscal_quarter] AS [every_fiscal_quarter_5] JOIN [fiscal_days_2] AS [fiscal_days_2_2] ON [every_fiscal_quarter_5].[first] = [fiscal_days_2_2].[day] JOIN [every_fiscal_year] AS [every_fiscal_year_2] ON [fiscal_days_2_2].[fiscal_year] = [every_fiscal_year_2].[fiscal_year]) AS [every_fiscal_quarter_6] ON [every_fiscal_quarter_4].[number_2] - 1 = [every_fiscal_quarter_6].[number_2] AND CAST([every_fiscal_quarter_4].[place] AS bigint) = CAST([every_fiscal_quarter_6].[place] AS bigint)) AS [every_fiscal_quarter_7] ON [every_fiscal_quarter_2].[number] = [every_fiscal_quarter_7].[number] LEFT JOIN [every_fiscal_quarter] AS [every_fiscal_quarter_8] ON [every_fiscal_quarter_7].[earlier] = [every_fiscal_quarter_8].[number]
  WHERE [every_fiscal_quarter].[last] >= CAST(N'2024-02-01' AS date) AND [every_fiscal_quarter].[first] <= CAST(N'2024-04-10' AS date)
),
[orders_by_day] AS (
  SELECT [orders_2].[day_2] AS [day], SUM([orders_2].[revenue]) AS [revenue]
  FROM (SELECT CAST([orders].[day] AS date) AS [day_2], [orders].[amount] AS [revenue] FROM [orders]) AS [orders_2]
  GROUP BY [orders_2].[day_2]
)
SELECT TOP (1000) [periods].[period] AS [day_fiscal_quarter], SUM([orders_by_day_2].[revenue]) AS [revenue_last_fiscal_year]
FROM [periods] JOIN (SELECT [orders_by_day].[day] AS [day], [orders_by_day].[revenue] AS [revenue], [fiscal_days_2].[day] AS [day_2], [fiscal_days_2].[fiscal_quarter] AS [fiscal_quarter] FROM [orders_by_day] JOIN [fiscal_days_2] ON [orders_by_day].[day] = [fiscal_days_2].[day] WHERE [fiscal_days_2].[fiscal_quarter] IS NOT NULL) AS [orders_by_day_2] ON [orders_by_day_2].[fiscal_quarter] = [periods].[earlier] AND ([periods].[cut_from] IS NULL OR DATEDIFF(day, [periods].[first], [orders_by_day_2].[day]) >= [periods].[cut_from]) AND ([periods].[cut_until] IS NULL OR DATEDIFF(day, [periods].[first], [orders_by_day_2].[day]) < [periods].[cut_until])
GROUP BY [periods].[period]
ORDER BY CASE WHEN [periods].[period] IS NULL THEN 1 ELSE 0 END, [periods].[period] ASC

