//go:build cgo

package duckdb

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/loam-data/loam/plugins/duckdb/internal/engine"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

const (
	product       = "DuckDB"
	fileMechanism = "access_mode=READ_ONLY, enable_external_access=false, lock_configuration, only SELECT statements"
	// With folders the files of the folders can be opened by the engine, which
	// knows no way to open them only to read.
	folderMechanism = "only SELECT statements, enable_external_access=false but for the files served, lock_configuration"
)

// session is an open connection.
type session struct {
	source  *source
	slots   chan struct{} // as many as statements may run at once
	timeout time.Duration // of a statement without a limit of its own
	info    sdk.ServerInfo
	calls   sqlkit.Calls
	closing sync.Once
}

var (
	_ sdk.Session   = (*session)(nil)
	_ sdk.Explainer = (*session)(nil)
	_ sdk.Validator = (*session)(nil)
	_ sdk.Profiler  = (*session)(nil)
)

// open implements sdk.Connector.Open: it opens the database and reads the
// folders.
func open(ctx context.Context, req sdk.OpenRequest) (sdk.Session, error) {
	c, err := sqlkit.Decode(req.Config, problems)
	if err != nil {
		return nil, err
	}
	req.MemoryBytes = cmp.Or(req.MemoryBytes, defaultMemory)
	req = sqlkit.Defaults(req)
	source, err := sources.take(c, req.MemoryBytes, req.IdleTimeout)
	if err != nil {
		return nil, err
	}
	s := &session{source: source, slots: make(chan struct{}, req.MaxOpen), timeout: req.StatementTimeout}
	err = s.call(ctx, 0, func(_ context.Context, c *conn) error {
		s.info = serverInfo(source.config, c.instance)
		return nil
	})
	if err != nil {
		sources.drop(source)
		return nil, err
	}
	return s, nil
}

func serverInfo(c *config, i *instance) sdk.ServerInfo {
	info := sdk.ServerInfo{
		Product: product, Version: engine.Version(), Database: i.name,
		ReadOnly: sdk.ReadOnlyEngine, ReadOnlyMechanism: fileMechanism,
	}
	if len(c.Folders) > 0 {
		info.ReadOnly, info.ReadOnlyMechanism = sdk.ReadOnlySession, folderMechanism
		info.Warnings = append(info.Warnings, sdk.Diagnostic{
			Severity: sdk.SeverityWarning, Path: "folders", Summary: "that the files are only read rests on DuckDB's verdict on each statement",
			Detail: "give this user no right to write in the folders, if that is not enough",
		})
	}
	return info
}

// Server implements sdk.Session.
func (s *session) Server() sdk.ServerInfo { return s.info }

// Ping implements sdk.Session.
func (s *session) Ping(ctx context.Context) error {
	return s.call(ctx, 0, func(_ context.Context, c *conn) error { return c.Exec("SELECT 1") })
}

// Close implements sdk.Session.
func (s *session) Close(ctx context.Context) error {
	err := s.calls.Close(ctx)
	s.closing.Do(func() { sources.drop(s.source) })
	return err
}

// conn is a connection for one call.
type conn struct {
	*engine.Conn
	instance *instance
}

// call runs f on a connection of its own as one call of the session, within
// limit.
func (s *session) call(ctx context.Context, limit time.Duration, f func(context.Context, *conn) error) error {
	return s.calls.Run(ctx, limit, s.timeout, func(ctx context.Context) error {
		select {
		case s.slots <- struct{}{}:
			defer func() { <-s.slots }()
		case <-ctx.Done():
			return failed(ctx, ctx.Err())
		}
		return failed(ctx, s.source.use(ctx, f))
	})
}
