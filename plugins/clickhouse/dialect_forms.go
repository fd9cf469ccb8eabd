package clickhouse

import (
	"maps"
	"strconv"

	"github.com/loam-data/loam/sdk/dialect"
)

// nullable makes native types that can hold NULL: the others refuse a cast of one.
func nullable(types map[string]string) map[string]string {
	for logical, native := range types {
		types[logical] = "Nullable(" + native + ")"
	}
	return types
}

func todayTypes() map[string]string {
	return nullable(map[string]string{
		"bool": "Bool", "int64": "Int64", "float64": "Float64", "text": "String",
		"decimal": "Decimal(38, 10)", "date": "Date32", "timestamp": "DateTime64(6, 'UTC')", "timestamp_tz": "DateTime64(6, 'UTC')",
		"uuid": "UUID",
	})
}

// commonForms are those that all versions write alike.
func commonForms() map[dialect.Form]string {
	return map[dialect.Form]string{
		dialect.Cast:              "CAST({x} AS {type})",
		dialect.CastTo("decimal"): "CAST(toString({x}) AS Nullable(Decimal(38, 10)))", // 0.29 itself would be cut to 0.2899999999
		dialect.SafeDivide:        "(toFloat64({a}) / nullIf(toFloat64({b}), 0))",
		dialect.NullSafeEqual:     "ifNull({a} = {b}, isNull({a}) AND isNull({b}))",
		dialect.Contains:          "(positionCaseInsensitiveUTF8({x}, {p}) > 0)",
		dialect.StartsWith:        "startsWith(lowerUTF8({x}), lowerUTF8({p}))",
		dialect.EndsWith:          "endsWith(lowerUTF8({x}), lowerUTF8({p}))",
		dialect.Like:              "({x} LIKE {p})",
		dialect.Count:             "toInt64(count({x}))",
		dialect.CountDistinct:     "toInt64(ifNull(uniqExact({x}), 0))",
		dialect.AscNullsLast:      "{x} ASC NULLS LAST",
		dialect.AscNullsFirst:     "{x} ASC NULLS FIRST",
		dialect.DescNullsLast:     "{x} DESC NULLS LAST",
		dialect.DescNullsFirst:    "{x} DESC NULLS FIRST",
		dialect.StringAgg:         "if(count({x}) = 0, NULL, arrayStringConcat(arraySort(groupArray(toString({x}))), {sep}))",
		dialect.Sample:            "(SELECT * FROM {table} WHERE rand() % 1000000 < {percent} * 10000)",
		dialect.HashOrder:         "cityHash64({x})",
		dialect.Nullable:          "toNullable({x})",
	}
}

// todayForms cut dates by arithmetic where the server's own functions give a
// Date or a DateTime, which hold no time before 1970. A clock reading is a
// timestamp of the zone UTC, whatever zone it was read in.
func todayForms() map[dialect.Form]string {
	f := commonForms()
	maps.Copy(f, map[dialect.Form]string{
		dialect.TryCast: "accurateCastOrNull({x}, '{type}')",

		dialect.Literal("date"):         "toDate32('{v}')",
		dialect.Literal("timestamp"):    "toDateTime64('{v}', 6, 'UTC')",
		dialect.Literal("timestamp_tz"): "parseDateTime64BestEffort('{v}', 6, 'UTC')",
		// The scale is that of the text: a plain 1.5 is a float.
		dialect.Literal("decimal"): "toDecimal256('{v}', length(splitByChar('.', '{v}.')[2]))",
		dialect.True:               "true",
		dialect.False:              "false",

		dialect.NullSafeEqual: "({a} <=> {b})", // what a join may be on, too
		dialect.ILike:         "({x} ILIKE {p})",
		dialect.Sum:           "sumOrNull({x})",
		// A decimal does not wrap around, and unlike a wide integer may stand beside a float.
		dialect.SumOf("int64"): "sumOrNull(toDecimal128({x}, 0))",
		// An unsigned 64-bit integer is a decimal too; a decimal stays one.
		dialect.SumOf("decimal"): "sumOrNull({x} * toDecimal256(1, 0))",
		dialect.Avg:              "avgOrNull(toFloat64({x}))",
		dialect.Min:              "minOrNull({x})",
		dialect.Max:              "maxOrNull({x})",
		dialect.ApproxDistinct:   "toInt64(ifNull(uniqCombined64({x}), 0))",
		dialect.Median:           "quantileExactInclusiveOrNull(0.5)(toFloat64({x}))",
		dialect.Percentile:       "quantileExactInclusiveOrNull({p})(toFloat64({x}))",

		dialect.ToZone:        "toDateTime64(toString(toTimeZone({x}, {zone})), 6, 'UTC')",
		dialect.ToUTC:         "toTimeZone(toDateTime64(toString({x}), 6, {zone}), 'UTC')",
		dialect.InstantToZone: "toDateTime64(toString(toTimeZone({x}, {zone})), 6, 'UTC')",
		dialect.ZoneProbe:     "(SELECT minOrNull(time_zone) FROM system.time_zones WHERE time_zone = {zone})",

		dialect.EpochSeconds: "toDateTime64({x}, 6, 'UTC')",
		dialect.EpochMillis:  "fromUnixTimestamp64Milli(toInt64({x}), 'UTC')",
		// The server parses what lies below a NULL, too, which is an empty text.
		dialect.TextISO: "if(isNull({x}), NULL, parseDateTime64BestEffort(ifNull({x}, '1970-01-01'), 6, 'UTC'))",
		dialect.Now:     "now64(6, 'UTC')",

		dialect.Trunc(dialect.Second):  "toStartOfSecond(toDateTime64({x}, 6, 'UTC'))",
		dialect.Trunc(dialect.Minute):  "dateTrunc('minute', toDateTime64({x}, 6, 'UTC'))",
		dialect.Trunc(dialect.Hour):    "dateTrunc('hour', toDateTime64({x}, 6, 'UTC'))",
		dialect.Trunc(dialect.Day):     "toDate32({x})",
		dialect.Trunc(dialect.Week):    "addDays(toDate32({x}), 1 - toDayOfWeek({x}))",
		dialect.Trunc(dialect.Month):   "makeDate32(toYear({x}), toMonth({x}), 1)",
		dialect.Trunc(dialect.Quarter): "makeDate32(toYear({x}), toQuarter({x}) * 3 - 2, 1)",
		dialect.Trunc(dialect.Year):    "makeDate32(toYear({x}), 1, 1)",
		dialect.Inline:                 "(VALUES {rows}) AS {name} ({columns})",
	})
	for g, unit := range units {
		f[dialect.Add(g)] = "add" + unit + "s({x}, {n})"
		f[dialect.Spine(g)] = "SELECT add" + unit + "s({from}, number) AS period FROM numbers(toUInt64(" + periods(g, "{from}", "{to}") + "))"
		// The server computes a scalar subquery once, also where a CTE with it is read
		// again. Its name is no argument of numbers before version 24.3, so an array
		// has the periods; a year of seconds is too long for one.
		if g != dialect.Second {
			f[dialect.SpineOver(g)] = "WITH (SELECT ({from}, {to}) FROM {ends}) AS loam_ends " +
				"SELECT add" + unit + "s(loam_ends.1, arrayJoin(range(toUInt64(" + periods(g, "loam_ends.1", "loam_ends.2") + ")))) AS period"
		}
	}
	for _, exact := range []string{"int64", "decimal", "float64"} {
		f[dialect.LastRows(exact)] = "ROWS BETWEEN {n} PRECEDING AND CURRENT ROW"
	}
	return f
}

// periods is the number of periods from one to another, both included.
func periods(g dialect.Grain, from, to string) string {
	return "ifNull(greatest(dateDiff('" + string(g) + "', " + from + ", " + to + ") + 1, 0), 0)"
}

var units = map[dialect.Grain]string{
	dialect.Second: "Second", dialect.Minute: "Minute", dialect.Hour: "Hour", dialect.Day: "Day",
	dialect.Week: "Week", dialect.Month: "Month", dialect.Quarter: "Quarter", dialect.Year: "Year",
}

// concatenations is how many arguments concat may have.
const concatenations = 16

// todayFunctions give signed integers, for the server's own are unsigned: a
// negative number beside one becomes a large one. What has no value is NULL, where
// the server gives NaN, an infinity or, of a part of NULL, an empty text. A remainder
// is computed from the quotient: the operator % takes decimals of different scales for
// whole numbers, and 7.5 % 2 is 0.1.
func todayFunctions() map[string]string {
	f := map[string]string{
		"abs": "multiIf({1} < 0, negate({1}), {1})", "ceil": "ceil({1})", "coalesce": "coalesce({args})", "floor": "floor({1})", "nullif": "nullIf({1}, {2})", "round": "round({args})",
		"greatest": "greatest({args})", "least": "least({args})",
		"exp": "nullIf(exp({1}), inf)", "ln": finite("log({1})"), "power": finite("pow({1}, {2})"), "sqrt": finite("sqrt({1})"),
		"lower": "lowerUTF8({1})", "upper": "upperUTF8({1})", "replace": "replaceAll({1}, {2}, {3})",
		"left": "substringUTF8({1}, 1, {2})", "substring": "substringUTF8({args})", "substring/2": "substringUTF8({1}, {2})",
		"right":      "reverseUTF8(substringUTF8(reverseUTF8({1}), 1, {2}))",
		"split_part": "multiIf(isNull({1}), NULL, splitByString({2}, ifNull({1}, ''))[{3}])",
		"ltrim":      "trimLeft({1})", "rtrim": "trimRight({1})", "trim": "trimBoth({1})",
		"mod": "({1} - {2} * intDiv({1}, {2}))", "sign": "toInt64(sign({1}))",
		"date_diff_days": "dateDiff('day', toDate32({1}), toDate32({2}))",
	}
	for name, call := range map[string]string{
		"year": "toYear({1})", "quarter": "toQuarter({1})", "month": "toMonth({1})", "iso_week": "toISOWeek({1})", "day": "toDayOfMonth({1})",
		"weekday": "toDayOfWeek({1})", "hour": "toHour({1})", "minute": "toMinute({1})", "second": "toSecond({1})",
		"length": "lengthUTF8({1})", "strpos": "positionUTF8({1}, {2})",
	} {
		f[name] = "toInt64(" + call + ")"
	}
	// The server's concat is NULL with any of its arguments.
	f["concat/1"] = text(1)
	for n, all := 2, text(1); n <= concatenations; n++ {
		all += ", " + text(n)
		f["concat/"+strconv.Itoa(n)] = "concat(" + all + ")"
	}
	return f
}

// finite is NULL where a call gives NaN or an infinity.
func finite(call string) string { return "multiIf(isFinite(" + call + "), " + call + ", NULL)" }

// text is an argument as text, empty where it is NULL.
func text(n int) string { return "ifNull(toString({" + strconv.Itoa(n) + "}), '')" }
