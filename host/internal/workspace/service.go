// Package workspace is the use case of notes: agents and people save checkpoints of their work and what mended an error,
// find them again, and report which remediations worked.
//
// All texts of notes are what others wrote: answers label them with their trust. Only the first sentence of a
// remediation that a person approved reaches the hint of an error.
package workspace

import (
	"context"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/note"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/sdk"
)

// Config has the dependencies of a Service. All fields are required.
type Config struct {
	Notes *note.Engine
	// Settings are those of loam.yaml.
	Settings func(context.Context) (project.Workspace, error)
	// Secrets registers the secrets of the project with Redact; notes name those that it cannot read.
	Secrets func(context.Context) (notes []string)
	// Redact returns a text without secrets, and their number.
	Redact func(text string) (clean string, count int, err error)
	// Connections are those that the caller may use.
	Connections func(context.Context) (*connection.Registry, error)
	// Decides refuses a decision of somebody who may not take any.
	Decides func(context.Context, change.Actor) error
	Now     func() time.Time
}

// Service saves and finds notes.
// Concurrency: its methods may be called concurrently.
type Service struct{ Config }

// New returns a Service.
func New(c Config) *Service { return &Service{c} }

// Kinds of trust in a note.
const (
	trustReviewed = "reviewed"
	trustPerson   = "person"
	trustAgent    = "agent"
)

// moment formats a time for an answer.
func moment(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// orNull returns nil for "".
func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// thousandths rounds a score.
func thousandths(score float64) float64 {
	const digits = 1000
	return float64(int(score*digits+0.5)) / digits
}

// Save is what all saves have in common.
type Save struct {
	Context     map[string]string
	Tags        []string
	ProjectPath string
	// Shared: all principals see it.
	Shared   bool
	ClientID string // "" = the call is not named
	// Actor is no content of the call: a client repeats it in another session.
	Actor change.Actor `json:"-"`
}

// note returns a new note, and counts the secrets that were removed from it.
func (s *Service) note(ctx context.Context, in *Save, scrub *scrubber) store.Note {
	now := s.Now().UTC().Truncate(time.Millisecond)
	n := store.Note{ID: note.NewID(now), Owner: note.Viewer(ctx), Author: trustAgent, ProjectPath: in.ProjectPath, CreatedAt: now, UsedAt: now}
	if who := caller.Of(ctx); who.Named {
		n.Principal = who.Principal
	}
	if in.Shared {
		n.Owner = ""
	}
	if in.Actor.Person() {
		n.Author = trustPerson
	}
	n.ProjectPath = scrub.text(in.ProjectPath)
	n.Tags = note.Tags(scrub.texts(in.Tags))
	n.Context = note.Context(scrub.pairs(in.Context))
	return n
}

// scrubber removes secrets from the texts of a note and counts them.
type scrubber struct {
	redact func(string) (string, int, error)
	count  int
	err    error
}

func (c *scrubber) text(s string) string {
	if s == "" || c.err != nil {
		return s
	}
	clean, n, err := c.redact(s)
	c.count, c.err = c.count+n, err
	return clean
}

func (c *scrubber) texts(all []string) []string {
	clean := make([]string, len(all))
	for i, s := range all {
		clean[i] = c.text(s)
	}
	return clean
}

// pairs reads each value with its key, which may say that it is a secret.
func (c *scrubber) pairs(all map[string]string) map[string]string {
	clean := make(map[string]string, len(all))
	for key, value := range all {
		key = c.text(key)
		pair := c.text(key + ": " + value)
		if rest, found := strings.CutPrefix(pair, key+": "); found {
			clean[key] = rest
		} else {
			clean[key] = pair
		}
	}
	return clean
}

// retention says which notes a save deletes.
func (s *Service) retention(ctx context.Context) (store.NotePrune, error) {
	settings, err := s.Settings(ctx)
	if err != nil {
		return store.NotePrune{}, err
	}
	or := func(n, usual int) int {
		if n == 0 {
			return usual
		}
		return n
	}
	now := s.Now()
	return store.NotePrune{
		CheckpointsBefore:  now.AddDate(0, 0, -or(settings.CheckpointDays, project.DefaultCheckpointDays)),
		RemediationsBefore: now.AddDate(0, 0, -or(settings.RemediationDays, project.DefaultRemediationDays)),
		MostCheckpoints:    or(settings.MostCheckpoints, project.DefaultMostCheckpoints),
	}, nil
}

// Pruned counts the notes that were deleted.
type Pruned struct {
	Checkpoints  int `json:"checkpoints"`
	Remediations int `json:"remediations"`
}

// Prune deletes the notes whose time is over, of all principals.
func (s *Service) Prune(ctx context.Context) (*Pruned, error) {
	keep, err := s.retention(ctx)
	if err != nil || !s.Notes.Began() {
		return &Pruned{}, err
	}
	state, err := s.Notes.Store(ctx)
	if err != nil {
		return nil, err
	}
	checkpoints, remediations, err := state.PruneNotes(ctx, keep)
	return &Pruned{checkpoints, remediations}, err
}

// known refuses a connection that the caller may not use; "" = none.
func (s *Service) known(ctx context.Context, id string) error {
	if id == "" {
		return nil
	}
	all, err := s.Connections(ctx)
	if err != nil {
		return err
	}
	_, err = all.Get(connection.ID(id))
	return err
}

// notFound is the error of a remediation that does not exist or that the caller may not see.
func notFound(id string) error {
	return sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "there is no remediation %s", brief(id)).
		WithHint("search for it: remediation_search, or loam workspace remediation search")
}
