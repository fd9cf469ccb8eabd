package conform

import (
	"context"
	"strings"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/conform/corpus"
)

// Hidden is a statement that names objects through which it can write, or a harmless look-alike.
type Hidden = corpus.Hidden

// Reach tests that a connector refuses writes behind views and functions: the fixture has objects
// that write outside a read-only transaction, and Statements name them. corpus.Reach has both for
// known engines.
type Reach struct {
	Statements []Hidden
	// Tables are the objects among them that a profile can name, because a scan profiles all
	// tables.
	Tables []sdk.TableRef
	// Reread is like Fixture.Reread for everything that the hidden writes could change, including
	// other servers and files.
	Reread func(context.Context) (string, error)
}

// reachChecks execute, explain and validate every statement as each account, and compare the data
// before and after.
func reachChecks(t *Target) []check {
	checks := []check{{"statements", func(p *probe) {
		p.require(p.run.target.Reach != nil, "Reach")
		p.require(p.run.target.Reach.Reread != nil, "Reach.Reread")
		harmless := 0
		for _, h := range p.run.target.Reach.Statements {
			if h.Harmless {
				harmless++
			}
		}
		p.require(harmless < len(p.run.target.Reach.Statements), "Reach.Statements")
		p.require(harmless > 0, "Reach.Statements (the harmless ones)")
		p.remark("%d hidden writes, %d harmless statements", len(p.run.target.Reach.Statements)-harmless, harmless)
	}}}
	for _, what := range corpus.Behind() {
		checks = append(checks, check{"covers_" + what, func(p *probe) { p.coversHidden(what) }})
	}
	if t.Reach == nil {
		return checks
	}
	last := &lastSeen{look: (*probe).rereadReach}
	for _, h := range t.Reach.Statements {
		if h.Harmless {
			checks = append(checks, check{h.Name, func(p *probe) { p.reads(h) }})
		} else {
			checks = append(checks, check{h.Name, func(p *probe) { p.withholds(h, last) }})
		}
	}
	for _, table := range t.Reach.Tables {
		checks = append(checks, check{"profile_" + table.Name, func(p *probe) { p.profilesNothing(table, last) }})
	}
	return checks
}

// coversHidden checks that Reach has a statement with a write behind this kind of object.
func (p *probe) coversHidden(what string) {
	p.require(p.run.target.Reach != nil, "Reach")
	for _, h := range p.run.target.Reach.Statements {
		if h.Behind == what && !h.Harmless {
			return
		}
	}
	p.errorf("no statement of Target.Reach reaches a write behind a %s: add one, or name reach/covers_%s in Target.Skips with the reason", what, what)
}

// reads checks that a harmless statement runs, for every account.
func (p *probe) reads(h Hidden) {
	for _, session := range p.narrowSessions() {
		p.queryOn(session, h.SQL, sdk.Limits{MaxRows: 1000})
	}
}

// withholds checks that a statement changes nothing when executed, explained or validated.
func (p *probe) withholds(h Hidden, last *lastSeen) {
	for _, session := range p.narrowSessions() {
		p.unreached(session, last, "run", h.Path, func(ctx context.Context) error {
			_, err := p.execute(ctx, session, sdk.ExecuteRequest{SQL: h.SQL, Limits: sdk.Limits{MaxRows: 1000, Timeout: attackTime}})
			return err
		})
		if explainer, ok := session.(sdk.Explainer); ok && p.run.description.Capabilities.Explain {
			p.unreached(session, last, "explained", nil, func(ctx context.Context) error {
				_, err := explainer.Explain(ctx, sdk.ExplainRequest{SQL: h.SQL, Timeout: attackTime})
				return err
			})
		}
		if validator, ok := session.(sdk.Validator); ok && p.run.description.Capabilities.Validate {
			p.unreached(session, last, "validated", nil, func(ctx context.Context) error {
				_, err := validator.Validate(ctx, sdk.ValidateRequest{SQL: h.SQL, Timeout: attackTime})
				return err
			})
		}
	}
}

// profilesNothing checks that profiling a table that hides a write changes nothing.
func (p *probe) profilesNothing(table sdk.TableRef, last *lastSeen) {
	for _, session := range p.narrowSessions() {
		profiler, ok := session.(sdk.Profiler)
		if !ok || !p.run.description.Capabilities.Profile {
			p.undeclared("the connector makes no profiles")
		}
		p.unreached(session, last, "profiled", nil, func(ctx context.Context) error {
			return profiler.Profile(ctx, sdk.ProfileRequest{Table: table, Limits: sdk.Limits{Timeout: attackTime}}, &profileCollector{p: p})
		})
	}
}

// unreached makes a call and checks that it changed nothing. With a path, the call must be refused,
// and the message must contain the path.
func (p *probe) unreached(session sdk.Session, last *lastSeen, how string, path []string, call func(context.Context) error) {
	before, settings := last.before(p, session)
	user := session.Server().CurrentUser
	p.within(attackTime+p.run.pace.Settle, "the statement", func() {
		ctx, cancel := context.WithTimeout(p.ctx, attackTime)
		defer cancel()
		err := call(ctx)
		switch kind := p.kind(err); {
		case kind == sdk.KindInternal:
			p.errorf("%s as %q: the refusal is an internal error: %v", how, user, err)
		case path != nil && p.want(how+" as "+user, err, sdk.KindNotReadOnly).Kind == sdk.KindNotReadOnly:
			p.wantPath(sdk.AsError(err, sdk.SourceConnector), path)
		case kind == "":
			p.remark("%s as %q by the engine, without effect", how, user)
		}
	})
	after := p.rereadReach()
	if after != before {
		p.errorf("%s as %q, the statement changed data:\nbefore %s\nafter  %s", how, user, before, after)
	}
	last.after(session, after, p.wantSettings(settings, session))
}

// wantPath checks that the refusal contains the parts of a path in order, and that its hint names a
// configuration key.
func (p *probe) wantPath(e *sdk.Error, path []string) {
	rest := e.Msg
	for _, part := range path {
		_, after, found := strings.Cut(rest, part)
		if !found {
			p.errorf("the refusal does not show the path %v: %s", path, e.Msg)
			return
		}
		rest = after
	}
	if !strings.Contains(e.Hint, ": [") {
		p.errorf("the hint names no key of the connection with its value: %q", e.Hint)
	}
}

// rereadReach returns a fingerprint of what the hidden writes could change, read without the connector.
func (p *probe) rereadReach() string {
	p.require(p.run.target.Reach != nil && p.run.target.Reach.Reread != nil, "Reach.Reread")
	fingerprint, err := p.run.target.Reach.Reread(p.ctx)
	if err != nil {
		p.fatalf("Reach.Reread: %v", err)
	}
	return fingerprint
}
