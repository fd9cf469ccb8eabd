package tokens

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tiktoken-go/tokenizer"
)

// corpus is what agents get to read: schemas and answers of tools, pages, statements, keys,
// and prose in four languages.
func corpus(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, pattern := range []string{
		"../mcpserver/testdata/tools/*", "../mcpserver/testdata/refusals/*", "../mcpserver/schema/*", "../../../docs/*.md", "../../../docs/connectors/*.md",
		"../../../e2e/testdata/corpus/*",
	} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				continue // a folder
			}
			for i, part := range slices.Collect(slices.Chunk(strings.Split(string(text), "\n"), 25)) {
				texts[fmt.Sprintf("%s %d", f, i)] = strings.Join(part, "\n")
			}
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	words := func(pick func() string) string {
		var all []string
		for range 80 {
			all = append(all, pick())
		}
		return strings.Join(all, ", ")
	}
	for i := range 20 {
		texts[fmt.Sprint("uuids ", i)] = words(func() string {
			return fmt.Sprintf("%08x-%04x-4%03x", random.Uint32(), random.Uint32()&0xffff, random.Uint32()&0xfff)
		})
		texts[fmt.Sprint("catalog ", i)] = words(func() string {
			return fmt.Sprintf(`{"name":"%s_%s_id","type":"decimal(%d,2)","rows":%d}`, vocabulary[random.IntN(len(vocabulary))], vocabulary[random.IntN(len(vocabulary))], random.IntN(38), random.IntN(1e9))
		})
		texts[fmt.Sprint("dump ", i)] = words(func() string {
			return fmt.Sprintf("INSERT INTO %s VALUES (%d, '%s', %.2f, '2024-0%d-1%d')", vocabulary[random.IntN(len(vocabulary))], random.IntN(1e6), vocabulary[random.IntN(len(vocabulary))], random.Float64()*1e4, 1+random.IntN(9), random.IntN(9))
		})
	}
	return texts
}

var vocabulary = strings.Fields(`customer order_item Kundennummer Rechnungsdatum prénom facturé niño dirección straße Überweisung
	vbak_vbeln kna1 mandt warehouse shipment_date is_active amount_cents tax_rate 顧客 注文 клиент заказ`)

func TestEstimate(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "a": 1, "revenue": 2, "a b": 3, "12345": 2, "id = 4": 4, "      ": 3, "ß": 2, `{"a":1}`: 5,
	} {
		if got := Estimate(text); got != want {
			t.Errorf("%q has %d, want %d", text, got, want)
		}
	}
}

// The estimate is no less than the true count for 99 of 100 texts, and no more than 1.7
// times it for half of them.
func TestEstimateHolds(t *testing.T) {
	t.Parallel()
	texts := corpus(t)
	if len(texts) < 500 {
		t.Fatalf("%d texts", len(texts))
	}
	for _, encoding := range []tokenizer.Encoding{tokenizer.O200kBase, tokenizer.Cl100kBase} {
		codec, err := tokenizer.Get(encoding)
		if err != nil {
			t.Fatal(err)
		}
		var ratios []float64
		for name, text := range texts {
			count, err := codec.Count(text)
			if err != nil {
				t.Fatal(err)
			}
			if count == 0 {
				continue
			}
			ratio := float64(Estimate(text)) / float64(count)
			if ratio < 1 {
				t.Logf("%s: %s has %d tokens, estimated as %d", encoding, name, count, Estimate(text))
			}
			ratios = append(ratios, ratio)
		}
		slices.Sort(ratios)
		t.Logf("%s: %d texts, the least ratio %.2f, the hundredth %.2f, the median %.2f", encoding, len(ratios), ratios[0], ratios[len(ratios)/100], ratios[len(ratios)/2])
		if low, median := ratios[len(ratios)/100], ratios[len(ratios)/2]; low < 1 || median > 1.7 {
			t.Errorf("%s: the hundredth ratio is %.2f, at least 1 is wanted; the median is %.2f, at most 1.7 is wanted", encoding, low, median)
		}
	}
}

func TestEstimateAllocatesNothing(t *testing.T) {
	text := strings.Repeat("select a_1, 'ü' from t; ", 100)
	if n := testing.AllocsPerRun(10, func() { Estimate(text) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
