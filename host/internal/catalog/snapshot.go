package catalog

import (
	"iter"
	"unicode/utf8"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// Image is one snapshot. It never changes; it stays readable after newer ones
// and after its file was removed, and needs no closing.
// Concurrency: any number of readers.
type Image struct {
	Identity
	connection string
	pack       *pack
	profiles   profiles
}

// Len returns how many tables there are.
func (m *Image) Len() int { return m.pack.len() }

// Entries yields all tables in the order of catalog, schema and name, without
// reading them.
func (m *Image) Entries() iter.Seq2[int, Entry] {
	return func(yield func(int, Entry) bool) {
		for i := range m.Len() {
			if !yield(i, m.Entry(i)) {
				return
			}
		}
	}
}

// Entry returns what is known of the table at a position without reading it.
func (m *Image) Entry(i int) Entry {
	r := m.pack.record(i)
	return Entry{
		TableRef: m.pack.ref(i), Kind: sdk.TableKind(m.pack.text(r, 3)), Columns: r.columns(),
		RowEstimate: r.rows(), ByteEstimate: r.bytes(), Hash: r.table().hash, Profile: r.profile().hash,
	}
}

// At reads the table at a position.
// Errors: KindUnavailable with ErrDamaged.
func (m *Image) At(i int) (*Table, error) {
	r := m.pack.record(i)
	block, err := m.pack.block(r.table())
	if err != nil {
		return nil, err
	}
	t := &Table{Hash: r.table().hash}
	t.TableRef, t.RowEstimate, t.ByteEstimate = m.pack.ref(i), r.rows(), r.bytes()
	if err := decodeTable(block, &t.Table); err != nil {
		return nil, damaged(m.pack.path, err)
	}
	return t, nil
}

// Profile returns the profile of the table at a position; nil when it has none. It is
// shared with other callers and must not be changed: see Own.
// Errors: KindUnavailable with ErrDamaged.
func (m *Image) Profile(i int) (*Profile, error) {
	at := m.pack.record(i).profile()
	if at.size == 0 {
		return nil, nil
	}
	if p, ok := m.profiles.get(i); ok {
		return p, nil
	}
	block, err := m.pack.block(at)
	if err != nil {
		return nil, err
	}
	p, err := decodeProfile(block)
	if err != nil {
		return nil, damaged(m.pack.path, err)
	}
	return m.profiles.put(i, p, len(block)), nil
}

// All reads the tables one after the other, in order. It ends with the first error.
func (m *Image) All() iter.Seq2[*Table, error] {
	return func(yield func(*Table, error) bool) {
		for i := range m.Len() {
			t, err := m.At(i)
			if !yield(t, err) || err != nil {
				return
			}
		}
	}
}

// Attachment returns what Writer.Attach kept with the tables; nil when nothing.
// Errors: KindUnavailable with ErrDamaged.
func (m *Image) Attachment() ([]byte, error) {
	if m.pack.part.size == 0 {
		return nil, nil
	}
	block, err := m.pack.block(m.pack.part)
	return []byte(block), err
}

// CodeAmbiguous is the Code of the KindInvalid error for a name that several
// tables answer to.
const CodeAmbiguous = "loam:ambiguous"

// shown is how many characters of a name a message repeats.
const shown = 200

func short(name string) string {
	if utf8.RuneCountInString(name) <= shown {
		return name
	}
	return string([]rune(name)[:shown]) + "…"
}

// Position returns the position of the very table, false when it is not there.
func (m *Image) Position(ref sdk.TableRef) (int, bool) { return m.pack.position(ref) }

// Target returns the full reference of the table that a foreign key of from refers to:
// the parts that the engine leaves out are those of from.
func (m *Image) Target(from, to sdk.TableRef) sdk.TableRef {
	if _, there := m.Position(to); there {
		return to
	}
	return to.Within(from)
}

// Find returns the position of the table that a display string names: the one whose
// Display it is, else "catalog.schema.name", "schema.name" or "name",
// quoted or not, compared as the engine compares names; d is nil when nothing is
// known of it.
// Errors: KindNotFound with the nearest names, KindInvalid with CodeAmbiguous
// and all that it may mean as candidates.
func (m *Image) Find(d *dialect.Dialect, display string) (int, error) {
	if i, ok := m.pack.displayed(display); ok {
		return i, nil
	}
	return m.one(display, m.pack.search(d, display))
}

// Lookup returns the position of a table by its parts; an empty catalog or
// schema means any. See Find.
func (m *Image) Lookup(d *dialect.Dialect, ref sdk.TableRef) (int, error) {
	return m.one(Display(ref), m.pack.lookup(rulesOf(d), path{
		catalog: part{text: ref.Catalog}, schema: part{text: ref.Schema}, name: part{text: ref.Name},
	}))
}

func (m *Image) one(asked string, found []int) (int, error) {
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		e := sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "connection %s has no table %q in its snapshot of %s",
			m.connection, short(asked), m.ExtractedAt.UTC().Format("2006-01-02 15:04 MST"))
		e.Candidates = m.pack.near(asked)
		return 0, e.WithHint("name a table that exists, or run loam scan %s if it is new", m.connection)
	}
	e := sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%q may be any of %d tables of connection %s", short(asked), len(found), m.connection)
	e.Code = CodeAmbiguous
	for _, i := range found {
		e.Candidates = append(e.Candidates, Display(m.pack.ref(i)))
	}
	return 0, e.WithHint("name the schema too, as the candidates do")
}
