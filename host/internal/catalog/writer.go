package catalog

import (
	"context"
	"encoding/binary"
	"errors"
	"os"
	"slices"
	"sync"

	"github.com/loam-data/loam/host/internal/file"
	"github.com/loam-data/loam/sdk"
)

// Writer makes a snapshot. A scan adds tables and profiles in any order; nobody
// sees them before Commit.
// Concurrency: any number of goroutines; one calls Commit or Close at the end.
type Writer struct {
	catalog *Catalog
	base    *Snapshot // nil: nothing to take over
	unlock  func() error

	mu     sync.Mutex
	out    output
	tables map[sdk.TableRef]*row
	part   []byte
	plain  []byte
	closed bool
	alone  bool // no earlier snapshot stays
}

// row is a table of the new snapshot.
type row struct {
	kind           sdk.TableKind
	rows, bytes    int64
	fingerprint    uint64
	columns        int
	foreignKeys    int
	profiled       int
	table, profile place
	before         int          // its position in the base, -1 = none
	changed        []sdk.Column // set when it is not as in the base, which has a profile of it
	counted        bool         // it has a new profile
}

// Begin starts a snapshot. A connection has one Writer at a time, over all
// processes. fresh: the snapshot takes nothing over from earlier ones.
// Errors: KindConflict with Retry while there is another Writer, KindUnavailable
// with ErrDamaged unless fresh, KindDenied.
func (c *Catalog) Begin(ctx context.Context, fresh bool) (_ *Writer, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(c.dir, 0o700); err != nil {
		return nil, c.unwritable(err)
	}
	unlock, err := file.Lock(c.lockPath())
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, c.unwritable(err)
	}
	if unlock == nil {
		e := sdk.Errorf(sdk.KindConflict, sdk.SourceHost, "connection %s is being scanned already", c.connection).
			WithHint("wait for that scan to end, then run this one again")
		e.Retry = true
		return nil, e
	}
	w := &Writer{catalog: c, unlock: unlock, tables: map[sdk.TableRef]*row{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.Close())
		}
	}()
	if err := file.Sweep(c.dir); err != nil {
		return nil, c.unwritable(err)
	}
	if !fresh {
		w.base, err = c.Latest()
		if err != nil && sdk.KindOf(err) != sdk.KindNotFound {
			return nil, err
		}
	}
	if w.out.file, err = file.Temp(c.dir); err != nil {
		return nil, c.unwritable(err)
	}
	c.step("begun")
	w.out.end = headerSize
	if w.base != nil && len(w.base.pack.words) > 0 {
		return w, w.explain(w.out.use(w.base.pack.words))
	}
	return w, nil
}

func (c *Catalog) unwritable(err error) error {
	return sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "the catalog in %s cannot be written: %w", c.dir, err).
		WithHint("make the folder writable for this user and see that its disk has space")
}

// Base returns the snapshot that unchanged tables are taken over from; nil when
// there is none.
func (w *Writer) Base() *Snapshot { return w.base }

// Table adds a table. An Unchanged one keeps the base's description, with new
// estimates.
// Errors: KindInternal for a table that was added before and for an unchanged one
// that the base does not have, KindLimit for one too large, KindUnavailable with
// ErrDamaged, KindDenied.
func (w *Writer) Table(t *sdk.Table) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.tables[t.TableRef] != nil {
		return sdk.Errorf(sdk.KindInternal, sdk.SourceConnector, "table %s was sent twice in one scan", Display(t.TableRef)).
			WithHint("report this: the connector's scan lists a table twice")
	}
	if len(t.Catalog) > maxName || len(t.Schema) > maxName || len(t.Name) > maxName || len(t.Kind) > maxName {
		return sdk.Errorf(sdk.KindLimit, sdk.SourceWarehouse, "a table's name has more than %d bytes", maxName).
			WithHint("exclude the table from the scan")
	}
	r := &row{before: w.find(t.TableRef), rows: t.RowEstimate, bytes: t.ByteEstimate, kind: t.Kind}
	if t.Unchanged {
		if err := w.carry(t, r); err != nil {
			return err
		}
	} else if err := w.describe(t, r); err != nil {
		return err
	}
	w.tables[t.TableRef] = r
	return nil
}

// find returns the position of a table in the base, -1 when it is not there.
func (w *Writer) find(ref sdk.TableRef) int {
	if w.base == nil {
		return -1
	}
	if i, found := w.base.Position(ref); found {
		return i
	}
	return -1
}

// carry takes a table's description over from the base.
func (w *Writer) carry(t *sdk.Table, r *row) error {
	if r.before < 0 || w.base.pack.record(r.before).fingerprint() != fingerprint(t.Fingerprint) {
		return sdk.Errorf(sdk.KindInternal, sdk.SourceConnector, "table %s was reported as unchanged, but the last snapshot has it not or another", Display(t.TableRef)).
			WithHint("run loam scan --full %s", w.catalog.connection)
	}
	old := w.base.pack.record(r.before)
	r.kind = sdk.TableKind(w.base.pack.text(old, 3))
	r.fingerprint, r.columns, r.foreignKeys = old.fingerprint(), old.columns(), old.foreignKeys()
	return w.copy(old.table(), &r.table)
}

// describe writes a table's description, or takes it over if it is the same.
func (w *Writer) describe(t *sdk.Table, r *row) error {
	r.fingerprint, r.columns = fingerprint(t.Fingerprint), len(t.Columns)
	for i := range t.Keys {
		if t.Keys[i].Kind == sdk.KeyForeign {
			r.foreignKeys++
		}
	}
	w.plain = appendTable(w.plain[:0], t)
	if len(w.plain) > maxBlock {
		return sdk.Errorf(sdk.KindLimit, sdk.SourceWarehouse, "the description of table %s has %d bytes; the limit is %d", Display(t.TableRef), len(w.plain), maxBlock).
			WithHint("exclude the table from the scan")
	}
	if r.before >= 0 {
		old := w.base.pack.record(r.before)
		if old.table().hash == hashOf(w.plain) {
			if err := w.copy(old.table(), &r.table); !errors.Is(err, ErrDamaged) {
				return err
			}
		} else if old.profile().size > 0 {
			r.changed = t.Columns
		}
	}
	return w.explain(w.out.put(w.plain, &r.table))
}

// Profile adds the profile of a table that was added. A table without a new
// profile keeps the base's, as far as its columns are the same.
// Errors: KindInternal for a table that is not there, KindLimit, KindDenied.
func (w *Writer) Profile(ref sdk.TableRef, p *Profile) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	r := w.tables[ref]
	if r == nil {
		return sdk.Errorf(sdk.KindInternal, sdk.SourceHost, "table %s has a profile, but was not found", Display(ref)).
			WithHint("report this")
	}
	r.counted = true
	return w.profile(ref, r, p)
}

func (w *Writer) profile(ref sdk.TableRef, r *row, p *Profile) error {
	r.profiled = len(p.Stats)
	if w.plain = appendProfile(w.plain[:0], p); len(w.plain) > maxBlock {
		return sdk.Errorf(sdk.KindLimit, sdk.SourceWarehouse, "the profile of table %s has %d bytes; the limit is %d", Display(ref), len(w.plain), maxBlock).
			WithHint("keep fewer values per column")
	}
	return w.explain(w.out.put(w.plain, &r.profile))
}

// Attach stores data that was derived from the tables beside them.
func (w *Writer) Attach(data []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.part = slices.Clone(data)
}

// Forget makes Commit remove the earlier snapshots, which hold values that may no
// longer be kept.
func (w *Writer) Forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.alone = true
}

// Commit makes the snapshot the last one, on disk before it returns. It fills
// in the identity's Content and Counts.
// Errors: KindDenied; KindUnavailable with ErrDamaged when a profile of the
// base cannot be taken over. After any error the snapshots are as before.
func (w *Writer) Commit(ctx context.Context, id Identity) (Identity, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return Identity{}, err
	}
	all, err := w.finish(&id)
	if err != nil {
		return Identity{}, errors.Join(err, w.close())
	}
	if err := w.catalog.putHead(all); err != nil {
		return Identity{}, errors.Join(w.catalog.unwritable(err), w.close())
	}
	w.catalog.step("head in place")
	return id, errors.Join(w.catalog.prune(all), w.close())
}

// finish puts the pack in its place and returns the list of snapshots with the
// new one.
func (w *Writer) finish(id *Identity) ([]Identity, error) {
	c := w.catalog
	all, err := c.head()
	if err != nil && !errors.Is(err, ErrDamaged) {
		return nil, err
	}
	for ref, r := range w.tables {
		if r.before >= 0 && !r.counted {
			if err := w.keepProfile(ref, r); err != nil {
				return nil, err
			}
		}
	}
	if id.Content, id.Counts, err = w.out.finish(w.tables, w.part); err != nil {
		return nil, w.explain(err)
	}
	c.step("pack written")
	name := w.out.file.Name()
	if err := errors.Join(w.out.file.Sync(), w.out.file.Close()); err != nil {
		return nil, w.explain(err)
	}
	c.step("pack on disk")
	if err := os.Rename(name, c.packPath(id.Content)); err != nil {
		return nil, w.explain(err)
	}
	w.out.file = nil
	c.step("pack in place")
	if err := file.SyncDir(c.dir); err != nil {
		return nil, w.explain(err)
	}
	if w.alone {
		all = nil
	}
	all = append(all, *id)
	return all[max(0, len(all)-Kept):], nil
}

// keepProfile takes over what the base's profile says of columns that are
// still the same.
func (w *Writer) keepProfile(ref sdk.TableRef, r *row) error {
	old := w.base.pack.record(r.before)
	if old.profile().size == 0 {
		return nil
	}
	if r.changed == nil {
		r.profiled = old.profiled()
		return w.copy(old.profile(), &r.profile)
	}
	p, err := w.remains(r)
	if err != nil || p == nil {
		return err
	}
	return w.profile(ref, r, p)
}

// copy takes a block over from the base once it is seen to be whole.
func (w *Writer) copy(at place, into *place) error {
	p := w.base.pack
	plain, err := p.block(at)
	if err != nil {
		return err
	}
	if !w.out.uses(p.words) {
		return w.explain(w.out.put([]byte(plain), into))
	}
	packed, err := p.raw(at)
	if err != nil {
		return err
	}
	return w.explain(w.out.write(packed, at.hash, into))
}

// explain says of an error of the file system what it means.
func (w *Writer) explain(err error) error {
	if _, ours := errors.AsType[*sdk.Error](err); ours || err == nil {
		return err
	}
	return w.catalog.unwritable(err)
}

func columnAt(columns []sdk.Column, name string) int {
	return slices.IndexFunc(columns, func(c sdk.Column) bool { return c.Name == name })
}

// Close discards a snapshot that was not committed. It may be called again.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.close()
}

func (w *Writer) close() error {
	if w.closed {
		return nil
	}
	w.closed = true
	var errs []error
	if w.out.file != nil {
		if err := w.out.file.Close(); !errors.Is(err, os.ErrClosed) {
			errs = append(errs, err)
		}
		errs = append(errs, os.Remove(w.out.file.Name()))
	}
	return errors.Join(append(errs, w.unlock())...)
}

func fingerprint(s string) uint64 {
	h := hashOf([]byte(s))
	return binary.LittleEndian.Uint64(h[:])
}
