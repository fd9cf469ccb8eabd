package clickhouse

import (
	"maps"

	"github.com/loam-data/loam/sdk/dialect"
)

func oldTypes() map[string]string {
	return nullable(map[string]string{
		"bool": "UInt8", "int64": "Int64", "float64": "Float64", "text": "String",
		"decimal": "Decimal(38, 10)", "date": "Date", "timestamp": "DateTime", "timestamp_tz": "DateTime", "uuid": "UUID",
	})
}

// oldForms do without the combinator OrNull: an aggregate of a Nullable column
// is NULL over no rows. A clock reading is a timestamp of the server's zone.
func oldForms() map[dialect.Form]string {
	f := commonForms()
	maps.Copy(f, map[dialect.Form]string{
		dialect.Literal("date"):         "toDate('{v}')",
		dialect.Literal("timestamp"):    "toDateTime('{v}')",
		dialect.Literal("timestamp_tz"): "parseDateTimeBestEffort('{v}')",
		dialect.CastTo("uuid"):          "CAST(toUUID({x}) AS Nullable(UUID))",
		dialect.True:                    "1",
		dialect.False:                   "0",

		dialect.ILike:                  "(lowerUTF8({x}) LIKE lowerUTF8({p}))",
		dialect.Sum:                    "sum(toNullable({x}))",
		dialect.SumOf("int64"):         "sum(toNullable(toDecimal128({x}, 0)))",
		dialect.Avg:                    "avg(toNullable(toFloat64({x})))",
		dialect.Min:                    "min(toNullable({x}))",
		dialect.Max:                    "max(toNullable({x}))",
		dialect.ApproxDistinct:         "toInt64(ifNull(uniqCombined({x}), 0))",
		dialect.Now:                    "now()",
		dialect.InstantToZone:          "toDateTime(toString({x}, {zone}))",
		dialect.EpochSeconds:           "toDateTime({x})",
		dialect.TextISO:                "parseDateTimeBestEffort({x})",
		dialect.Trunc(dialect.Second):  "toDateTime({x})",
		dialect.Trunc(dialect.Minute):  "toStartOfMinute({x})",
		dialect.Trunc(dialect.Hour):    "toStartOfHour({x})",
		dialect.Trunc(dialect.Day):     "toDate({x})",
		dialect.Trunc(dialect.Week):    "toMonday({x})",
		dialect.Trunc(dialect.Month):   "toStartOfMonth({x})",
		dialect.Trunc(dialect.Quarter): "toStartOfQuarter({x})",
		dialect.Trunc(dialect.Year):    "toStartOfYear({x})",
	})
	for g, unit := range units {
		n := "{n}"
		if g == dialect.Quarter {
			unit, n = "Month", "3 * {n}"
		}
		f[dialect.Add(g)] = "add" + unit + "s({x}, " + n + ")"
	}
	return f
}
