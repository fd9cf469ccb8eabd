package layer

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"hash/maphash"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/flight"
	"github.com/loam-data/loam/host/internal/foreignkey"
	"github.com/loam-data/loam/host/internal/relationship"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/sdk"
)

// tables are those of a connection's snapshot as its models have them. What did
// not change from one snapshot to the next is neither read nor made again.
type tables struct {
	mu    sync.Mutex
	keys  *foreignkey.Keys // that list is made with
	list  []*model.Table
	known map[sdk.TableRef]*scanned
}

// scanned is a table of a snapshot.
type scanned struct {
	hash     catalog.Hash
	declared []sdk.Key // the foreign keys
	enforced []string  // columns that the engine gives each row another value of
	table    *model.Table
}

// of returns the tables of a snapshot with their keys.
// Shape: the same slice for as long as no table changes, and the same pointer to
// each that does not; it must not be changed.
// Errors: those of reading the snapshot and of ctx.
func (t *tables) of(ctx context.Context, snapshot *catalog.Snapshot, keys *foreignkey.Keys) ([]*model.Table, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.keys == keys {
		return t.list, nil
	}
	all, err := t.read(ctx, snapshot)
	if err != nil {
		return nil, err
	}
	known := make(map[sdk.TableRef]*scanned, len(all))
	for _, one := range all {
		known[one.table.Ref] = one
	}
	list := make([]*model.Table, len(all))
	same := len(list) == len(t.list)
	for i, one := range all {
		one.refer(keys, known)
		list[i] = one.table
		same = same && list[i] == t.list[i]
	}
	if !same || t.list == nil {
		t.list = list
	}
	t.keys, t.known = keys, known
	return t.list, nil
}

// enforces reports whether the engine gives each row of a table another value of a
// column.
func (t *tables) enforces(ref sdk.TableRef, column string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	one := t.known[ref]
	return one != nil && slices.Contains(one.enforced, column)
}

// read reads the tables that are not known as they are, by several goroutines.
func (t *tables) read(ctx context.Context, snapshot *catalog.Snapshot) ([]*scanned, error) {
	all := make([]*scanned, snapshot.Len())
	errs := make([]error, runtime.GOMAXPROCS(0))
	flight.All(len(errs), func(w int) {
		texts := newWords()
		for i := w; i < len(all) && errs[w] == nil; i += len(errs) {
			e := snapshot.Entry(i)
			if before := t.known[e.TableRef]; before != nil && before.hash == e.Hash {
				one := *before // refer changes it
				all[i] = &one
				continue
			}
			var read *catalog.Table
			if read, errs[w] = snapshot.At(i); errs[w] == nil {
				all[i], errs[w] = texts.table(read), ctx.Err()
			}
		}
	})
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// words keeps one of equal texts, and none of the block that they were read in; and of
// tables with equal columns, as copies of a table have them, one list of these.
type words struct {
	texts   map[string]string
	columns map[uint64][]model.Column
	seed    maphash.Seed
}

func newWords() words {
	return words{map[string]string{}, map[uint64][]model.Column{}, maphash.MakeSeed()}
}

func (w words) one(text string) string {
	if kept, ok := w.texts[text]; ok {
		return kept
	}
	text = strings.Clone(text)
	w.texts[text] = text
	return text
}

// list returns the columns of a table.
func (w words) list(columns []sdk.Column) []model.Column {
	found := withFields(columns)
	var h maphash.Hash
	h.SetSeed(w.seed)
	for _, c := range found {
		maphash.WriteComparable(&h, struct {
			name, comment string
			typ           sdk.Type
			notNull       bool
		}{c.Name, c.Comment, c.Type, c.NotNull})
	}
	sum := h.Sum64()
	equal := func(a, b model.Column) bool {
		return a.Name == b.Name && a.Type == b.Type && a.Comment == b.Comment && a.NotNull == b.NotNull && slices.Equal(a.Path, b.Path)
	}
	if kept, ok := w.columns[sum]; ok && slices.EqualFunc(kept, found, equal) {
		return kept
	}
	for i, c := range found {
		found[i] = model.Column{Name: w.one(c.Name), Type: c.Type, Comment: strings.Clone(c.Comment), NotNull: c.NotNull}
		if c.Path != nil {
			found[i].Path = w.all(c.Path)
		}
	}
	w.columns[sum] = found
	return found
}

// withFields returns columns and, behind them, the fields of their records.
func withFields(columns []sdk.Column) []model.Column {
	all := make([]model.Column, len(columns))
	for i, c := range columns {
		all[i] = model.Column{Name: c.Name, Type: c.Type, Comment: c.Comment, NotNull: !c.Nullable}
	}
	for i := range columns {
		all = addFields(all, &columns[i], []string{columns[i].Name})
	}
	return all
}

// addFields adds the fields of a record, and those of the records in it. A column that is
// called like one goes before it.
func addFields(all []model.Column, of *sdk.Column, path []string) []model.Column {
	if of.Repeated {
		return all
	}
	for i := range of.Fields {
		f := &of.Fields[i]
		own := append(slices.Clip(path), f.Name)
		name := strings.Join(own, ".")
		if f.Name == "" || slices.ContainsFunc(all, func(c model.Column) bool { return c.Path == nil && strings.EqualFold(c.Name, name) }) {
			continue
		}
		all = addFields(append(all, model.Column{Name: name, Type: f.Type, Comment: f.Comment, Path: own}), f, own)
	}
	return all
}

func (w words) all(texts []string) []string {
	own := make([]string, len(texts))
	for i, text := range texts {
		own[i] = w.one(text)
	}
	return own
}

func (w words) ref(r sdk.TableRef) sdk.TableRef {
	return sdk.TableRef{Catalog: w.one(r.Catalog), Schema: w.one(r.Schema), Name: w.one(r.Name)}
}

// table makes a table without foreign keys.
func (w words) table(t *catalog.Table) *scanned {
	one := &model.Table{Ref: w.ref(t.TableRef), Comment: strings.Clone(t.Comment), Columns: w.list(t.Columns), Hash: model.Hash(t.Hash)}
	s := &scanned{hash: t.Hash, table: one}
	for _, k := range t.Keys {
		if k.Enforced && len(k.Columns) == 1 && (k.Kind == sdk.KeyPrimary || k.Kind == sdk.KeyUnique) {
			s.enforced = append(s.enforced, w.one(k.Columns[0]))
		}
		switch k.Kind {
		case sdk.KeyPrimary:
			one.PrimaryKey = w.all(k.Columns)
		case sdk.KeyUnique:
			one.UniqueKeys = append(one.UniqueKeys, w.all(k.Columns))
		case sdk.KeyForeign:
			s.declared = append(s.declared, sdk.Key{
				Kind: k.Kind, Name: w.one(k.Name), Columns: w.all(k.Columns), Ref: w.ref(k.Ref), RefColumns: w.all(k.RefColumns), Enforced: k.Enforced,
			})
		}
	}
	return s
}

// shape is what the links of the table must name.
func (s *scanned) shape() *foreignkey.Shape {
	shape := &foreignkey.Shape{Columns: make([]string, 0, len(s.table.Columns)), PrimaryKey: s.table.PrimaryKey}
	for i := range s.table.Columns {
		if c := &s.table.Columns[i]; c.Path == nil {
			shape.Columns = append(shape.Columns, c.Name)
		}
	}
	return shape
}

// refer gives the table its foreign keys, and the links that nobody decided on: those
// of which both ends are there.
func (s *scanned) refer(keys *foreignkey.Keys, known map[sdk.TableRef]*scanned) {
	whole := func(links []relationship.Relationship) (all []model.ForeignKey) {
		for _, r := range links {
			to := known[r.To]
			if to == nil {
				continue
			}
			if link, fits := foreignkey.Fit(r.Link, s.shape(), to.shape()); fits {
				all = append(all, model.ForeignKey{Columns: link.Columns, To: link.To, ToColumns: link.ToColumns, Enforced: s.enforces(link), Inferred: r.Origin == relationship.Inferred})
			}
		}
		return all
	}
	accepted, open := keys.Of(s.table.Ref, s.declared)
	all, undecided := whole(accepted), whole(open)
	if reflect.DeepEqual(all, s.table.ForeignKeys) && reflect.DeepEqual(undecided, s.table.Undecided) {
		return
	}
	fresh := *s.table
	fresh.ForeignKeys, fresh.Undecided = all, undecided
	fresh.Hash = s.sum(all, undecided)
	s.table = &fresh
}

// enforces reports whether the engine enforces a link, whoever else claims it too.
func (s *scanned) enforces(link relationship.Link) bool {
	return slices.ContainsFunc(s.declared, func(k sdk.Key) bool {
		to := k.Ref == link.To || k.Ref.Within(link.From) == link.To
		return k.Enforced && to && slices.Equal(k.Columns, link.Columns) && (len(k.RefColumns) == 0 || slices.Equal(k.RefColumns, link.ToColumns))
	})
}

// sum is the hash of the table with its keys.
func (s *scanned) sum(keys ...[]model.ForeignKey) model.Hash {
	h := sha256.New()
	h.Write(s.hash[:])
	if err := json.NewEncoder(h).Encode(keys); err != nil {
		panic(err) // texts only
	}
	return model.Hash(h.Sum(nil))
}
