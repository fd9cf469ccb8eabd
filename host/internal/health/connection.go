package health

import (
	"cmp"
	"context"
	"strings"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/failure"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

// Connection is a connection and its last known state.
type Connection struct {
	ID          connection.ID     `json:"id"`
	Connector   string            `json:"connector"`
	DisplayName string            `json:"displayName"`
	Description string            `json:"description,omitempty"`
	Status      connection.Status `json:"status"`
	Server      string            `json:"server,omitempty"`
	User        string            `json:"user,omitempty"`
	ReadOnly    string            `json:"readOnly,omitempty"`
	OpenedAt    string            `json:"openedAt,omitempty"`
	Failure     *failure.Failure  `json:"failure,omitempty"`
	FailedAt    string            `json:"failedAt,omitempty"`
	// LastScan is null when the connection was never scanned, or the list of scans cannot be read.
	LastScan *catalog.Summary `json:"lastScan"`
	// SemanticLayer is null when there are no files, or the folder cannot be read.
	SemanticLayer *Layer `json:"semanticLayer"`
}

// Connection returns a connection with its last known state, without asking its warehouse. problems are the parts that
// could not be read: the state store, the list of scans, the semantic layer.
func (s *Service) Connection(ctx context.Context, c connection.Connection) (d Connection, state connection.State, problems []error) {
	state, err := s.config.Known(ctx, c)
	if err != nil {
		problems = append(problems, err)
	}
	history, err := s.config.Catalogs.Of(string(c.ID)).History()
	if err != nil {
		problems = append(problems, err)
	}
	d = Connection{
		ID: c.ID, Connector: c.Connector, DisplayName: c.Name(), Description: c.Description, Status: state.Status(len(history) > 0),
		Server: strings.TrimSpace(state.Server.Product + " " + state.Server.Version), User: state.Server.CurrentUser,
		ReadOnly: state.Server.ReadOnlyMechanism, OpenedAt: text.Moment(state.OpenedAt), FailedAt: text.Moment(state.FailedAt),
	}
	if state.Failure != nil {
		d.Failure = failure.New(state.Failure)
	}
	if len(history) > 0 {
		last := history[0].Summary()
		d.LastScan = &last
	}
	if d.SemanticLayer, err = s.Layer(ctx, c.ID); err != nil {
		problems = append(problems, err)
	}
	return d, state, problems
}

// Tested is the outcome of the staged checks of a connection.
type Tested struct {
	Connection connection.ID `json:"connection"`
	OK         bool          `json:"ok"`
	Steps      []Step        `json:"steps"`
	// Failed is the error of the first step that failed; nil = none.
	Failed error `json:"-"`
}

// Step is one check of a connection.
type Step struct {
	Name       string           `json:"name"`
	OK         bool             `json:"ok"`
	Warning    bool             `json:"warning,omitempty"`
	ElapsedMs  float64          `json:"elapsedMs"`
	Detail     string           `json:"detail,omitempty"`
	Error      *failure.Failure `json:"error,omitempty"`
	Statements []string         `json:"statements,omitempty"`
}

// NewSteps describes the steps of a test.
func NewSteps(steps []sdk.TestStep) []Step {
	all := make([]Step, len(steps))
	for i, s := range steps {
		all[i] = Step{Name: s.Name, OK: s.Err == nil, Warning: s.Warning, ElapsedMs: float64(s.Elapsed.Microseconds()) / 1000, Detail: s.Detail, Statements: s.Statements}
		if s.Err != nil {
			all[i].Error = failure.New(s.Err)
		}
	}
	return all
}

// A tester runs the staged checks of a connection.
type tester = func(context.Context, connection.Connection, func(sdk.TestStep)) error

// TestConnection runs the staged checks of a connection that is open to the caller, and calls report after each step. A
// step that fails is no error. With resume it may resume what is suspended, which is billed.
// Errors: KindNotFound for an unknown connection; those of a connector that cannot start.
func (s *Service) TestConnection(ctx context.Context, id connection.ID, resume bool, report func(sdk.TestStep)) (*Tested, error) {
	all, err := s.config.Connections(ctx)
	if err != nil {
		return nil, err
	}
	c, err := all.Get(id)
	if err != nil {
		return nil, err
	}
	test := s.config.Test
	if resume {
		test = s.config.Resume
	}
	var steps []sdk.TestStep
	out := &Tested{Connection: c.ID}
	err = test(ctx, c, func(step sdk.TestStep) {
		steps = append(steps, step)
		if step.Err != nil && out.Failed == nil {
			out.Failed = step.Err
		}
		report(step)
	})
	out.OK, out.Steps = out.Failed == nil, NewSteps(steps)
	if s.config.Tested != nil && ctx.Err() == nil && (err != nil || len(steps) > 0) {
		if failed := s.config.Tested(ctx, c, cmp.Or(out.Failed, err)); err == nil {
			err = failed
		}
	}
	return out, err
}
