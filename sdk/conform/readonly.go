package conform

import (
	"context"
	"strings"
	"time"

	"github.com/loam-data/loam/sdk"
)

// attackTime bounds an attack that the engine runs.
const attackTime = 10 * time.Second

// readOnlyChecks run every attack without the host's guard: the connector and the engine must
// prevent any change by themselves.
func readOnlyChecks(t *Target) []check {
	checks := []check{{"attacks", func(p *probe) {
		harmful := 0
		for _, a := range p.run.target.Attacks {
			if !a.Harmless {
				harmful++
			}
		}
		p.require(harmful > 0, "Attacks")
		p.require(harmful < len(p.run.target.Attacks), "Attacks (the harmless ones)")
		p.remark("%d attacks, %d harmless statements", harmful, len(p.run.target.Attacks)-harmful)
	}}}
	last := &lastSeen{look: (*probe).reread}
	for _, a := range t.onServer() {
		checks = append(checks, check{a.Name, func(p *probe) {
			for _, session := range p.narrowSessions() {
				if a.Harmless {
					p.queryOn(session, a.SQL, sdk.Limits{MaxRows: 1000})
				} else {
					p.withstand(a, session, last)
				}
			}
		}})
	}
	return append(checks, check{"still_reads", func(p *probe) {
		waiting := len(last.refused) > 0
		for _, session := range p.narrowSessions() {
			if waiting {
				before, settings := last.before(p, session)
				last.unchanged(p, before, settings, session)
			}
			p.wantRows("a statement after all attacks", p.queryOn(session, p.rowsSQL(10), sdk.Limits{}), 10)
		}
	}})
}

// refusedTogether is how many refused attacks share one look at data and settings, once as many looks found nothing. What one of
// them has changed is still changed behind the last, and a look takes longer than an attack.
const refusedTogether = 10

// lastSeen caches the state after one attack, which is the state before the next.
type lastSeen struct {
	look     func(*probe) string
	looked   bool
	data     string
	settings map[sdk.Session]any
	looks    int
	refused  []string // the attacks behind the last look
}

// before returns the state and clears the cache: an attack that ends early does not call after. While refused attacks wait for a
// look it stays, or what one of them changed would be taken for the state before the next.
func (l *lastSeen) before(p *probe, session sdk.Session) (data string, settings any) {
	data, settings = l.data, l.settings[session]
	if !l.looked {
		data = l.look(p)
	}
	if settings == nil {
		settings = p.settings(session)
	}
	if len(l.refused) > 0 {
		return data, settings
	}
	l.looked = false
	delete(l.settings, session)
	return data, settings
}

func (l *lastSeen) after(session sdk.Session, data string, settings any) {
	if l.settings == nil {
		l.settings = map[sdk.Session]any{}
	}
	l.looked, l.data, l.settings[session] = true, data, settings
}

// unchanged checks that data and settings are as they were before, and names the refused attacks that may have changed them.
func (l *lastSeen) unchanged(p *probe, before string, settings any, session sdk.Session) {
	defer func() {
		if len(l.refused) > 0 && p.failed() {
			p.errorf("since the last look these were refused: %s", strings.Join(l.refused, ", "))
		}
		l.looks, l.refused = l.looks+1, nil
	}()
	data, after := p.wantUnchanged(before, settings, session)
	l.after(session, data, after)
}

// withstand runs an attack, and compares data and settings before and after; after a refusal it may wait for the next attacks.
func (p *probe) withstand(a Attack, session sdk.Session, last *lastSeen) {
	before, settings := last.before(p, session)
	refused := false
	p.within(attackTime+p.run.pace.Settle, "the attack", func() {
		ctx, cancel := context.WithTimeout(p.ctx, attackTime)
		defer cancel()
		_, err := p.execute(ctx, session, sdk.ExecuteRequest{SQL: a.SQL, Limits: sdk.Limits{MaxRows: 1000, Timeout: attackTime}})
		user := session.Server().CurrentUser
		switch p.kind(err) {
		case sdk.KindNotReadOnly, sdk.KindSyntax, sdk.KindDenied:
			refused = true
		case "":
			p.remark("the engine ran it as %q, without effect", user)
		case sdk.KindInternal:
			p.errorf("the refusal as %q is an internal error: %v", user, err)
		case sdk.KindUnavailable:
			p.remark("the attack as %q cost the session its connection: %v", user, err)
		}
	})
	if refused && last.looks >= refusedTogether && len(last.refused) < refusedTogether {
		last.refused = append(last.refused, a.Name)
		last.after(session, before, settings)
		return
	}
	last.unchanged(p, before, settings, session)
}

// wantUnchanged checks that data and settings are unchanged, and returns the current ones.
func (p *probe) wantUnchanged(before string, settings any, session sdk.Session) (string, any) {
	after := p.reread()
	if after != before {
		p.errorf("the data changed, as %q:\nbefore %s\nafter  %s", session.Server().CurrentUser, before, after)
	}
	return after, p.wantSettings(settings, session)
}

func (p *probe) wantSettings(before any, session sdk.Session) any {
	after := p.settings(session)
	if diff := difference(before, after); diff != "" {
		p.errorf("the session's settings changed (-before +after):\n%s", diff)
	}
	return after
}

// reread returns a fingerprint of all data, read without the connector.
func (p *probe) reread() string {
	p.require(p.run.target.Fixture.Reread != nil, "Fixture.Reread")
	fingerprint, err := p.run.target.Fixture.Reread(p.ctx)
	if err != nil {
		p.fatalf("Fixture.Reread: %v", err)
	}
	return fingerprint
}

// settings returns the session's settings that a statement could change; nil without SessionSQL.
func (p *probe) settings(session sdk.Session) any {
	if p.run.target.SessionSQL == "" {
		return nil
	}
	a := p.queryOn(session, p.run.target.SessionSQL, sdk.Limits{})
	rows := make([][]any, len(a.rows))
	for i, row := range a.rows {
		rows[i] = literals(a.columns, row)
	}
	return rows
}
