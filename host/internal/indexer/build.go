package indexer

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"runtime/debug"
	"slices"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/search"
	"github.com/loam-data/loam/sdk"
)

// bring opens and makes what is missing for the state that s is.
// Errors: errOutdated, errSuperseded, KindDenied, KindLimit; those of ctx.
func (x *Indexer) bring(ctx context.Context, s *sight) error {
	missing := map[string][]part{} // by kind
	damaged := false
	for _, p := range s.parts() {
		found, err := x.load(p)
		if err != nil {
			return err
		}
		if found != whole {
			missing[p.unit.kind], damaged = append(missing[p.unit.kind], p), damaged || found == broken
		}
	}
	x.assemble(s)
	for _, kind := range x.kinds() {
		if len(missing[kind]) == 0 {
			continue
		}
		if err := x.build(ctx, s, missing[kind], damaged); err != nil {
			return err
		}
	}
	x.made = 0
	x.sweep(x.needed(s))
	return x.forget(s)
}

// parts lists the parts of all units, those of small units first: they are
// there the sooner.
func (s *sight) parts() (all []part) {
	units := slices.Collect(maps.Values(s.units))
	slices.SortFunc(units, func(a, b *unit) int {
		return cmp.Or(cmp.Compare(a.size(), b.size()), compareKeys(a.key, b.key))
	})
	for _, u := range units {
		all = append(all, u.parts...)
	}
	return all
}

// condition is what was found of a segment.
type condition int

const (
	absent condition = iota
	broken
	whole
)

// load opens the segment of a part unless it is open.
// Errors: KindDenied.
func (x *Indexer) load(p part) (condition, error) {
	if x.segments[p.file] != nil {
		return whole, nil
	}
	s, err := search.Open(x.path(p.file), x.analyzer)
	switch sdk.KindOf(err) {
	case "":
	case sdk.KindNotFound:
		return absent, nil
	case sdk.KindUnavailable, sdk.KindConflict:
		x.config.Logger.Warn("a part of the search index is made again", "file", p.file, "error", err)
		return broken, nil
	default:
		return absent, err
	}
	if s.Identity().Content != p.file || slices.ContainsFunc(search.Kinds(), func(k search.Kind) bool { return s.Count(k) != p.counts[k] }) {
		x.config.Logger.Warn("a part of the search index is made again", "file", p.file, "error", "it is of something else")
		return broken, s.Close()
	}
	x.segments[p.file] = s
	x.step("opened")
	return whole, nil
}

// build makes the segments of a kind that are missing, or has another host make
// them. A host that does waits for the files, unless there are damaged ones.
func (x *Indexer) build(ctx context.Context, s *sight, missing []part, damaged bool) (err error) {
	kind := missing[0].unit.kind
	unlock, err := x.lock(ctx, kind, func() bool { return x.superseded() || !damaged && x.exist(missing) })
	if err != nil {
		return err
	}
	if unlock != nil {
		defer func() { err = errors.Join(err, unlock()) }()
		x.step("locked")
		if err := x.clean(kind, x.needed(s)); err != nil {
			x.config.Logger.Warn("old parts of the search index stay", "error", err)
		}
	}
	t, scratch := newTally(x, missing), &search.Scratch{}
	for _, p := range missing {
		if x.superseded() {
			return errSuperseded
		}
		found, err := x.load(p)
		if err == nil && found != whole {
			if unlock == nil { // what another host made went away again
				return errOutdated
			}
			err = x.write(ctx, p, t, scratch)
			x.made += p.size
		}
		if err != nil {
			return err
		}
		if t.end(p); t.ended == t.total && x.made >= x.large {
			*scratch, x.made = search.Scratch{}, 0
			debug.FreeOSMemory()
			x.step("returned")
		}
		x.assemble(s)
	}
	return nil
}

// large is how many tables, pages or sources are made into segments before the memory
// that this took is returned to the system. The heap would keep it: of 10,000 sources of
// 25 columns it is 100 MiB. Returning it takes a collection, before the first answer. What was made before a newer look
// superseded the work counts too.
const large = 2_000

// write makes the segment of a part and opens it.
// Errors: errOutdated when what it is made of is not there any more.
func (x *Indexer) write(ctx context.Context, p part, t *tally, scratch *search.Scratch) (err error) {
	b, err := scratch.NewBuilder(x.path(p.file), x.analyzer)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	if err := x.fill(ctx, b, p, t); err != nil {
		if errors.Is(err, catalog.ErrDamaged) {
			x.spoil(p.unit, err)
			return errOutdated
		}
		return err
	}
	if err := b.Finish(p.file, p.counts); errors.Is(err, fs.ErrNotExist) {
		return errOutdated // somebody removed the folder in this moment
	} else if err != nil {
		return err
	}
	x.step("written")
	found, err := x.load(p)
	if err == nil && found != whole {
		return errOutdated // somebody removed it in this moment
	}
	return err
}

// fill adds the documents of a part.
func (x *Indexer) fill(ctx context.Context, b *search.Builder, p part, t *tally) error {
	added := func(err error) error {
		t.add()
		x.step("document")
		return cmp.Or(err, ctx.Err())
	}
	has := func(name ...string) bool { return shardOf(p.shards, name...) == p.shard }
	switch p.unit.kind {
	case kindWiki:
		for page := range p.unit.pages.Pages() {
			if !has(page.Key) {
				continue
			}
			if err := added(addPage(b, x.config.Wiki, page)); err != nil {
				return err
			}
		}
	case kindSemantic:
		for e := range p.unit.listing.Entries() {
			if !has(e.ID) {
				continue
			}
			if err := added(e.Index(b, string(p.unit.connection))); err != nil {
				return err
			}
		}
	case kindFiles:
		for i := range p.unit.texts.Files() {
			f := &p.unit.texts.Files()[i]
			if !has(f.Repo, f.Path) {
				continue
			}
			if err := added(addFile(ctx, b, x.config.Files, f)); err != nil {
				return err
			}
		}
		if now, err := x.config.Files.View(ctx); err != nil || now != p.unit.texts {
			return cmp.Or(err, error(errOutdated))
		}
	case kindTables:
		for i, e := range p.unit.snapshot.Entries() {
			if !has(e.Catalog, e.Schema, e.Name) {
				continue
			}
			if err := added(addTable(b, p.unit, i)); err != nil {
				return err
			}
		}
	}
	return nil
}

// needed names the files of what was seen and of the current state.
func (x *Indexer) needed(s *sight) map[string]bool {
	all := map[string]bool{}
	add := func(u *unit) {
		for _, p := range u.parts {
			all[p.file] = true
		}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.state != nil {
		for _, u := range x.state.units {
			add(u)
		}
	}
	if s != nil {
		for _, u := range s.units {
			add(u)
		}
	}
	return all
}

// forget gives the segments up that neither s nor the current state needs.
// Readers of earlier states keep them until they are done.
func (x *Indexer) forget(s *sight) error {
	needed := x.needed(s)
	var errs []error
	for name, segment := range x.segments {
		if !needed[name] {
			errs = append(errs, segment.Close())
			delete(x.segments, name)
		}
	}
	return errors.Join(errs...)
}
