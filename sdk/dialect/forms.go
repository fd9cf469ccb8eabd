package dialect

import "strconv"

// Form names a construct that dialects write differently. Its template has
// placeholders in braces, listed beside it; "{{" is a literal brace.
//
// Shape: the arguments of an expression form are primary expressions (a name, a
// literal, a call, something in parentheses), and so is what the template gives.
type Form string

// Grain is a calendar unit. Weeks start on Monday (ISO).
type Grain string

const (
	Second  Grain = "second"
	Minute  Grain = "minute"
	Hour    Grain = "hour"
	Day     Grain = "day"
	Week    Grain = "week"
	Month   Grain = "month"
	Quarter Grain = "quarter"
	Year    Grain = "year"
)

// Grains lists the grains, finest first.
func Grains() []Grain {
	return []Grain{Second, Minute, Hour, Day, Week, Month, Quarter, Year}
}

// Trunc cuts {x}, a timestamp in the query's zone, to the start of its period:
// a DATE for day and coarser, a timestamp for finer grains.
func Trunc(g Grain) Form { return Form("trunc." + string(g)) }

// Add adds {n} periods to {x}, a day or the start of a period; {n} may be negative. Where
// the resulting month lacks the day, the result is the last day of that month.
func Add(g Grain) Form { return Form("add." + string(g)) }

// Spine is a query with one column "period" that lists the starts of all
// periods from {from} to {to}, both included, both literals of the period's type:
// none when {from} is after {to}.
func Spine(g Grain) Form { return Form("spine." + string(g)) }

// SpineOver is Spine with ends that are read: {ends} is a subquery with one row and its
// alias, and {from} and {to} are expressions over its columns. It is for engines that
// compute a CTE again wherever it is read: they read the rows for both ends once, below
// what is grouped. Missing: Spine, whose ends are subqueries.
func SpineOver(g Grain) Form { return Form("spine_over." + string(g)) }

// Literal writes a value of a logical type: {v} is its text, already escaped
// for a string literal of this dialect without the quotes. Missing: quote it as
// a string and cast.
func Literal(logical string) Form { return Form("literal." + logical) }

// FineLiteral writes a timestamp or timestamp_tz with more than six digits of a second,
// exactly, where the engine's type holds that many: 7, 8 or 9. {v} is as in Literal.
func FineLiteral(logical string, digits int) Form {
	return Form("literal." + logical + "." + strconv.Itoa(digits))
}

// FineDigits are the digits of a second that a FineLiteral may have.
const (
	MinFineDigits = 7
	MaxFineDigits = 9
)

const (
	// Cast converts {x} to the native type {type}; TryCast gives NULL where it
	// cannot. CastText and the like may override single types: see CastTo.
	//
	// Promised: text of a value's usual form becomes that value, whole numbers and
	// dates become such text, numbers keep ten digits behind the point and a double
	// those that it prints, a timestamp's date is the day it is in. Not promised: the
	// text of a double, a decimal or a timestamp; what becomes of a fraction that is
	// cast to int64; and of text that is no such value (an error, NULL or 0) or a
	// timestamp with an offset, for which TextISO is.
	Cast    Form = "cast"     // {x} {type}
	TryCast Form = "cast.try" // {x} {type}

	True  Form = "literal.true"
	False Form = "literal.false"

	// BooleanNone only: a predicate as a value, NULL where it is unknown, and a
	// value as a predicate.
	BoolValue Form = "bool.value" // {p}
	BoolTest  Form = "bool.test"  // {x}

	// SafeDivide is float division, NULL when {b} is a zero of any numeric type.
	SafeDivide Form = "divide" // {a} {b}
	// NullSafeEqual is true for two NULLs.
	NullSafeEqual Form = "equal.null_safe" // {a} {b}

	// Text search, case-insensitive (for ASCII letters at least) and literal: no
	// wildcard in {p}.
	Contains   Form = "text.contains"    // {x} {p}
	StartsWith Form = "text.starts_with" // {x} {p}
	EndsWith   Form = "text.ends_with"   // {x} {p}
	// Like has wildcards in {p} and the escape character \; case matters. ILike is the
	// same but for case.
	ILike Form = "text.ilike" // {x} {p}
	Like  Form = "text.like"  // {x} {p}
	// LikePlain is Like for a pattern without \, where that is faster; missing: Like.
	LikePlain Form = "text.like_plain" // {x} {p}

	// Aggregates, which ignore NULL. A missing Median, Percentile or ApproxDistinct means
	// that the compiler emulates it with window functions or counts exactly. A count is
	// an int64. None of them is followed by OVER: a template may be more than the call.
	Sum            Form = "agg.sum"             // {x}: NULL over no rows; see SumOf
	Avg            Form = "agg.avg"             // {x}: a float, NULL over no rows
	Count          Form = "agg.count"           // {x}
	CountDistinct  Form = "agg.count_distinct"  // {x}
	ApproxDistinct Form = "agg.approx_distinct" // {x}
	Min            Form = "agg.min"             // {x}
	Max            Form = "agg.max"             // {x}
	Median         Form = "agg.median"          // {x}: exact, interpolated
	Percentile     Form = "agg.percentile"      // {x} {p}: exact, interpolated; {p} in 0..1
	StringAgg      Form = "agg.string"          // {x} {sep}: sorted by {x}

	// Order keys with NULL in a fixed place, after ORDER BY.
	AscNullsLast   Form = "order.asc_nulls_last"   // {x}
	AscNullsFirst  Form = "order.asc_nulls_first"  // {x}
	DescNullsLast  Form = "order.desc_nulls_last"  // {x}
	DescNullsFirst Form = "order.desc_nulls_first" // {x}

	// ToZone turns {x}, a timestamp without zone that is in UTC, into the clock
	// reading of zone {zone} (a string literal, named as Dialect.Zones says);
	// ToUTC the reverse. InstantToZone does it for a timestamp with zone.
	// Missing: only UTC is possible.
	ToZone        Form = "zone.from_utc"     // {x} {zone}
	ToUTC         Form = "zone.to_utc"       // {x} {zone}
	InstantToZone Form = "zone.from_instant" // {x} {zone}
	// ZoneProbe is an expression that is NULL when {zone} is unknown to the server.
	ZoneProbe Form = "zone.probe" // {zone}

	// Stored encodings of time as a timestamp without zone, in UTC.
	EpochSeconds Form = "time.epoch_s"  // {x}
	EpochMillis  Form = "time.epoch_ms" // {x}
	TextISO      Form = "time.text_iso" // {x}
	// Now is the current timestamp without zone, in UTC.
	Now Form = "time.now"

	// Sample reads about {percent} percent of {table} at random, and
	// HashOrder orders rows by a hash of {x}.
	Sample    Form = "sample.percent" // {table} {percent}
	HashOrder Form = "sample.hash"    // {x}

	// Inline is a table of literal rows {rows}, "(1, 'a'), (2, 'b')", named {name}
	// with columns {columns}.
	Inline Form = "inline.table" // {rows} {name} {columns}
	// InlineRow is one of {rows}, its values separated by commas; missing: in
	// parentheses. InlineBetween stands between two; missing: a comma.
	InlineRow     Form = "inline.row" // {values}
	InlineBetween Form = "inline.between"
	// NestedField is the field {field}, a quoted identifier, of the record {x}: NULL
	// where the record is. NestedUnnest follows a table in FROM and gives a row for
	// each element of the array {x}, under the name {name}, and none for an array that
	// is empty or NULL. NestedElement is the element in such a row; missing: {name}.
	NestedField   Form = "nested.field"   // {x} {field}
	NestedUnnest  Form = "nested.unnest"  // {x} {name}
	NestedElement Form = "nested.element" // {name}
	// Nullable makes {x} able to be NULL where the engine's outer joins and
	// aggregates would give a default; missing: nothing to do.
	Nullable Form = "nullable" // {x}
	// ManyGroups stands behind the SELECT of a GROUP BY with up to as many groups as rows,
	// where the engine is faster when it sorts the rows; missing: nothing.
	ManyGroups Form = "select.many_groups"
	// EmptyFrom follows a SELECT without a table ("FROM dual"); missing: nothing.
	EmptyFrom Form = "from.empty"
)

// CastTo overrides Cast for one logical type: {x}.
func CastTo(logical string) Form { return Form("cast." + logical) }

// SumOf overrides Sum for one logical type whose sum would overflow: {x}. The sum of
// integers or decimals is exact or an error.
func SumOf(logical string) Form { return Sum + Form("."+logical) }

// LastRows is the frame of the {n} rows before the current one and itself, in which a window
// function sums values of a logical type exactly. An engine that takes off the row that
// leaves a frame of floats is left with its rounding error. Missing: rows are joined to the
// periods that they count for.
func LastRows(logical string) Form { return Form("frame.last_rows." + logical) }

// Required lists the forms that every dialect must have.
func Required() []Form { return RequiredBy(len(required) - 1) }

// RequiredBy lists the forms that a dialect built for a minor of the contract must have:
// later minors add forms, and older connectors stay valid. Conformance checks it.
func RequiredBy(minor int) []Form {
	var forms []Form
	for _, added := range required[:min(minor+1, len(required))] {
		forms = append(forms, added...)
	}
	return forms
}

// required are the forms that each minor of the contract began to require. What one
// has is never changed, nor made of a list that may grow.
var required = [][]Form{{
	Cast, True, False, SafeDivide, NullSafeEqual, Contains, StartsWith, EndsWith, ILike, Like,
	Sum, Avg, Count, CountDistinct, Min, Max,
	AscNullsLast, AscNullsFirst, DescNullsLast, DescNullsFirst, Now,
	Trunc(Second), Trunc(Minute), Trunc(Hour), Trunc(Day), Trunc(Week), Trunc(Month), Trunc(Quarter), Trunc(Year),
	Add(Second), Add(Minute), Add(Hour), Add(Day), Add(Week), Add(Month), Add(Quarter), Add(Year),
}}

// PortableFunctions are the scalar functions of the semantic layer's expression
// language; a dialect maps each to a template or leaves it out.
//
// Units: date_diff_days(a, b) is b - a in calendar days; weekday is 1 for Monday
// to 7; positions count characters from 1; strpos is 0 where nothing is found.
//
// Shape: a call is NULL when its first argument is, but for coalesce, and for concat,
// which passes over NULL and is never NULL. Parts of a time, lengths, positions and signs
// are int64. round takes a half of a decimal away from zero and that of a double to
// either side, for a double is seldom the half that it prints. mod has the sign of its
// first argument. strpos, replace and split_part tell upper from lower case; lower and
// upper know ASCII letters at least; trim, ltrim and rtrim remove spaces. exp, ln, power
// and sqrt are NULL or an error where they have no value, never NaN and never an
// infinity.
//
// Not promised, so that the compiler has to handle it: NULL in greatest and least, a
// divisor of zero and doubles in mod, negative lengths, positions below 1, and an empty
// text to search for in replace and split_part.
func PortableFunctions() []string {
	return []string{
		"abs", "ceil", "coalesce", "concat", "date_diff_days", "day", "exp", "floor", "greatest", "hour",
		"iso_week", "least", "left", "length", "ln", "lower", "ltrim", "minute", "mod", "month",
		"nullif", "power", "quarter", "replace", "right", "round", "rtrim", "second", "sign", "split_part",
		"sqrt", "strpos", "substring", "trim", "upper", "weekday", "year",
	}
}
