package sqlserver

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// account is what was found when the connection was opened.
type account struct {
	user      string // the account's user in the database
	planner   bool   // it may see plans
	reader    bool   // it may do nothing but read, or the database can only be read
	snapshots bool   // the database allows them
	azure     bool   // Azure SQL Database, which has no rights of its server to give
}

// examine learns what the server and the account are.
func (s *Session) examine(ctx context.Context) error {
	var standby string
	var rights []right
	err := s.Run(ctx, func(r *reading, ctx context.Context) error {
		err := r.Query(ctx, serverSQL, func(row sqlkit.Row) error {
			s.Info = sdk.ServerInfo{
				Product: product, Version: row.Text(0), CurrentUser: row.Text(2), Database: row.Text(4), DefaultCatalog: row.Text(4), DefaultSchema: row.Text(5),
				State: sdk.StateRunning,
			}
			s.account = account{user: row.Text(3), azure: row.Text(1) == azureDatabase, snapshots: row.Text(6) == "1", planner: row.Bool(8)}
			if row.Text(7) == "READ_ONLY" {
				standby = "the database is read-only"
			}
			return nil
		})
		if err != nil {
			return err
		}
		rights, err = r.rights(ctx)
		return err
	})
	if err != nil {
		return err
	}
	s.Dialect = dialect.Pick(Dialects(), s.Info.Product, s.Info.Version)
	s.account.reader = len(rights) == 0 || standby != ""
	var found []sdk.Diagnostic
	for _, right := range rights {
		found = append(found, s.diagnostic(right.text(), "ALTER ROLE, REVOKE or DENY can take it away; or "))
	}
	mechanism := "a plan of one SELECT (SHOWPLAN_XML), a transaction that is rolled back"
	if !s.account.planner {
		mechanism = "a transaction that is rolled back"
	}
	s.Authority(mechanism, standby, found)
	if !s.account.planner {
		what := "may not see plans: statements run by its rights alone, and have no estimates"
		if !s.account.reader {
			what = "may write and may not see plans: every statement is refused"
		}
		s.Info.Warnings = append(s.Info.Warnings, s.diagnostic(what, s.grantShowplan()+"; or "))
	}
	return nil
}

func (s *Session) grantShowplan() string { return "GRANT SHOWPLAN TO " + quote(s.account.user) }

func (s *Session) diagnostic(what, mend string) sdk.Diagnostic {
	return sdk.Diagnostic{
		Severity: sdk.SeverityWarning, Path: "user", Summary: "the account " + s.Info.CurrentUser + " " + what,
		Detail: mend + "use an account that can only read: " + strings.Join(newReader(quote(s.cfg.Database)), "; "),
	}
}

// right is something that the account may do and a reader should not: a permission
// on the server or the database, membership of a role, or the objects that it may
// change.
type right struct {
	scope string
	names []string
}

const maxNamed = 4

func (r right) text() string {
	names := strings.Join(r.names[:min(len(r.names), maxNamed)], ", ")
	if len(r.names) > maxNamed {
		names += " and more"
	}
	return fmt.Sprintf(map[string]string{
		"server": "may do more on the server than read: %s", "database": "may do more in the database than read: %s",
		"role": "is a member of roles that may do more than read: %s", "object": "may change %s",
	}[r.scope], names)
}

// harmless reports whether a permission is one of a reader.
func harmless(permission string) bool {
	reads := []string{"SELECT", "SHOWPLAN", "UNMASK", "SELECT ALL USER SECURABLES", "REFERENCES"}
	return slices.Contains(reads, permission) || strings.HasPrefix(permission, "VIEW ") || strings.HasPrefix(permission, "CONNECT")
}

// rights lists what the account may do beyond reading, one entry per scope.
func (r *reading) rights(ctx context.Context) ([]right, error) {
	var found []right
	add := func(row sqlkit.Row) error {
		scope, name := row.Text(0), row.Text(1)
		if scope != "object" && scope != "role" && harmless(name) {
			return nil
		}
		i := slices.IndexFunc(found, func(r right) bool { return r.scope == scope })
		if i < 0 {
			i, found = len(found), append(found, right{scope: scope})
		}
		found[i].names = append(found[i].names, name)
		return nil
	}
	err := r.Direct(ctx, rightsSQL, func(rows driver.Rows) error {
		for {
			if err := sqlkit.EachRow(ctx, rows, add); err != nil {
				return err
			}
			more, ok := rows.(driver.RowsNextResultSet)
			if !ok {
				return nil
			}
			if err := more.NextResultSet(); errors.Is(err, io.EOF) {
				return nil
			} else if err != nil {
				return err
			}
		}
	})
	return found, err
}

// newReader creates an account that can read a database, whose name is quoted.
func newReader(database string) []string {
	return []string{
		"CREATE LOGIN loam_reader WITH PASSWORD = '<choose one>'", // in Azure SQL Database, in master
		"USE " + database,
		"CREATE USER loam_reader FOR LOGIN loam_reader",
		"ALTER ROLE db_datareader ADD MEMBER loam_reader",
		"ALTER ROLE db_denydatawriter ADD MEMBER loam_reader",
		"GRANT SHOWPLAN, VIEW DEFINITION TO loam_reader",
	}
}

// testRead fills in the step "read".
func (r *reading) testRead(ctx context.Context, step *sdk.TestStep) error {
	found := sqlkit.Readable{Where: r.s.cfg.Database, Grant: []string{"ALTER ROLE db_datareader ADD MEMBER " + quote(r.s.account.user)}}
	err := r.Query(ctx, readableSQL, func(row sqlkit.Row) error {
		found.Tables++
		if row.Text(2) == "U" { // no view, which may fail or take long of its own
			found.Sample = quote(row.Text(0)) + "." + quote(row.Text(1))
		}
		return nil
	})
	if err != nil || !found.Report(step) {
		return err
	}
	return r.Query(ctx, "SELECT TOP (1) 1 FROM "+found.Sample, func(sqlkit.Row) error { return nil })
}

// testWrite tries a statement that writes: the server plans it or, where the account
// may not see plans, runs it in the transaction that is rolled back.
func (r *reading) testWrite(ctx context.Context) error {
	const write = "SELECT 1 AS id INTO loam_must_not_exist"
	tokens, err := r.s.Dialect.Tokens(write, nil)
	if err != nil {
		return err
	}
	_, err = r.verdict(ctx, &sqlkit.Statement{SQL: write, Tokens: tokens}, "")
	if err != nil || r.s.account.planner {
		return err
	}
	if err := r.begin(ctx); err != nil {
		return err
	}
	return r.Exec(ctx, write)
}
