package mysql

import (
	"context"
	"strings"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/sqlkit"
)

const serverSQL = "SELECT CURRENT_USER(), DATABASE(), @@read_only"

// examine learns what the server and the account are.
func (s *Session) examine(ctx context.Context) error {
	var standby bool
	err := s.Run(ctx, func(r *reading, _ context.Context) error {
		s.server = r.Conn.server
		err := r.query(serverSQL, func(row sqlkit.Row) error {
			version, _, _ := strings.Cut(s.server.version, "-log")
			s.Info = sdk.ServerInfo{Product: s.server.product, Version: version, CurrentUser: row.Text(0), Database: row.Text(1)}
			standby = row.Text(2) == "1"
			return nil
		})
		if err != nil {
			return err
		}
		s.grants, err = r.grants()
		return err
	})
	if err != nil {
		return err
	}
	s.Dialect = dialect.Pick(Dialects(), s.Info.Product, s.Info.Version)
	s.catalog = newCatalog(s.Dialect, s.cfg.AllowFunctions)
	var rights []sdk.Diagnostic
	for _, right := range s.grants.rights() {
		rights = append(rights, right.diagnostic(s))
	}
	readOnlyServer := ""
	if standby && !s.grants.overrides() {
		readOnlyServer = "the server is read_only"
	}
	s.Authority("a session and a transaction that are READ ONLY, only what EXPLAIN accepts, a connection per statement", readOnlyServer, rights)
	if len(s.cfg.AllowFunctions) == 0 {
		return nil
	}
	return s.Run(ctx, func(r *reading, _ context.Context) error {
		unmatched, err := r.unmatched()
		s.Info.Warnings = append(s.Info.Warnings, unmatched...)
		return err
	})
}
