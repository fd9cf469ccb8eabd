package clickhouse

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// examineAccount says how far the account is from one that can only read.
func (s *Session) examineAccount(ctx context.Context, readonly int64) error {
	s.Info.ReadOnly, s.Info.ReadOnlyMechanism = sdk.ReadOnlySession, s.mechanism()
	if s.mode.profile {
		s.Info.ReadOnly = sdk.ReadOnlyEngine
	}
	if !s.newer(modernAccounts) {
		if readonly != 1 {
			s.warn(fmt.Sprintf("the account %s may write: its profile has readonly = %d", s.cfg.User, readonly))
		}
		return nil
	}
	if err := s.ask(ctx, s.Limit(0), "SELECT currentUser()", func(r sqlkit.Row) error {
		s.Info.CurrentUser = r.Text(0)
		return nil
	}); err != nil {
		return err
	}
	rights, err := s.rights(ctx)
	if err != nil {
		return err
	}
	switch {
	case len(rights) > 0:
		s.warn(fmt.Sprintf("the account %s may do more than read: %s", s.Info.CurrentUser, strings.Join(rights, ", ")))
	case !s.mode.profile:
		s.Info.ReadOnly = sdk.ReadOnlyEngine
		s.Info.ReadOnlyMechanism = "the account has no right to write; " + s.Info.ReadOnlyMechanism
	}
	return nil
}

func (s *Session) warn(summary string) {
	s.Info.Warnings = append(s.Info.Warnings, sdk.Diagnostic{
		Severity: sdk.SeverityWarning, Path: "user", Summary: summary,
		Detail: "use an account that can only read: " + strings.Join(s.readerStatements(), "; "),
	})
}

// reading are the privileges of an account that can only read, and those of its
// own queries.
var reading = []string{"SELECT", "SHOW", "DICTGET", "KILL QUERY", "USAGE", "CHECK", "TABLE ENGINE"}

// rights lists the privileges beyond reading, each once.
func (s *Session) rights(ctx context.Context) ([]string, error) {
	var found []string
	err := s.ask(ctx, s.Limit(0), "SHOW GRANTS", func(r sqlkit.Row) error {
		for _, privilege := range privileges(r.Text(0)) {
			if !slices.Contains(found, privilege) {
				found = append(found, privilege)
			}
		}
		return nil
	})
	return found, err
}

// privileges returns those of a GRANT that are not for reading. A role is one.
func privileges(grant string) []string {
	rest, ok := strings.CutPrefix(grant, "GRANT ")
	if !ok {
		return nil
	}
	list, _, direct := strings.Cut(rest, " ON ")
	if !direct {
		role, _, _ := strings.Cut(rest, " TO ")
		return []string{"what the role " + role + " may"}
	}
	var found []string
	depth, start := 0, 0
	take := func(end int) {
		name, _, _ := strings.Cut(list[start:end], "(") // SELECT(a, b)
		name = strings.TrimSpace(name)
		upper := strings.ToUpper(name)
		if !slices.ContainsFunc(reading, func(p string) bool { return upper == p || strings.HasPrefix(upper, p+" ") }) {
			found = append(found, name)
		}
		start = end + 1
	}
	for i, c := range list {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ',' && depth == 0:
			take(i)
		}
	}
	take(len(list))
	return found
}

// readerAccount is the account that can only read.
const readerAccount = "loam_reader"

// readerStatements make an account that can read the connection's databases and
// nothing else.
func (s *Session) readerStatements() []string {
	if !s.newer(modernAccounts) {
		return []string{fmt.Sprintf(`in users.xml: <profiles><%[1]s><readonly>1</readonly></%[1]s></profiles> and <users><%[1]s><password_sha256_hex>…</password_sha256_hex><networks><ip>::/0</ip></networks><profile>%[1]s</profile><quota>default</quota></%[1]s></users>`, readerAccount)}
	}
	databases := slices.Clone(s.cfg.Schemas)
	if len(databases) == 0 {
		databases = []string{s.Info.Database}
	}
	for i, database := range databases {
		databases[i] = s.Dialect.QuoteIdentifier(database)
	}
	return makeReader(databases...)
}

// makeReader makes an account that can read databases, whose names are as SQL has them.
func makeReader(databases ...string) []string {
	statements := []string{fmt.Sprintf("CREATE USER %s IDENTIFIED BY '<choose one>' SETTINGS readonly = 1, max_execution_time = 60", readerAccount)}
	for _, database := range databases {
		statements = append(statements, fmt.Sprintf("GRANT SELECT ON %s.* TO %s", database, readerAccount))
	}
	return statements
}

// readOnlyStatements take the right to change settings from the account.
func (s *Session) readOnlyStatements() []string {
	if !s.newer(modernAccounts) {
		return []string{"<readonly>1</readonly> in the account's profile in users.xml"}
	}
	return []string{fmt.Sprintf("ALTER USER %s SETTINGS readonly = 1", s.Dialect.QuoteIdentifier(s.cfg.User))}
}
