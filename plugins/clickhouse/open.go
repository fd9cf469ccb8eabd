package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// newSession returns the stages of a session that has not connected yet.
func newSession(cfg *config, req sdk.OpenRequest) (*sqlkit.Stages, error) {
	d, err := newDialer(cfg)
	if err != nil {
		return nil, err
	}
	s := &Session{cfg: cfg, dialer: d}
	s.Timeout, s.Longest, s.Engine = req.StatementTimeout, cfg.StatementTimeout, s.engine()
	s.mode.memory = cfg.MaxMemory << 20
	if cfg.http() {
		s.mode.overHTTP = true
		s.transport = newWeb(d, req.MaxOpen, req.IdleTimeout)
	} else {
		s.transport = newNative(d, req.MaxOpen, req.IdleTimeout)
	}
	return &sqlkit.Stages{
		Session: s, Examine: s.examine, Account: cfg.User, Login: s.login, Read: s.testRead, Write: s.testWrite, Reader: s.readerStatements,
		Reach: func(ctx context.Context, steps *sqlkit.Steps) bool {
			return d.net.Steps(ctx, steps, cfg.Host, cfg.port())
		},
	}, nil
}

// product is the server's name; it tells no other.
const product = "ClickHouse"

// examine learns what the server and the account are, and proves that nothing
// can be written.
func (s *Session) examine(ctx context.Context) error {
	ctx, stop := sqlkit.WithTimeout(ctx, 0, s.Timeout)
	defer stop()
	if err := s.greet(ctx); err != nil {
		return err
	}
	readonly, err := s.readSettings(ctx)
	if err != nil {
		return err
	}
	if err := s.restrict(ctx, readonly); err != nil {
		return err
	}
	if err := s.readFunctions(ctx); err != nil {
		return err
	}
	if err := s.examineAccount(ctx, readonly); err != nil {
		return err
	}
	unmatched, err := s.unmatched(ctx)
	s.Info.Warnings = append(s.Info.Warnings, unmatched...)
	return err
}

// readFunctions learns the functions of the server itself, which need no look.
func (s *Session) readFunctions(ctx context.Context) error {
	s.natives = map[string]bool{}
	sql := "SELECT name FROM system.functions"
	if s.newer(namedFunctions) {
		sql += " WHERE origin = 'System'"
	}
	return s.ask(ctx, s.Timeout, sql, func(r sqlkit.Row) error {
		s.natives[r.Text(0)] = true
		return nil
	})
}

// greet asks for the version, in the form that every version answers in.
func (s *Session) greet(ctx context.Context) error {
	s.mode.profile = true // no settings before it is known which there are
	err := s.ask(ctx, s.Timeout, "SELECT version(), currentDatabase()", func(r sqlkit.Row) error {
		s.Info = sdk.ServerInfo{Product: product, Version: r.Text(0), CurrentUser: s.cfg.User, Database: r.Text(1)}
		return nil
	})
	if over, ok := s.transport.(*web); ok && err == nil {
		over.packed = s.cfg.Compression == compressionLZ4 && s.newer(modernAccounts) // 18.16 answers with nothing
	}
	s.Dialect = dialect.Pick(Dialects(), product, s.Info.Version)
	s.explorer = newExplorer(s.Dialect, s.Info.Database, s.cfg.AllowFunctions)
	return err
}

// modernAccounts is the first version with accounts and grants in SQL.
const modernAccounts = "20.5"

// newer reports whether the server is of a version or a later one.
func (s *Session) newer(version string) bool {
	d := dialect.Dialect{MinVersion: version}
	return d.Matches(product, s.Info.Version)
}

// wanted are the settings that requests carry where the server has them.
var wanted = []string{
	"readonly", "max_execution_time", "max_memory_usage", "log_comment",
	"cancel_http_readonly_queries_on_client_close", "output_format_native_write_json_as_string",
}

// readSettings learns which settings there are and returns the account's
// readonly.
func (s *Session) readSettings(ctx context.Context) (readonly int64, err error) {
	s.mode.known = map[string]bool{}
	sql := "SELECT name, value FROM system.settings WHERE name IN ('" + strings.Join(wanted, "', '") + "')"
	err = s.ask(ctx, s.Timeout, sql, func(r sqlkit.Row) error {
		s.mode.known[r.Text(0)] = true
		switch r.Text(0) {
		case "readonly":
			readonly = sqlkit.Row{r.Text(1)}.Int(0, 0)
		case "max_execution_time":
			s.mode.longest = int(sqlkit.Row{r.Text(1)}.Int(0, 0))
		}
		return nil
	})
	return readonly, err
}

// restrict chooses the mode and proves that it took effect.
func (s *Session) restrict(ctx context.Context, readonly int64) error {
	const allowsSettings = 2
	s.mode.profile = readonly == 1
	err := s.verify(ctx)
	said, refused := errors.AsType[*sdk.Error](err)
	switch {
	case err == nil:
		return nil
	case refused && readonly == allowsSettings && (said.Kind == sdk.KindNotReadOnly || said.Kind == sdk.KindDenied):
		e := sdk.Errorf(sdk.KindDenied, sdk.SourceWarehouse,
			"the account %s has readonly = 2, under which it reads files and other servers, and the server lets nobody change that: %w", s.cfg.User, err).
			WithHint("have the server's administrator give the account readonly = 1: %s", strings.Join(s.readOnlyStatements(), "; "))
		e.Op, e.Code = "connect", said.Code
		return e
	case refused && s.mode.known["max_execution_time"] && said.Kind == sdk.KindNotReadOnly:
		// The profile fixes the limits of the account: they hold without us.
		for _, name := range wanted[1:] {
			delete(s.mode.known, name)
		}
		return s.verify(ctx)
	default:
		return err
	}
}

// verify asks the server, in the session's mode, whether it would refuse a write.
func (s *Session) verify(ctx context.Context) error {
	effective := ""
	err := s.ask(ctx, s.Limit(0), "SELECT value FROM system.settings WHERE name = 'readonly'", func(r sqlkit.Row) error {
		effective = r.Text(0)
		return nil
	})
	if err == nil && effective != "1" {
		err = sdk.Errorf(sdk.KindDenied, sdk.SourceWarehouse, "the server does not keep readonly = 1: it says %q", effective).
			WithHint("have the server's administrator give the account a profile with readonly = 1")
	}
	return err
}

func (s *Session) mechanism() string {
	if s.mode.profile {
		return "the account's profile has readonly = 1"
	}
	return fmt.Sprintf("readonly = 1 in every request, verified; %d more settings", len(s.mode.known)-1)
}
