package indexer

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/chunk"
	"github.com/loam-data/loam/host/internal/search"
	"github.com/loam-data/loam/host/internal/search/value"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/host/internal/wiki"
	"github.com/loam-data/loam/sdk"
)

// maxSamples is how many values of a column are found by their words. As whole
// values all of them are found.
const maxSamples = 32

// addTable adds a table of a snapshot with its columns and their values.
func addTable(b *search.Builder, u *unit, position int) error {
	t, err := u.snapshot.At(position)
	if err != nil {
		return err
	}
	profile, err := u.snapshot.Profile(position)
	if err != nil {
		return err
	}
	document := search.TableDocument{
		Connection: string(u.connection), ID: catalog.Display(t.TableRef),
		Catalog: t.Catalog, Schema: t.Schema, Name: t.Name, Comment: t.Comment, Size: search.SizeOf(t.RowEstimate),
		Columns: make([]search.ColumnDocument, len(t.Columns)), Refers: refers(u.snapshot, t, u.inferred[t.TableRef]),
	}
	for i, c := range t.Columns {
		document.Columns[i] = search.ColumnDocument{Name: c.Name, Comment: c.Comment}
		stats := statsOf(profile, i, c.Name)
		if stats == nil || len(stats.Values) == 0 {
			continue
		}
		document.Columns[i].Samples = stats.Values[:min(maxSamples, len(stats.Values))]
		document.Columns[i].Listed = stats.ValuesComplete && len(stats.Values) <= maxSamples
		column := value.Column{Connection: document.Connection, Source: document.ID, Name: c.Name, Cardinality: cardinality(stats)}
		if err := b.Values().Add(column, stats.Values); err != nil {
			return err
		}
	}
	if profile != nil {
		for _, w := range profile.Withheld {
			longest := int64(-1)
			if stats := statsOf(profile, 0, w.Column); stats != nil {
				longest = stats.MaxLength
			}
			b.Values().Withhold(value.Withheld{
				Column: value.Column{Connection: document.Connection, Source: document.ID, Name: w.Column}, Reason: w.Reason, Longest: longest,
			})
		}
	}
	return b.Table(document)
}

// refers returns the tables that a table refers to, declared or inferred, each once.
func refers(snapshot *catalog.Snapshot, t *catalog.Table, inferred []sdk.TableRef) (all []string) {
	add := func(to sdk.TableRef) {
		if id := catalog.Display(to); to != t.TableRef && !slices.Contains(all, id) {
			all = append(all, id)
		}
	}
	for _, k := range t.Keys {
		if k.Kind == sdk.KeyForeign {
			add(snapshot.Target(t.TableRef, k.Ref))
		}
	}
	for _, to := range inferred {
		add(to)
	}
	return all
}

// statsOf returns what was counted of a column, which is mostly where it is in
// its table; nil when nothing was.
func statsOf(p *catalog.Profile, i int, column string) *sdk.ColumnStats {
	if p == nil {
		return nil
	}
	if i < len(p.Stats) && p.Stats[i].Column == column {
		return &p.Stats[i]
	}
	return p.Column(column)
}

// cardinality is how many distinct values a column has, -1 when the profile did
// not count them all.
func cardinality(s *sdk.ColumnStats) int64 {
	if !s.Complete || s.DistinctApprox {
		return -1
	}
	return s.Distinct
}

// addFile adds the chunks of a file as it was in its view.
// Errors: errOutdated when it is no longer so.
func addFile(ctx context.Context, b *search.Builder, files texter, f *chunk.Listed) error {
	pieces, err := files.Pieces(ctx, f.Repo, f.Path)
	if err != nil {
		return err
	}
	if len(pieces) != f.Chunks {
		return errOutdated
	}
	dir, name := path.Split(f.Path)
	for i, p := range pieces {
		d := search.Document{
			Kind: search.File, ID: chunk.ID(f.Repo, f.Path, i+1), Connection: f.Connection, Name: name, Description: p.Heading, Body: p.Text,
			Context: []string{f.Repo, dir},
		}
		if err := b.Add(d); err != nil {
			return err
		}
	}
	return nil
}

// addPage adds a page as it was in its view.
// Errors: errOutdated when it is no longer so.
func addPage(b *search.Builder, w *wiki.Wiki, p *wiki.Page) error {
	body, err := w.Body(p)
	if sdk.KindOf(err) == sdk.KindConflict {
		return errors.Join(errOutdated, err)
	}
	if err != nil {
		return err
	}
	d := search.Document{
		Kind: search.Wiki, ID: p.Key, Name: p.Title, Description: p.Summary, Body: body, Synonyms: p.Aliases,
		Context: slices.Concat(p.Tags, p.Refs, p.SLRefs), Connection: strings.Join(p.Connections, search.Several),
	}
	if dir, name := path.Split(p.Key); text.Key(name) != text.Key(p.Title) {
		d.Display = p.Key
	} else if dir != "" {
		d.Context = append(d.Context, dir)
	}
	return b.Add(d)
}
