package indexer

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"hash/fnv"
	"slices"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/chunk"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/relationship"
	"github.com/loam-data/loam/host/internal/search"
	"github.com/loam-data/loam/host/internal/semantic/layer"
	"github.com/loam-data/loam/host/internal/semantic/listing"
	"github.com/loam-data/loam/host/internal/wiki"
	"github.com/loam-data/loam/sdk"
)

// Kinds of units. Each has its own lock, so that an edited page does not wait for
// another host that indexes a large warehouse. The name of a kind is what its
// files and lock begin with.
const (
	kindWiki     = "wiki"
	kindSemantic = "semantic"
	kindTables   = "tables"
	kindFiles    = "files"
)

// kinds are in the order in which they are made: a person waits for the text that
// was edited.
var kinds = []string{kindWiki, kindSemantic, kindTables}

// kinds are those that the Indexer makes.
func (x *Indexer) kinds() []string {
	if x.config.Files != nil {
		return []string{kindFiles}
	}
	return kinds
}

// rule is how a kind is divided and called.
type rule struct {
	// layout is the number of how documents are made of what the units have. Raise
	// it with every change, of sources also where package listing makes one: older
	// segments are left aside.
	layout int
	// most is how many a segment has, give or take: the tables of a normal
	// warehouse are in one, and an edited file costs the reading of some hundred
	// others.
	most int
	// noun is what there are many of.
	noun string
}

const (
	tablesPerShard  = 2048
	pagesPerShard   = 512
	sourcesPerShard = 256
	filesPerShard   = 512
)

var rules = map[string]rule{
	kindWiki:     {layout: 1, most: pagesPerShard, noun: "pages"},
	kindSemantic: {layout: 1, most: sourcesPerShard, noun: "sources"},
	kindTables:   {layout: 3, most: tablesPerShard, noun: "tables"},
	kindFiles:    {layout: 1, most: filesPerShard, noun: "files"},
}

// key names a unit; the wiki and the collected files belong to no connection.
type key struct {
	kind       string
	connection connection.ID
}

var (
	theWiki  = key{kind: kindWiki}
	theFiles = key{kind: kindFiles}
)

func compareKeys(a, b key) int {
	return cmp.Or(cmp.Compare(a.connection, b.connection), cmp.Compare(a.kind, b.kind))
}

// unit is what is indexed as one: the tables of a connection, its semantic layer,
// the wiki, or the collected files. It never changes.
type unit struct {
	key
	// What it is made of: one of them, by its kind.
	snapshot *catalog.Snapshot
	pages    *wiki.View
	files    *layer.Files
	texts    *chunk.View

	listing *listing.Listing // of files
	// inferred are the tables that a table of the snapshot refers to, as a scan found.
	inferred map[sdk.TableRef][]sdk.TableRef
	parts    []part
}

// part is a shard of a unit that has something in it, and its segment.
type part struct {
	unit *unit
	// file is the name of the segment's file, by what it is made of.
	file          string
	shard, shards int
	// size is how many tables, pages, sources or files it has.
	size int
	// counts are how many documents of each kind it is.
	counts map[search.Kind]int
}

// of reports whether the unit is made of a snapshot, of a view or of files.
func (u *unit) of(snapshot *catalog.Snapshot, pages *wiki.View, files *layer.Files) bool {
	return u != nil && u.snapshot == snapshot && u.pages == pages && u.files == files
}

// size is how many tables, pages, sources or files there are.
func (u *unit) size() (n int) {
	for _, p := range u.parts {
		n += p.size
	}
	return n
}

// tables returns the unit of a connection's snapshot.
func (x *Indexer) tables(id connection.ID, snapshot *catalog.Snapshot) *unit {
	u := &unit{key: key{kindTables, id}, snapshot: snapshot, inferred: inferred(snapshot)}
	s := x.shards(u, snapshot.Len())
	for _, e := range snapshot.Entries() {
		d := s.of(e.Catalog, e.Schema, e.Name)
		d.text(e.Catalog, e.Schema, e.Name)
		d.hash.Write(e.Hash[:]) // a hash takes everything
		d.hash.Write(e.Profile[:])
		d.number(int(search.SizeOf(e.RowEstimate)))
		for _, to := range u.inferred[e.TableRef] {
			d.text(to.Catalog, to.Schema, to.Name)
		}
		d.part.counts[search.Table]++
		d.part.counts[search.Column] += e.Columns
	}
	u.parts = s.parts()
	return u
}

// inferred returns which tables refer to which others, as a scan found. A snapshot that cannot tell is searched without: who asks for
// relationships is told why.
func inferred(snapshot *catalog.Snapshot) map[sdk.TableRef][]sdk.TableRef {
	data, err := snapshot.Attachment()
	if err != nil {
		return nil
	}
	found, err := relationship.Decode(data)
	if err != nil {
		return nil
	}
	all := map[sdk.TableRef][]sdk.TableRef{}
	for _, r := range found.Relationships {
		if r.Status == relationship.Accepted && !slices.Contains(all[r.From], r.To) {
			all[r.From] = append(all[r.From], r.To)
		}
	}
	return all
}

// pages returns the unit of the wiki's pages.
func (x *Indexer) pages(view *wiki.View) *unit {
	u := &unit{key: theWiki, pages: view}
	s := x.shards(u, view.Len())
	for p := range view.Pages() {
		d := s.of(p.Key)
		d.text(p.Key)
		d.hash.Write(p.Content[:])
		d.part.counts[search.Wiki]++
	}
	u.parts = s.parts()
	return u
}

// sources returns the unit of a connection's semantic layer; before is the one of
// its files as they were, or nil.
func (x *Indexer) sources(id connection.ID, files *layer.Files, before *unit) *unit {
	u := &unit{key: key{kindSemantic, id}, files: files}
	if before == nil {
		before = &unit{}
	}
	u.listing = listing.Of(files.List, before.listing)
	s := x.shards(u, u.listing.Len())
	for e := range u.listing.Entries() {
		d := s.of(e.ID)
		d.text(e.ID)
		d.hash.Write(e.Content[:])
		for kind, n := range e.Counts() {
			d.part.counts[kind] += n
		}
	}
	u.parts = s.parts()
	return u
}

// texts returns the unit of the collected files.
func (x *Indexer) texts(view *chunk.View) *unit {
	u := &unit{key: theFiles, texts: view}
	s := x.shards(u, len(view.Files()))
	for _, f := range view.Files() {
		d := s.of(f.Repo, f.Path)
		d.text(f.Repo, f.Path, f.Connection)
		d.hash.Write(f.Content[:])
		d.part.counts[search.File] += f.Chunks
	}
	u.parts = s.parts()
	return u
}

// shards are the parts of a unit while what is in each is being digested.
type shards []digest

type digest struct {
	part *part
	hash hash.Hash
	seen []byte
}

// shards divides what there is n of by powers of two, so that one more moves
// nothing from shard to shard.
func (x *Indexer) shards(u *unit, n int) shards {
	rule, count := rules[u.kind], 1
	for n > count*rule.most {
		count *= 2
	}
	all := make(shards, count)
	for i := range all {
		all[i] = digest{part: &part{unit: u, shard: i, shards: count, counts: map[search.Kind]int{}}, hash: sha256.New()}
		all[i].number(rule.layout)
		all[i].text(u.kind, x.version, string(u.connection))
		all[i].number(i)
		all[i].number(count)
	}
	return all
}

// of returns the shard of what has a name, which has one more for it.
func (s shards) of(name ...string) *digest {
	d := &s[shardOf(len(s), name...)]
	d.part.size++
	return d
}

func (s shards) parts() (all []part) {
	for _, d := range s {
		if d.part.size > 0 {
			d.part.file = d.part.unit.kind + "-" + hex.EncodeToString(d.hash.Sum(nil)[:16]) + extension
			all = append(all, *d.part)
		}
	}
	return all
}

// text adds texts so that no two lists of them are the same.
func (d *digest) text(all ...string) {
	for _, s := range all {
		d.number(len(s))
		d.seen = append(d.seen[:0], s...)
		d.hash.Write(d.seen)
	}
}

func (d *digest) number(n int) {
	d.seen = binary.LittleEndian.AppendUint64(d.seen[:0], uint64(n))
	d.hash.Write(d.seen)
}

// shardOf is the shard that a name belongs to, the same one forever.
func shardOf(shards int, name ...string) int {
	if shards == 1 {
		return 0
	}
	h := fnv.New64a()
	for _, s := range name {
		h.Write([]byte(s))
		h.Write([]byte{0xff})
	}
	return int(h.Sum64() % uint64(shards))
}
