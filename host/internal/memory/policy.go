package memory

import (
	"cmp"
	"context"
	"slices"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/sdk"
)

// policy is what loam.yaml allows.
type policy struct{ project.Memory }

func (s *Service) policy(ctx context.Context) (policy, error) {
	settings, err := s.Settings(ctx)
	return policy{settings}, err
}

// admits refuses the texts of those that may not have anything remembered.
// Errors: KindDenied.
func (p policy) admits(a change.Actor) error {
	for _, name := range []string{a.Client, a.User, a.Principal} {
		if name != "" && slices.Contains(p.Refuse, name) {
			return sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "%s may not have anything remembered in this project", name).
				WithHint("ask whoever owns the project: memory.refuse in loam.yaml names it")
		}
	}
	if p.Review == "off" && !a.Person() {
		return sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "this project lets nobody but people have something remembered").
			WithHint("ask whoever owns the project: memory.review is off in loam.yaml")
	}
	return nil
}

// proven are the kinds of changes that need no person when the planner is certain of them.
var proven = []change.Kind{change.Page, change.Alias, change.Measure, change.Segment, change.Description, change.Synonyms, change.Source}

// waits says why a proposal waits for a person; nil = it is applied.
// Source: spec of memory, the table of section 3.
func (p policy) waits(a change.Actor, c *change.Proposal) []string {
	why := slices.Clone(c.Why)
	if a.Person() { // findings are shown; what contradicts, alters or joins is asked for by a decision of its own
		compiles := c.Verified != nil
		finding := func(code string) bool {
			return code == change.WhyTwin || code == change.WhyNotRun && compiles || code == change.WhyEmpty || code == change.WhyPersonsPage
		}
		if why = slices.DeleteFunc(why, finding); len(why) == 0 && c.Kind != change.Skill && !slices.Contains(proven, c.Kind) {
			why = append(why, change.WhyPolicy)
		}
		return why
	}
	setting := cmp.Or(p.Policy[string(c.Kind)], p.byDefault(a, c.Kind))
	if setting == "pending" && len(why) == 0 {
		why = append(why, change.WhyPolicy)
	}
	return why
}

func (p policy) byDefault(a change.Actor, k change.Kind) string {
	if p.Review == "strict" || a.Channel == change.Files || !slices.Contains(proven, k) {
		return "pending"
	}
	return "draft"
}

// decides refuses a decision of somebody who may not take any.
// Errors: KindDenied.
func (p policy) decides(a change.Actor) error {
	from := p.ApproveFrom
	if from == nil {
		from = project.DefaultApproveFrom()
	}
	denied := func(hint string, format string, args ...any) error {
		return sdk.Errorf(sdk.KindDenied, sdk.SourceHost, format, args...).WithHint("%s", hint)
	}
	switch {
	case a.Channel == change.MCP && !p.ApproveOverMCP:
		return denied("ask a person to run loam review", "a client of the MCP server may not decide what is remembered in this project")
	case a.Channel == change.MCP:
		return nil
	case a.Channel == change.Console && slices.Contains(from, "console"):
		return nil
	case a.Channel == change.Console:
		return denied("run loam review in a terminal, or add console to memory.approve_from in loam.yaml", "what is remembered in this project is not decided in the console")
	case a.Channel != change.CLI:
		return denied("run loam review in a terminal, or loam console", "nobody decides who came by %s", string(a.Channel))
	case slices.Equal(from, []string{"console"}):
		return denied("run loam console", "what is remembered in this project is decided in the console alone")
	case !slices.Contains(from, "cli") && (a.Terminal || !slices.Contains(from, "script")):
		return denied("decide where memory.approve_from in loam.yaml says", "what is remembered in this project is not decided on the command line")
	case !a.Terminal && !slices.Contains(from, "script"):
		return denied("run loam review in a terminal, or set memory.approve_from: [cli, script] in loam.yaml", "a command without a terminal may not decide what is remembered in this project")
	}
	return nil
}

// MayDecide refuses a decision about what is remembered by somebody who may not take any.
// Errors: KindDenied.
func (s *Service) MayDecide(ctx context.Context, by change.Actor) error {
	p, err := s.policy(ctx)
	if err != nil {
		return err
	}
	return p.decides(by)
}

// sameClient reports whether a decision would be the proposer's own. People decide of what they said.
func sameClient(a, b change.Actor) bool {
	return !a.Person() && a.Channel == b.Channel && a.Client == b.Client && a.Principal == b.Principal && a.User == b.User
}
