package foreignkey

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"slices"
	"sync/atomic"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/flight"
	"github.com/loam-data/loam/host/internal/relationship"
	"github.com/loam-data/loam/sdk"
)

// declared is the declared foreign keys of a snapshot. They do not depend on decisions.
type declared struct {
	snapshot *catalog.Snapshot
	all      once[[]relationship.Relationship]
}

// of returns those of a table with keys.
func (d *declared) of(from sdk.TableRef, keys []sdk.Key) (found []relationship.Relationship) {
	for _, key := range keys {
		if key.Kind == sdk.KeyForeign {
			found = append(found, relationship.Declare(from, key, d.snapshot.Target(from, key.Ref)))
		}
	}
	return found
}

// list returns those of all tables, which are read once. It must not be changed.
// Errors: those of reading the snapshot and of ctx.
func (d *declared) list(ctx context.Context) ([]relationship.Relationship, error) {
	return d.all.get(ctx, d.read)
}

// declaredOf is a declared foreign key with the position of its table.
type declaredOf struct {
	table int
	relationship.Relationship
}

// read lists the keys in the order of the tables. Several goroutines read them, in the order of the file.
func (d *declared) read(ctx context.Context) ([]relationship.Relationship, error) {
	tables := d.snapshot.Referring()
	parts, errs := make([][]declaredOf, runtime.GOMAXPROCS(0)), make([]error, runtime.GOMAXPROCS(0))
	flight.All(len(parts), func(w int) {
		own := tables[w*len(tables)/len(parts) : (w+1)*len(tables)/len(parts)]
		parts[w] = make([]declaredOf, 0, len(own))
		for some := range slices.Chunk(own, atOnce) {
			if errs[w] = errors.Join(errs[w], ctx.Err()); errs[w] != nil {
				return
			}
			errs[w] = d.snapshot.EachForeignKey(some, func(i int, key sdk.Key) {
				from := d.snapshot.Entry(i).TableRef
				parts[w] = append(parts[w], declaredOf{i, relationship.Declare(from, key, d.snapshot.Target(from, key.Ref))})
			})
		}
	})
	var found []*declaredOf
	for _, part := range parts {
		for i := range part {
			found = append(found, &part[i])
		}
	}
	slices.SortStableFunc(found, func(a, b *declaredOf) int { return cmp.Compare(a.table, b.table) })
	all := make([]relationship.Relationship, len(found))
	for i, one := range found {
		all[i] = one.Relationship
	}
	return all, errors.Join(errs...)
}

// atOnce is how many tables are read before ctx is asked again.
const atOnce = 500

// once is a value that is made for the first caller and for all that wait for it. The zero value is ready.
type once[T any] struct {
	made   atomic.Pointer[T]
	making flight.Shared[T]
}

// get returns the value, which produce makes unless it was made before. Errors: those of produce and of ctx.
func (o *once[T]) get(ctx context.Context, produce func(context.Context) (T, error)) (T, error) {
	if made := o.made.Load(); made != nil {
		return *made, nil
	}
	return o.making.Do(ctx, func(ctx context.Context) (T, error) {
		if made := o.made.Load(); made != nil {
			return *made, nil
		}
		value, err := produce(ctx)
		if err == nil {
			o.made.Store(&value)
		}
		return value, err
	})
}
