package indexer

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/file"
	"github.com/loam-data/loam/host/internal/search/eval"
	"github.com/loam-data/loam/sdk"
)

// warehouse scans a made-up warehouse with profiles of a third of its tables;
// of every stride-th table the comment is another one.
func (p *project) warehouse(tables, stride int) {
	p.t.Helper()
	w, err := catalog.Open(filepath.Join(p.dir, "catalog", "wh"), "wh").Begin(p.t.Context(), false)
	if err != nil {
		p.t.Fatal(err)
	}
	n := 0
	twice := map[string]bool{}
	eval.Warehouse("wh", tables, func(d eval.Table) {
		if twice[d.ID] {
			return
		}
		twice[d.ID] = true
		t := &sdk.Table{TableRef: sdk.TableRef{Schema: d.Schema, Name: d.Name}, Kind: sdk.TableBase, Comment: d.Comment}
		profile := &catalog.Profile{At: time.Unix(1, 0).UTC()}
		for i, c := range d.Columns {
			t.Columns = append(t.Columns, sdk.Column{Name: c.Name, Comment: c.Comment, Type: sdk.TypeText, NativeType: "text"})
			if n%3 == 0 && i%4 == 0 {
				profile.Stats = append(profile.Stats, stats(c.Name, 10+n%50))
			}
		}
		if stride > 0 && n%stride == 0 {
			t.Comment += " (changed)"
		}
		if n++; err == nil {
			err = w.Table(t)
		}
		if err == nil && profile.Stats != nil {
			err = w.Profile(t.TableRef, profile)
		}
	})
	if err == nil {
		_, err = w.Commit(p.t.Context(), catalog.Identity{SyncID: fmt.Sprint(tables, stride), ExtractedAt: time.Unix(int64(stride), 0)})
	}
	if err != nil {
		p.t.Fatal(err)
	}
}

func stats(column string, values int) sdk.ColumnStats {
	s := sdk.ColumnStats{Column: column, Rows: 1000, Complete: true, Distinct: int64(values), Counts: make([]int64, values), ValuesComplete: true}
	for i := range values {
		s.Values = append(s.Values, fmt.Sprintf("%s value %d", column, i))
	}
	return s
}

// wiki writes pages that have been there for an hour: their times prove that
// nothing changed.
func (p *project) wiki(pages int) {
	p.t.Helper()
	old := time.Now().Add(-time.Hour)
	for i := range pages {
		key := fmt.Sprintf("global/page-%06d", i)
		p.page(key, fmt.Sprintf("---\ntitle: Page %d\nsummary: About %d\n---\n%s\n", i, i, strings.Repeat("Some text about it. ", 40)))
		if err := os.Chtimes(filepath.Join(p.dir, "wiki", key+".md"), old, old); err != nil {
			p.t.Fatal(err)
		}
	}
}

// layers writes files of a semantic layer that have been there for an hour, of
// eight measures and eight dimensions each.
func (p *project) layers(files int) {
	p.t.Helper()
	old := time.Now().Add(-time.Hour)
	for i := range files {
		name := fmt.Sprintf("source-%05d", i)
		p.source("wh", name, layerOf(i, "How it is counted"))
		if err := os.Chtimes(filepath.Join(p.dir, "semantic-layer", "wh", name+".yaml"), old, old); err != nil {
			p.t.Fatal(err)
		}
	}
}

func layerOf(i int, description string) string {
	var s strings.Builder
	fmt.Fprintf(&s, "name: source_%05d\nsql: select 1\ndescription: What happened in place %d\ndimensions:\n", i, i)
	for d := range 8 {
		fmt.Fprintf(&s, "  - {name: %s_%d, type: string, description: A sort of %s}\n", dimensions[d], i%7, dimensions[(d+i)%8])
	}
	s.WriteString("measures:\n")
	for m := range 8 {
		fmt.Fprintf(&s, "  - {name: %s_total_%d, agg: sum, expr: amount_%d, description: %s}\n", dimensions[m], i, m, description)
	}
	return s.String()
}

var dimensions = [8]string{"region", "channel", "product", "customer", "carrier", "plan", "campaign", "plant"}

// quantiles reports the median and the 99th percentile of durations.
func quantiles(b *testing.B, all []time.Duration) {
	slices.Sort(all)
	b.ReportMetric(float64(all[len(all)/2].Nanoseconds()), "ns-p50")
	b.ReportMetric(float64(all[len(all)*99/100].Nanoseconds()), "ns-p99")
}

func BenchmarkCurrentUnchanged(b *testing.B) {
	for _, sources := range []int{0, 200, 10_000} {
		b.Run(fmt.Sprintf("sources=%d", sources), func(b *testing.B) {
			p := newProject(b, "wh")
			p.warehouse(1000, 0)
			p.wiki(1000)
			p.layers(sources)
			h := p.host()
			h.current()
			var all []time.Duration
			b.ReportAllocs()
			for b.Loop() {
				start := time.Now()
				s, err := h.Current(b.Context())
				if err != nil {
					b.Fatal(err)
				}
				s.Release()
				all = append(all, time.Since(start))
			}
			quantiles(b, all)
		})
	}
}

// BenchmarkEditedSource is the first answer after one file of a semantic layer
// was edited.
func BenchmarkEditedSource(b *testing.B) {
	for _, sources := range []int{200, 10_000} {
		b.Run(fmt.Sprintf("sources=%d", sources), func(b *testing.B) {
			p := newProject(b, "wh")
			p.layers(sources)
			h := p.host()
			start := time.Now()
			h.current()
			b.ReportMetric(time.Since(start).Seconds(), "s-build")
			var all []time.Duration
			for n := 0; b.Loop(); n++ {
				path := filepath.Join(p.dir, "semantic-layer", "wh", "source-00007.yaml") // of many files, only this process's own writes count at once
				if err := file.Replace(path, []byte(layerOf(7, fmt.Sprintf("Edit %d", n))), 0o644); err != nil {
					b.Fatal(err)
				}
				h.wrote()
				start := time.Now()
				s, err := h.Current(b.Context())
				if err != nil || s.Notes != nil {
					b.Fatal(s.Notes, err)
				}
				all = append(all, time.Since(start))
				s.Release()
				if n := h.wrote(); n != 1 {
					b.Fatalf("%d segments were made", n)
				}
			}
			quantiles(b, all)
		})
	}
}

// BenchmarkStart is the first answer of a host whose index is there.
func BenchmarkStart(b *testing.B) {
	for _, size := range []struct{ tables, pages int }{{5000, 0}, {5000, 1000}, {100_000, 0}} {
		b.Run(fmt.Sprintf("tables=%d/pages=%d", size.tables, size.pages), func(b *testing.B) {
			if size.tables > 5000 && testing.Short() {
				b.Skip("-short: 100,000 tables take a minute to index")
			}
			p := newProject(b, "wh")
			p.warehouse(size.tables, 0)
			p.wiki(size.pages)
			if err := p.host().Refresh(b.Context(), nil); err != nil {
				b.Fatal(err)
			}
			var all []time.Duration
			for b.Loop() {
				start := time.Now()
				h := p.host()
				if err := h.Refresh(b.Context(), nil); err != nil {
					b.Fatal(err)
				}
				all = append(all, time.Since(start))
				if n := h.wrote(); n > 0 {
					b.Fatalf("%d segments were made", n)
				}
				if err := h.Close(); err != nil {
					b.Fatal(err)
				}
			}
			quantiles(b, all)
		})
	}
}

// BenchmarkBuild makes all of an index, then what one changed table of it needs,
// and has another host see that.
func BenchmarkBuild(b *testing.B) {
	for _, tables := range []int{5000, 100_000} {
		b.Run(fmt.Sprintf("tables=%d", tables), func(b *testing.B) {
			if tables > 5000 && testing.Short() {
				b.Skip("-short: 100,000 tables take a minute to index")
			}
			for b.Loop() {
				p := newProject(b, "wh")
				p.warehouse(tables, 0)
				h, other := p.host(), p.host()
				start := time.Now()
				if err := h.Refresh(b.Context(), nil); err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(time.Since(start).Seconds(), "s-build")
				if err := other.Refresh(b.Context(), nil); err != nil {
					b.Fatal(err)
				}
				p.warehouse(tables, tables)
				start = time.Now()
				if err := h.Refresh(b.Context(), nil); err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(time.Since(start).Seconds(), "s-rescan")
				start = time.Now()
				if s := other.current(); s.Notes != nil {
					b.Fatal(s.Notes)
				}
				b.ReportMetric(time.Since(start).Seconds(), "s-other-host")
				runtime.GC()
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				b.ReportMetric(float64(m.HeapAlloc)/(1<<20), "MB-heap")
				s := h.current()
				b.ReportMetric(float64(s.Index.Size())/(1<<20), "MB-segments")
			}
		})
	}
}
