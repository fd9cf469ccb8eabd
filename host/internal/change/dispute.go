package change

import (
	"context"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/loam-data/loam/host/internal/store"
)

// Dispute is a pending statement that contradicts a page or a member.
type Dispute struct {
	Conflict
	// Against is the statement that it contradicts.
	Against Conflict `json:"contradicts"`
	// Connection of the pending statement, "" = none.
	Connection string `json:"-"`
}

// Disputed is the contradictions of one page or member, bounded for an answer.
type Disputed struct {
	Conflicts []Dispute `json:"conflicts,omitempty"`
	// MoreConflicts counts the contradictions that are left out.
	MoreConflicts int `json:"moreConflicts,omitempty"`
}

// Disputes are all contradictions, by the page or member that they contradict.
// Shape: nil = there are none.
// Concurrency: it never changes.
type Disputes struct {
	pages   map[string][]Dispute    // by path
	members map[[2]string][]Dispute // by connection and target
	// unsaid are the pending changes that take back what its source says no more, by the same keys.
	unsaid *Disputes
}

// Unsaid returns the approved statements that their source no longer makes. A pending change proposes to revert each.
// Shape: nil = there is none.
func (d *Disputes) Unsaid() *Disputes {
	if d == nil {
		return nil
	}
	return d.unsaid
}

// OfPage returns the contradictions of a page by its path below the project's folder; the latest first.
func (d *Disputes) OfPage(path string) []Dispute {
	if d == nil {
		return nil
	}
	return d.pages[path]
}

// OfMember returns the contradictions of a member, which may have several targets; the latest first.
func (d *Disputes) OfMember(connection string, targets ...string) (all []Dispute) {
	if d == nil {
		return nil
	}
	slices.Sort(targets)
	for _, target := range slices.Compact(targets) {
		all = append(all, d.members[[2]string{connection, target}]...)
	}
	return all
}

const (
	// maxDisputes is how many contradictions one answer shows, maxDisputed of how many characters.
	maxDisputes = 5
	maxDisputed = 1200
)

// Shown bounds contradictions for an answer: the first ones, and the number of the others.
func Shown(all []Dispute) (d Disputed) {
	left := maxDisputed
	for i := range all {
		one := &all[i]
		if left -= utf8.RuneCountInString(one.Says) + utf8.RuneCountInString(one.Against.Says); i == maxDisputes || left < 0 {
			return Disputed{Conflicts: all[:i:i], MoreConflicts: len(all) - i}
		}
	}
	return Disputed{Conflicts: all}
}

// disputes keeps the last Disputes that were read.
type disputes struct {
	mu      sync.Mutex
	version [2]int64
	of      *Disputes
}

// Disputes returns the contradictions that wait for a person. They are read again after any process proposed or
// decided a change.
func (e *Engine) Disputes(ctx context.Context) (*Disputes, error) {
	s, err := e.Store.Get(ctx)
	if err != nil {
		return nil, err
	}
	version, err := s.MemoryVersion(ctx)
	if err != nil {
		return nil, err
	}
	e.disputes.mu.Lock()
	defer e.disputes.mu.Unlock()
	if e.disputes.version == version {
		return e.disputes.of, nil
	}
	found, err := e.records(ctx, store.MemoryFilter{States: []string{string(Pending)}, Disputed: true})
	if err != nil {
		return nil, err
	}
	pending := make([]Change, len(found))
	for i, r := range found {
		pending[i] = r.Change
	}
	d := DisputesOf(pending)
	e.disputes.version, e.disputes.of = version, d
	return d, nil
}

// DisputesOf returns what pending changes contradict, and what they take back.
func DisputesOf(pending []Change) (d *Disputes) {
	for i := range pending {
		if d == nil {
			d = newDisputes()
			d.unsaid = newDisputes()
		}
		c, into := &pending[i], d
		if slices.Contains(c.Why, WhyStale) {
			into = d.unsaid
		}
		for _, against := range c.Conflicts {
			into.add(c, against)
		}
	}
	return d
}

func newDisputes() *Disputes {
	return &Disputes{pages: map[string][]Dispute{}, members: map[[2]string][]Dispute{}}
}

func (d *Disputes) add(c *Change, against Conflict) {
	if against.By == "" && against.Change == "" {
		against.By = "person" // whose file says so
	}
	path, target := against.Path, against.Target
	if path == "" { // two sentences of one text
		path = c.Path
	}
	against.Path, against.Target = "", "" // the answer is about them
	one := Dispute{Conflict: Conflict{Says: c.Says, By: c.By.Name(), At: c.At, Change: c.ID}, Against: against, Connection: c.Connection}
	if c.Kind == Page || c.Kind == Alias {
		d.pages[path] = append(d.pages[path], one)
		return
	}
	if target == "" {
		target = c.Target
	}
	key := [2]string{c.Connection, target}
	d.members[key] = append(d.members[key], one)
}

// DraftOf returns the latest applied change of a target that nobody reviewed; nil = there is none.
func (e *Engine) DraftOf(ctx context.Context, connection, target string) (*Change, error) {
	found, err := e.records(ctx, store.MemoryFilter{States: []string{string(Draft)}, Connection: connection, Target: target, Limit: 1})
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0].Change, nil
}
