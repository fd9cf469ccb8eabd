// Package health checks a project and proposes remedies: its state, connections,
// catalogs, decisions, semantic layers, wiki, index, server and clients. It is the
// only use case that calls others.
package health

import (
	"context"
	"fmt"
	"strings"

	"github.com/loam-data/loam/host/internal/agents"
	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/connector"
	"github.com/loam-data/loam/host/internal/daemon"
	"github.com/loam-data/loam/host/internal/indexer"
	"github.com/loam-data/loam/host/internal/memory"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/host/internal/review"
	"github.com/loam-data/loam/host/internal/semantic/layer"
	"github.com/loam-data/loam/host/internal/semanticquery"
	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/host/internal/trust"
	"github.com/loam-data/loam/host/internal/wiki"
	"github.com/loam-data/loam/sdk"
)

// Config is the configuration of a Service. All fields are required.
type Config struct {
	Version string // of this program
	// Endpoint is the path at which the MCP server answers.
	Endpoint string
	Project  *project.Source
	State    *store.Lazy
	// Connections returns the connections that are open to the caller of the context.
	Connections func(context.Context) (*connection.Registry, error)
	// Known returns the last known state of a connection, Describe what its connector says of itself.
	Known    func(context.Context, connection.Connection) (connection.State, error)
	Describe func(connection.Connection) (sdk.Description, error)
	// Test runs the staged checks of a connection. Resume may resume what is suspended.
	Test, Resume tester
	// Tested keeps the outcome of a test: its failure, or nil. nil = nobody keeps it.
	Tested func(ctx context.Context, c connection.Connection, failure error) error
	// Free returns how many bytes can be written to the file system of a folder; nil = it is not asked for.
	Free     func(dir string) (bytes int64, ok bool)
	Catalogs *catalog.Set
	Review   *review.Service
	Layer    *layer.Layer
	Semantic *semanticquery.Service
	Wiki     *wiki.Wiki
	// DeadSLRefs lists the references of pages to missing members of semantic
	// layers.
	DeadSLRefs func(context.Context) ([]*sdk.Error, error)
	Memory     *memory.Service
	Index      *indexer.Indexer
	Trust      *trust.Trust
	Daemon     *daemon.Daemon
	Agents     func() (*agents.Agents, error)
}

// Service checks a project. Concurrency: any number of calls.
type Service struct{ config Config }

// New makes a Service.
func New(c Config) *Service { return &Service{config: c} }

// Finding is the result of one check.
type Finding struct {
	Subject string
	// Detail describes the finding, or is the text of Err.
	Detail  string
	Warning bool
	Err     error // nil: the check passed, perhaps with a warning
	// Mend lists commands and advice that solve the problem.
	Mend []string
}

// check is one run of checks.
type check struct {
	service *Service
	report  func(Finding)
	// failed are the subjects of the errors that were reported, by their text.
	failed map[string]string
}

// Check checks the whole project. It calls report with each finding, and progress
// while the index is built.
// Errors: only those of ctx; every fault is a finding.
func (s *Service) Check(ctx context.Context, report func(Finding), progress func(sdk.Progress)) error {
	k := &check{s, report, map[string]string{}}
	current, err := k.service.config.Project.Current(ctx)
	if err != nil {
		k.found("project", "", err)
		return nil
	}
	all := current.Connections.All()
	k.found("project", fmt.Sprintf("%s, %d connection(s)", current.File, len(all)), nil)
	k.found("state", "readable and whole", k.state(ctx))
	for _, one := range all {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		k.connection(ctx, one)
		k.catalog(ctx, one)
		k.semantic(ctx, one)
	}
	if !connector.LimitsMemory && len(all) > 0 {
		k.found("memory", "this system keeps no connector to a limit: only an engine inside one counts what it takes (limits.memory)", nil)
	}
	k.strangers(ctx, all)
	k.wiki(ctx)
	k.index(ctx, progress)
	k.memory(ctx)
	k.observed(ctx, current)
	k.server(ctx)
	return nil
}

func (k *check) state(ctx context.Context) error {
	state, err := k.service.config.State.Get(ctx)
	if err != nil {
		return err
	}
	return state.Check(ctx)
}

// connection runs the staged checks; the first one that fails is the finding.
func (k *check) connection(ctx context.Context, of connection.Connection) {
	subject := "connection " + string(of.ID)
	if of.Path != "" {
		k.found(subject+" connector", of.Connector+" by path, which nobody signed: "+of.Path, nil)
	}
	var failed error
	var last string
	err := k.service.config.Test(ctx, of, func(s sdk.TestStep) {
		switch {
		case s.Err != nil && failed == nil:
			failed = s.Err
		case s.Warning:
			k.warn(subject+" "+s.Name, s.Detail, s.Statements...)
		case s.Detail != "":
			last = s.Detail
		}
	})
	if err == nil {
		err = failed
	}
	k.found(subject, last, err)
}

// found reports that something is as it should be, or why not.
func (k *check) found(subject, detail string, err error) {
	f := Finding{Subject: subject, Detail: detail, Err: err}
	if first, known := k.failed[fmt.Sprint(err)]; known && sdk.KindOf(err) == sdk.KindLimit { // a full disk is one problem
		f.Detail = "for the same reason as " + first
	} else if err != nil {
		k.failed[err.Error()] = subject
		e := sdk.AsError(err, sdk.SourceHost)
		f.Detail = err.Error()
		if e.Hint != "" {
			f.Mend = []string{e.Hint}
		}
		if len(e.Candidates) > 0 && !strings.Contains(e.Hint, e.Candidates[0]) {
			f.Mend = append(f.Mend, "near are: "+strings.Join(e.Candidates, ", "))
		}
	}
	k.report(f)
}

func (k *check) warn(subject, detail string, mend ...string) {
	k.report(Finding{Subject: subject, Warning: true, Detail: detail, Mend: mend})
}
