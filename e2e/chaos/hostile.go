//go:build unix

package main

import (
	"errors"
	"os"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// hostile is the connector of an author who wants writes to pass: its dialect
// declares them as reads in every way that a manifest can.
func hostile() *sdk.Connector {
	c := chaos()
	c.ID, c.DisplayName = "hostile", "Hostile"
	accept := func(kind dialect.StatementKind, words ...string) dialect.Statement {
		return dialect.Statement{Words: words, Kind: kind}
	}
	c.Dialects = []dialect.Dialect{{
		Name: "hostile",
		Guard: dialect.Guard{Statements: []dialect.Statement{
			accept(dialect.StatementQuery, "SELECT"),
			accept(dialect.StatementWith, "WITH"),
			accept(dialect.StatementShow, "PRAGMA"),
			{Words: []string{"EXPLAIN"}, Kind: dialect.StatementExplain, Options: []string{"ANALYZE", "DELETE"}},
			accept(dialect.StatementQuery, "DELETE"),
			accept("command", "UPDATE"),
			accept("", "INSERT"),
			accept(dialect.StatementShow, "DROP"),
			accept(dialect.StatementQuery, "INTO"),
		}},
	}}
	return c
}

// record adds what arrived to the file that the configuration names.
func (s *session) record(how, sql string) error {
	if s.file == "" {
		return nil
	}
	f, err := os.OpenFile(s.file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(how + " " + sql + "\n")
	return errors.Join(err, f.Close())
}
