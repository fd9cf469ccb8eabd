package mysql

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loam-data/loam/sdk"
)

// right is something that the account may do and a reader should not.
type right struct {
	kind    string
	objects []string
	revoke  []string // statements that take it away
}

// harmless privileges are those of a reader.
var harmless = strings.Split("USAGE,SELECT,SHOW VIEW,SHOW DATABASES,PROCESS,SHOW CREATE ROUTINE,SHOW_ROUTINE,"+
	"REPLICATION CLIENT,BINLOG MONITOR,SLAVE MONITOR,REPLICA MONITOR", ",")

// kinds of the other privileges; one that is not listed administers the server.
var kinds = map[string][]string{
	"all":     {"ALL PRIVILEGES"},
	"file":    {"FILE"},
	"execute": {"EXECUTE"},
	"write":   {"INSERT", "UPDATE", "DELETE", "DELETE HISTORY"},
	"create": {
		"CREATE", "DROP", "ALTER", "INDEX", "REFERENCES", "CREATE VIEW", "CREATE TEMPORARY TABLES", "LOCK TABLES", "TRIGGER", "EVENT",
		"CREATE ROUTINE", "ALTER ROUTINE", "CREATE TABLESPACE",
	},
}

// kindOrder is the order of what is reported, most dangerous first.
var kindOrder = []string{"all", "admin", "file", "grant", "proxy", "write", "create", "execute"}

func kindOf(privilege string) string {
	for kind, privileges := range kinds {
		if slices.Contains(privileges, privilege) {
			return kind
		}
	}
	return "admin"
}

// rights lists what the account may do beyond reading, one entry per kind.
func (g *grants) rights() []right {
	found := map[string]*right{}
	add := func(kind, object, revoke string) {
		r := found[kind]
		if r == nil {
			r = &right{kind: kind}
			found[kind] = r
		}
		if !slices.Contains(r.objects, object) {
			r.objects = append(r.objects, object)
		}
		r.revoke = append(r.revoke, revoke)
	}
	for i := range g.list {
		granted := &g.list[i]
		for _, privilege := range granted.privileges {
			if !slices.Contains(harmless, privilege) {
				add(kindOf(privilege), granted.object(), "REVOKE "+privilege+" ON "+granted.object()+" FROM "+granted.grantee)
			}
		}
		if granted.option {
			add("grant", granted.object(), "REVOKE GRANT OPTION ON "+granted.object()+" FROM "+granted.grantee)
		}
	}
	for _, proxy := range g.proxies {
		add("proxy", "other accounts", "REVOKE PROXY ON "+proxy)
	}
	var list []right
	for _, kind := range kindOrder {
		if r := found[kind]; r != nil {
			list = append(list, *r)
		}
	}
	return list
}

// object is what the grant is on, as GRANT writes it.
func (g *grant) object() string {
	level := func(name string) string {
		if name == "*" {
			return name
		}
		return quote(name)
	}
	return strings.TrimSpace(g.routine + " " + level(g.schema) + "." + level(g.table))
}

// rightTexts say what a right allows.
var rightTexts = map[string]string{
	"all":     "may do everything on {objects}: nothing in the server but this connector keeps it from writing",
	"admin":   "may administer the server",
	"file":    "may read and write files of the server (FILE)",
	"grant":   "may give its rights on {objects} to others",
	"proxy":   "may act as {objects} (PROXY)",
	"write":   "may change rows of {objects}",
	"create":  "may create, change or lock tables of {objects}",
	"execute": "may run the functions and procedures of {objects}, which may do what their makers may",
}

// maxObjects is how many objects and statements a warning names.
const maxObjects = 3

func (r *right) diagnostic(s *Session) sdk.Diagnostic {
	objects := strings.Join(r.objects[:min(maxObjects, len(r.objects))], ", ")
	if len(r.objects) > maxObjects {
		objects += " and others"
	}
	account := accountName(s.Info.CurrentUser)
	d := sdk.Diagnostic{
		Severity: sdk.SeverityWarning, Path: "user",
		Summary: "the account " + account + " " + strings.ReplaceAll(rightTexts[r.kind], "{objects}", objects),
	}
	if len(r.revoke) <= maxObjects {
		d.Detail = strings.Join(r.revoke, "; ") + "; or "
	}
	d.Detail += "use an account that can only read: " + strings.Join(s.readerStatements(), "; ")
	return d
}

// accountName writes name@host, as the server gives it, as an account.
func accountName(user string) string {
	name, host := user, "%"
	if at := strings.LastIndexByte(user, '@'); at >= 0 {
		name, host = user[:at], user[at+1:]
	}
	return literal(name) + "@" + literal(host)
}

// reader is the account that can only read.
const reader = "'loam_reader'@'%'"

// readerStatements create an account that can read the connection's databases
// and nothing else.
func (s *Session) readerStatements() []string { return newReader(s.databases()...) }

// newReader creates an account that can read databases, whose names are as GRANT has them.
func newReader(databases ...string) []string {
	return append([]string{fmt.Sprintf("CREATE USER %s IDENTIFIED BY '<choose one>'", reader)}, readGrants(reader, databases)...)
}

// grantStatements give an account the right to read the connection's databases.
func (s *Session) grantStatements(account string) []string { return readGrants(account, s.databases()) }

// databases are those of the connection as GRANT has them.
func (s *Session) databases() []string {
	escape := strings.NewReplacer("_", `\_`, "%", `\%`)
	var names []string
	for _, schema := range s.cfg.schemas() {
		names = append(names, quote(escape.Replace(schema)))
	}
	return names
}

// readGrants give an account the right to read whole databases, also what will be created
// there later.
func readGrants(account string, databases []string) []string {
	var statements []string
	for _, database := range databases {
		statements = append(statements, fmt.Sprintf("GRANT SELECT, SHOW VIEW ON %s.* TO %s", database, account))
	}
	return statements
}
