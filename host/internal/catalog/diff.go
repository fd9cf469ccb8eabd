package catalog

import (
	"context"
	"iter"
	"maps"
	"reflect"
	"slices"

	"github.com/loam-data/loam/sdk"
)

// Diff is the difference between two snapshots, without estimates and profiles.
// Shape: tables are in the order of their names; columns and keys in that of
// the newer table, those that are gone last.
type Diff struct {
	From, To       Identity
	Added, Removed []sdk.TableRef
	Changed        []TableChange
}

// TableChange is the difference between two scans of a table.
type TableChange struct {
	sdk.TableRef
	// Kind, Comment and Definition are nil when they are the same.
	Kind, Comment, Definition *Change
	Columns                   []ColumnChange
	Keys                      []KeyChange
	// Moved: the columns of both are in another order.
	Moved bool
}

// Change is a text before and after.
type Change struct{ Before, After string }

// ColumnChange is a column that was added (no Before), removed (no After) or
// changed.
type ColumnChange struct {
	Name          string
	Before, After *sdk.Column
}

// KeyChange is a key that was added, removed or changed. Keys without a name
// are compared by their columns.
type KeyChange struct{ Before, After *sdk.Key }

// Step is a table that one of two snapshots lacks, or that may differ in them.
// Shape: a position of -1 = the snapshot lacks the table.
type Step struct {
	sdk.TableRef
	From, To int
}

// Steps yields the tables that differ in two snapshots of one connection, in the order of their names. It reads no
// table, so that a table of which nothing differs but the engine's own properties is among them.
func Steps(from, to *Snapshot) iter.Seq[Step] {
	return func(yield func(Step) bool) {
		for i, j := 0, 0; i < from.Len() || j < to.Len(); {
			order := 0
			switch {
			case i == from.Len():
				order = 1
			case j == to.Len():
				order = -1
			default:
				order = compareRefs(from.pack.ref(i), to.pack.ref(j))
			}
			step := Step{From: -1, To: -1}
			if order <= 0 {
				step.TableRef, step.From = from.pack.ref(i), i
				i++
			}
			if order >= 0 {
				step.TableRef, step.To = to.pack.ref(j), j
				j++
			}
			same := order == 0 && from.pack.record(step.From).table().hash == to.pack.record(step.To).table().hash
			if !same && !yield(step) {
				return
			}
		}
	}
}

// Compare returns the difference between two snapshots of one connection. It
// reads only the tables whose hashes differ.
// Errors: KindUnavailable with ErrDamaged; those of ctx.
func Compare(ctx context.Context, from, to *Snapshot) (*Diff, error) {
	d := &Diff{From: from.Identity, To: to.Identity}
	for step := range Steps(from, to) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		switch {
		case step.To < 0:
			d.Removed = append(d.Removed, step.TableRef)
		case step.From < 0:
			d.Added = append(d.Added, step.TableRef)
		default:
			c, err := step.Change(from, to)
			if err != nil {
				return nil, err
			}
			if c != nil {
				d.Changed = append(d.Changed, *c)
			}
		}
	}
	return d, nil
}

// Change returns the difference between the two scans of a table that both snapshots of Steps have; nil when nothing
// differs but the engine's own properties.
// Errors: KindUnavailable with ErrDamaged.
func (s Step) Change(from, to *Snapshot) (*TableChange, error) {
	before, err := from.At(s.From)
	if err != nil {
		return nil, err
	}
	after, err := to.At(s.To)
	if err != nil {
		return nil, err
	}
	c := &TableChange{
		TableRef: after.TableRef,
		Kind:     changed(string(before.Kind), string(after.Kind)), Comment: changed(before.Comment, after.Comment),
		Definition: changed(before.Definition, after.Definition),
	}
	c.columns(before.Columns, after.Columns)
	c.keys(before.Keys, after.Keys)
	if c.Kind == nil && c.Comment == nil && c.Definition == nil && c.Columns == nil && c.Keys == nil && !c.Moved {
		return nil, nil // a fingerprint, a property
	}
	return c, nil
}

func changed(before, after string) *Change {
	if before == after {
		return nil
	}
	return &Change{before, after}
}

func (c *TableChange) columns(before, after []sdk.Column) {
	old := make(map[string]int, len(before))
	for i := range before {
		old[before[i].Name] = i
	}
	last := -1
	for i := range after {
		now := &after[i]
		at, known := old[now.Name]
		if !known {
			c.Columns = append(c.Columns, ColumnChange{Name: now.Name, After: now})
			continue
		}
		delete(old, now.Name)
		c.Moved = c.Moved || at < last
		last = at
		if was := &before[at]; !sameColumn(was, now) {
			c.Columns = append(c.Columns, ColumnChange{Name: now.Name, Before: was, After: now})
		}
	}
	for _, i := range slices.Sorted(maps.Values(old)) {
		c.Columns = append(c.Columns, ColumnChange{Name: before[i].Name, Before: &before[i]})
	}
}

func sameColumn(a, b *sdk.Column) bool {
	x, y := *a, *b
	x.Properties, y.Properties = nil, nil
	return reflect.DeepEqual(x, y) && maps.Equal(a.Properties, b.Properties)
}

func (c *TableChange) keys(before, after []sdk.Key) {
	left := make([]*sdk.Key, 0, len(before))
	for i := range before {
		left = append(left, &before[i])
	}
	for i := range after {
		now := &after[i]
		at := slices.IndexFunc(left, func(k *sdk.Key) bool {
			return k.Kind == now.Kind && k.Name == now.Name && (k.Name != "" || sameKey(k, now))
		})
		switch {
		case at < 0:
			c.Keys = append(c.Keys, KeyChange{After: now})
			continue
		case !sameKey(left[at], now):
			c.Keys = append(c.Keys, KeyChange{Before: left[at], After: now})
		}
		left = slices.Delete(left, at, at+1)
	}
	for _, k := range left {
		c.Keys = append(c.Keys, KeyChange{Before: k})
	}
}

func sameKey(a, b *sdk.Key) bool {
	return a.Kind == b.Kind && a.Ref == b.Ref && a.Enforced == b.Enforced &&
		slices.Equal(a.Columns, b.Columns) && slices.Equal(a.RefColumns, b.RefColumns)
}
