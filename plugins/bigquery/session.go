package bigquery

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"time"

	"cloud.google.com/go/bigquery"
	"google.golang.org/api/option"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// Session is an open connection to a project.
type Session struct {
	sqlkit.Warehouse[*call, *statement]
	cfg    *config
	id     string // the connection's, in the labels of its jobs
	signer *signer
	http   *http.Client
	client *bigquery.Client // its Location is known after examine
	slots  chan struct{}    // one for each call at work
	every  time.Duration    // how often a caller learns of progress
}

var (
	_ sdk.QueryCanceler = (*Session)(nil)
)

// call is the work of one call.
type call struct {
	s     *Session
	limit time.Duration // of a statement, in the service
}

// statement is a caller's, and what its dry run said.
type statement struct {
	*sqlkit.Statement
	plan *plan
}

// newSession returns the stages of a session that has not connected yet.
func newSession(cfg *config, req sdk.OpenRequest) (*sqlkit.Stages, error) {
	s := &Session{cfg: cfg, id: req.ConnectionID, slots: make(chan struct{}, req.MaxOpen), every: progressTime}
	s.Timeout, s.Longest, s.Engine = req.StatementTimeout, cfg.Timeout, s.engine()
	s.Dialect = &Dialects()[0]
	return &sqlkit.Stages{
		Session: s, Examine: s.examine, Account: "the account of the credentials", Reach: s.reachAccount,
		Login: s.login, Reader: func() []string { return newReader(cfg.Project, s.anyDataset()) },
		Read: s.Reads((*call).testRead),
		Write: s.Writes(func(c *call, ctx context.Context) error {
			_, err := c.examined(ctx, "CREATE TABLE "+quote(s.anyDataset())+".loam_must_not_exist (id INT64)", nil)
			return err
		}),
	}, nil
}

// connect finds the credentials and makes the client; it sends nothing.
func (s *Session) connect() (err error) {
	if s.client != nil {
		return nil
	}
	if s.signer, err = newSigner(s.cfg); err != nil {
		return err
	}
	return s.connectWith(s.signer)
}

// connectWith makes the client above a transport.
func (s *Session) connectWith(transport http.RoundTripper) (err error) {
	s.http = &http.Client{Transport: transport}
	s.client, err = bigquery.NewClient(context.Background(), s.cfg.Project, option.WithHTTPClient(s.http), option.WithEndpoint(s.cfg.base()+"/bigquery/v2/"))
	if err == nil {
		s.client.Location = s.cfg.Location
	}
	return err
}

// engine is what the frame asks of a session.
func (s *Session) engine() sqlkit.Engine[*call, *statement] {
	return sqlkit.Engine[*call, *statement]{
		Parse: func(sql string) (*statement, error) {
			st, err := sqlkit.Parse(sql, s.Dialect)
			return &statement{Statement: st}, err
		},
		Read:     s.read,
		Check:    (*call).check,
		Execute:  (*call).execute,
		Ping:     (*call).ping,
		Suggest:  s.suggest,
		Scan:     (*call).scan,
		Shows:    func(*statement) bool { return false },
		Explain:  (*call).explain,
		Validate: (*call).validate,
		Profile:  (*call).profile,
		Tables: func(ctx context.Context, t sdk.TableRef) ([]string, error) {
			return s.tables(ctx, cmp.Or(t.Catalog, s.cfg.Project), cmp.Or(t.Schema, s.cfg.Dataset))
		},
		QueryLog: (*call).queryLog,
		Close: func(context.Context) error {
			if s.client == nil {
				return nil
			}
			s.signer.next.(*http.Transport).CloseIdleConnections()
			return s.client.Close()
		},
	}
}

// read runs f, no statement of which takes longer than limit, when fewer calls than
// OpenRequest.MaxOpen are at work: it waits as long as a statement may take.
func (s *Session) read(ctx context.Context, limit time.Duration, f func(context.Context, *call) error) error {
	waiting, stop := sqlkit.WithTimeout(ctx, limit, 0)
	defer stop()
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	case <-waiting.Done():
		return sqlkit.ContextError(waiting)
	}
	return sqlkit.Failed(ctx, guarded(func() error { return f(ctx, &call{s: s, limit: limit}) }), nativeError)
}

// guarded runs f. The client panics at an answer that is not of the form it expects.
func guarded(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = odd(fmt.Errorf("%v", p))
		}
	}()
	return f()
}

// ping is a dry run, which is free.
func (c *call) ping(ctx context.Context) error {
	_, err := c.dryRun(ctx, "SELECT 1", nil)
	return err
}

// anyDataset is one that the connection is about, "" where it names none.
func (s *Session) anyDataset() string {
	if names := s.cfg.scanned(); len(names) > 0 {
		return names[0]
	}
	return s.cfg.Dataset
}
