package run

import (
	"context"
	"crypto/rand"
	"encoding/base32"
	"encoding/json"
	"slices"
	"time"

	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/sdk"
)

// The kinds of runs.
const (
	Ingest   = store.KindIngest // target: a connection, or none
	Scan     = "scan"           // target: a connection
	Import   = "import"         // target: a connection
	Index    = "index"          // target: a repository
	Mine     = "mine"           // target: a connection
	Validate = "validate"       // target: a connection
)

// Kinds returns all kinds.
func Kinds() []string { return []string{Ingest, Scan, Import, Index, Mine, Validate} }

// onConnections are the kinds whose runs are about their target, a connection, and nothing else.
var onConnections = []string{Scan, Import, Mine, Validate}

// State is the state of a run.
type State = store.RunState

// The states of a run.
const (
	Queued   = store.RunQueued
	Running  = store.RunRunning
	Done     = store.RunDone
	Failed   = store.RunFailed
	Canceled = store.RunCanceled
)

// States returns all states.
func States() []State { return []State{Queued, Running, Done, Failed, Canceled} }

// Work is the work of a run.
type Work struct {
	Kind, Target string
	Actor        change.Actor
	// Principal is whose token causes the run, Cause the command or tool; "" = not known.
	Principal, Cause string
	// Input is what the run was asked for, stored as JSON; nil = nothing.
	Input any
	// Deadline bounds the time of the work; 0 = a day.
	Deadline time.Duration
}

// Run is a run as its row tells it.
type Run struct {
	ID, Kind, Target string
	State            State
	Stage            string
	// Done of Total units of the stage; Total is nil when unknown.
	Done             int64
	Total            *int64
	By               Author
	Principal, Cause string
	QueuedAt         time.Time
	// StartedAt and FinishedAt are zero before.
	StartedAt, FinishedAt time.Time
	// Canceling: somebody asked to cancel the run, which is still open.
	Canceling     bool
	Input, Report json.RawMessage // nil = none
	Error         string          // "" = none
	// ErrorKind is the kind of Error; "" = not known.
	ErrorKind sdk.Kind
}

// Author is who caused a run.
type Author struct {
	change.Actor
	// Connections that were open to the author; nil = all.
	Connections []string `json:"connections,omitempty"`
}

// AuthorOf returns the author of a run that an actor causes in the call of ctx.
func AuthorOf(ctx context.Context, a change.Actor) Author {
	open := slices.Clone(caller.Of(ctx).Connections)
	slices.Sort(open)
	return Author{a, open}
}

func runOf(row store.Run) (Run, error) {
	r := Run{
		ID: row.ID, Kind: row.Kind, Target: row.Target, State: row.State, Stage: row.Stage, Done: row.Done, Total: row.Total,
		Principal: row.Principal, Cause: row.Cause, QueuedAt: row.QueuedAt, StartedAt: row.StartedAt, FinishedAt: row.FinishedAt,
		Canceling: !row.CancelAt.IsZero() && !row.State.Ended(), Input: row.Input, Report: row.Report, Error: row.Error, ErrorKind: sdk.Kind(row.ErrorKind),
	}
	err := json.Unmarshal(row.Actor, &r.By)
	return r, err
}

// Poll returns how long a client should wait before it asks again: a tenth of the run's age, within 0.5 to 5 s; 0 =
// the run has ended.
func (r *Run) Poll(now time.Time) time.Duration {
	const least, most, part = 500 * time.Millisecond, 5 * time.Second, 10
	if r.State.Ended() {
		return 0
	}
	return min(max(now.Sub(r.QueuedAt)/part, least), most).Round(time.Millisecond)
}

// crockford is the alphabet of ids: no I, L, O and U.
var crockford = base32.NewEncoding("0123456789ABCDEFGHJKMNPQRSTVWXYZ").WithPadding(base32.NoPadding)

// NewID returns the id of a new run: 13 characters.
func NewID() string {
	var random [8]byte
	_, _ = rand.Read(random[:]) // it never fails
	return crockford.EncodeToString(random[:])
}

// Failure returns an error as a run stores it.
func Failure(err error) string {
	e := sdk.AsError(err, sdk.SourceHost)
	if e.Hint == "" {
		return e.Msg
	}
	return e.Msg + ": " + e.Hint
}
