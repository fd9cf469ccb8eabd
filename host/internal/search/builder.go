package search

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/loam-data/loam/host/internal/search/archive"
	"github.com/loam-data/loam/host/internal/search/value"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

// none is the parent of a document that has none.
const none = math.MaxUint32

// Flags of a document beside its kind.
const (
	kindMask    = 0x0f
	sizeShift   = 4 // the Size of its table, in three bits
	sizeMask    = 0x07
	flagOld     = 0x80 // its name looks left over
	keyFlag     = 0x80 // of a posting: the term is the document's whole name
	fieldMask   = 0x07
	tfUnit      = 4 // frequencies count in quarters
	tfExpanded  = 2 // what an abbreviation stands for counts half
	maxTF       = 15
	maxSamples  = 64 // bytes of a sample that is taken for words
	runPostings = 4 << 20
)

// Builder makes a segment from documents that are added one by one. It keeps a few numbers
// per document in memory; postings go to a file beside the segment's. Documents may come in
// any order; among children of one parent with equal scores the earlier one comes first.
// Concurrency: one goroutine.
type Builder struct {
	path     string
	analyzer *text.Analyzer
	values   *value.Builder
	spill    *spill

	terms       map[string]uint32
	connections map[string]uint16
	labels      map[string]uint32
	labelText   []string
	connection  []string

	flags   []uint8 // kind and flags
	owner   []uint16
	parent  []uint32
	label   []uint32
	lengths [classes][]uint16
	// Documents and labels of what they refer to.
	refersFrom, refersTo []uint32
	root                 uint32 // the last document that is nobody's child
	rootFlags            uint8  // that its children have too
	counts               [kinds]int
	tokens               text.Tokens
	entries              []entry
	seen                 []place // by term: where in entries it is for this document
	document             uint32
}

// entry is one term of the document at hand.
type entry struct {
	term uint32
	tf   [fields]uint8
	key  bool
}

type place struct{ document, at uint32 }

// NewBuilder begins a segment at path, in an existing folder.
// Errors: KindDenied.
func NewBuilder(path string, analyzer *text.Analyzer) (*Builder, error) {
	return new(Scratch).NewBuilder(path, analyzer)
}

// NewBuilder begins a segment like the function of this name, with the working memory of an
// earlier, closed Builder.
func (s *Scratch) NewBuilder(path string, analyzer *text.Analyzer) (*Builder, error) {
	spill, err := newSpill(path, s)
	if err != nil {
		return nil, err
	}
	return &Builder{
		path: path, analyzer: analyzer, values: value.NewBuilder(), spill: spill, root: none,
		terms: map[string]uint32{}, connections: map[string]uint16{}, labels: map[string]uint32{},
	}, nil
}

// Values returns the builder of the segment's sampled values.
func (b *Builder) Values() *value.Builder { return b.values }

// Add adds a document.
// Errors: KindLimit (too many connections or documents), KindDenied.
func (b *Builder) Add(d Document) error {
	b.root, b.rootFlags = uint32(len(b.flags)), uint8(d.Size)<<sizeShift
	if looksLeftOver(d.Name) {
		b.rootFlags |= flagOld
	}
	return b.add(d, none, d.ID)
}

// AddChild adds a document that belongs to the last one added with Add. Its ID is that
// document's ID, a dot and its own Name; d.ID is ignored.
func (b *Builder) AddChild(d Document) error {
	if b.root == none {
		return fmt.Errorf("the child %s comes before any parent", d.Name)
	}
	return b.add(d, b.root, d.Name)
}

func (b *Builder) add(d Document, parent uint32, label string) error {
	connection, ok := b.connections[d.Connection]
	if !ok {
		if len(b.connection) > math.MaxUint16 || len(b.flags) >= math.MaxUint32-1 {
			return sdk.Errorf(sdk.KindLimit, sdk.SourceHost, "the index holds %d documents of %d connections and takes no more", len(b.flags), len(b.connection))
		}
		connection = uint16(len(b.connection))
		b.connections[strings.Clone(d.Connection)] = connection
		b.connection = append(b.connection, d.Connection)
	}
	b.document = uint32(len(b.flags))
	b.flags = append(b.flags, uint8(d.Kind)|b.rootFlags)
	b.owner = append(b.owner, connection)
	b.parent = append(b.parent, parent)
	b.label = append(b.label, b.intern(label))
	for _, id := range d.Refers {
		b.refersFrom, b.refersTo = append(b.refersFrom, b.document), append(b.refersTo, b.intern(id))
	}
	b.counts[d.Kind]++
	b.entries = b.entries[:0]
	b.read(&d)
	return b.spill.add(b.document, b.entries)
}

func (b *Builder) intern(label string) uint32 {
	id, ok := b.labels[label]
	if !ok {
		label = strings.Clone(label)
		id = uint32(len(b.labelText))
		b.labels[label] = id
		b.labelText = append(b.labelText, label)
	}
	return id
}

// read turns the document's fields into entries and lengths.
func (b *Builder) read(d *Document) {
	var lengths [classes]int
	take := func(f Field, mode text.Mode, texts ...string) {
		for _, s := range texts {
			lengths[classOf[f]] += b.field(f, mode, s)
		}
	}
	take(Name, text.Identifier, d.Name)
	b.key(Name, d.Name)
	take(Display, text.Identifier, d.Display)
	for _, s := range d.Synonyms { // a name is worth no less for having others
		b.field(Display, text.Identifier, s)
		b.key(Display, s)
	}
	take(Context, text.Identifier, d.Context...)
	take(Description, text.Prose, d.Description)
	take(Comment, text.Prose, d.Comment)
	take(Expr, text.Prose, d.Expr)
	take(Body, text.Prose, d.Body)
	for _, s := range d.Samples {
		if isWords(s) {
			take(Sample, text.Prose, s)
		} else if d.Listed && isCode(s) {
			b.whole(Sample, s)
		}
	}
	for c := range classes {
		b.lengths[c] = append(b.lengths[c], uint16(min(lengths[c], math.MaxUint16)))
	}
}

// key adds a whole name as one term.
func (b *Builder) key(f Field, name string) {
	if key := text.Key(name); key != "" {
		e := b.entry([]byte(key))
		e.key, e.tf[f] = true, max(e.tf[f], tfUnit)
	}
}

// whole adds a value as one term.
func (b *Builder) whole(f Field, s string) {
	if key := text.Key(s); key != "" {
		e := b.entry([]byte(key))
		e.tf[f] = max(e.tf[f], tfUnit)
	}
}

// field adds the terms of a text and returns how many words it has.
func (b *Builder) field(f Field, mode text.Mode, s string) (words int) {
	if s == "" {
		return 0
	}
	b.tokens.Reset()
	b.analyzer.Append(&b.tokens, s, mode)
	for i := range b.tokens.Len() {
		term, form := b.tokens.At(i)
		units := uint8(tfUnit)
		switch form {
		case text.Word:
			words++
		case text.Expanded:
			units = tfExpanded
		}
		e := b.entry(term)
		e.tf[f] = min(e.tf[f]+units, maxTF)
	}
	return words
}

// entry returns the place of a term in the document at hand.
func (b *Builder) entry(term []byte) *entry {
	id, ok := b.terms[string(term)]
	if !ok {
		id = uint32(len(b.terms))
		b.terms[string(term)] = id
		b.seen = append(b.seen, place{document: none})
	}
	if b.seen[id].document != b.document {
		b.seen[id] = place{b.document, uint32(len(b.entries))}
		b.entries = append(b.entries, entry{term: id})
	}
	return &b.entries[b.seen[id].at]
}

// leftOverWords mark a table that was left over when they begin or end its name.
var leftOverWords = map[string]bool{
	"backup": true, "bak": true, "bkp": true, "bck": true, "tmp": true, "temp": true, "deprecated": true,
	"obsolete": true, "old": true, "copy": true, "legacy": true, "archive": true, "archived": true, "test": true, "unused": true, "zzz": true,
}

func looksLeftOver(name string) bool {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !unicode.IsLetter(r) })
	return len(words) > 1 && (leftOverWords[words[0]] || leftOverWords[words[len(words)-1]])
}

// isWords reports whether a sampled value is something to search for by words:
// numbers, dates and hashes are not.
func isWords(s string) bool {
	if len(s) > maxSamples {
		return false
	}
	letters, others := 0, 0
	for _, r := range s {
		switch {
		case unicode.IsLetter(r):
			letters++
		case !unicode.IsSpace(r):
			others++
		}
	}
	return letters > 2*others
}

// maxCode is how many bytes a value has at most that is found whole. Longer ones are hashes
// and the like.
const maxCode = 24

// isCode reports whether a sampled value that is no words is something to ask for: NC-17.
func isCode(s string) bool {
	return len(s) <= maxCode && strings.ContainsFunc(s, unicode.IsLetter)
}

// Finish writes the segment to its path. want has the expected number of documents of each
// kind to check.
// Errors: KindInternal (the counts differ), KindDenied, KindLimit.
func (b *Builder) Finish(content string, want map[Kind]int) (err error) {
	for kind, n := range want {
		if b.counts[kind] != n {
			return sdk.Errorf(sdk.KindInternal, sdk.SourceHost, "the index would hold %d documents of kind %s instead of %d", b.counts[kind], kind, n)
		}
	}
	w, err := archive.Create(b.path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	meta, err := json.Marshal(meta{
		Identity: Identity{Content: content, Rules: b.analyzer.Version(), Ranking: ranking}, Counts: b.counts[:], Connections: b.connection,
	})
	if err != nil {
		return err
	}
	if err := errors.Join(
		w.Put("meta", meta),
		archive.PutArray(w, "document.flags", b.flags),
		archive.PutArray(w, "document.connection", b.owner),
		archive.PutArray(w, "document.parent", b.parent),
		archive.PutArray(w, "document.label", b.label),
		archive.PutArray(w, "refers.from", b.refersFrom),
		archive.PutArray(w, "refers.to", b.refersTo),
		archive.PutStrings(w, "label", b.labelText),
		b.putTerms(w),
		b.values.Write(w),
	); err != nil {
		return err
	}
	return w.Commit()
}

// Close discards an unfinished segment. It may be called again.
func (b *Builder) Close() error { return b.spill.close() }

// reversed orders terms by their ends.
func reversed(sorted []string) []uint32 {
	order := make([]uint32, len(sorted))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int { return compareEnds(sorted[a], sorted[b]) })
	return order
}

// compareEnds compares two strings read backwards.
func compareEnds(a, b string) int {
	for i := 1; ; i++ {
		switch {
		case i > len(a) || i > len(b):
			return len(a) - len(b)
		case a[len(a)-i] != b[len(b)-i]:
			return int(a[len(a)-i]) - int(b[len(b)-i])
		}
	}
}
