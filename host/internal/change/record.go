package change

import (
	"encoding/json"
	"time"

	"github.com/loam-data/loam/host/internal/store"
)

// record is a change with what the engine alone knows of it.
type record struct {
	Change
	// before is the file before the change when whole says that it is known; after is what the change wrote.
	before, after Hash
	whole         bool
	written       bool
	writing       *intent
}

// intent is a write that began, with all that its end or its recovery needs.
type intent struct {
	// Was is the state to go back to, Then the one that follows: as Shown.
	Was  State `json:"was"`
	Then State `json:"then"`
	// Base is the file that is replaced, After what replaces it.
	Base  Hash `json:"base"`
	After Hash `json:"after"`
	// Before is the file without the change, when Whole says that it is known.
	Before Hash `json:"before"`
	Whole  bool `json:"whole"`
	// Blocks are the change's when it is written.
	Blocks   []Block        `json:"blocks"`
	Decision *decision      `json:"decision,omitempty"`
	Origin   RevisionOrigin `json:"origin"`
	Verb     string         `json:"verb"`
	Problem  string         `json:"problem,omitempty"`
	// Undone is the state of the change that this one undoes.
	Undone State `json:"undone,omitempty"`
}

// decision is the last decision of a change.
type decision struct {
	By       Actor     `json:"by"`
	At       time.Time `json:"at"`
	Note     string    `json:"note,omitempty"`
	Reviewed bool      `json:"reviewed,omitempty"`
}

func encode(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // texts, numbers and times always encode
	}
	return string(text)
}

// row returns a record as the store keeps it.
func (r *record) row() store.MemoryChange {
	row := store.MemoryChange{
		ID: string(r.ID), Run: r.Run, Seq: r.Seq, Kind: string(r.Kind), Connection: r.Connection, Target: r.Target, Path: r.Path,
		Source: r.Source, Actor: r.By.Name(), Signature: []byte(r.Signature()), State: string(r.Shown()), Version: r.Version,
		CreatedAt: r.At, AppliedAt: r.AppliedAt, Undoes: string(r.Undoes), Problem: r.Problem,
		Proposal: encode(&r.Proposal), ProposedBy: encode(&r.By),
	}
	if r.whole {
		row.Before = r.before[:]
	}
	if r.written {
		row.After = r.after[:]
	}
	if !r.DecidedAt.IsZero() {
		row.Decision = encode(&decision{r.DecidedBy, r.DecidedAt, r.Change.Note, r.Reviewed})
	}
	if r.writing != nil {
		row.Writing = encode(r.writing)
	}
	return row
}

// recordOf reads a record from its row.
func recordOf(row *store.MemoryChange) (*record, error) {
	r := &record{Change: Change{
		ID: ID(row.ID), Run: row.Run, Seq: row.Seq, State: State(row.State), Problem: row.Problem,
		At: row.CreatedAt, AppliedAt: row.AppliedAt, Undoes: ID(row.Undoes), Version: row.Version,
	}}
	if r.State == Draft {
		r.State = Applied
	}
	if row.Before != nil {
		r.whole = true
		copy(r.before[:], row.Before)
	}
	if row.After != nil {
		r.written = true
		copy(r.after[:], row.After)
	}
	if err := json.Unmarshal([]byte(row.Proposal), &r.Proposal); err != nil {
		return nil, err
	}
	if err := json.Unmarshal([]byte(row.ProposedBy), &r.By); err != nil {
		return nil, err
	}
	if row.Decision != "" {
		var d decision
		if err := json.Unmarshal([]byte(row.Decision), &d); err != nil {
			return nil, err
		}
		r.decide(&d)
	}
	if row.Writing != "" {
		r.writing = &intent{}
		return r, json.Unmarshal([]byte(row.Writing), r.writing)
	}
	return r, nil
}

func (r *record) decide(d *decision) {
	if d != nil {
		r.DecidedBy, r.DecidedAt, r.Change.Note, r.Reviewed = d.By, d.At, d.Note, d.Reviewed
	}
}

// enter sets the state, which may be Draft.
func (r *record) enter(s State) {
	if s == Draft {
		s = Applied
	}
	r.State = s
}

// event is a line of the log about the change.
func (r *record) event(at time.Time, by Actor, verb, detail string) store.MemoryEvent {
	return store.MemoryEvent{At: at, Actor: encode(&by), Verb: verb, Change: string(r.ID), Run: r.Run, Detail: detail}
}

// The verbs of events.
const (
	VerbApplied    = "applied"
	VerbApproved   = "approved"
	VerbRejected   = "rejected"
	VerbReverted   = "reverted"
	VerbSuperseded = "superseded"
	VerbReopened   = "reopened" // a rejection was taken back
	VerbEdited     = "edited"   // the text of a pending change was replaced
	VerbOutrun     = "outrun"   // a person edited the file first
	VerbRestored   = "restored" // a person's late edit of a displaced file was put back
	VerbFailed     = "failed"   // the file could not be written
	VerbMuted      = "muted"    // lists leave the changes of an actor out
	VerbUnmuted    = "unmuted"
)
