// Package semanticquery is the use case "ask the semantic layer": it compiles a
// request against the model of the moment, runs the statement and hands on the
// rows; and it tells what sources offer.
package semanticquery

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/semantic/compile"
	"github.com/loam-data/loam/host/internal/semantic/layer"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/host/internal/semantic/request"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// Config is what a Service is made of. All fields are required.
type Config struct {
	// Connections returns the configured connections as they are now.
	Connections func(context.Context) (*connection.Registry, error)
	// Connectors knows connectors from their manifests.
	Connectors connection.Describer
	// Remembered knows what a connection's server was when last seen.
	Remembered connection.Rememberer
	// Sessions lends open sessions.
	Sessions leaser
	// Layer has the semantic layers.
	Layer layers
	// Run runs a statement that was compiled.
	Run func(context.Context, Statement, Rows) (Outcome, error)
	// Describe returns the columns of a statement's result without running it; nil =
	// the engine does not name them.
	Describe func(ctx context.Context, id connection.ID, sql string) ([]sdk.Column, error)
	Now      func() time.Time
	Logger   *slog.Logger
}

// A leaser starts what the connection needs. The release func ends the use of
// the session and is called exactly once.
type leaser interface {
	Lease(ctx context.Context, c connection.Connection) (session sdk.Session, release func(), err error)
}

type layers interface {
	Current(ctx context.Context, id connection.ID, d *dialect.Dialect) (*layer.State, error)
	Learn(ctx context.Context, id connection.ID, s *layer.State, found []*model.Query) error
	Strangers(ctx context.Context, known []connection.ID) ([]string, error)
}

// Service answers. Concurrency: any number of calls at once.
type Service struct{ Config }

// New makes a Service.
func New(c Config) *Service { return &Service{c} }

// Request asks for measures by dimensions.
type Request struct {
	// Connection "" = the one that Body names, else the only one there is.
	Connection connection.ID
	// Body is the request in any shape that request.Normalise reads.
	Body json.RawMessage
	// MaxBytes bounds the rows rendered as JSON, in characters (code points);
	// 0 = the usual limit of a result, negative = no limit.
	MaxBytes int
	// Progress receives strictly growing fractions from 0 to 1, one call at a
	// time, none after Run has returned; nil = nobody asked.
	Progress func(fraction float64, message string)
}

// Compiled is everything about an answer but its rows.
type Compiled struct {
	Connection connection.ID
	Request    request.Request
	Query      *compile.Query
	// IncludeSQL and IncludePlan: the request wants them shown.
	IncludeSQL, IncludePlan bool
	// Notes are sentences for the reader of the numbers, each once.
	Notes []string
}

// Statement is SQL to run.
type Statement struct {
	Connection connection.ID
	SQL        string
	// MaxRows and MaxBytes are those of the rows; MaxBytes as of Request.
	MaxRows, MaxBytes int
	// Server is told of the server that the statement goes to; an error ends the statement
	// and comes back as it is. nil = it is for every server.
	Server func(sdk.ServerInfo) error
	// Progress receives how much of the execution is done, from 0 to 1; nil = nobody
	// asked.
	Progress func(fraction float64, message string)
}

// Rows receives a result: Columns once, then each row.
// Shape: cells has one JSON value per column; they are valid until Row returns.
// Errors: an error ends the statement and comes back as it is.
type Rows interface {
	Columns(columns []sdk.Column) error
	Row(cells [][]byte) error
}

// Outcome closes a result.
type Outcome struct {
	RowCount int
	// Truncated: there were more rows than were delivered.
	Truncated   bool
	TruncatedBy sdk.TruncatedBy
	Elapsed     time.Duration
	// Notes are sentences for the reader of the rows.
	Notes []string
}

// target returns the connection that a request is about.
// Errors: KindNotFound with the known ids; KindInvalid with the ids as candidates
// when none is named and several are there: which one is meant is not guessed.
func (s *Service) target(ctx context.Context, id connection.ID) (connection.Connection, error) {
	registry, err := s.Connections(ctx)
	if err != nil {
		return connection.Connection{}, err
	}
	all := registry.All()
	if id != "" || len(all) == 0 {
		return registry.Get(id)
	}
	if len(all) == 1 {
		return all[0], nil
	}
	ids := make([]string, len(all))
	for i, c := range all {
		ids[i] = string(c.ID)
	}
	slices.Sort(ids)
	ambiguous := sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "there are %d connections, and the request names none", len(ids)).
		WithHint("name one of them as connection_id: %s", strings.Join(ids, ", "))
	ambiguous.Candidates = ids
	return connection.Connection{}, ambiguous
}

// named returns the connection that the call and its body agree on.
func named(asked connection.ID, body string) (connection.ID, error) {
	if asked != "" && body != "" && string(asked) != body {
		return "", sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "the call names connection %q and the request %q", string(asked), body).
			WithHint("name the connection once")
	}
	if asked == "" {
		asked = connection.ID(body)
	}
	return asked, nil
}

// speaks refuses a dialect in which no query can be written.
// Errors: *refusal.Error with CodeUnsupported where later servers have one in which
// queries can, else KindUnsupported.
func speaks(c connection.Connection, known connection.Known, d *dialect.Dialect) error {
	var lacks string
	switch {
	case d == nil:
		lacks = "describes no SQL dialect"
	case len(d.Forms) == 0:
		lacks = fmt.Sprintf("describes how dialect %s is read, and not how it is written (forms)", d.Name)
	case len(d.Functions) > 0:
		return nil
	case d.MaxVersion != "" && slices.ContainsFunc(known.Description.Dialects, func(o dialect.Dialect) bool { return len(o.Functions) > 0 }):
		return &refusal.Error{
			Code:    refusal.CodeUnsupported,
			Message: fmt.Sprintf("the semantic layer needs %s %s or later, and the server of connection %s is older", d.Name, d.MaxVersion, c.ID),
			Fix:     "write SQL with sql_execution, or upgrade the server",
		}
	default:
		lacks = fmt.Sprintf("describes how dialect %s is read, and not how it is written (functions)", d.Name)
	}
	return sdk.Errorf(sdk.KindUnsupported, sdk.SourceConnector, "connector %s %s, so the semantic layer cannot query connection %s", c.Connector, lacks, c.ID).
		WithHint("install a version of the connector that describes its dialect in full, or write SQL with sql_execution")
}
