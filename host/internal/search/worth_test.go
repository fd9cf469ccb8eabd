package search

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What is worth less comes later, and an exact name of an agent behind that of a person.
func TestWorth(t *testing.T) {
	t.Parallel()
	x := index(t, func(b *Builder) error {
		for _, d := range []Document{
			{Kind: Wiki, ID: "churn", Name: "churn"},
			{Kind: Wiki, ID: "metrics/lost", Name: "Churn"},
			{Kind: Wiki, ID: "churn-by-plan", Name: "Churn by plan"},
			{Kind: Wiki, ID: "churn-by-segment", Name: "Churn by segment"},
			{Kind: Source, Connection: "c", ID: "sales", Name: "sales"},
		} {
			if err := b.Add(d); err != nil {
				return err
			}
		}
		if err := b.AddChild(Document{Kind: Measure, Connection: "c", Name: "churn"}); err != nil {
			return err
		}
		return b.Table(TableDocument{Connection: "c", ID: "s.customers", Schema: "s", Name: "customers", Columns: []ColumnDocument{{Name: "churn"}}})
	})
	measure := Used{Measure, "c", "sales.churn", "churn"}
	page := func(id string) Used { return Used{Kind: Wiki, ID: id, Name: id} }
	for _, tt := range []struct {
		name, question string
		worth          map[Used]Worth
		want           []string // of the pages and the measure, in order
	}{
		{"equal", "churn", nil, []string{"wiki churn", "sl_measure sales.churn", "wiki metrics/lost", "wiki churn-by-plan", "wiki churn-by-segment"}},
		{"an agent's exact name", "churn", map[Used]Worth{page("churn"): {Share: .9, Behind: true}}, []string{"sl_measure sales.churn", "wiki metrics/lost", "wiki churn", "wiki churn-by-plan", "wiki churn-by-segment"}},
		{"exact names of agents alone", "churn", map[Used]Worth{
			page("churn"): {Share: .9, Behind: true}, page("metrics/lost"): {Share: .9, Behind: true}, measure: {Share: .9, Behind: true},
		}, []string{"wiki churn", "sl_measure sales.churn", "wiki metrics/lost", "wiki churn-by-plan", "wiki churn-by-segment"}},
		{"a disputed page", "churn", map[Used]Worth{page("churn-by-plan"): {Share: .9}}, []string{"wiki churn", "sl_measure sales.churn", "wiki metrics/lost", "wiki churn-by-segment", "wiki churn-by-plan"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			q := Query{Text: tt.question, Worth: func(u Used) Worth {
				if u.Kind == Table || u.Kind == Column {
					t.Errorf("asked about %+v", u)
				}
				return tt.worth[u]
			}}
			got := slices.DeleteFunc(ids(x.Search(q)), func(id string) bool {
				return id == "column s.customers.churn" || id == "table s.customers" || id == "sl_source sales"
			})
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
