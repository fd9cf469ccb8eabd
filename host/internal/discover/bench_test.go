package discover

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/loam-data/loam/sdk"
)

// The size that answers are measured at.
const (
	benchTables = 1000
	benchPages  = 1000
	benchValues = 1000 // of each of as many columns
)

var nouns = strings.Fields(`customer order item product price invoice payment refund shipment warehouse region supplier contract subscription plan
	ticket agent campaign channel lead account ledger entry currency rate tax discount voucher basket session visit event device employee team shift
	store shelf stock batch parcel carrier route address contact segment cohort target forecast budget cost margin revenue`)

var traits = strings.Fields("id name code status type amount total count date created updated valid from to flag note owner parent number level")

// large makes a fixture of 1,000 tables of 20 columns, a million values and 1,000
// pages.
func large(b *testing.B) *fixture {
	b.Helper()
	f := newFixture(b)
	random := rand.New(rand.NewPCG(1, 2))
	noun := func() string { return nouns[random.IntN(len(nouns))] }
	s := snapshot{id: "s1", profiles: map[string][]sdk.ColumnStats{}}
	for i := range benchTables {
		var columns []string
		for j, trait := range traits {
			columns = append(columns, fmt.Sprintf("%s_%s%d text: the %s of the %s", noun(), trait, j, trait, noun()))
		}
		name := fmt.Sprintf("public.%s_%s_%d", noun(), noun(), i)
		one := table(name, fmt.Sprintf("One row per %s of a %s, as the %s team keeps them.", noun(), noun(), noun()), columns...)
		s.tables = append(s.tables, one)
		all := make([]string, benchValues)
		for j := range all {
			all[j] = fmt.Sprintf("%s %s %06d", noun(), noun(), random.IntN(1_000_000))
		}
		s.profiles[name] = []sdk.ColumnStats{values(one.Columns[1].Name, all...)}
	}
	f.scan(b, "shop", s)
	for i := range benchPages {
		var body strings.Builder
		for range 40 {
			fmt.Fprintf(&body, "A %s has one %s for each %s, see [[p%d]].\n", noun(), noun(), noun(), random.IntN(benchPages))
		}
		f.write(b, fmt.Sprintf("wiki/global/p%d.md", i), fmt.Sprintf("---\nsummary: About %s and %s.\n---\n# The %s of a %s\n\n%s", noun(), noun(), noun(), noun(), body.String()))
	}
	state, err := f.index.Current(b.Context())
	for sdk.KindOf(err) == sdk.KindUnavailable {
		state, err = f.index.Current(b.Context())
	}
	if err != nil {
		b.Fatal(err)
	}
	state.Release()
	return f
}

// timed runs a call again and again and reports its percentiles.
func timed(b *testing.B, call func(i int) error) {
	b.Helper()
	b.ReportAllocs()
	var took []time.Duration
	for b.Loop() {
		started := time.Now()
		if err := call(len(took)); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(started))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
}

func BenchmarkAnswers(b *testing.B) {
	f := large(b)
	questions := []string{"customer revenue", "cust ordr status", "payments per region", "shipmnet date", "vouchers", "how many refunds were there by campaign", "public." + strings.TrimPrefix(f.find(b, SearchRequest{Query: "invoice", Kinds: []string{"table"}}).Refs[0].ID, "public.")}
	names := make([]string, 50)
	for i, r := range f.find(b, SearchRequest{Query: "customer", Kinds: []string{"table"}, Limit: 50}).Refs {
		names[i] = r.ID
	}
	b.Run("search", func(b *testing.B) {
		timed(b, func(i int) error {
			_, err := f.Search(b.Context(), SearchRequest{Query: questions[i%len(questions)]})
			return err
		})
	})
	b.Run("entity", func(b *testing.B) {
		timed(b, func(i int) error {
			_, err := f.Entities(b.Context(), EntitiesRequest{Connection: "shop", Entities: []EntityQuery{{Display: names[i%len(names)]}}})
			return err
		})
	})
	b.Run("entity-20", func(b *testing.B) {
		var queries []EntityQuery
		for _, name := range names[:20] {
			queries = append(queries, EntityQuery{Display: name})
		}
		timed(b, func(int) error {
			_, err := f.Entities(b.Context(), EntitiesRequest{Connection: "shop", Entities: queries})
			return err
		})
	})
	b.Run("entity-unknown", func(b *testing.B) {
		timed(b, func(int) error {
			_, err := f.Entities(b.Context(), EntitiesRequest{Connection: "shop", Entities: []EntityQuery{{Display: "public.custmer_ordr"}}})
			return err
		})
	})
	for _, one := range []struct{ name, value string }{{"value", "customer order 123"}, {"value-short", "cu"}, {"value-miss", "nowhere at all"}} {
		b.Run(one.name, func(b *testing.B) {
			timed(b, func(int) error {
				_, err := f.Values(b.Context(), ValuesRequest{Values: []string{one.value}})
				return err
			})
		})
	}
	b.Run("wiki-search", func(b *testing.B) {
		timed(b, func(i int) error {
			_, err := f.SearchWiki(b.Context(), questions[i%len(questions)], 0)
			return err
		})
	})
	b.Run("wiki-read", func(b *testing.B) {
		timed(b, func(i int) error {
			_, err := f.ReadWiki(b.Context(), fmt.Sprintf("p%d", i%benchPages))
			return err
		})
	})
	b.Run("scanned", func(b *testing.B) {
		timed(b, func(int) error {
			_, err := f.Scanned("shop")
			return err
		})
	})
}
