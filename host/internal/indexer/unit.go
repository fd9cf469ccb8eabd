package indexer

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"hash/fnv"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/wiki"
)

const (
	// layout is the number of how documents are made here of tables and pages.
	// Raise it with every change: older segments are left aside.
	layout = 1
	// tablesPerShard and pagesPerShard are how many a segment has at most, give or
	// take: the tables of a normal warehouse are in one, and an edited page costs
	// the reading of some hundred others.
	tablesPerShard = 8192
	pagesPerShard  = 512
)

// unit is what is indexed as one: the tables of a connection, or the wiki. It
// never changes.
type unit struct {
	connection connection.ID
	image      *catalog.Image // nil: it is the wiki
	pages      *wiki.View
	parts      []part
}

// The kinds of units. Each has its own lock, so that an edited page does not wait
// for another host that indexes a large warehouse.
const (
	kindTables = "tables"
	kindWiki   = "wiki"
)

// kind is what a unit's files and lock begin with.
func (u *unit) kind() string {
	if u.image == nil {
		return kindWiki
	}
	return kindTables
}

// part is a shard of a unit that has something in it, and its segment.
type part struct {
	*unit
	// file is the name of the segment's file, by what it is made of.
	file          string
	shard, shards int
	// size is how many tables or pages it has, columns how many columns they have.
	size, columns int
}

// of reports whether the unit is made of a snapshot or of a view.
func (u *unit) of(image *catalog.Image, pages *wiki.View) bool {
	return u != nil && u.image == image && u.pages == pages
}

// size is how many tables or pages there are.
func (u *unit) size() (n int) {
	for _, p := range u.parts {
		n += p.size
	}
	return n
}

// tables returns the unit of a connection's snapshot.
func (x *Indexer) tables(id connection.ID, image *catalog.Image) *unit {
	u := &unit{connection: id, image: image}
	s := x.shards(u, image.Len(), tablesPerShard)
	for _, e := range image.Entries() {
		d := s.of(e.Catalog, e.Schema, e.Name)
		d.text(e.Catalog, e.Schema, e.Name)
		d.hash.Write(e.Hash[:]) // a hash takes everything
		d.hash.Write(e.Profile[:])
		d.part.columns += e.Columns
	}
	u.parts = s.parts()
	return u
}

// pages returns the unit of the wiki's pages.
func (x *Indexer) pages(view *wiki.View) *unit {
	u := &unit{pages: view}
	s := x.shards(u, view.Len(), pagesPerShard)
	for p := range view.Pages() {
		d := s.of(p.Key)
		d.text(p.Key)
		d.hash.Write(p.Content[:])
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
func (x *Indexer) shards(u *unit, n, most int) shards {
	count := 1
	for n > count*most {
		count *= 2
	}
	all := make(shards, count)
	for i := range all {
		all[i] = digest{part: &part{unit: u, shard: i, shards: count}, hash: sha256.New()}
		all[i].number(layout)
		all[i].text(u.kind(), x.version, string(u.connection))
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
			d.part.file = d.part.kind() + "-" + hex.EncodeToString(d.hash.Sum(nil)[:16]) + extension
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
