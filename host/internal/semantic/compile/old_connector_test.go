package compile_test

import (
	"errors"
	"testing"

	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/sdk/dialect"
)

// A connector of another version has a dialect that lacks a form, or a word that is
// not known here: what needs it is refused, and all else is written.
func TestDialectsOfOtherVersions(t *testing.T) {
	t.Parallel()
	const byWeek = `{"measures": ["orders.revenue"], "dimensions": ["orders.day.week"]}`
	const byMonth = `{"measures": ["orders.revenue"], "dimensions": ["orders.day.month"]}`
	without := func(forms ...dialect.Form) func(*dialect.Dialect) {
		return func(d *dialect.Dialect) {
			for _, f := range forms {
				delete(d.Forms, f)
			}
		}
	}
	for _, tt := range []struct {
		name    string
		change  func(*dialect.Dialect)
		request string
		want    refusal.Code
	}{
		{"a grain that it lacks", without(dialect.Trunc(dialect.Week), dialect.Add(dialect.Week), dialect.Spine(dialect.Week)), byWeek, refusal.CodeUnsupported},
		{"another grain", without(dialect.Trunc(dialect.Week), dialect.Add(dialect.Week), dialect.Spine(dialect.Week)), byMonth, ""},
		{"an aggregate that it lacks", without(dialect.Median), `{"measures": ["orders.buyers"]}`, ""},
		{"no forms", func(d *dialect.Dialect) { d.Forms = nil }, byMonth, refusal.CodeUnsupported},
		{"names that are not known", func(d *dialect.Dialect) { d.Folding = "later" }, byMonth, refusal.CodeUnsupported},
		{"names of tables that are not known", func(d *dialect.Dialect) { d.TableFolding = "later" }, byMonth, refusal.CodeUnsupported},
		{"parameters that are not known", func(d *dialect.Dialect) { d.Parameter = "later" }, byMonth, refusal.CodeUnsupported},
		{"NULL in front that is not known", func(d *dialect.Dialect) { d.NullsAscending = "later" }, byMonth, refusal.CodeUnsupported},
		{"bounds that are not known", func(d *dialect.Dialect) { d.Limit = "later" }, byMonth, refusal.CodeUnsupported},
		{"booleans that are not known", func(d *dialect.Dialect) { d.Boolean = "later" }, byMonth, refusal.CodeUnsupported},
		{"zones that are not known", func(d *dialect.Dialect) { d.Zones = "later" }, byMonth, refusal.CodeUnsupported},
		{"NULL that is not known", func(d *dialect.Dialect) { d.NullsDescending = "later" }, byMonth, refusal.CodeUnsupported},
		{"division that is not known", func(d *dialect.Dialect) { d.IntegerDivision = "later" }, byMonth, refusal.CodeUnsupported},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := engine(t, "postgres")
			m := shopModel(t, d)
			tt.change(d)
			q, err := compiled(t, m, d, tt.request)
			e, refused := errors.AsType[*refusal.Error](err)
			switch {
			case tt.want == "" && err != nil:
				t.Errorf("it is refused: %v", err)
			case tt.want != "" && (!refused || e.Code != tt.want || e.Fix == ""):
				t.Errorf("%v, want %s and what to do: %+v", err, tt.want, q)
			}
		})
	}
}
