// Package review lists the foreign keys of a connection's tables and records a
// person's decisions about them.
package review

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/foreignkey"
	"github.com/loam-data/loam/host/internal/relationship"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// Config is the configuration of a Service. All fields are required, unless noted.
type Config struct {
	Keys *foreignkey.Set
	// Lock acquires the lock for changes of the project.
	Lock func(context.Context) (unlock func() error, err error)
	Now  func() time.Time
	// Record keeps events in the log of reviews; nil = nobody keeps them.
	Record func(ctx context.Context, all []Event)
}

// Event is a decision as the log of reviews has it.
type Event struct {
	By   change.Actor
	Verb string // one of the Verbs
	// Detail names the connection, the links and the note.
	Detail string
}

// The verbs of events.
const (
	VerbAccepted  = "join accepted"
	VerbRejected  = "join rejected"
	VerbForgotten = "join forgotten" // the decision was removed
)

// Verbs lists the verbs of events.
func Verbs() []string { return []string{VerbAccepted, VerbRejected, VerbForgotten} }

// verb returns that of a verdict.
func (v *Verdict) verb() string {
	switch v.Status {
	case relationship.Accepted:
		return VerbAccepted
	case relationship.Rejected:
		return VerbRejected
	}
	return VerbForgotten
}

// event returns the event of a verdict on links.
func (v *Verdict) event(of connection.ID, links []Link) Event {
	detail := string(of) + ": " + links[0].Text()
	if n := len(links) - 1; n > 0 {
		detail += fmt.Sprintf(", and %d like it", n)
	}
	if v.Note != "" {
		detail += "; " + v.Note
	}
	return Event{v.By, v.verb(), detail}
}

// record keeps events.
func (s *Service) record(ctx context.Context, all []Event) {
	if s.config.Record != nil && len(all) > 0 {
		s.config.Record(ctx, all)
	}
}

// Service lists foreign keys and records decisions. Concurrency: any number of
// calls.
type Service struct {
	config    Config
	overviews overviews
}

// New makes a Service.
func New(c Config) *Service { return &Service{config: c} }

// Scope is a connection with its last snapshot. Dialect compares names as its
// engine does; nil when it is unknown.
type Scope struct {
	Connection connection.ID
	Snapshot   *catalog.Snapshot
	Dialect    *dialect.Dialect
}

// Link is a relationship that a person can name and decide on.
type Link struct {
	relationship.Relationship
	// ID is the beginning of the digest of the link's ends: it is the same in every
	// snapshot.
	ID     string
	digest string
	// Decision of a person; nil when there is none.
	Decision *relationship.Decision
	// Stale: a table or column of a decision is not in the snapshot.
	Stale bool
}

// idLength is how many digits of a link's digest are its id.
const idLength = 10

func newLink(r relationship.Relationship) (Link, error) {
	text, err := json.Marshal(r.Link)
	if err != nil {
		return Link{}, sdk.Errorf(sdk.KindInternal, sdk.SourceHost, "the id of %s: %w", r.Link, err)
	}
	sum := sha256.Sum256(text)
	digest := hex.EncodeToString(sum[:])
	return Link{Relationship: r, ID: digest[:idLength], digest: digest}, nil
}

// Text returns the link in the form that Decide accepts.
func (l *Link) Text() string {
	return EndText(l.From, l.Columns) + " → " + EndText(l.To, l.ToColumns)
}

// List returns the declared, inferred, refuted and decided foreign keys.
// Shape: declared ones first, then decided ones, then by score.
// Errors: KindInvalid for a malformed file of decisions, KindDenied; those of
// reading the snapshot.
func (s *Service) List(ctx context.Context, of Scope) ([]Link, error) {
	keys, err := s.config.Keys.Of(of.Connection, of.Snapshot)
	if err != nil {
		return nil, err
	}
	found, err := keys.All(ctx)
	if err != nil {
		return nil, err
	}
	decisions := keys.Decisions()
	all := make([]Link, len(found))
	for i, r := range found {
		if all[i], err = newLink(r); err != nil {
			return nil, err
		}
		if r.Origin != relationship.Person {
			continue
		}
		if at := slices.IndexFunc(decisions, func(d relationship.Decision) bool { return d.Equal(r.Link) }); at >= 0 {
			all[i].Decision = &decisions[at]
		}
		exists, err := keys.Exists(r.Link)
		if err != nil {
			return nil, err
		}
		all[i].Stale = !exists
	}
	return all, nil
}
