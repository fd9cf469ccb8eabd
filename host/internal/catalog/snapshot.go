package catalog

import (
	"iter"
	"unicode/utf8"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// Snapshot is the catalog of one connection as one scan found it. It never changes; it stays readable after newer ones
// and after its file was removed, and needs no closing.
// Concurrency: any number of readers.
type Snapshot struct {
	Identity
	connection string
	pack       *pack
	profiles   profiles
}

// Len returns how many tables there are.
func (s *Snapshot) Len() int { return s.pack.len() }

// Entries yields all tables in the order of catalog, schema and name, without
// reading them.
func (s *Snapshot) Entries() iter.Seq2[int, Entry] {
	return func(yield func(int, Entry) bool) {
		for i := range s.Len() {
			if !yield(i, s.Entry(i)) {
				return
			}
		}
	}
}

// Entry returns the entry of the table at a position, without reading the table.
func (s *Snapshot) Entry(i int) Entry {
	r := s.pack.record(i)
	return Entry{
		TableRef: s.pack.ref(i), Kind: sdk.TableKind(s.pack.text(r, 3)), Columns: r.columns(),
		RowEstimate: r.rows(), ByteEstimate: r.bytes(), Hash: r.table().hash, Profile: r.profile().hash,
	}
}

// At reads the table at a position.
// Errors: KindUnavailable with ErrDamaged.
func (s *Snapshot) At(i int) (*Table, error) {
	r := s.pack.record(i)
	block, err := s.pack.block(r.table())
	if err != nil {
		return nil, err
	}
	t := &Table{Hash: r.table().hash}
	t.TableRef, t.RowEstimate, t.ByteEstimate = s.pack.ref(i), r.rows(), r.bytes()
	if err := decodeTable(block, &t.Table); err != nil {
		return nil, damaged(s.pack.path, err)
	}
	return t, nil
}

// Profile returns the profile of the table at a position; nil when it has none. It is
// shared with other callers and must not be changed: see Clone.
// Errors: KindUnavailable with ErrDamaged.
func (s *Snapshot) Profile(i int) (*Profile, error) {
	at := s.pack.record(i).profile()
	if at.size == 0 {
		return nil, nil
	}
	if p, ok := s.profiles.get(i); ok {
		return p, nil
	}
	block, err := s.pack.block(at)
	if err != nil {
		return nil, err
	}
	p, err := decodeProfile(block)
	if err != nil {
		return nil, damaged(s.pack.path, err)
	}
	return s.profiles.put(i, p, len(block)), nil
}

// Attachment returns the data of Writer.Attach; nil when there is none.
// Errors: KindUnavailable with ErrDamaged.
func (s *Snapshot) Attachment() ([]byte, error) {
	if s.pack.part.size == 0 {
		return nil, nil
	}
	block, err := s.pack.block(s.pack.part)
	return []byte(block), err
}

// CodeAmbiguous is the Code of the KindInvalid error for a name that matches several tables.
const CodeAmbiguous = "loam:ambiguous"

// shown is how many characters of a name a message repeats.
const shown = 200

func short(name string) string {
	if utf8.RuneCountInString(name) <= shown {
		return name
	}
	return string([]rune(name)[:shown]) + "…"
}

// Position returns the position of the table with exactly this reference. Without such a table it is the position of
// the next one in the order of Entries.
func (s *Snapshot) Position(ref sdk.TableRef) (int, bool) { return s.pack.position(ref) }

// Target returns the full reference of the table that a foreign key of from refers to:
// the parts that the engine leaves out are those of from.
func (s *Snapshot) Target(from, to sdk.TableRef) sdk.TableRef {
	if _, there := s.Position(to); there {
		return to
	}
	return to.Within(from)
}

// Find returns the position of the table that a display string names: the one whose
// Display it is, else "catalog.schema.name", "schema.name" or "name",
// quoted or not, compared as the engine compares names; d is nil when nothing is
// known of it.
// Errors: KindNotFound with the nearest names, KindInvalid with CodeAmbiguous and all matching tables as candidates.
func (s *Snapshot) Find(d *dialect.Dialect, display string) (int, error) {
	if i, ok := s.pack.displayed(display); ok {
		return i, nil
	}
	return s.one(display, s.pack.search(d, display, (*pack).exact))
}

// Lookup returns the position of a table by its parts; an empty catalog or
// schema means any. See Find.
func (s *Snapshot) Lookup(d *dialect.Dialect, ref sdk.TableRef) (int, error) {
	return s.one(Display(ref), s.pack.lookup(rulesOf(d), path{
		catalog: part{text: ref.Catalog}, schema: part{text: ref.Schema}, name: part{text: ref.Name},
	}, (*pack).exact))
}

func (s *Snapshot) one(asked string, found []int) (int, error) {
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		e := sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "connection %s has no table %q in its snapshot of %s",
			s.connection, short(asked), s.ExtractedAt.UTC().Format("2006-01-02 15:04 MST"))
		e.Candidates = s.pack.near(asked)
		return 0, e.WithHint("name a table that exists, or run loam scan %s if it is new", s.connection)
	}
	e := sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%q may be any of %d tables of connection %s", short(asked), len(found), s.connection)
	e.Code = CodeAmbiguous
	for _, i := range found {
		e.Candidates = append(e.Candidates, Display(s.pack.ref(i)))
	}
	return 0, e.WithHint("name the schema too, as the candidates do")
}
