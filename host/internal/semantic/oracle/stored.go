package oracle

import (
	"strconv"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/sdk"
)

// encodings are the ways to store a time as something else.
var encodings = []string{"epoch_s", "epoch_ms", "text_iso"}

func encoded(stored string) bool { return physical(stored) != sdk.TypeUnspecified }

// physical is the type of a column that holds times in an encoding.
func physical(stored string) sdk.Type {
	switch stored {
	case "epoch_s", "epoch_ms":
		return sdk.TypeInt64
	case "text_iso":
		return sdk.TypeText
	}
	return sdk.TypeUnspecified
}

// decode is a stored time as a timestamp in UTC; other values are what they are.
func decode(stored string, v any) any {
	switch v := v.(type) {
	case float64:
		switch stored {
		case "epoch_s":
			return time.Unix(int64(v), 0).UTC().Format(clockLayout)
		case "epoch_ms":
			return time.UnixMilli(int64(v)).UTC().Format(clockLayout)
		}
	case string:
		if stored == "text_iso" {
			return ofISO(v).UTC().Format(clockLayout)
		}
	}
	return v
}

// declared is the type that a file gives a column of numbers or of text that holds the
// other; TypeUnspecified = what it is.
func declared(d *model.Dimension) sdk.Type {
	number := d.Logical == sdk.TypeInt64 || d.Logical == sdk.TypeFloat64 || d.Logical == sdk.TypeDecimal
	switch {
	case d.Expr != nil || d.ColumnType != "":
	case number && d.Type == model.String:
		return sdk.TypeText
	case d.Logical == sdk.TypeText && d.Type == model.Number:
		return sdk.TypeDecimal
	}
	return sdk.TypeUnspecified
}

// declaredValue is what a column holds, as the other type shows it.
func declaredValue(t sdk.Type, v any) any {
	switch v := v.(type) {
	case float64:
		if t == sdk.TypeText {
			return strconv.FormatFloat(v, 'f', -1, 64)
		}
	case string:
		if t == sdk.TypeDecimal {
			n, err := strconv.ParseFloat(v, 64)
			if err != nil {
				panic(err) // engines differ in what they make of it
			}
			return n
		}
	}
	return v
}

// bare is the column of a dimension that is declared as another type: what joins
// relate.
func (w *world) bare(f model.Field) model.Field {
	if f.Dimension != 0 && declared(w.model.Dimension(f.Dimension)) != sdk.TypeUnspecified {
		return model.Field{Column: w.model.Dimension(f.Dimension).Column}
	}
	return f
}

// ofISO reads text, which is in UTC when it does not say.
func ofISO(s string) time.Time {
	s = strings.Replace(s, "T", " ", 1)
	for _, layout := range []string{dayLayout, clockLayout, "2006-01-02 15:04:05Z07:00"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t
		}
	}
	panic("no time in ISO 8601: " + s)
}

// encode stores a timestamp in UTC; text is written in one of several ways.
func (g *Generator) encode(stored, clock string) any {
	at := instant(clock)
	switch stored {
	case "epoch_s":
		return float64(at.Unix())
	case "epoch_ms":
		return float64(at.UnixMilli())
	}
	if strings.HasSuffix(clock, " 00:00:00") && g.chance(50) {
		return at.Format(dayLayout)
	}
	layout := pick(g, "2006-01-02T15:04:05Z07:00", "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02 15:04:05Z07:00")
	if strings.HasSuffix(layout, "Z07:00") {
		at = at.In(time.FixedZone("", pick(g, 0, 0, 2*60*60, -(5*60+30)*60)))
	}
	return at.Format(layout)
}

// location reads the name of a zone, or an offset; "" is UTC.
func location(name string) (*time.Location, error) {
	if at, err := time.Parse("-07:00", name); err == nil {
		return at.Location(), nil
	}
	return time.LoadLocation(name)
}

// clocks are those that a field's timestamps were read from.
func (w *world) clocks(p place) *time.Location {
	if w.typeOf(p.source, p.field) != sdk.TypeTimestamp || p.field.Dimension != 0 && encoded(w.model.Dimension(p.field.Dimension).ColumnType) {
		return time.UTC
	}
	zone, err := location(w.model.Source(p.source).TimeZone)
	if err != nil {
		panic(err) // the model was validated
	}
	return zone
}

// utc is the time in UTC at which clocks of a zone show a timestamp.
func utc(clock string, zone *time.Location) time.Time {
	t := instant(clock)
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, zone).UTC()
}
