package memory

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/change/form"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

// The outcomes of a call that writes.
const (
	StatusApplied  = "applied"
	StatusQueued   = "queued"
	StatusRejected = "rejected_before"
	StatusNoChange = "no_change"
)

const (
	// namedCall begins the run of changes whose call named itself.
	namedCall = "call:"
	// maxClientID is the longest name of a call, in characters.
	maxClientID = 64
)

// Call is the actor and the connection of a call that writes.
type Call struct {
	Actor      change.Actor
	Connection string
	// ClientID identifies the call: a repeated id is a repeated call. "" = none.
	ClientID string
	// DryRun: say what would become of it, and store and write nothing.
	DryRun bool
}

// Suggested is the outcome of a call that proposes a change.
type Suggested struct {
	ChangeID *change.ID `json:"changeId,omitempty"`
	Status   string     `json:"status"`
	Reason   *string    `json:"reason,omitempty"`
	// Review is the next step of a person, "" = none.
	Review string `json:"review,omitempty"`
	// Repeated: the answer is that of an earlier call with the same id.
	Repeated bool `json:"repeated,omitempty"`
}

// submission is one call on its way to its change.
type submission struct {
	job  *job
	call Call
	view *view
	// run and digest identify a call that named itself.
	run, digest string
}

// submit has a call make its change under the lock of the memory. build returns the proposals, the one that the answer is
// about first; none = there is nothing to change.
// Errors: KindInvalid, KindDenied, KindNotFound (connection), KindRateLimited; KindConflict for a name that another call
// has; those of build.
func (s *Service) submit(ctx context.Context, tool string, c Call, arguments any, build func(context.Context, *submission) ([]change.Proposal, error)) (*Suggested, error) {
	p, err := s.policy(ctx)
	if err != nil {
		return nil, err
	}
	if err := p.admits(c.Actor); err != nil {
		return nil, err
	}
	if c.Connection != "" {
		all, err := s.Warehouses.Connections(ctx)
		if err != nil {
			return nil, err
		}
		if _, err := all.Get(connection.ID(c.Connection)); err != nil {
			return nil, err
		}
	}
	sub := &submission{job: &job{service: s, connection: c.Connection, actor: c.Actor, at: s.Now(), policy: p}, call: c}
	if err := sub.name(tool, arguments); err != nil {
		return nil, err
	}
	if err := s.rates.allow(c.Actor.Session, s.Now()); err != nil {
		return nil, err
	}
	if c.DryRun {
		return sub.would(ctx, build)
	}
	var out *Suggested
	err = s.alone(ctx, func(ctx context.Context) error {
		if out, err = sub.before(ctx); err != nil || out != nil {
			return err
		}
		if sub.view, err = sub.job.view(ctx); err != nil {
			return err
		}
		proposals, err := build(ctx, sub)
		if err != nil {
			return err
		}
		out, err = sub.propose(ctx, proposals)
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// would returns what would become of a call.
func (s *submission) would(ctx context.Context, build func(context.Context, *submission) ([]change.Proposal, error)) (*Suggested, error) {
	var err error
	if s.view, err = s.job.view(ctx); err != nil {
		return nil, err
	}
	proposals, err := build(ctx, s)
	if err != nil {
		return nil, err
	}
	out := nothing("this is there already")
	for _, p := range proposals {
		why := s.job.policy.waits(s.job.actor, &p)
		if out = nothing("nothing was written"); len(why) > 0 {
			out.Status = StatusQueued
			out.tell(strings.Join(why, ", "))
			break
		}
		out.Status = StatusApplied
	}
	return out, nil
}

// name notes the name that a call gave itself, and what it says.
func (s *submission) name(tool string, arguments any) error {
	id := s.call.ClientID
	if id == "" {
		return nil
	}
	if err := checkText("clientId", id, maxClientID); err != nil {
		return err
	}
	said, err := json.Marshal(arguments)
	if err != nil {
		return err
	}
	a := s.call.Actor
	s.run = namedCall + hex.EncodeToString(hashOf(tool, string(a.Channel), a.Principal, a.Client, a.User, id)[:16])
	s.digest = hex.EncodeToString(hashOf(s.call.Connection, string(said)))
	return nil
}

// before returns the answer of the call that had the same name; nil = there was none. What that call left unwritten,
// because its process ended or the disk was full, is written now.
// Errors: KindConflict when it said something else; those of change.Engine.Apply.
func (s *submission) before(ctx context.Context) (*Suggested, error) {
	if s.run == "" || !s.job.service.began() {
		return nil, nil
	}
	found, err := s.job.service.Engine.List(ctx, change.Filter{Run: s.run})
	if err != nil || len(found.Changes) == 0 {
		return nil, err
	}
	slices.SortFunc(found.Changes, func(a, b change.Change) int { return cmp.Compare(a.Seq, b.Seq) })
	if first := &found.Changes[0]; first.Call != s.digest {
		return nil, sdk.Errorf(sdk.KindConflict, sdk.SourceCaller, "the clientId was used for change %s, which says something else", first.ID).
			WithHint("give each call a clientId of its own")
	}
	out, err := s.finish(ctx, found.Changes)
	if err != nil {
		return nil, err
	}
	out.Repeated = true
	return out, nil
}

// finish writes those changes of an earlier call that wait for no person, and returns its answer.
func (s *submission) finish(ctx context.Context, changes []change.Change) (*Suggested, error) {
	all := make([]*Suggested, len(changes))
	for i := range changes {
		c := &changes[i]
		if c.State == change.Pending && len(s.job.policy.waits(s.job.actor, &c.Proposal)) == 0 {
			done, err := s.job.service.Engine.Apply(ctx, c.ID)
			if err != nil {
				return nil, err
			}
			*c = *done
		}
		all[i] = outcome(c, "")
	}
	return withOthers(changes, all), nil
}

// withOthers returns the outcome of the first change, with those of the other ones as its reason.
func withOthers(changes []change.Change, outcomes []*Suggested) *Suggested {
	first := outcomes[0]
	for i, o := range outcomes[1:] {
		if o.ChangeID != nil {
			first.tell(changes[i+1].Path + " is change " + string(*o.ChangeID) + ", " + o.Status)
		}
	}
	return first
}

// propose stores proposals and writes what the policy allows.
func (s *submission) propose(ctx context.Context, all []change.Proposal) (*Suggested, error) {
	proposals := make([]change.Proposal, 0, len(all))
	for _, p := range all {
		preview, err := s.job.service.Engine.Preview(ctx, &p)
		if kind := sdk.KindOf(err); kind == sdk.KindConflict || kind == sdk.KindInvalid {
			return nil, sdk.Errorf(kind, sdk.SourceCaller, "%s cannot be changed so: %s", p.Path, sdk.AsError(err, sdk.SourceCaller).Msg).
				WithHint("write one paragraph or list without headings; or change the file by hand")
		}
		if err != nil {
			return nil, err
		}
		if preview.Before != nil && bytes.Equal(preview.Before, preview.After) {
			continue
		}
		p.Call, p.Connection = s.digest, s.job.connection
		p.Why = s.job.policy.waits(s.job.actor, &p)
		p.Blocks = form.Stamp(p.Blocks, form.Learned{By: s.job.actor.Name(), At: s.job.at, Source: p.Source, Reviewed: s.job.actor.Person() && len(p.Why) == 0})
		proposals = append(proposals, p)
	}
	if len(proposals) == 0 {
		return nothing("this is there already"), nil
	}
	stored, err := s.job.service.Engine.Propose(ctx, change.Origin{Run: s.run, By: s.job.actor}, proposals)
	if err != nil {
		return nil, err
	}
	s.job.service.step("proposed")
	changes, outcomes := make([]change.Change, len(stored)), make([]*Suggested, len(stored))
	for i := range stored {
		if outcomes[i], err = s.settle(ctx, &stored[i], proposals[i].Why); err != nil {
			return nil, err
		}
		changes[i] = stored[i].Change
		s.job.service.step("applied")
	}
	return withOthers(changes, outcomes), nil
}

// settle applies a change that need not wait, and says what became of it.
func (s *submission) settle(ctx context.Context, p *change.Proposed, why []string) (*Suggested, error) {
	switch {
	case p.Same == change.Rejected:
		out := outcome(&p.Change, "")
		out.Status = StatusRejected
		out.tell("it was rejected by " + p.Change.DecidedBy.Name())
		return out, nil
	case p.Same == change.Applied:
		out := outcome(&p.Change, "")
		out.Status = StatusNoChange
		out.tell("this is known already")
		return out, nil
	case p.Same == change.Pending && len(p.Change.Why)+len(why) > 0: // without a reason, a run that ended left it
		return outcome(&p.Change, "this waits already"), nil
	case len(why) > 0:
		return outcome(&p.Change, ""), nil
	}
	done, err := s.job.service.Engine.Apply(ctx, p.Change.ID)
	if err != nil {
		return nil, err
	}
	return outcome(done, ""), nil
}

// outcome is the answer about a stored change.
func outcome(c *change.Change, note string) *Suggested {
	out := &Suggested{ChangeID: &c.ID, Review: "loam review show " + string(c.ID)}
	switch c.State {
	case change.Applied:
		out.Status = StatusApplied
	case change.Rejected, change.Reverted, change.Superseded:
		out.Status = StatusRejected
		out.tell("it is " + string(c.State))
	default:
		out.Status = StatusQueued
		out.tell(strings.Join(c.Why, ", "))
	}
	out.tell(note)
	out.tell(c.Problem)
	out.tell(c.Proposal.Note)
	return out
}

func nothing(reason string) *Suggested {
	return &Suggested{Status: StatusNoChange, Reason: &reason}
}

// tell adds to the reason.
func (o *Suggested) tell(more string) {
	if more == "" {
		return
	}
	if o.Reason != nil {
		more = *o.Reason + "; " + more
	}
	o.Reason = &more
}

// checkText refuses a text that is too long, no text, or has characters that nobody sees.
// Errors: KindInvalid with the length.
func checkText(what, said string, most int) error {
	switch n := utf8.RuneCountInString(said); {
	case n > most:
		return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%s has %d characters; the limit is %d", what, n, most).WithHint("write a shorter one")
	case !utf8.ValidString(said) || strings.ContainsFunc(said, text.Unseen):
		return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%s is not UTF-8, or has control characters or marks that nobody sees", what).WithHint("write plain text")
	}
	return nil
}

// checked checks texts that a call must have, and that none has secrets.
func (s *Service) checked(texts ...given) error {
	for _, t := range texts {
		if t.required && strings.TrimSpace(t.text) == "" {
			return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%s is empty", t.what).WithHint("give %s", t.what)
		}
		if err := checkText(t.what, t.text, t.most); err != nil {
			return err
		}
		if err := s.clean(t.text); err != nil {
			return err
		}
	}
	return nil
}

// given is a text among the arguments of a call.
type given struct {
	what, text string
	most       int
	required   bool
}
