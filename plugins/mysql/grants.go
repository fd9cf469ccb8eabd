package mysql

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// grants are what an account may do, with the roles that are active.
type grants struct {
	list []grant
	// revoked are the schemas that MySQL's partial revokes take SELECT away from.
	revoked []string
	proxies []string // accounts that it may act as, and who may
}

// grant is a line of SHOW GRANTS.
type grant struct {
	privileges []string // upper case; those for single columns among them
	schema     string   // a pattern as LIKE has it; "*" = every one
	table      string   // "*" = every one
	routine    string   // FUNCTION, PROCEDURE, …; "" = no routine
	option     bool     // may be passed on
	grantee    string   // the account or a role of it, as the server writes it
}

// grants asks what the account may do.
func (r *reading) grants() (*grants, error) {
	g := &grants{}
	read := func(row sqlkit.Row) error {
		g.add(row.Text(0))
		return nil
	}
	if r.Conn.server.mariaDB {
		return g, r.query("SHOW GRANTS", read) // those of the role among them
	}
	var roles string
	err := r.query("SELECT CURRENT_ROLE()", func(row sqlkit.Row) error {
		roles = row.Text(0)
		return nil
	})
	if err != nil {
		return nil, err
	}
	show := "SHOW GRANTS"
	if roles != "" && roles != "NONE" {
		show += " FOR CURRENT_USER() USING " + roles
	}
	return g, r.query(show, read)
}

// lexis reads what SHOW GRANTS writes.
var lexis = &dialect.Dialect{Lexis: dialectLexis()}

// words are a line of SHOW GRANTS on its way to be understood.
type words struct {
	line   string
	tokens []dialect.Token
}

func (w *words) is(word string) bool {
	return len(w.tokens) > 0 && (w.tokens[0].IsWord(w.line, word) || w.tokens[0].Is(w.line, word))
}

func (w *words) next() string {
	if len(w.tokens) == 0 {
		return ""
	}
	t := w.tokens[0]
	w.tokens = w.tokens[1:]
	return lexis.Unquote(w.line, t)
}

// until returns the text before one of the words.
func (w *words) until(stop ...string) string {
	if len(w.tokens) == 0 {
		return ""
	}
	start, end := w.tokens[0].Start, w.tokens[0].Start
	for len(w.tokens) > 0 && !slices.ContainsFunc(stop, w.is) {
		end = w.tokens[0].End
		w.tokens = w.tokens[1:]
	}
	return w.line[start:end]
}

// add reads a line. One that grants a role, and one that is none, add nothing.
func (g *grants) add(line string) {
	// A line that cannot be read has been cut before what cannot: its rights count.
	tokens, _ := lexis.Tokens(line, nil)
	w := &words{line, tokens}
	verb := w.next()
	if verb != "GRANT" && verb != "REVOKE" {
		return
	}
	var found grant
	var privilege []string
	for len(w.tokens) > 0 && !w.is("ON") && !w.is("TO") {
		switch {
		case w.is("("):
			for len(w.tokens) > 0 && w.next() != ")" {
			}
		case w.is(","):
			w.next()
			found.privileges, privilege = append(found.privileges, strings.ToUpper(strings.Join(privilege, " "))), nil
		default:
			privilege = append(privilege, w.next())
		}
	}
	found.privileges = append(found.privileges, strings.ToUpper(strings.Join(privilege, " ")))
	if w.next() != "ON" {
		return // a role: its own lines follow
	}
	if found.privileges[0] == "PROXY" {
		object := w.until("TO")
		w.next()
		g.proxies = append(g.proxies, object+" FROM "+w.until("WITH"))
		return
	}
	for w.is("TABLE") || w.is("FUNCTION") || w.is("PROCEDURE") || w.is("PACKAGE") || w.is("BODY") || w.is("LIBRARY") {
		if word := w.next(); word != "TABLE" {
			found.routine = strings.TrimSpace(found.routine + " " + word)
		}
	}
	found.schema = w.next()
	w.next() // .
	found.table = w.next()
	w.next() // TO or FROM
	found.grantee = w.until("WITH", "IDENTIFIED", "REQUIRE")
	for len(w.tokens) > 0 {
		if w.next() == "WITH" && w.is("GRANT") {
			found.option = true
		}
	}
	if verb == "REVOKE" {
		if slices.Contains(found.privileges, "SELECT") {
			g.revoked = append(g.revoked, found.schema)
		}
		return
	}
	g.list = append(g.list, found)
}

func (g *grant) has(privilege string) bool {
	return slices.Contains(g.privileges, privilege) || slices.Contains(g.privileges, "ALL PRIVILEGES")
}

// reads reports whether the account may read a table, or columns of it.
func (g *grants) reads(schema, table string) bool {
	return slices.ContainsFunc(g.list, func(found grant) bool {
		if found.routine != "" || !found.has("SELECT") {
			return false
		}
		if found.schema == "*" {
			return !slices.Contains(g.revoked, schema)
		}
		if found.table != "*" { // no pattern then
			return strings.EqualFold(found.schema, schema) && strings.EqualFold(found.table, table)
		}
		return like(strings.ToLower(found.schema), strings.ToLower(schema))
	})
}

// like matches as LIKE does, with a backslash for escapes.
func like(pattern, s string) bool {
	for pattern != "" {
		c := pattern[0]
		pattern = pattern[1:]
		switch {
		case c == '%':
			for i := range len(s) + 1 {
				if like(pattern, s[i:]) {
					return true
				}
			}
			return false
		case c == '\\' && pattern != "":
			c, pattern = pattern[0], pattern[1:]
		case c == '_' && s != "":
			c = s[0]
		}
		if s == "" || s[0] != c {
			return false
		}
		s = s[1:]
	}
	return s == ""
}

// overrides reports whether the account may write to a server that is read_only.
func (g *grants) overrides() bool {
	return slices.ContainsFunc(g.list, func(found grant) bool {
		return found.schema == "*" && slices.ContainsFunc(
			[]string{"SUPER", "READ_ONLY ADMIN", "READ ONLY ADMIN", "CONNECTION_ADMIN"}, found.has)
	})
}
