// Package listing lists the definitions in the files of a semantic layer: sources, measures
// and dimensions, by their references in requests, with their descriptions.
//
// It merges definitions as package model does, but from the files alone: it reads no scan
// and resolves no names, so that a changed file costs only its own definitions. It leaves
// out members that the files show to be broken, hidden or excluded.
package listing

import (
	"crypto/sha256"
	"iter"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/sdk"
)

// Listing is the definitions of a connection's files.
// Concurrency: immutable.
type Listing struct {
	entries []*Entry
	byID    map[string]*Entry
}

// metricsID is the ID of the entry of the metrics. No source has it.
const metricsID = ""

// Entry is a source, or all metrics together. It refers to the definitions of the files; Source
// merges them.
// Concurrency: immutable.
type Entry struct {
	// ID is the source's name in queries: qualified only if another source has the same name; ""
	// for the metrics.
	ID string
	// Content is a hash of the files that define the entry.
	Content model.Hash
	// Measures and Dimensions are the numbers of its members.
	Measures, Dimensions int

	layers   []model.Definition
	inherits *model.SourceDef // the definition in a shard whose columns are the defaults; nil = none
	trust    model.Trust
	standing map[string]Standing // of members whose standing differs from the entry's trust
}

// Standing is the author of a definition and, for one that the memory wrote, its last
// verification; nil = none.
type Standing struct {
	Trust    model.Trust
	Verified *model.Verified
	// Columns are the columns of the source's table that a measure or a segment of the memory reads, folded; for a
	// metric, the measures.
	Columns []string
}

// Standing returns the standing of a member by its name; "" = of the source.
func (e *Entry) Standing(member string) Standing {
	if s, ok := e.standing[member]; ok {
		return s
	}
	return Standing{Trust: e.trust}
}

// stand records the standing of the source and its members.
func (e *Entry) stand(s *Source) {
	e.trust = s.Trust
	for _, members := range [][]Member{s.Measures, s.Dimensions, s.Segments} {
		for i := range members {
			m := &members[i]
			if _, there := e.standing[m.Name]; there || m.Trust.Shown() == e.trust.Shown() && m.Verified == nil && m.reads == nil {
				continue
			}
			if e.standing == nil {
				e.standing = map[string]Standing{}
			}
			columns := m.reads
			if !e.IsMetrics() {
				columns = s.columns(m.reads)
			}
			e.standing[m.Name] = Standing{m.Trust, m.Verified, columns}
		}
	}
}

// IsMetrics reports whether the entry is the metrics.
func (e *Entry) IsMetrics() bool { return e.ID == metricsID }

// Of returns the listing of files. before is an earlier listing or nil: entries whose definitions
// did not change are reused.
// Units: the time is linear in the number of files, and small for unchanged ones.
func Of(files []*model.File, before *Listing) *Listing {
	g := grouping{byName: make(map[string][]*group, len(files)), shards: map[string][]model.Definition{}, persons: map[string]*group{}}
	for rank, d := range model.Ranked(files) {
		if rank != model.RankInvalid {
			g.place(d, rank)
		}
	}
	l := &Listing{entries: make([]*Entry, 0, len(g.all)+1), byID: make(map[string]*Entry, len(g.all)+1)}
	for _, one := range g.all {
		if one.broken {
			continue
		}
		parts := []string{one.ref.Name}
		if len(g.byName[fold(one.ref.Name)]) > 1 {
			parts = slices.DeleteFunc([]string{one.ref.Catalog, one.ref.Schema, one.ref.Name}, func(s string) bool { return s == "" })
		}
		l.add((&expression.Name{Parts: parts}).String(), one.layers, g.inherited(one), before)
	}
	var metrics []model.Definition
	for _, f := range files {
		if f.Kind == model.MetricsFile {
			metrics = append(metrics, model.Definition{File: f})
		}
	}
	slices.SortStableFunc(metrics, func(a, b model.Definition) int { return int(a.File.Layer()) - int(b.File.Layer()) })
	if metrics != nil {
		l.add(metricsID, metrics, nil, before)
	}
	slices.SortFunc(l.entries, func(a, b *Entry) int { return strings.Compare(a.ID, b.ID) })
	return l
}

// add adds an entry, unless the source is hidden or there are no metrics.
func (l *Listing) add(id string, layers []model.Definition, inherits *model.Definition, before *Listing) {
	e := &Entry{ID: id, layers: layers}
	if inherits != nil {
		e.inherits = inherits.Def
		layers = append(slices.Clip(layers), *inherits)
	}
	if before != nil {
		if o := before.byID[id]; o != nil && o.inherits == e.inherits && slices.Equal(o.layers, e.layers) {
			l.put(o)
			return
		}
	}
	digest := sha256.New()
	for _, one := range layers {
		_, _ = digest.Write(one.File.Hash[:]) // writing to a hash never fails
	}
	copy(e.Content[:], digest.Sum(nil))
	s := e.Source()
	if e.Measures, e.Dimensions = len(s.Measures), len(s.Dimensions); s.hidden || e.IsMetrics() && e.Measures == 0 {
		return
	}
	e.stand(s)
	l.put(e)
}

func (l *Listing) put(e *Entry) {
	if l.byID[e.ID] == nil {
		l.entries, l.byID[e.ID] = append(l.entries, e), e
	}
}

// Len returns the number of entries.
func (l *Listing) Len() int { return len(l.entries) }

// Entries yields the entries ordered by ID, so that the metrics come first.
func (l *Listing) Entries() iter.Seq[*Entry] { return slices.Values(l.entries) }

// Entry returns an entry by its ID; nil when there is none.
func (l *Listing) Entry(id string) *Entry { return l.byID[id] }

// fold returns a name for comparison without case.
func fold(name string) string { return strings.ToLower(name) }

// parse splits a qualified name such as analytics.orders.
func parse(name string) sdk.TableRef {
	parts := []string{name}
	if n, err := expression.ParseName(name); err == nil {
		parts = n.Parts
	} else if !strings.ContainsAny(name, "\"`[]") {
		parts = strings.Split(name, ".")
	}
	if len(parts) > 3 || slices.Contains(parts, "") {
		return sdk.TableRef{Name: name}
	}
	parts = append(make([]string, 3-len(parts), 3), parts...)
	return sdk.TableRef{Catalog: parts[0], Schema: parts[1], Name: parts[2]}
}
