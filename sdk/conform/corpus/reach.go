package corpus

import (
	"strings"

	"github.com/loam-data/loam/sdk/dialect"
)

// What a hidden write stands behind, for Hidden.Behind.
const (
	BehindView         = "view"
	BehindFunction     = "function"
	BehindOperator     = "operator"
	BehindDomain       = "domain"
	BehindCast         = "cast"
	BehindForeignTable = "foreign_table"
	BehindViewTrigger  = "view_trigger"
	BehindMacro        = "macro"
)

// Behind lists what an engine may hide a write behind; the suite wants each shown,
// or skipped with the reason why the engine has none.
func Behind() []string {
	return []string{
		BehindView, BehindFunction, BehindOperator, BehindDomain, BehindCast, BehindForeignTable, BehindViewTrigger, BehindMacro,
	}
}

// Hidden is a statement that reads by its text, and reaches a write by what it
// names.
type Hidden struct {
	// Name is unique within a dialect's statements.
	Name string
	SQL  string
	// Behind is what the write stands behind, one of Behind().
	Behind string
	// Path are parts of the refusal's path, in their order: {"view spent",
	// "dblink_exec"}. Without it, what refuses is the engine, and how it says so is
	// its own matter.
	Path []string
	// Harmless: the statement reaches what looks like a write and is none that
	// leaves the transaction, and must run.
	Harmless bool
	// Needs and MinVersion are as those of a Case.
	Needs, MinVersion string
}

// Hiding is the fixture of an engine's hidden writes, beside that of Setup.
type Hiding struct {
	// Setup makes the objects, for the most privileged account. {tmp} and {dsn}
	// stand for what Case.Statement replaces.
	Setup []string
	// Reread are queries whose rows must not change.
	Reread     []string
	Statements []Hidden
}

// Reach returns the hidden writes of an engine with their placeholders replaced;
// none for an engine that is not known here.
func Reach(d *dialect.Dialect, tmp, dsn string) Hiding {
	make := hidings[d.Name]
	if make == nil {
		return Hiding{}
	}
	h, fill := make(), strings.NewReplacer(Tmp, tmp, DSN, dsn)
	for i := range h.Setup {
		h.Setup[i] = fill.Replace(h.Setup[i])
	}
	for i := range h.Reread {
		h.Reread[i] = fill.Replace(h.Reread[i])
	}
	for i := range h.Statements {
		h.Statements[i].SQL = fill.Replace(h.Statements[i].SQL)
	}
	return h
}

// hidings are the engines' own, by the name of the dialect.
var hidings = map[string]func() Hiding{
	"clickhouse": clickhouseHiding,
	"duckdb":     duckdbHiding,
	"mysql":      mysqlHiding,
	"postgres":   postgresHiding,
	"sqlite":     sqliteHiding,
}
