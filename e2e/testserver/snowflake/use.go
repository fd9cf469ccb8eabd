package snowflake

import (
	"context"
	"math/big"
	"slices"
	"strings"
)

func whole(n int64) cell { return big.NewInt(n) }

// status is the result of a statement that returns only that it ran.
func status(message string) *result {
	return &result{columns: []column{{Name: "status", sqlType: sqlType{name: "text"}}}, rows: [][]cell{{message}}, plain: true}
}

const executed = "Statement executed successfully."

// use runs USE [ROLE | WAREHOUSE | DATABASE | SCHEMA | SECONDARY ROLES] name.
func (s *Server) use(x *statement, tokens []token) error {
	x.typeID = typeUse
	x.result = status(executed)
	kind, rest := "", tokens[1:]
	for _, known := range []string{"ROLE", "WAREHOUSE", "DATABASE", "SCHEMA", "SECONDARY"} {
		if len(rest) > 1 && rest[0].is(known) {
			kind, rest = known, rest[1:]
			break
		}
	}
	if kind == "SECONDARY" {
		if len(rest) != 2 || !rest[0].is("ROLES") || !rest[1].is("NONE", "ALL") {
			return refused("USE SECONDARY ROLES of names")
		}
	} else if len(rest)%2 == 0 || len(rest) > 3 || !rest[0].name() {
		return syntaxError(x.sql, tokens[len(tokens)-1].at, tokens[len(tokens)-1].text)
	}
	name := rest[len(rest)-1].text
	switch kind {
	case "WAREHOUSE":
		x.typeID = typeUse + 3
	case "DATABASE":
		x.typeID = typeUse + 1
	case "SCHEMA":
		x.typeID = typeUse + 2
	}
	if x.describe {
		return nil
	}
	return s.apply(x.session, x.view, kind, rest, name)
}

// apply changes what a session uses; view is the session as the statement saw it.
func (s *Server) apply(session, view *session, kind string, rest []token, name string) error {
	absent := fail("002043", "02000", "SQL compilation error:\nObject does not exist, or operation cannot be performed.")
	database, schema := view.database, ""
	switch {
	case len(rest) == 3:
		database, schema = rest[0].text, name
	case kind == "SCHEMA":
		schema = name
	case kind == "" || kind == "DATABASE":
		database = name
	}
	if (kind == "" || kind == "DATABASE" || kind == "SCHEMA") && (database == "" || !s.exists(database, "") || schema != "" && !view.sees(database, schema)) {
		return absent
	}
	if schema == "" && s.exists(database, DefaultSchema) {
		schema = DefaultSchema
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch kind {
	case "ROLE":
		if !slices.Contains(session.user.Roles, name) {
			return fail("003013", "42501", "SQL access control error:\nRequested role '%s' is not assigned to the executing user. Specify another role to activate.", name)
		}
		session.role = name
	case "WAREHOUSE":
		if s.warehouses[name] == nil {
			return absent
		}
		session.warehouse = name
	case "SECONDARY":
		session.secondaryNone = rest[1].is("NONE")
	default:
		session.database, session.schema = database, schema
	}
	return nil
}

// alterSession runs ALTER SESSION SET name = value ….
func (s *Server) alterSession(x *statement, tokens []token) error {
	x.typeID = typeAlter
	x.result = status(executed)
	if len(tokens) < 4 || !tokens[1].is("SESSION") || !tokens[2].is("SET", "UNSET") {
		return syntaxError(x.sql, tokens[0].at, tokens[0].text)
	}
	set := tokens[2].is("SET")
	for rest := tokens[3:]; len(rest) > 0; {
		if rest[0].is(",") {
			rest = rest[1:]
			continue
		}
		name := rest[0].text
		if _, known := defaults[name]; !known {
			return fail("001420", "22023", "SQL compilation error:\ninvalid parameter '%s'", name)
		}
		if set && (len(rest) < 3 || !rest[1].is("=")) {
			return syntaxError(x.sql, rest[0].at, rest[0].text)
		}
		value, used := defaults[name], 1
		if set {
			value, used = strings.TrimSpace(rest[2].text), 3
		}
		if !x.describe {
			if failed := x.session.assign(name, value); failed != nil {
				return failed
			}
			x.result.changed = append(x.result.changed, name)
		}
		rest = rest[used:]
	}
	return nil
}

// assign sets a parameter of a session that statements use.
func (x *session) assign(name string, value any) *failure {
	text, _ := value.(string)
	if name == "TIMEZONE" && x.server.unknownZone(text) {
		return fail("001007", "22023", "SQL compilation error:\ninvalid value ['%s'] for parameter 'TIMEZONE'", text)
	}
	if slices.Contains([]string{"TRUE", "FALSE"}, text) {
		text = strings.ToLower(text)
	}
	x.server.mu.Lock()
	defer x.server.mu.Unlock()
	if only := fixed[name]; only != "" && !strings.EqualFold(only, text) {
		return refused("the value %s of the parameter %s", text, name)
	}
	x.parameters[name] = text
	return nil
}

// warehouseFor has a statement that reads tables wait for its warehouse.
func (s *Server) warehouseFor(ctx context.Context, x *statement, p *printed) error {
	if !slices.ContainsFunc(p.parts, func(a part) bool { return a.token.is("FROM") }) {
		return nil
	}
	s.mu.Lock()
	w := s.warehouses[x.view.warehouse]
	var resumed chan struct{}
	var failed *failure
	switch {
	case w == nil:
		failed = fail("000606", "57P03", "No active warehouse selected in the current session.  Select an active warehouse with the 'use warehouse' command.")
	case w.quota:
		failed = fail("090073", "22000", "Warehouse '%s' cannot be resumed because resource monitor 'FIXTURE' has exceeded its quota.", x.view.warehouse)
	case w.state == Suspended && !w.autoResume:
		failed = fail("000606", "57P03", "No active warehouse selected in the current session.  Select an active warehouse with the 'use warehouse' command.")
	case w.state == Suspended:
		w.state = Started
	case w.state == Resuming:
		resumed, x.waiting = w.resumed, true
	}
	s.mu.Unlock()
	if failed != nil {
		return failed
	}
	if resumed == nil {
		return nil
	}
	select {
	case <-resumed:
	case <-ctx.Done():
		return ctx.Err()
	}
	s.mu.Lock()
	x.waiting = false
	s.mu.Unlock()
	return nil
}
