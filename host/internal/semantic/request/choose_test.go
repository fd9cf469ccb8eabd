package request

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/semantic/refusal"
)

// TestChoose: a choice stands where the refused part stood, and nothing else of the request changes. "" = the request has
// no certain place for it.
func TestChoose(t *testing.T) {
	t.Parallel()
	member := Choice{Code: refusal.CodeAmbiguousMember, Member: "region", Means: "shops.region"}
	period := Choice{Code: refusal.CodeAmbiguousPeriod, Member: "last year", Means: "2024-01-01 to 2024-12-31"}
	value := Choice{Code: refusal.CodeValueNotFound, Member: "orders.status", Value: "payed", Means: "paid"}
	for _, tt := range []struct {
		name   string
		choice Choice
		body   string
		want   string
	}{
		{"a dimension", member, `{"measures":["o.r"],"dimensions":["region"]}`, `{"measures":["o.r"],"dimensions":["shops.region"]}`},
		{"in another case", member, `{"measures":["o.r"],"dimensions":["Region"]}`, `{"measures":["o.r"],"dimensions":["shops.region"]}`},
		{"a measure", member, `{"measures":["region"]}`, `{"measures":["shops.region"]}`},
		{"all places of the whole request", member, `{"measures":["o.r"],"dimensions":["region"],"filters":["region = 'a' OR region = 'region'"],"order_by":["region"],"segments":["region"]}`,
			`{"measures":["o.r"],"dimensions":["shops.region"],"filters":["shops.region = 'a' OR shops.region = 'region'"],"segments":["shops.region"],"order_by":[{"field":"shops.region"}]}`},
		{"a text around the name", member, `{"measures":["o.r"],"filters":["upper( region ) = 'ä'\n AND \"region\" <> 'x' AND o.region = 'y'"]}`,
			`{"measures":["o.r"],"filters":["upper( shops.region ) = 'ä'\n AND shops.region <> 'x' AND o.region = 'y'"]}`},
		{"a structured filter inside others", member, `{"measures":["o.r"],"filters":[{"or":[{"not":{"field":"region","op":"equals","values":["region"]}},"o.x = 1"]}]}`,
			`{"measures":["o.r"],"filters":[{"or":[{"not":{"field":"shops.region","op":"equals","values":["region"]}},"o.x = 1"]}]}`},
		{"per entity", member, `{"measures":["o.r"],"filters":["per(o.r, region) > 1"]}`, `{"measures":["o.r"],"filters":["per(o.r, shops.region) > 1"]}`},
		{"a period of a time", Choice{Code: refusal.CodeAmbiguousMember, Member: "o.at", Means: "orders.at"}, `{"measures":["o.r"],"filters":["o.at.month = '2024-01'"],"order_by":["o.at__month"]}`,
			`{"measures":["o.r"],"filters":["orders.at.month = '2024-01'"],"order_by":[{"field":"orders.at.month"}]}`},
		{"the filter of one measure", member, `{"measures":[{"measure":"o.r","filters":["region = 'a'"]}]}`, `{"measures":[{"measure":"o.r","filters":["shops.region = 'a'"]}]}`},
		{"a range of a member", member, `{"measures":["o.r"],"date_ranges":[{"field":"region","from":"2024"}]}`, `{"measures":["o.r"],"date_ranges":[{"field":"shops.region","from":"2024"}]}`},

		{"measures that may mean different ones", member, `{"measures":[{"measure":"o.r","filters":["region = 'a'"]},{"measure":"p.r","filters":["region = 'a'"]}]}`, ""},
		{"a measure and the request", member, `{"measures":[{"measure":"o.r","filters":["region = 'a'"]}],"dimensions":["region"]}`, ""},
		{"nowhere", member, `{"measures":["o.r"],"dimensions":["o.region"]}`, ""},
		{"a name of the request", member, `{"measures":[{"expr":"sum(o.x)","name":"region"}],"order_by":["region"]}`, ""},
		{"a conformed name", member, `{"measures":["o.r"],"dimensions":["region"],"conform":{"region":["a.x","b.x"]}}`, ""},
		{"with a way of its own", member, `{"measures":["o.r"],"dimensions":[{"field":"region","via":["billing"]}]}`, ""},
		{"another refusal", Choice{Code: refusal.CodeFanout, Member: "region", Means: "x"}, `{"measures":["o.r"],"dimensions":["region"]}`, ""},

		{"a range", period, `{"measures":["o.r"],"date_ranges":[{"field":"o.at","relative":"previous year"},{"relative":"last month"}]}`,
			`{"measures":["o.r"],"date_ranges":[{"field":"o.at","from":"2024-01-01","to":"2024-12-31"},{"relative":"last month"}]}`},
		{"a filter on time", period, `{"measures":["o.r"],"filters":[{"field":"o.at","op":"in_date_range","values":["last_year"]},{"field":"o.name","op":"equals","values":["last year"]}]}`,
			`{"measures":["o.r"],"filters":[{"field":"o.at","op":"in_date_range","values":["2024-01-01 to 2024-12-31"]},{"field":"o.name","op":"equals","values":["last year"]}]}`},
		{"a period of a calendar", Choice{Code: refusal.CodeAmbiguousPeriod, Member: "last year", Means: "last fiscal_year"}, `{"measures":["o.r"],"date_range":"last year"}`,
			`{"measures":["o.r"],"date_ranges":[{"relative":"last fiscal_year"}]}`},
		{"what is no range", Choice{Code: refusal.CodeAmbiguousPeriod, Member: "last year", Means: "whenever"}, `{"measures":["o.r"],"date_range":"last year"}`, ""},

		{"a value", value, `{"measures":["o.r"],"filters":[{"field":"orders.status","op":"in","values":["open","payed"]},{"field":"o.status","op":"equals","values":["payed"]},"orders.status = 'payed'"]}`,
			`{"measures":["o.r"],"filters":[{"field":"orders.status","op":"in","values":["open","paid"]},{"field":"o.status","op":"equals","values":["payed"]},"orders.status = 'payed'"]}`},
		{"no such value", value, `{"measures":["o.r"],"filters":[{"field":"orders.status","op":"contains","values":["payed"]}]}`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r, _, err := Normalise(json.RawMessage(tt.body))
			if err != nil {
				t.Fatal(err)
			}
			before, _ := json.Marshal(r)
			got, ok := r.Choose(tt.choice)
			if after, _ := json.Marshal(r); string(after) != string(before) {
				t.Errorf("the request itself changed to %s", after)
			}
			if ok != (tt.want != "") {
				t.Fatalf("%v: %+v", ok, got)
			}
			if !ok {
				return
			}
			want, _, err := Normalise(json.RawMessage(tt.want))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// FuzzChoose: a request with a choice is one that is read again.
func FuzzChoose(f *testing.F) {
	f.Add(`region = 'a' AND upper("region") > 'x' OR per(o.r, region) > 1`, "region", "shops.region")
	f.Add("a.\n region.month >= '2024'", "a.region", `"x y".b`)
	f.Fuzz(func(t *testing.T, filter, member, means string) {
		r := Request{Measures: []Measure{{Name: "o.r"}}, Filters: []Filter{{SQL: filter}}}
		text, err := json.Marshal(r)
		if err != nil {
			return
		}
		if r, _, err = Normalise(text); err != nil {
			return
		}
		if _, err := ParseName("", means); err != nil {
			return
		}
		chosen, ok := r.Choose(Choice{Code: refusal.CodeAmbiguousMember, Member: member, Means: means})
		if !ok {
			return
		}
		if text, err = json.Marshal(chosen); err != nil {
			t.Fatal(err)
		}
		if _, _, err := Normalise(text); err != nil && len(text) < 1000 {
			t.Errorf("%s in place of %s: %s: %v", means, member, text, err)
		}
	})
}
