package oracle_test

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/oracle"
	"github.com/loam-data/loam/host/internal/semantic/request"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// Whatever can be asked, and every kind of measure, is drawn often enough to be put
// to the test: what a request gets anew has to be drawn as well.
func TestReach(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: whether random cases draw everything that can be asked")
	}
	t.Parallel()
	seen := map[string]int{}
	for n := range uint64(1200) {
		g := oracle.NewGenerator(*seed, n)
		c := g.World()
		m := c.Model(sqliteDialect(t))
		for range requests {
			r := g.Request()
			reached(reflect.ValueOf(r), seen)
			for _, d := range r.Dimensions {
				reachedTime(m, "dimension", append(slices.Clone(d.Via), strings.Split(d.Field, ".")...), seen)
			}
			for _, d := range r.DateRanges {
				reachedTime(m, "range", append(slices.Clone(d.Via), strings.Split(d.Field, ".")...), seen)
			}
			for _, f := range r.Filters {
				reachedTime(m, "filter", append(slices.Clone(f.Via), strings.Split(f.Field, ".")...), seen)
			}
			for _, ref := range r.Measures {
				reachedMeasure(m, ref.Name, seen)
			}
		}
		for feature, times := range g.Features {
			seen["feature "+feature] += times
		}
	}
	want := fieldsOf(reflect.TypeFor[request.Request](), map[string]bool{})
	for _, op := range []request.Op{
		request.OpEquals, request.OpNotEquals, request.OpIn, request.OpNotIn, request.OpGreater, request.OpAtLeast, request.OpLess, request.OpAtMost, request.OpBetween,
		request.OpContains, request.OpNotContains, request.OpStartsWith, request.OpEndsWith, request.OpIsNull, request.OpIsNotNull, request.OpInDateRange, request.OpBefore, request.OpAfter,
	} {
		want["Op "+string(op)] = true
	}
	for _, g := range dialect.Grains() {
		want["Grain "+string(g)] = true
	}
	for _, k := range []model.MeasureKind{model.Simple, model.Ratio, model.Derived, model.Cumulative, model.TimeShift, model.Share, model.Nested} {
		want[fmt.Sprint("kind ", k)] = true
	}
	for _, f := range []expression.AggregateFunction{
		expression.Sum, expression.Count, expression.CountDistinct, expression.Avg, expression.Min, expression.Max, expression.Median, expression.Percentile,
	} {
		want["aggregate "+string(f)] = true
	}
	for _, other := range []string{
		"semi-additive", "measure filter", "measure segment", "default", "window", "to date", "share within",
		"feature composite key", "feature validity range", "feature self join", "feature a role", "feature two roles of a source", "feature one to one",
		"feature missing key", "feature empty table", "feature a query as a source", "feature decimals", "feature computed dimension",
		"feature dimension called like a column", "feature period of a measure per entity", "feature measure per period",
		"feature dimension over a join", "feature measure over a join", "feature measure over two facts", "feature metrics",
		"feature order of NULLs", "zone with a name", "zone as an offset", "relative range", "feature having", "feature OR of two sources", "feature measure over one of another kind",
		"feature gaps of members beside distinct values over windows", "feature groups of a key that a condition leaves", "feature all groups of a key",
		"feature related rows beside a value of an entity",
	} {
		want[other] = true
	}
	for _, as := range []string{"date", "timestamp", "timestamptz", "epoch_s", "epoch_ms", "text_iso", "in another zone"} {
		want["dimension stored "+as] = true
		want["filter stored "+as] = true
		want["range stored "+as] = true
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if seen[name] < 3 {
			t.Errorf("%s is drawn %d times", name, seen[name])
		}
	}
}

// fieldsOf are the fields of a request and of what is in it, as "Filter.Op".
func fieldsOf(t reflect.Type, known map[string]bool) map[string]bool {
	switch t.Kind() {
	case reflect.Slice, reflect.Pointer:
		fieldsOf(t.Elem(), known)
	case reflect.Struct:
		for i := range t.NumField() {
			name := t.Name() + "." + t.Field(i).Name
			if !known[name] {
				known[name] = true
				fieldsOf(t.Field(i).Type, known)
			}
		}
	}
	return known
}

// reached counts the fields that are set.
func reached(v reflect.Value, seen map[string]int) {
	switch v.Kind() {
	case reflect.Slice:
		for i := range v.Len() {
			reached(v.Index(i), seen)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			reached(v.Elem(), seen)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Field(i)
			if !f.IsZero() {
				seen[v.Type().Name()+"."+v.Type().Field(i).Name]++
			}
			reached(f, seen)
		}
		switch x := v.Interface().(type) {
		case request.Filter:
			seen["Op "+string(x.Op)]++
		case request.Dimension:
			seen["Grain "+string(x.Grain)]++
		case request.Order:
			if x.Nulls != "" {
				seen["feature order of NULLs"]++
			}
		case request.DateRange:
			if x.Relative != "" {
				seen["relative range"]++
			}
		case request.Request:
			switch {
			case strings.Contains(x.TimeZone, "/"):
				seen["zone with a name"]++
			case x.TimeZone != "":
				seen["zone as an offset"]++
			}
		}
	}
}

// reachedTime counts how a time that is asked for is stored.
func reachedTime(m *model.Model, what string, parts []string, seen map[string]int) {
	members, err := m.Lookup(model.Metrics, parts...)
	if err != nil || members[0].Dimension == 0 {
		return
	}
	d := m.Dimension(members[0].Dimension)
	seen[what+" stored "+d.ColumnType]++
	if zone := m.Source(d.ID.Source()).TimeZone; zone != "" && zone != "UTC" && d.Logical == sdk.TypeTimestamp {
		seen[what+" stored in another zone"]++
	}
}

func reachedMeasure(m *model.Model, name string, seen map[string]int) {
	members, err := m.Lookup(model.Metrics, strings.Split(name, ".")...)
	if err != nil || len(members) != 1 || members[0].Measure == 0 {
		return
	}
	d := m.Measure(members[0].Measure)
	seen[fmt.Sprint("kind ", d.Kind)]++
	seen["aggregate "+string(d.Agg)]++
	for what, is := range map[string]bool{
		"semi-additive": d.NonAdditive != nil, "measure filter": len(d.Filter) > 0, "measure segment": len(d.Segments) > 0, "default": d.Default != nil,
		"window": d.Window.N > 0, "to date": d.ToDate != "", "share within": len(d.Within) > 0,
	} {
		if is {
			seen[what]++
		}
	}
}
