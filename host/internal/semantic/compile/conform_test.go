package compile_test

import (
	"strings"
	"testing"

	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
)

// Dimensions that mean the same are refused where nobody knows which one is meant, or
// where their values cannot be the same.
func TestConformRefused(t *testing.T) {
	t.Parallel()
	const conform = `, "dimensions": ["place"], "conform": {"place": ["orders.status", "tickets.kind"]}}`
	for _, tt := range []struct{ name, request, want string }{
		{"a home that reaches none", `{"measures": ["stock.closing", "orders.revenue"]` + conform, "no_join_path: stock.closing"},
		{"types that differ", `{"measures": ["orders.revenue"], "dimensions": ["place"], "conform": {"place": ["tickets.kind", "orders.day"]}}`, "their values cannot be the same"},
		{"empty groups", `{"measures": ["orders.revenue"], "include_empty": true` + conform, "empty groups of place belong to several sources"},
		{"periods", `{"measures": ["orders.revenue"], "dimensions": [{"field": "place", "granularity": "month"}], "conform": {"place": ["orders.day", "tickets.day"]}}`, "group by metric_time"},
		{"a member that there is not", `{"measures": ["orders.revenue"], "dimensions": ["place"], "conform": {"place": ["orders.statu", "tickets.kind"]}}`, "orders.status"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := written(t, "sqlite", tt.request); !strings.Contains(got, tt.want) {
				t.Errorf("%s\nhas no %q", got, tt.want)
			}
		})
	}
}

// A filter on a name for several dimensions knows the values of each of them, and no
// time that they do not have in common.
func TestConformFilter(t *testing.T) {
	t.Parallel()
	d := engine(t, "sqlite")
	source := func(name, zone, values string) *model.File {
		return model.Parse(name+".yaml", []byte("name: "+name+"\ntable: "+name+"\n"+zone+"dimensions:\n  - {name: region, type: string, values: ["+values+"]}\n"+
			"  - {name: at, type: time, column_type: timestamp}\nmeasures: [{name: n, agg: count}]\n"))
	}
	m := model.Build(model.Input{Dialect: d, Files: []*model.File{
		source("shops", "", "north, south"), source("customers", "time_zone: \"+09:00\"\n", "north, east"), source("staff", "time_zone: UTC\n", ""),
	}})
	for _, p := range m.Problems() {
		t.Fatal(p)
	}
	for _, tt := range []struct{ name, rest, want string }{
		{"a value of the second", `"filters": [{"field": "place", "op": "equals", "values": ["east"]}], "conform": {"place": ["shops.region", "customers.region"]}`, "'east'"},
		{"a value of none", `"filters": [{"field": "Place", "op": "equals", "values": ["wets"]}], "conform": {"place": ["shops.region", "customers.region"]}`, "value_not_found: filters[0].values[0]: Place is never"},
		{"values that are not known", `"filters": [{"field": "place", "op": "equals", "values": ["wets"]}], "conform": {"place": ["shops.region", "staff.region"]}`, "'wets'"},
		{"times of two zones", `"filters": [{"field": "moment", "op": "gte", "values": ["2024-05-01"]}], "conform": {"moment": ["shops.at", "customers.at"]}`, "are times of different zones"},
		{"times of one zone", `"filters": [{"field": "moment", "op": "gte", "values": ["2024-05-01"]}], "conform": {"moment": ["shops.at", "staff.at"]}`, "2024-05-01"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			measures := `"shops.n", "customers.n"`
			if strings.Contains(tt.rest, "staff") {
				measures = `"shops.n", "staff.n"`
			}
			var got string
			if q, err := compiled(t, m, d, `{"measures": [`+measures+`], `+tt.rest+`}`); err != nil {
				e := refusal.From(err)
				got = string(e.Code) + ": " + e.Message
			} else {
				got = q.SQL
			}
			if !strings.Contains(got, tt.want) {
				t.Errorf("%s\nhas no %q", got, tt.want)
			}
		})
	}
}
