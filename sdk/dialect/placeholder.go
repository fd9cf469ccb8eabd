package dialect

import "strings"

// logicalTypes are the names of sdk.Types, which this package cannot import.
var logicalTypes = []string{
	"bool", "int64", "float64", "text", "bytes", "decimal", "date", "time", "timestamp", "timestamp_tz", "json", "uuid",
	"interval", "geo_wkt", "nested_json",
}

// formPlaceholders lists, by their comments in forms.go, the placeholders of the
// forms with a fixed name.
var formPlaceholders = map[Form]string{
	Cast: "x type", TryCast: "x type", True: "", False: "",
	BoolValue: "p", BoolTest: "x", SafeDivide: "a b", NullSafeEqual: "a b",
	Contains: "x p", StartsWith: "x p", EndsWith: "x p", ILike: "x p", Like: "x p", LikePlain: "x p",
	Sum: "x", Avg: "x", Count: "x", CountDistinct: "x", ApproxDistinct: "x", Min: "x", Max: "x", Median: "x",
	Percentile: "x p", StringAgg: "x sep",
	AscNullsLast: "x", AscNullsFirst: "x", DescNullsLast: "x", DescNullsFirst: "x",
	ToZone: "x zone", ToUTC: "x zone", InstantToZone: "x zone", ZoneProbe: "zone",
	EpochSeconds: "x", EpochMillis: "x", TextISO: "x", Now: "",
	Sample: "table percent", HashOrder: "x", Inline: "rows name columns", Nullable: "x", ManyGroups: "", EmptyFrom: "",
	InlineRow: "values", InlineBetween: "", NestedField: "x field", NestedUnnest: "x name", NestedElement: "name",
}

// placeholders returns the placeholders that a form's template must use, and
// whether the form is known.
func placeholders(form Form) ([]string, bool) {
	if names, ok := formPlaceholders[form]; ok {
		return strings.Fields(names), true
	}
	for _, g := range Grains() {
		switch form {
		case Trunc(g):
			return []string{"x"}, true
		case Add(g):
			return []string{"x", "n"}, true
		case Spine(g):
			return []string{"from", "to"}, true
		case SpineOver(g):
			return []string{"from", "to", "ends"}, true
		}
	}
	for _, logical := range logicalTypes {
		switch form {
		case Literal(logical):
			return []string{"v"}, true
		case CastTo(logical), SumOf(logical):
			return []string{"x"}, true
		case LastRows(logical):
			return []string{"n"}, true
		}
	}
	for digits := MinFineDigits; digits <= MaxFineDigits; digits++ {
		if form == FineLiteral("timestamp", digits) || form == FineLiteral("timestamp_tz", digits) {
			return []string{"v"}, true
		}
	}
	return nil, false
}
