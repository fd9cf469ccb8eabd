package compile

import (
	"time"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/host/internal/semantic/timerange"
	"github.com/loam-data/loam/sdk"
)

// within limits the field to an interval, by its storage: a date by days, a timestamp by the
// local time of its own zone.
// Errors: CodeInvalidRequest for what has no times, or none that are fine enough.
func (f *filterField) within(where string, i timerange.Interval) (expression.Node, error) {
	var all []expression.Node
	for _, end := range []*timerange.Bound{i.From, i.Until} {
		if end == nil {
			continue
		}
		literal, err := f.literal(where, end)
		if err != nil {
			return nil, err
		}
		op := expression.GreaterEqual
		switch {
		case end == i.Until && end.Closed:
			op = expression.LessEqual
		case end == i.Until:
			op = expression.Less
		}
		all = append(all, binary(op, f.Name, literal))
	}
	return expression.Conjoin(all...), nil
}

// ranged limits the field to an interval, or to calendar periods where they are set.
func (f *filterField) ranged(where string, i timerange.Interval, periods *periodRange) (expression.Node, error) {
	switch {
	case periods == nil:
		return f.within(where, i)
	case f.Type == sdk.TypeUnspecified:
		return nil, f.unknownTime(where)
	case !isTime(f.Type):
		return nil, f.noTime(where)
	}
	return periods.stands(f.Name), nil
}

// literal writes the end of an interval as a value of the field.
func (f *filterField) literal(where string, b *timerange.Bound) (expression.Node, error) {
	stored, err := timerange.Zone(f.Zone)
	if err != nil {
		return nil, err
	}
	clock := b.At.In(stored).Format("2006-01-02 15:04:05.999999999")
	day := b.Day.Format(time.DateOnly)
	var l *expression.Literal
	ok := true
	switch {
	case f.Type == sdk.TypeDate && b.Day.IsZero():
		return nil, refusal.Invalid(where, "%s has days and no times of day", f).About(f.String()).Advise("write days, as in 2024-05-15")
	case f.Type == sdk.TypeDate:
		l, ok = expression.Date(day)
	case f.Type == sdk.TypeTimestamp:
		l, ok = expression.Timestamp(clock)
	case f.Type == sdk.TypeTimestampTZ:
		l, ok = expression.TimestampTZ(b.At.UTC().Format("2006-01-02 15:04:05.999999999") + "Z")
	case f.Type == sdk.TypeUnspecified:
		return nil, f.unknownTime(where)
	default:
		return nil, f.noTime(where)
	}
	if !ok {
		return nil, refusal.Invalid(where, "the range leaves the years 1 to 9999").Advise("leave the end open that is out of them: \"since 2024-05-01\", \"until 2024-05-31\"")
	}
	return l, nil
}

func (f *filterField) noTime(where string) *refusal.Error {
	return refusal.Invalid(where, "%s is %s, not a time", f, typeWords(f.Type)).About(f.String()).Advise("use a time dimension, or compare with equals, gt, lt")
}
