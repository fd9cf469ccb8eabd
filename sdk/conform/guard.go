package conform

import (
	"fmt"
	"slices"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/conform/corpus"
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/readonly"
)

// Corpus returns the attack corpus for a server with this dialect and version.
// tmp is the path that attacks on files write to: a name in an empty folder that
// Fixture.Reread must list. dsn is the server's address, for attacks that make the
// server connect to itself; it may be "".
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

// Unsaid returns the names of the harmless statements that Corpus leaves out because the dialect
// cannot express them, see Target.Unsaid.
func Unsaid(d *dialect.Dialect) []string { return corpus.Unsaid(d) }

// guardChecks test the host's guard, which knows the engine only by its dialect, against the
// author's attacks and statements.
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

// guarding returns the dialect that the guard uses: that of the server, or without a server the
// first of the connector, for which Corpus made the attacks.
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

// guardStatements: the guard must accept the statements that other checks run.
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
