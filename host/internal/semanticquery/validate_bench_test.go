package semanticquery_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/semantic/layer"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semanticquery/validation"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// large is a layer of many scanned tables, some of which have files.
type large struct {
	tables, files int
	state         *layer.State
}

func (*large) Strangers(context.Context, []connection.ID) ([]string, error) { return nil, nil }

func (l *large) Current(_ context.Context, _ connection.ID, d *dialect.Dialect) (*layer.State, error) {
	if l.state != nil {
		return l.state, nil
	}
	in := model.Input{Dialect: d}
	for i := range l.tables {
		t := &model.Table{Ref: sdk.TableRef{Schema: "main", Name: fmt.Sprintf("t%d", i)}, PrimaryKey: []string{"id"}}
		for _, name := range []string{"id", "parent", "a", "b", "c", "d"} {
			t.Columns = append(t.Columns, model.Column{Name: name, Type: sdk.TypeInt64})
		}
		if i > 0 {
			t.ForeignKeys = []model.ForeignKey{{Columns: []string{"parent"}, To: sdk.TableRef{Schema: "main", Name: fmt.Sprintf("t%d", i/10)}, ToColumns: []string{"id"}}}
		}
		in.Tables = append(in.Tables, t)
	}
	for i := range l.files {
		in.Files = append(in.Files, model.Parse(fmt.Sprintf("t%d.yaml", i), fmt.Appendf(nil, `
name: t%d
dimensions: [{name: big, type: boolean, expr: "a > 100 AND b < 5"}, {name: label, type: string, expr: "cast(a as text) || '/' || cast(b as text)"}]
measures: [{name: total, agg: sum, expr: c, filter: "d = 1"}, {name: mean, agg: avg, expr: c}, {name: rate, type: ratio, numerator: total, denominator: mean}]
segments: [{name: alive, expr: "d > 0"}]
`, i)))
	}
	l.state = &layer.State{Model: model.Build(in), Files: &layer.Files{List: in.Files}}
	return l.state, nil
}

func (*large) Learn(context.Context, connection.ID, *layer.State, []*model.Query) error { return nil }

func BenchmarkValidate(b *testing.B) {
	for _, l := range []large{{tables: 200, files: 200}, {tables: 10_000, files: 200}} {
		b.Run(fmt.Sprintf("%d_of_%d", l.files, l.tables), func(b *testing.B) {
			f := newFixture(b)
			f.Config.Layer = &l
			for b.Loop() {
				r, err := f.Validate(b.Context(), validation.Request{})
				if err != nil || r.Errors > 0 {
					b.Fatal(err, brief(r))
				}
			}
		})
	}
}
