package search

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"sort"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/loam-data/loam/host/internal/search/archive"
	"github.com/loam-data/loam/host/internal/search/value"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

// meta is what a segment says of itself.
type meta struct {
	Identity    Identity `json:"identity"`
	Counts      []int    `json:"counts"` // by kind
	Connections []string `json:"connections"`
}

// Segment is an immutable index of documents in memory. Several Indexes may share it.
// Concurrency: any number of readers. It is freed when its opener and every Index have
// closed it.
type Segment struct {
	owners  atomic.Int64
	close   func() error
	archive *archive.Archive
	meta    meta
	values  *value.Dictionary

	flags      []uint8
	connection []uint16
	parent     []uint32
	label      []uint32
	labels     archive.Strings
	// Documents, in order and as often as they refer to something, and the labels of what.
	refersFrom, refersTo []uint32

	terms  archive.Strings // sorted
	count  []uint32
	start  []uint32
	impact []uint8
	ends   []uint32 // terms by their ends

	postings  numbers
	impacts   []uint8
	sources   []uint8
	skeletons func() map[rune][]uint32
	traits    func() *traits
	peaks     peakCache
	use       atomic.Pointer[usedIn] // of the last Use that was asked with
}

// Open reads a segment and verifies it.
// Errors: KindNotFound (no file), KindUnavailable with archive.ErrDamaged (the caller
// builds it again), KindConflict (built with other rules, or by another version: the
// caller builds it again), KindDenied.
func Open(path string, analyzer *text.Analyzer) (*Segment, error) {
	a, err := archive.Open(path)
	if err != nil {
		return nil, err
	}
	s := &Segment{archive: a}
	s.owners.Store(1)
	s.close = sync.OnceValue(s.release)
	if err := s.load(analyzer.Version()); err != nil {
		return nil, errors.Join(explain(path, err), a.Close())
	}
	s.skeletons, s.traits = sync.OnceValue(s.findSkeletons), sync.OnceValue(s.findTraits)
	return s, nil
}

func explain(path string, err error) error {
	if _, ok := errors.AsType[*sdk.Error](err); ok {
		return err
	}
	return sdk.Errorf(sdk.KindUnavailable, sdk.SourceHost, "the search index %s cannot be used: %w", path, err).
		WithHint("run loam scan; the index is built again from the catalog")
}

func (s *Segment) load(rules string) error {
	a := s.archive
	if err := json.Unmarshal(a.Bytes("meta"), &s.meta); err != nil {
		return errors.Join(archive.ErrDamaged, err)
	}
	if id := s.meta.Identity; id.Ranking != ranking || id.Rules != rules {
		return sdk.Errorf(sdk.KindConflict, sdk.SourceHost, "the search index was made under other rules (%s, %d) than today's (%s, %d)",
			id.Rules, id.Ranking, rules, ranking).WithHint("build the index again")
	}
	s.flags = archive.Array[uint8](a, "document.flags")
	s.connection = archive.Array[uint16](a, "document.connection")
	s.parent = archive.Array[uint32](a, "document.parent")
	s.label = archive.Array[uint32](a, "document.label")
	s.refersFrom = archive.Array[uint32](a, "refers.from")
	s.refersTo = archive.Array[uint32](a, "refers.to")
	s.count = archive.Array[uint32](a, "term.count")
	s.start = archive.Array[uint32](a, "term.start")
	s.impact = archive.Array[uint8](a, "term.impact")
	s.ends = archive.Array[uint32](a, "term.ends")
	s.postings = readNumbers(a, len(s.flags))
	s.impacts = archive.Array[uint8](a, "posting.impact")
	s.sources = archive.Array[uint8](a, "posting.field")
	var err1, err2, err3 error
	s.labels, err1 = archive.StringList(a, "label")
	s.terms, err2 = archive.StringList(a, "term")
	s.values, err3 = value.Open(a)
	return errors.Join(err1, err2, err3, s.check())
}

// check holds what the checksums do not: that the arrays belong together.
func (s *Segment) check() error {
	documents, terms := len(s.flags), 0
	if len(s.count) > 0 {
		terms = s.terms.Len()
	}
	total := 0
	for _, n := range s.meta.Counts {
		total += n
	}
	var postings uint64
	for _, n := range s.count {
		postings += uint64(n)
	}
	whole := total == documents && len(s.meta.Counts) == kinds &&
		len(s.connection) == documents && len(s.parent) == documents && len(s.label) == documents && len(s.refersFrom) == len(s.refersTo) &&
		len(s.count) == terms && len(s.start) == terms && len(s.impact) == terms && len(s.ends) == terms &&
		uint64(s.postings.len()) == postings && len(s.impacts) == s.postings.len() && len(s.sources) == s.postings.len()
	if !whole {
		return fmt.Errorf("%w: its parts do not belong together", archive.ErrDamaged)
	}
	return nil
}

// Identity returns the version of the segment's content and rules.
func (s *Segment) Identity() Identity { return s.meta.Identity }

// Count returns how many documents of a kind there are.
func (s *Segment) Count(k Kind) int { return s.meta.Counts[k] }

// Size returns the bytes that the segment keeps in memory.
func (s *Segment) Size() int64 { return s.archive.Size() }

// Close releases the segment for its opener. It may be called again.
// Errors: those of freeing its memory, if no Index has it.
func (s *Segment) Close() error { return s.close() }

func (s *Segment) retain() {
	if s.owners.Add(1) == 1 {
		panic("search: an index of a segment that is closed")
	}
}

func (s *Segment) release() error {
	if s.owners.Add(-1) > 0 {
		return nil
	}
	return errors.Join(s.values.Close(), s.archive.Close())
}

// id returns a document's id, its parent's and what it adds to that.
func (s *Segment) id(document uint32) (id, parent, name string) {
	name = s.labels.At(s.label[document])
	if s.parent[document] == none {
		return name, "", name
	}
	parent = s.labels.At(s.label[s.parent[document]])
	return parent + "." + name, parent, name
}

// root returns the document that a document belongs to, or itself.
func (s *Segment) root(document uint32) uint32 {
	if parent := s.parent[document]; parent != none {
		return parent
	}
	return document
}

// compareRoots orders two documents that belong to nobody by their IDs.
func compareRoots(s *Segment, a uint32, t *Segment, b uint32) int {
	return cmp.Or(
		bytes.Compare(s.labels.Bytes(s.label[a]), t.labels.Bytes(t.label[b])),
		strings.Compare(s.meta.Connections[s.connection[a]], t.meta.Connections[t.connection[b]]),
	)
}

// children returns the end of the documents that follow a parent as its children.
func (s *Segment) children(parent uint32) uint32 {
	end := parent + 1
	for int(end) < len(s.parent) && s.parent[end] == parent {
		end++
	}
	return end
}

// term returns the number of a term.
func (s *Segment) term(t string) (uint32, bool) {
	i, found := sort.Find(len(s.count), func(i int) int { return strings.Compare(t, s.terms.View(uint32(i))) })
	return uint32(i), found
}
