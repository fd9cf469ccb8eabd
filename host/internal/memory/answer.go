// Package memory learns facts from texts: it accepts texts, turns them into changes with the planner, verifies
// changes of the semantic layer, applies those that the policy allows, and lets people list, approve, reject and
// revert changes. The MCP server and the command line call the same methods.
package memory

import (
	"time"

	"github.com/loam-data/loam/host/internal/assertion"
	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/planner"
	"github.com/loam-data/loam/sdk"
)

// RunID names a run: 13 letters and digits.
type RunID string

// Input is a text to learn from.
type Input struct {
	Content    string
	Connection string
	// Source names who states it, "" = the source that the text names, if any.
	Source string
	Actor  change.Actor
	// DryRun: plan and verify, but store and write nothing.
	DryRun bool
}

// Accepted is the run of an accepted text.
type Accepted struct {
	RunID RunID `json:"runId"`
	// Duplicate: the run is that of an equal text, which is queued or was done within a day.
	Duplicate bool `json:"duplicate,omitempty"`
}

// Run is the outcome of a text.
type Run struct {
	RunID  RunID  `json:"runId"`
	Status string `json:"status"` // queued, running, done, error
	// Stage is queued, planning, checking, applying, indexing or done.
	Stage         string             `json:"stage"`
	Done          bool               `json:"done"`
	Signals       Signals            `json:"signals"`
	Captured      Captured           `json:"captured,omitzero"`
	Questions     []planner.Question `json:"questions,omitempty"`
	Notes         []string           `json:"notes,omitempty"`
	SkippedReason *string            `json:"skippedReason,omitempty"`
	Error         *string            `json:"error,omitempty"`
	CommitHash    *string            `json:"commitHash,omitempty"`
	StartedAt     *time.Time         `json:"startedAt,omitempty"`
	FinishedAt    *time.Time         `json:"finishedAt,omitempty"`
	// Connection and By are for the command line; tools leave them out.
	Connection string       `json:"-"`
	By         change.Actor `json:"-"`
	At         time.Time    `json:"-"`
}

// Signals are the signals of a text in an answer.
type Signals struct {
	Knowledge bool     `json:"knowledge"`
	SL        bool     `json:"sl"`
	Dialect   *string  `json:"dialect,omitempty"`
	Reasons   []string `json:"reasons,omitempty"`
}

func signalsOf(s assertion.Signals) Signals {
	out := Signals{Knowledge: s.Knowledge, SL: s.SL, Reasons: s.Reasons}
	if s.Dialect != "" {
		out.Dialect = &s.Dialect
	}
	return out
}

// Captured lists the changes of a run by kind. Shape: a list without entries is nil, and left out of answers.
type Captured struct {
	Wiki         []string      `json:"wiki,omitempty"`
	SL           []string      `json:"sl,omitempty"` // measures and segments
	Metrics      []string      `json:"metrics,omitempty"`
	Synonyms     []string      `json:"synonyms,omitempty"`
	Descriptions []string      `json:"descriptions,omitempty"`
	Pending      []PendingLine `json:"pending,omitempty"`
}

// PendingLine is a change that waits for a person.
type PendingLine struct {
	ID     change.ID `json:"id"`
	Target string    `json:"target"`
	Why    []string  `json:"why,omitempty"` // change.Why…
	Note   string    `json:"note,omitempty"`
}

// ChangeLine is a change in a list.
type ChangeLine struct {
	ID         change.ID    `json:"id"`
	State      string       `json:"state"` // a change.State, or "draft": applied and not reviewed
	Kind       change.Kind  `json:"kind"`
	Connection string       `json:"connectionId,omitempty"`
	Target     string       `json:"target"`
	Says       string       `json:"says"`
	Why        []string     `json:"why,omitempty"`
	By         string       `json:"by"`
	Source     string       `json:"source,omitempty"`
	At         time.Time    `json:"at"`
	RunID      RunID        `json:"runId,omitempty"`
	Actor      change.Actor `json:"-"`
	// The fields below are for the console. Version is that of the change, which a decision names.
	Version int64  `json:"-"`
	Path    string `json:"-"`
	// Disputed: it contradicts something.
	Disputed bool `json:"-"`
	// DecidedBy, DecidedAt and Reason are of the last decision; zero = nobody decided.
	DecidedBy string    `json:"-"`
	DecidedAt time.Time `json:"-"`
	Reason    string    `json:"-"`
	// Undoes is the change that this one reverts, "" = none.
	Undoes change.ID `json:"-"`
}

// ChangesRequest chooses changes; a zero field chooses all.
type ChangesRequest struct {
	State, Kind, Connection, Source, Actor string
	RunID                                  RunID
	// Open chooses pending changes and drafts.
	Open bool
	// Disputed chooses changes that contradict something.
	Disputed bool
	// Text chooses changes whose target or new value contains it.
	Text  string
	Since time.Time
	// HideMuted leaves out what waits of muted actors, unless an actor or a run is named.
	HideMuted bool
	Limit     int // 0 = 20, at most 1000
	Cursor    string
}

// ChangesAnswer lists changes, the latest first.
type ChangesAnswer struct {
	Changes    []ChangeLine `json:"changes"`
	NextCursor *string      `json:"nextCursor,omitempty"`
	Total      int          `json:"total"` // -1 = not counted, for a text is looked for
	// Hidden counts the changes of muted actors that are left out; -1 = not counted.
	Hidden int `json:"hidden,omitempty"`
}

// Detail is a change with everything that a person needs for a decision.
type Detail struct {
	ChangeLine
	// Diff is a unified diff of the file; for a pending change, of the planned write.
	Diff string `json:"diff,omitempty"`
	// Quote is the part of the source text that states the change; Context are the three lines around it.
	Quote        string            `json:"quote,omitempty"`
	Context      string            `json:"context,omitempty"`
	Provenance   change.Actor      `json:"provenance"`
	Verification *change.Verified  `json:"verification,omitempty"`
	Conflicts    []change.Conflict `json:"conflicts,omitempty"`
	// Impact lists references to the target.
	Impact  []string `json:"impact,omitempty"`
	Problem string   `json:"problem,omitempty"`
	Note    string   `json:"note,omitempty"`
	Path    string   `json:"path"`
	Version int64    `json:"version"`
	// File is what Diff compares; nil = that is not kept, or cannot be written.
	File *change.Preview `json:"-"`
	// Base is the hash of the file that a pending change was compared with: Decision.Bases.
	Base string `json:"-"`
}

// Decision is a person's decision about changes.
type Decision struct {
	// IDs may be unambiguous prefixes of four digits and more.
	IDs []string
	// Versions that the decision is for, by position; nil = any.
	Versions []int64
	// Bases are the hashes of the files that the decision is for, by position; "" = any. nil = any.
	Bases  []string
	Note   string
	Actor  change.Actor
	DryRun bool
}

// Decided is the outcome of a decision for one change.
type Decided struct {
	ID      change.ID `json:"id"`
	State   string    `json:"state,omitempty"`
	Target  string    `json:"target,omitempty"`
	Path    string    `json:"path,omitempty"`
	Problem string    `json:"problem,omitempty"`
	// Failed: the problem is an error, and ends with what to do.
	Failed bool `json:"-"`
	// Kind of the error, "" = there is none.
	Kind sdk.Kind `json:"-"`
	// Was is the state before the decision, and Version the one after it; of a dry run, the present one.
	Was     string `json:"-"`
	Version int64  `json:"-"`
}

// RevertRequest chooses the changes to revert: ids, or all changes of a run, a source or an actor.
type RevertRequest struct {
	IDs []string
	// Versions that the revert is for, by position; nil = any.
	Versions   []int64
	RunID      RunID
	Source, By string
	Since      time.Time
	Actor      change.Actor
	DryRun     bool
	Note       string
}

// Reverted is the outcome of a revert, newest first.
type Reverted struct {
	Changes []RevertedChange `json:"changes"`
}

// RevertedChange is a change that was reverted wholly or in part.
type RevertedChange struct {
	Decided
	// Kept are blocks that were edited since and stay: "wiki/global/arr.md:14".
	Kept []string `json:"kept,omitempty"`
	// Says, By and At are of the change that is reverted.
	Says string    `json:"-"`
	By   string    `json:"-"`
	At   time.Time `json:"-"`
	// Undo is the change whose revert takes the revert back, and UndoVersion its version; "" = there is none.
	Undo        change.ID `json:"-"`
	UndoVersion int64     `json:"-"`
}

// PageWrite replaces a page of the wiki.
type PageWrite struct {
	Key     string
	Content string // the whole file; frontmatter may be left out
	// Base is the hash of the file that was edited, in hexadecimal; "" = the page is new.
	Base   string
	Actor  change.Actor
	DryRun bool
}

// PageVersion is one revision of a page.
type PageVersion struct {
	N      int       `json:"n"` // from 1, the oldest
	At     time.Time `json:"at"`
	Origin string    `json:"origin"` // machine or person
	By     string    `json:"by,omitempty"`
	Change change.ID `json:"changeId,omitempty"`
	Hash   string    `json:"hash"`
	Bytes  int       `json:"bytes"`
}

// Event is an entry of the memory's log.
type Event struct {
	At     time.Time `json:"at"`
	By     string    `json:"by"`
	Via    string    `json:"via"`
	Verb   string    `json:"verb"`
	Change change.ID `json:"changeId,omitempty"`
	RunID  RunID     `json:"runId,omitempty"`
	Detail string    `json:"detail,omitempty"`
}

// Waiting counts the runs and changes that wait or failed, for status and doctor.
type Waiting struct {
	Queued  int `json:"queued"`
	Pending int `json:"pending"`
	Drafts  int `json:"drafts"`
	// Disputed counts the pending changes that contradict something.
	Disputed int        `json:"-"`
	Failed   int        `json:"failed"`
	Oldest   *time.Time `json:"oldest,omitempty"`
}
