package corpus

import (
	"embed"
	"strings"

	"github.com/loam-data/loam/sdk/dialect"
)

//go:embed testdata/ordinary
var ordinary embed.FS

// Ordinary returns what analysts and agents write for an engine: statements that
// only read, none of which the guard may refuse. Those of shared.sql are in
// every list; an unknown family has no others. The tables are customers, orders,
// items, products, employees and what the engine's own file names besides;
// OrdinarySetup makes them.
func Ordinary(d *dialect.Dialect) []string {
	statements := statementsOf("shared")
	if _, known := families[d.Name]; known {
		statements = append(statements, statementsOf(d.Name)...)
	}
	return statements
}

// OrdinarySetup returns the statements that make the tables of Ordinary in an empty
// database, for an account that may write; none for an unknown family.
func OrdinarySetup(d *dialect.Dialect) []string {
	return statementsOf("setup/" + d.Name)
}

// statementsOf reads a file of statements, each of which ends with a semicolon at
// the end of a line.
func statementsOf(name string) []string {
	text, err := ordinary.ReadFile("testdata/ordinary/" + name + ".sql")
	if err != nil {
		return nil
	}
	var statements []string
	for statement := range strings.SplitSeq(string(text), ";\n") {
		if statement = strings.TrimSpace(statement); statement != "" {
			statements = append(statements, statement)
		}
	}
	return statements
}
