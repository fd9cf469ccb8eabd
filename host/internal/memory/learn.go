package memory

import (
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/chunk"
)

// fileActor is by whom the changes of a file are: the file.
func fileActor(name string, by change.Actor) change.Actor {
	return change.Actor{Channel: change.Files, Client: name, User: by.User, Principal: by.Principal}
}

// LearnFile proposes changes from a file, which all wait for a person. The file's text is not copied to a page; a
// change of a page is proposed only where the file contradicts it. Pending changes from an earlier revision of the file
// are updated, and closed where the file no longer states them.
// Shape: an unchanged file has no effect.
// Errors: KindDenied, KindNotFound (connection), KindConflict with Retry, KindTimeout; those of the store.
func (s *Service) LearnFile(ctx context.Context, f chunk.Lesson) (out chunk.Taught, err error) {
	actor := fileActor(f.Name, f.By)
	p, err := s.policy(ctx)
	if err != nil {
		return out, err
	}
	if err := p.admits(actor); err != nil {
		return out, err
	}
	probes := f.Probes
	j := &job{service: s, text: f.Text, connection: f.Connection, source: f.Name, actor: actor, at: s.Now().UTC(), probes: &probes}
	work := func(ctx context.Context) error {
		proposals, asked, err := j.lessons(ctx)
		if err != nil {
			return err
		}
		unsaid, err := s.unsaid(ctx, actor, f.Text, asked)
		if err != nil {
			return err
		}
		r, err := s.revise(ctx, actor, append(proposals, unsaid...), f.Changes)
		if err != nil {
			return err
		}
		out = chunk.Taught{Probes: f.Probes - max(probes, 0), Left: r.left}
		if out.Pending, out.Conflicts, err = r.apply(ctx, f.DryRun); err == nil {
			s.step("learned")
		}
		return err
	}
	if f.DryRun {
		return out, work(ctx)
	}
	if j.state, err = s.Store.Get(ctx); err != nil {
		return out, unavailable(err)
	}
	return out, s.alone(ctx, work)
}

// lessons are the changes that a file would make, stamped and with why they wait, and the sentences that it leaves open.
func (j *job) lessons(ctx context.Context) (all []change.Proposal, asked []string, err error) {
	plan, err := j.plan(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, q := range plan.Questions {
		asked = append(asked, q.Quote)
	}
	for _, p := range plan.Changes {
		teaches, err := j.teaches(&p)
		if err != nil {
			return nil, nil, err
		}
		if !teaches {
			continue
		}
		p.Why = j.policy.waits(j.actor, &p)
		if len(p.Why) == 0 { // whatever the policy says of agents
			p.Why = []string{change.WhyPolicy}
		}
		j.stamp(&p)
		all = append(all, p)
	}
	return all, asked, nil
}

// teaches reports whether a proposal is more than the text of the file as a page.
func (j *job) teaches(p *change.Proposal) (bool, error) {
	switch p.Kind {
	case change.Page:
		return slices.Contains(p.Why, change.WhyConflict), nil
	case change.Alias:
		content, err := j.service.Engine.Read(p.Path)
		return content != nil, err
	}
	return true, nil
}

// revision is what a new revision of a file does to what waits from it.
type revision struct {
	service *Service
	actor   change.Actor
	fresh   []change.Proposal
	changed []renewal
	over    []change.ID
	left    int
}

// renewal is a waiting change with what it proposes now.
type renewal struct {
	change.Change
	now change.Proposal
}

// revise compares proposals with what waits from the actor. most bounds the new and changed ones.
func (s *Service) revise(ctx context.Context, actor change.Actor, proposals []change.Proposal, most int) (*revision, error) {
	waiting, err := s.waitingOf(ctx, actor)
	if err != nil {
		return nil, err
	}
	r := &revision{service: s, actor: actor}
	var open []*change.Proposal // those that no waiting change says already
	for i := range proposals {
		p := &proposals[i]
		at := slices.IndexFunc(waiting, func(c change.Change) bool { return c.Signature() == p.Signature() })
		if at < 0 {
			open = append(open, p)
			continue
		}
		waiting = slices.Delete(waiting, at, at+1)
	}
	for _, p := range open {
		said, err := s.said(ctx, p)
		if err != nil {
			return nil, err
		}
		if said { // by somebody else
			continue
		}
		if len(r.fresh)+len(r.changed) >= most {
			r.left++
			continue
		}
		at := slices.IndexFunc(waiting, func(c change.Change) bool {
			return c.Kind == p.Kind && c.Connection == p.Connection && c.Target == p.Target && c.Path == p.Path
		})
		if at < 0 {
			r.fresh = append(r.fresh, *p)
			continue
		}
		r.changed = append(r.changed, renewal{waiting[at], *p})
		waiting = slices.Delete(waiting, at, at+1)
	}
	for _, c := range waiting {
		r.over = append(r.over, c.ID)
	}
	return r, nil
}

// waitingOf returns the pending changes of an actor.
func (s *Service) waitingOf(ctx context.Context, actor change.Actor) ([]change.Change, error) {
	list, err := s.Engine.List(ctx, change.Filter{States: []change.State{change.Pending}, By: actor.Name()})
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(list.Changes, func(c change.Change) bool { return c.By.Channel != actor.Channel }), nil
}

// said reports whether a pending or applied change says what a proposal says.
func (s *Service) said(ctx context.Context, p *change.Proposal) (bool, error) {
	list, err := s.Engine.List(ctx, change.Filter{
		States: []change.State{change.Pending, change.Applied, change.Draft}, Kind: p.Kind, Connection: p.Connection, Target: p.Target,
	})
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(list.Changes, func(c change.Change) bool { return c.Signature() == p.Signature() }), nil
}

// apply stores the revision. What is new comes last, so that an interrupted one is repeated whole.
func (r *revision) apply(ctx context.Context, dryRun bool) (pending, conflicts int, err error) {
	count := func(p *change.Proposal) {
		pending++
		if slices.Contains(p.Why, change.WhyConflict) {
			conflicts++
		}
	}
	engine := r.service.Engine
	if len(r.over) > 0 && !dryRun {
		if err := engine.Supersede(ctx, r.over, r.actor, "the file says it no more"); err != nil {
			return 0, 0, err
		}
	}
	for i := range r.changed {
		e := &r.changed[i]
		if !dryRun {
			if _, err := engine.Edit(ctx, e.ID, e.now, change.Decision{By: r.actor, Version: e.Version, Note: "the file has a newer revision"}); err != nil {
				return pending, conflicts, err
			}
		}
		count(&e.now)
	}
	if dryRun {
		for i := range r.fresh {
			count(&r.fresh[i])
		}
		return pending, conflicts, nil
	}
	if len(r.fresh) == 0 {
		return pending, conflicts, nil
	}
	stored, err := engine.Propose(ctx, change.Origin{By: r.actor}, r.fresh)
	if err != nil {
		return pending, conflicts, err
	}
	for i := range stored {
		if stored[i].Same == "" {
			count(&stored[i].Change.Proposal)
		}
	}
	return pending, conflicts, nil
}

// unsaid proposes to take back what a person approved from a file, where neither its text nor another file says it any more;
// now = "": the file is gone. Of what was approved without a quote that is not known. asked are the sentences of the text that
// rules cannot read.
func (s *Service) unsaid(ctx context.Context, actor change.Actor, now string, asked []string) (all []change.Proposal, err error) {
	list, err := s.Engine.List(ctx, change.Filter{States: []change.State{change.Applied}, By: actor.Name()})
	if err != nil {
		return nil, err
	}
	now = strings.Join(strings.Fields(now), " ")
	for i := range list.Changes {
		c := &list.Changes[i]
		quote := strings.TrimSuffix(strings.Join(strings.Fields(c.Quote), " "), "…")
		if c.By.Channel != actor.Channel || c.Undoes != "" || slices.Contains(c.Why, change.WhyStale) || now != "" && (strings.Contains(now, quote) || extended(now, quote, asked)) {
			continue
		}
		if s.Texts != nil && quote != "" {
			said, err := s.Texts.Says(ctx, quote, actor.Client)
			if err != nil {
				return nil, err
			}
			if said {
				continue
			}
		}
		all = append(all, c.Undoing(change.WhyStale, actor.Client+" says it no more"))
	}
	return all, nil
}

// extended reports whether a text has a sentence that begins with a quote and goes on. What it says now is an update, unless
// rules cannot read it.
func extended(text, quote string, asked []string) bool {
	begin := strings.TrimRight(quote, ".;:!")
	for from := 0; begin != ""; {
		at := strings.Index(text[from:], begin)
		if at < 0 {
			return false
		}
		from += at + len(begin)
		next, _ := utf8.DecodeRuneInString(text[from:])
		if !unicode.IsLetter(next) && !unicode.IsDigit(next) && next != '_' {
			return !slices.ContainsFunc(asked, func(q string) bool { return strings.HasPrefix(q, begin) })
		}
	}
	return false
}

// ForgetFile closes pending changes from a file that is gone or has changed, and proposes to revert the approved ones.
// Errors: KindConflict with Retry; those of the store.
func (s *Service) ForgetFile(ctx context.Context, name string, by change.Actor) error {
	if !s.began() {
		return nil
	}
	actor := fileActor(name, by)
	return s.alone(ctx, func(ctx context.Context) error {
		unsaid, err := s.unsaid(ctx, actor, "", nil)
		if err != nil {
			return err
		}
		r, err := s.revise(ctx, actor, unsaid, len(unsaid))
		if err != nil {
			return err
		}
		_, _, err = r.apply(ctx, false)
		return err
	})
}
