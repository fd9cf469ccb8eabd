package compile_test

import (
	"strings"
	"testing"

	"github.com/loam-data/loam/host/internal/semantic/compile"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/request"
)

// TestInferredJoins: an answer names the joins that nobody declared, and no others.
func TestInferredJoins(t *testing.T) {
	t.Parallel()
	source := func(name, joins string) *model.File {
		return model.Parse(name+".yaml", []byte("name: "+name+"\ntable: "+name+"\nprimary_key: [id]\n"+
			"dimensions: [{name: id, type: number}, {name: name, type: string}]\nmeasures: [{name: n, agg: count}]\njoins: ["+joins+"]\n"))
	}
	m := model.Build(model.Input{Files: []*model.File{
		source("regions", ""),
		source("stores", `{to: regions, on: "stores.region_id = regions.id", relationship: many_to_one, source: inferred}`),
		source("orders", `{to: stores, on: "orders.store_id = stores.id", relationship: many_to_one}`),
	}})
	const note = "stores is joined to regions by stores.region_id = regions.id, which was inferred from the data: neither the warehouse nor a file declares it"
	entity := request.Dimension{Measure: "stores.n", Per: []string{"regions.id"}, Name: "stores"}
	for _, tt := range []struct {
		name    string
		request request.Request
		want    string
	}{
		{"not used", request.Request{Dimensions: []request.Dimension{{Field: "stores.name"}}}, ""},
		{"to a dimension", request.Request{Dimensions: []request.Dimension{{Field: "regions.name"}}}, note},
		{"for a filter", request.Request{Filters: []request.Filter{{SQL: "regions.name = 'x'"}}}, note},
		{"down, for a filter", request.Request{Measures: []request.Measure{{Name: "regions.n"}}, Filters: []request.Filter{{SQL: "orders.name = 'x'"}}}, note},
		{"for a measure per entity", request.Request{Measures: []request.Measure{{Name: "regions.n"}}, Dimensions: []request.Dimension{entity}}, note},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.request.Measures == nil {
				tt.request.Measures = []request.Measure{{Name: "orders.n"}}
			}
			q, err := compile.Compile(m, engine(t, "postgres"), tt.request, compile.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(q.Notes, "\n"); strings.Count(got, "inferred") != min(len(tt.want), 1) || !strings.Contains(got, tt.want) {
				t.Errorf("notes %q, want %q", got, tt.want)
			}
		})
	}
}

// TestCompileAllocates: what a compilation takes does not grow with the model.
func TestCompileAllocates(t *testing.T) {
	d := engine(t, "postgres")
	r := request.Request{
		Measures:   []request.Measure{{Name: "s15.revenue"}, {Name: "s15.rate"}, {Name: "s15.n"}},
		Dimensions: []request.Dimension{{Field: "s15.status"}, {Field: "s7.a3"}, {Field: "s15.at", Grain: "month"}},
		Filters:    []request.Filter{{SQL: "s15.status <> 'open'"}, {SQL: "s3.a1 IN ('x', 'y')"}, {SQL: "s15.n > 3"}},
	}
	counts := map[int]float64{}
	for _, n := range []int{20, 400} {
		m := forest(t, n)
		counts[n] = testing.AllocsPerRun(20, func() {
			if _, err := compile.Compile(m, d, r, compile.Options{}); err != nil {
				t.Error(err)
			}
		})
	}
	// Pools are emptied by chance under the race detector.
	if few, many := counts[20], counts[400]; many > 1.05*few || few > 2000 {
		t.Errorf("%v allocations with 20 sources, %v with 400", few, many)
	}
}
