package conform

import (
	"fmt"
	"slices"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/conform/corpus"
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/readonly"
)

// Corpus returns the attack corpus for a server of a dialect and version.
// Attacks that name a file write to tmp, a path in an empty folder that
// Fixture.Reread lists; those that connect to the server themselves use dsn.
func Corpus(d *dialect.Dialect, version, tmp, dsn string) []Attack {
	var attacks []Attack
	for _, c := range corpus.For(d) {
		if since := (&dialect.Dialect{MinVersion: c.MinVersion}); !since.Matches("", version) {
			continue
		}
		c.SQL = c.Statement(tmp, dsn)
		attacks = append(attacks, c)
	}
	return attacks
}

// Unsaid returns the harmless statements that Corpus leaves out because the dialect has
// no words for them.
func Unsaid(d *dialect.Dialect) []string { return corpus.Unsaid(d) }

// guardChecks test the host's guard, which knows the engine by its dialect alone, with
// what the author knows of the engine.
func guardChecks() []check {
	return []check{
		{"attacks", guardAttacks},
		{"harmless", guardHarmless},
		{"statements", guardStatements},
	}
}

func guardAttacks(p *probe) {
	if !slices.ContainsFunc(p.run.target.Attacks, func(a Attack) bool { return a.Guard }) {
		p.skipf("no attack in Target.Attacks is marked as one for the guard")
	}
	for _, d := range p.guarding() {
		for _, a := range p.run.target.Attacks {
			if !a.Guard {
				continue
			}
			err := readonly.Check(a.SQL, d)
			if kind := sdk.KindOf(err); kind != sdk.KindNotReadOnly && kind != sdk.KindSyntax {
				p.note(Finding{Text: fmt.Sprintf("the guard lets %q through: %s", a.Name, firstLine(a.SQL)), Statement: a.SQL})
			}
		}
	}
}

// guarding are the dialects that the guard judges by: that of the server, or without a
// server the first, for which Corpus made the attacks.
func (p *probe) guarding() []*dialect.Dialect {
	if !p.run.target.Offline {
		return []*dialect.Dialect{p.dialectOfServer()}
	}
	p.subject()
	if len(p.run.description.Dialects) == 0 {
		p.skipf("the connector has no dialect")
	}
	return []*dialect.Dialect{&p.run.description.Dialects[0]}
}

func guardHarmless(p *probe) {
	for _, a := range p.run.target.Attacks {
		if a.Harmless {
			p.wantReadable(a.Name, a.SQL)
		}
	}
}

// guardStatements: what the other checks run must be what a user can run.
func guardStatements(p *probe) {
	for _, c := range p.run.target.Cases {
		if c.Error == nil {
			p.wantReadable(c.Name, c.SQL)
		}
	}
	p.wantReadable("RowsSQL", p.rowsSQL(1))
	p.wantReadable("TextSQL", p.textSQL(1))
	p.require(p.run.target.SlowSQL != "", "SlowSQL")
	p.wantReadable("SlowSQL", p.run.target.SlowSQL)
	if p.run.target.SessionSQL != "" {
		p.wantReadable("SessionSQL", p.run.target.SessionSQL)
	}
}

func (p *probe) wantReadable(name, sql string) {
	for _, d := range p.guarding() {
		if err := readonly.Check(sql, d); err != nil {
			p.note(Finding{Text: fmt.Sprintf("the guard refuses %q: %v", name, err), Statement: sql})
		}
	}
}
