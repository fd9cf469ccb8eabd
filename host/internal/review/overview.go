package review

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/foreignkey"
	"github.com/loam-data/loam/host/internal/relationship"
	"github.com/loam-data/loam/sdk"
)

// Overview is the foreign keys of a connection that a person may decide on: all but the declared ones.
// Concurrency: never changed.
type Overview struct {
	// Groups are in the order in which a person decides: undecided ones, accepted ones, decided ones, refuted ones; each
	// by the best score of any parent of the column, the parents of one column together.
	Groups []Group
	// Counts are the numbers of groups.
	Counts map[State]int
	keys   *foreignkey.Keys
	links  []Link           // in the order of Groups, which share them
	group  []int            // place in links → place in Groups
	child  map[string][]int // columns that refer → places in links
}

// Group is a link with those like it of the copies of its table. Copies are tables of one schema with the same columns
// and names that differ in their digits alone.
type Group struct {
	State State
	// Links are those of the newest table first; one where the table has no copies.
	Links []Link
}

// State is who decided about a link, and how.
type State string

// The states, in the order of Overview.Groups.
const (
	Undecided State = "undecided" // its evidence is not enough; it waits for a person
	Inferred  State = "inferred"  // its evidence is enough, and it is used
	Accepted  State = "accepted"  // by a person
	Rejected  State = "rejected"  // by a person
	Refuted   State = "refuted"   // its evidence speaks against it
)

// States lists the states in their order.
func States() []State { return []State{Undecided, Inferred, Accepted, Rejected, Refuted} }

// State returns the state of a link that is not declared.
func (l *Link) State() State {
	switch {
	case l.Origin == relationship.Person && l.Status == relationship.Rejected:
		return Rejected
	case l.Origin == relationship.Person:
		return Accepted
	case l.Status == relationship.Rejected:
		return Refuted
	case l.Status == relationship.Accepted:
		return Inferred
	}
	return Undecided
}

// Version changes with everything that a person sees of a link: its evidence, its rivals and the decision about it.
func (l *Link) Version() string { return version(*l) }

// Version changes with that of any link of the group, and with the links that are in it.
func (g *Group) Version() string { return version(g.Links...) }

// versionLength is how many digits of a hash are a version.
const versionLength = 16

func version(links ...Link) string {
	sum := sha256.New()
	encoder := json.NewEncoder(sum)
	for i := range links {
		if err := encoder.Encode([]any{links[i].Relationship, links[i].Decision}); err != nil {
			panic("review: a link is no JSON: " + err.Error())
		}
	}
	return hex.EncodeToString(sum.Sum(nil))[:versionLength]
}

// overviews keeps the last overview of each connection.
type overviews struct {
	mu  sync.Mutex
	all map[connection.ID]*keptOverview
}

type keptOverview struct {
	mu   sync.Mutex // held while it is made
	made *Overview
}

func (o *overviews) of(id connection.ID) *keptOverview {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.all == nil {
		o.all = map[connection.ID]*keptOverview{}
	}
	one := o.all[id]
	if one == nil {
		one = &keptOverview{}
		o.all[id] = one
	}
	return one
}

// Overview returns the overview of a connection.
// Shape: the same pointer until the snapshot or the decisions change.
// Errors: those of List.
func (s *Service) Overview(ctx context.Context, of Scope) (*Overview, error) {
	keys, err := s.config.Keys.Of(of.Connection, of.Snapshot)
	if err != nil {
		return nil, err
	}
	kept := s.overviews.of(of.Connection)
	kept.mu.Lock()
	defer kept.mu.Unlock()
	if kept.made != nil && kept.made.keys == keys {
		return kept.made, nil
	}
	made, err := newOverview(ctx, of, keys)
	if err == nil {
		kept.made = made
	}
	return made, err
}

func newOverview(ctx context.Context, of Scope, keys *foreignkey.Keys) (*Overview, error) {
	found, err := keys.Undeclared()
	if err != nil {
		return nil, err
	}
	decisions := map[string]*relationship.Decision{}
	for i, d := range keys.Decisions() {
		l, err := newLink(relationship.Relationship{Link: d.Link})
		if err != nil {
			return nil, err
		}
		decisions[l.digest] = &keys.Decisions()[i]
	}
	o := &Overview{keys: keys, links: make([]Link, len(found)), child: map[string][]int{}}
	for i, r := range found {
		l, err := newLink(r)
		if err != nil {
			return nil, err
		}
		if r.Origin == relationship.Person {
			l.Decision = decisions[l.digest]
		}
		o.links[i] = l
	}
	return o, o.fold(ctx, of.Snapshot)
}

// byDigest returns the place of each link by its digest.
func (o *Overview) byDigest() map[string]int {
	at := make(map[string]int, len(o.links))
	for i := range o.links {
		at[o.links[i].digest] = i
	}
	return at
}

// childOf returns a text that is unique to the columns of a link that refer.
func childOf(l relationship.Link) string {
	return strings.Join(append([]string{l.From.Catalog, l.From.Schema, l.From.Name}, l.Columns...), "\x00")
}

// order sorts groups, of which each is its places in links, and the links like them.
func (o *Overview) order(groups [][]int) {
	best := map[string]float64{} // by the columns that refer
	for i := range o.links {
		child := childOf(o.links[i].Link)
		best[child] = max(best[child], o.links[i].Score)
	}
	type key struct {
		state       int
		child       string
		best, score float64
		to          string
		places      []int
	}
	keys := make([]key, len(groups))
	for i, places := range groups {
		l := &o.links[places[0]]
		child := childOf(l.Link)
		keys[i] = key{slices.Index(States(), l.State()), child, best[child], l.Score, l.To.String(), places}
	}
	slices.SortFunc(keys, func(a, b key) int {
		return cmp.Or(cmp.Compare(a.state, b.state), cmp.Compare(b.best, a.best), strings.Compare(a.child, b.child),
			cmp.Compare(b.score, a.score), strings.Compare(a.to, b.to), cmp.Compare(a.places[0], b.places[0]))
	})
	sorted := make([]Link, 0, len(o.links))
	o.Groups, o.group, o.Counts = make([]Group, len(keys)), make([]int, 0, len(o.links)), map[State]int{}
	for i, k := range keys {
		first := len(sorted)
		for _, at := range k.places {
			child := childOf(o.links[at].Link)
			o.child[child] = append(o.child[child], len(sorted))
			sorted, o.group = append(sorted, o.links[at]), append(o.group, i)
		}
		o.Groups[i] = Group{sorted[first].State(), sorted[first:len(sorted):len(sorted)]}
		o.Counts[o.Groups[i].State]++
	}
	o.links = sorted
}

// find returns the place of the link with an id; -1 = there is none.
func (o *Overview) find(id string) int {
	for i := range o.links { // a Link is too large to be copied for each comparison
		if o.links[i].ID == id {
			return i
		}
	}
	return -1
}

// Group returns the group of the link with an id; nil = there is no such link.
func (o *Overview) Group(id string) *Group {
	if at := o.find(id); at >= 0 {
		return &o.Groups[o.group[at]]
	}
	return nil
}

// Rivals returns the other links of the columns that a link refers with, also refuted and rejected ones, the best first.
func (o *Overview) Rivals(l *Link) (all []Link) {
	for _, i := range o.child[childOf(l.Link)] {
		if other := o.links[i]; other.digest != l.digest {
			all = append(all, other)
		}
	}
	slices.SortStableFunc(all, func(a, b Link) int { return cmp.Compare(b.Score, a.Score) })
	return all
}

// Of returns the links of a table: those from it, and those to it.
func (o *Overview) Of(table sdk.TableRef) (from, to []Link) {
	for i := range o.links {
		switch l := &o.links[i]; table {
		case l.From:
			from = append(from, *l)
		case l.To:
			to = append(to, *l)
		}
	}
	return from, to
}

// Cardinality returns the cardinality of a link. Errors: those of reading the snapshot.
func (o *Overview) Cardinality(l *Link) (foreignkey.Cardinality, error) {
	return o.keys.Cardinality(l.Relationship)
}

// Stale reports whether a table or column of a link is not in the snapshot. Errors: those of reading it.
func (o *Overview) Stale(l *Link) (bool, error) {
	if l.Origin != relationship.Person {
		return false, nil
	}
	exists, err := o.keys.Exists(l.Link)
	return !exists, err
}
