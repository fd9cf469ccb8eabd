package snowflake

import (
	"cmp"
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/network"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// Session is an open connection to a Snowflake account.
type Session struct {
	sqlkit.Warehouse[*reading, *statement]
	cfg         *config
	transport   *transport
	connections sqlkit.Connections[*conn]
	external    map[string]bool // functions that run elsewhere, in upper case; known after examine
}

var (
	_ sdk.QueryCanceler = (*Session)(nil)
	_ sdk.StateReporter = (*Session)(nil)
)

// reading is the work of a call on a session of the service.
// Concurrency: one goroutine, but for Stop.
type reading struct {
	*sqlkit.Reading[*conn]
	s *Session
	// examined is the text that the service has examined and found to read.
	examined string
}

// engine is what the frame asks of a session.
func (s *Session) engine() sqlkit.Engine[*reading, *statement] {
	return sqlkit.Engine[*reading, *statement]{
		Parse:    s.parse,
		Read:     sqlkit.Readings(&s.connections, func(r *sqlkit.Reading[*conn]) *reading { return &reading{Reading: r, s: s} }),
		Check:    (*reading).check,
		Execute:  (*reading).execute,
		Ping:     (*reading).ping,
		Scan:     (*reading).scan,
		Shows:    func(st *statement) bool { return st.form != formQuery },
		Explain:  (*reading).explain,
		Validate: (*reading).validate,
		Profile:  (*reading).profile,
		QueryLog: (*reading).queryLog,
		Close: func(context.Context) error {
			s.connections.Pool.Close()
			if base, ok := s.transport.base.(*http.Transport); ok {
				base.CloseIdleConnections()
			}
			return nil
		},
	}
}

// graceTime is how much later than the service's own limit a statement is aborted.
const graceTime = 300 * time.Millisecond

// use says how calls use sessions of the service, which serve one call after the
// other: no statement that reads leaves anything behind.
func (s *Session) use(req sdk.OpenRequest) sqlkit.Connections[*conn] {
	return sqlkit.Connections[*conn]{
		Pool: sqlkit.NewPool(sqlkit.PoolOptions[*conn]{
			MaxOpen: req.MaxOpen, IdleTimeout: req.IdleTimeout, Connect: s.connect, Close: (*conn).Close,
		}),
		Begin: (*conn).setLimit, Grace: graceTime,
		End:    func(*conn) bool { return true },
		Broken: broken, Native: s.native,
	}
}

// newSession returns the stages of a session that has not connected yet.
func newSession(cfg *config, req sdk.OpenRequest) (*sqlkit.Stages, error) {
	s := &Session{cfg: cfg, transport: newTransport(), external: map[string]bool{}}
	s.Timeout, s.Longest, s.Engine = req.StatementTimeout, cfg.StatementTimeout, s.engine()
	s.Dialect = &Dialects()[0]
	s.connections = s.use(req)
	return &sqlkit.Stages{
		Session: s, Examine: s.examine, Account: cmp.Or(cfg.User, "the token's user"), Login: s.tryLogin,
		Reach: func(ctx context.Context, steps *sqlkit.Steps) bool {
			return s.proxied() || network.NewDialer(nil).Steps(ctx, steps, cfg.host(), cfg.Port)
		},
		Read: s.Reads((*reading).testRead), Write: s.Writes((*reading).testWrite),
		Reader: func() []string { return newReader(quote(cfg.Database), quote(cmp.Or(s.cfg.Warehouse, "<warehouse>"))) },
	}, nil
}

// proxied reports whether requests go through a proxy, which resolves names itself.
func (s *Session) proxied() bool {
	req, err := http.NewRequest(http.MethodPost, s.cfg.Protocol+"://"+s.cfg.host(), nil)
	if err != nil {
		return false
	}
	proxy, err := http.ProxyFromEnvironment(req)
	return err == nil && proxy != nil
}

// tryLogin connects once.
func (s *Session) tryLogin(ctx context.Context) (l sqlkit.Login) {
	c, err := s.connect(ctx)
	if err == nil {
		c.Close()
	}
	_, answered := asSnowflake(err)
	l.Err, l.Secured = err, err == nil || answered
	l.Detail = "TLS, with a certificate of an authority that this system trusts"
	if s.cfg.Protocol == "http" {
		l.Detail, l.Warning = "no TLS: a server on this machine", true
	}
	return l
}

const serverSQL = "SELECT CURRENT_VERSION(), CURRENT_USER(), CURRENT_ROLE(), CURRENT_DATABASE(), CURRENT_SCHEMA(), CURRENT_WAREHOUSE()"

// examine learns what the account, its role and its warehouse are. Nothing of it
// needs a warehouse.
func (s *Session) examine(ctx context.Context) error {
	return s.Run(ctx, func(r *reading, ctx context.Context) error {
		var role string
		err := r.query(ctx, serverSQL, func(row sqlkit.Row) error {
			role = row.Text(2)
			s.Info = sdk.ServerInfo{
				Product: product, Version: row.Text(0), CurrentUser: row.Text(1), Database: row.Text(3),
				DefaultCatalog: row.Text(3), DefaultSchema: row.Text(4),
			}
			if name := row.Text(5); s.cfg.Warehouse == "" {
				s.cfg.Warehouse = name
			}
			return nil
		})
		if err != nil {
			return err
		}
		if err := r.folding(ctx); err != nil {
			return err
		}
		rights, err := r.grants(ctx, role)
		if err != nil {
			return err
		}
		s.Authority("only what the service itself calls a SELECT before it runs; the rights of one role", "", rights)
		err = r.show(ctx, "SHOW EXTERNAL FUNCTIONS IN ACCOUNT", func(at map[string]string) error {
			s.external[strings.ToUpper(at["name"])] = true
			return nil
		})
		if err != nil {
			return err
		}
		return r.warehouse(ctx)
	})
}

const product = "Snowflake"

// folding refuses a session that does not keep names in quotes apart by case.
func (r *reading) folding(ctx context.Context) error {
	return r.show(ctx, "SHOW PARAMETERS LIKE '"+quotedFolding+"' IN SESSION", func(at map[string]string) error {
		if strings.EqualFold(at["value"], "true") {
			return sdk.Errorf(sdk.KindUnsupported, sdk.SourceWarehouse, "the account lets no session set %s to FALSE: names in quotes would mean other tables than the catalog shows", quotedFolding).
				WithHint("have the administrator set it to FALSE for the connection's user: ALTER USER <user> SET %s = FALSE", quotedFolding)
		}
		return nil
	})
}

// states are the service's words for what a warehouse does.
var states = map[string]sdk.State{
	"STARTED": sdk.StateRunning, "RESIZING": sdk.StateRunning, "SUSPENDED": sdk.StateSuspended, "SUSPENDING": sdk.StateSuspended, "RESUMING": sdk.StateResuming, "STARTING": sdk.StateResuming,
}

// warehouse learns what the warehouse does.
func (r *reading) warehouse(ctx context.Context) error {
	s := r.s
	warn := func(summary, detail string) {
		s.Info.Warnings = append(s.Info.Warnings, sdk.Diagnostic{Severity: sdk.SeverityWarning, Path: "warehouse", Summary: summary, Detail: detail})
	}
	if s.cfg.Warehouse == "" {
		warn("there is no warehouse: statements that read tables will fail", "set warehouse in the connection's configuration")
		return nil
	}
	state, resumes, err := r.state(ctx)
	if s.Info.State = state; state == sdk.StateSuspended && !resumes {
		warn(fmt.Sprintf("the warehouse %s is suspended and does not resume by itself", s.cfg.Warehouse),
			fmt.Sprintf("have it resumed: ALTER WAREHOUSE %s RESUME", quote(s.cfg.Warehouse)))
	}
	return err
}

// state asks what the warehouse does, without resuming it.
func (r *reading) state(ctx context.Context) (state sdk.State, resumes bool, err error) {
	err = r.show(ctx, "SHOW WAREHOUSES LIKE "+literal(r.s.cfg.Warehouse), func(at map[string]string) error {
		if strings.EqualFold(at["name"], r.s.cfg.Warehouse) {
			state, resumes = states[strings.ToUpper(at["state"])], at["auto_resume"] != "false"
		}
		return nil
	})
	return state, resumes, err
}

// State implements sdk.StateReporter.
func (s *Session) State(ctx context.Context) (state sdk.State, err error) {
	err = s.Run(ctx, func(r *reading, ctx context.Context) error {
		state, _, err = r.state(ctx)
		return err
	})
	return state, err
}

// CancelQuery implements sdk.QueryCanceler.
func (s *Session) CancelQuery(ctx context.Context, queryID string) (wasRunning bool, err error) {
	err = s.Run(ctx, func(r *reading, ctx context.Context) error {
		return r.query(ctx, "SELECT SYSTEM$CANCEL_QUERY("+literal(queryID)+")", func(row sqlkit.Row) error {
			wasRunning = strings.Contains(row.Text(0), "terminated")
			return nil
		})
	})
	return wasRunning, err
}

// query runs a statement of the connector's own.
func (r *reading) query(ctx context.Context, sql string, row func(sqlkit.Row) error) error {
	return r.Query(own(ctx), sql, row)
}

// show is query for a SHOW, whose columns go by their names.
func (r *reading) show(ctx context.Context, sql string, each func(map[string]string) error) error {
	return r.Direct(own(ctx), sql, func(result driver.Rows) error {
		return sqlkit.EachNamed(ctx, result, each)
	})
}

// ping has the service compile a statement: that resumes no warehouse.
func (r *reading) ping(ctx context.Context) error {
	_, _, err := r.describe(ctx, "SELECT 1", nil)
	return err
}

// testRead looks at what the role can read, and has the service compile a look at it.
func (r *reading) testRead(ctx context.Context, step *sdk.TestStep) error {
	found := sqlkit.Readable{Where: r.s.cfg.Database, Grant: newReader(quote(r.s.cfg.Database), quote(cmp.Or(r.s.cfg.Warehouse, "<warehouse>")))}
	err := r.show(ctx, "SHOW OBJECTS IN DATABASE "+quote(r.s.cfg.Database), func(at map[string]string) error {
		if at["schema_name"] != "INFORMATION_SCHEMA" {
			found.Tables++
			found.Sample = quote(at["database_name"]) + "." + quote(at["schema_name"]) + "." + quote(at["name"])
		}
		return nil
	})
	if err != nil {
		return err
	}
	if r.s.Info.State == sdk.StateSuspended {
		step.Warning = true
		step.Detail = fmt.Sprintf("the warehouse %s is suspended: the first statement resumes it, which is billed; ", r.s.cfg.Warehouse)
	}
	if !found.Report(step) {
		return nil
	}
	_, _, err = r.describe(ctx, "SELECT 1 FROM "+found.Sample, nil)
	return err
}

// testWrite has the service examine a statement that writes: it must be refused, and
// is not run in any case.
func (r *reading) testWrite(ctx context.Context) error {
	const writes = "CREATE TEMPORARY TABLE loam_must_not_exist (id INT)"
	v, _, err := r.describe(ctx, writes, nil)
	if err != nil || v.StatementTypeID == typeSelect {
		return err
	}
	return notRead(v)
}

func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

func literal(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", "''").Replace(text) + "'"
}

// broken reports whether an error means that the session of the service, or the way
// to it, is of no more use.
func broken(err error) bool {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	if e, ok := asSnowflake(err); ok {
		return e.Number == errSessionGone || e.Number == errMasterExpired || e.Number == errSessionExpired
	}
	return errors.Is(err, driver.ErrBadConn) || isNetwork(err)
}

var dialects = makeDialects()

// Dialects describes Snowflake's SQL.
func Dialects() []dialect.Dialect { return dialects }
