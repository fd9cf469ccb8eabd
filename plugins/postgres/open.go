package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"strconv"
	"strings"

	"github.com/loam-data/loam/sdk"
)

const serverSQL = `
SELECT pg_catalog.current_setting('server_version'), pg_catalog.current_setting('server_version_num'),
  current_user, pg_catalog.current_database(), pg_catalog.pg_is_in_recovery(),
  (SELECT pg_catalog.json_agg(nspname ORDER BY nspname) FROM pg_catalog.pg_namespace
   WHERE nspname !~ '^pg_' AND nspname <> 'information_schema' AND pg_catalog.has_schema_privilege(oid, 'USAGE')),
  session_user`

// examine learns what the server and the account are.
func (s *Session) examine(ctx context.Context) error {
	var standby bool
	var rights []right
	var unmatched []sdk.Diagnostic
	err := s.ask(ctx, s.Limit(0), func(r *reading) error {
		var now state
		account := accountKey{host: net.JoinHostPort(s.cfg.Host, strconv.Itoa(s.cfg.Port))}
		err := r.together(now.question(), question{serverSQL, nil, func(v [][]byte) error {
			version, _, _ := strings.Cut(string(v[0]), " ")
			s.Info = sdk.ServerInfo{Product: "PostgreSQL", Version: version, CurrentUser: string(v[2]), Database: string(v[3])}
			standby = string(v[4]) == "t"
			var versionErr, schemaErr error
			s.version, versionErr = strconv.Atoi(string(v[1]))
			if s.schemas = s.cfg.Schemas; len(s.schemas) == 0 && v[5] != nil {
				schemaErr = json.Unmarshal(v[5], &s.schemas)
			}
			account.database, account.current, account.session = string(v[3]), string(v[2]), string(v[6])
			return errors.Join(versionErr, schemaErr)
		}})
		if err != nil {
			return err
		}
		account.started = now.server
		s.reacher = s.memory.reacher(account, s.cfg)
		if rights, err = s.memory.get(account, now.snapshot, r.rights); err != nil {
			return r.hidden("what the role may do cannot be found out", err)
		}
		unmatched, err = r.unmatched()
		return err
	})
	if err != nil {
		return err
	}
	standbyText := ""
	if standby {
		standbyText = "the server is a standby"
	}
	var found []sdk.Diagnostic
	for _, right := range rights {
		found = append(found, right.diagnostic(s))
	}
	s.Authority("BEGIN READ ONLY, only queries that a cursor accepts, ROLLBACK", standbyText, found)
	s.Info.Warnings = append(s.Info.Warnings, unmatched...)
	return nil
}
