package memory

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/assertion"
	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/change/form"
	"github.com/loam-data/loam/host/internal/planner"
	"github.com/loam-data/loam/host/internal/wiki"
	"github.com/loam-data/loam/sdk"
)

// The types of facts.
const (
	Terminology  = "terminology"
	BusinessRule = "business_rule"
	Enumeration  = "enumeration"
	Convention   = "convention"
)

// Knowledge is a proposed fact.
type Knowledge struct {
	FactType string
	// Key is the title of the page; of an enumeration table.column.
	Key   string
	Value string
	// Context is more text for the page.
	Context string
	// Confidence is high, medium or low.
	Confidence string
}

const (
	maxFactKey, maxFact = 200, 4000
	// maxNameWords is the most words of a name.
	maxNameWords = 6
	maxSummary   = 200
	notSure      = "whoever suggested it is not sure"
)

// SuggestKnowledge writes a fact to its page, and the values of a column into the semantic layer.
// Errors: KindInvalid for an invalid fact, KindNotFound for a missing table or column; those of submit.
func (s *Service) SuggestKnowledge(ctx context.Context, c Call, k Knowledge) (*Suggested, error) {
	if err := s.checked(given{"key", k.Key, maxFactKey, true}, given{"value", k.Value, maxFact, true}, given{"context", k.Context, maxFact, false}); err != nil {
		return nil, err
	}
	switch {
	case !slices.Contains([]string{Terminology, BusinessRule, Enumeration, Convention}, k.FactType):
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "there is no factType %q", k.FactType).WithHint("use terminology, business_rule, enumeration or convention")
	case !slices.Contains([]string{"high", "medium", "low"}, k.Confidence):
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "there is no confidence %q", k.Confidence).WithHint("use high, medium or low")
	case assertion.Slug(k.Key) == "" || strings.Contains(k.Key, "\n"):
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "the key is no title of one line with letters or digits").WithHint("use the term, or table.column")
	}
	return s.submit(ctx, "suggest_knowledge", c, k, func(ctx context.Context, sub *submission) ([]change.Proposal, error) {
		var all []change.Proposal
		if k.FactType == Enumeration {
			values, err := sub.enumeration(k)
			if err != nil {
				return nil, err
			}
			all = append(all, *values)
		}
		page, err := sub.factPage(ctx, k)
		if err != nil {
			return nil, err
		}
		all = append(all, *page)
		if k.Confidence != "high" {
			for i := range all {
				wait(&all[i], change.WhyPolicy, notSure)
			}
		}
		return all, nil
	})
}

// factPage is the change of the page that a fact belongs to.
func (s *submission) factPage(ctx context.Context, k Knowledge) (*change.Proposal, error) {
	slug := assertion.Slug(k.Key)
	at, key := s.view.planner.Folder+"/"+slug+".md", slug
	known := &wiki.Page{}
	page, err := s.view.planner.Pages.Page(slug)
	if sdk.KindOf(err) == sdk.KindNotFound {
		page, err = s.view.planner.Pages.Page(k.Key) // it may have the key as another name
	}
	switch {
	case err == nil:
		at, key, known = "wiki/"+page.Path, page.Key, page
	case sdk.KindOf(err) != sdk.KindNotFound:
		return nil, err
	}
	content, err := s.view.planner.Content(at)
	if err != nil {
		return nil, err
	}
	p := &change.Proposal{
		Kind: change.Page, Target: key, Path: at, Says: firstLine(k.Value), Quote: k.Value,
		Value: strings.ToLower(strings.Join(strings.Fields(k.FactType+" "+k.Value+" "+k.Context), " ")),
	}
	if content != nil && !s.view.planner.Own(at, content) {
		p.Why, p.Note = []string{change.WhyPersonsPage}, "a person wrote this page"
	}
	if err := s.compare(ctx, k, p); err != nil {
		return nil, err
	}
	if s.view.hidden[at] {
		wait(p, change.WhyPolicy, "")
	} else {
		p.Blocks = s.front(k, known, content == nil, p)
	}
	for _, text := range []string{k.Value, k.Context} {
		if text = strings.TrimSpace(text); text != "" {
			p.Blocks = append(p.Blocks, change.Block{Place: form.Below(), After: text})
		}
	}
	return p, nil
}

// front are the keys of the frontmatter that the page of a fact needs.
func (s *submission) front(k Knowledge, known *wiki.Page, fresh bool, p *change.Proposal) (blocks []change.Block) {
	set := func(key string, value any) {
		blocks = append(blocks, change.Block{Place: form.Front(key), After: form.FrontValue(value)})
	}
	add := func(key, entry string, has []string) {
		if entry != "" && !slices.ContainsFunc(has, func(h string) bool { return strings.EqualFold(h, entry) }) {
			blocks = append(blocks, change.Block{Place: form.FrontEntry(key, entry), After: form.FrontValue(entry)})
		}
	}
	if fresh {
		set("title", k.Key)
		set("summary", summary(k.Value))
	}
	if k.FactType == BusinessRule || k.FactType == Convention {
		add("tags", k.FactType, known.Tags)
	}
	if slices.Contains(p.Why, change.WhyInstruction) {
		add("tags", "instruction-like", known.Tags)
	}
	if k.FactType == Terminology {
		alias := otherName(k, known, fresh)
		add("aliases", alias, known.Aliases)
		if alias != "" && s.job.policy.Policy[string(change.Alias)] == "pending" {
			wait(p, change.WhyPolicy, "")
		}
	}
	add("connections", s.job.connection, known.Connections)
	if fresh && !s.job.actor.Person() {
		set("origin", "agent")
		set("source", s.job.actor.Name())
		set("reviewed", false)
		set("created", s.job.at.UTC().Format(time.RFC3339))
	}
	return blocks
}

// otherName is the alias that a term gives its page: what it stands for, where that is a name; else the term itself
// on a page with another title. "" = none.
func otherName(k Knowledge, known *wiki.Page, fresh bool) string {
	value := strings.TrimRight(strings.TrimSpace(k.Value), ".")
	switch {
	case len(strings.Fields(value)) <= maxNameWords && !strings.ContainsAny(value, ".,;:\n") && assertion.Slug(value) != "" && !strings.EqualFold(value, known.Title):
		return value
	case !fresh && !strings.EqualFold(k.Key, known.Title) && assertion.Slug(k.Key) != known.Key:
		return k.Key
	}
	return ""
}

// summary is the first sentence of a text, or the beginning of it.
func summary(text string) string {
	line := firstLine(text)
	if at := strings.Index(line, ". "); at > 0 {
		line = line[:at+1]
	}
	if r := []rune(line); len(r) > maxSummary {
		return string(r[:maxSummary-1]) + "…"
	}
	return line
}

// compare has the planner read a fact as it reads a text: what contradicts it, and whether it reads like an instruction.
func (s *submission) compare(ctx context.Context, k Knowledge, p *change.Proposal) error {
	text := k.Key + ": " + k.Value
	if k.FactType != Terminology {
		text = "# " + k.Key + "\n\n" + k.Value
	}
	if k.Context != "" {
		text += "\n\n" + k.Context
	}
	plan, err := s.job.service.bounded(ctx, planner.Input{Text: text, Connection: s.job.connection, By: s.job.actor, At: s.job.at, Asked: true}, *s.view.planner)
	if err != nil {
		return err
	}
	for i := range plan.Changes {
		c := &plan.Changes[i]
		if slices.Contains(c.Why, change.WhyInstruction) {
			wait(p, change.WhyInstruction, "it reads like an instruction to an agent")
		}
		if len(c.Conflicts) > 0 {
			p.Conflicts = append(p.Conflicts, c.Conflicts...)
			wait(p, change.WhyConflict, "")
		}
	}
	for _, other := range s.view.planner.Others {
		if names(k.Value+"\n"+k.Context, other) {
			wait(p, change.WhyPolicy, "it names another connection, "+other)
		}
	}
	return nil
}

// names reports whether a text has "connection" before an id.
func names(text, id string) bool {
	words := strings.Fields(strings.ToLower(text))
	for i := 1; i < len(words); i++ {
		if words[i-1] == "connection" && strings.Trim(words[i], ".,;:`'\"()") == strings.ToLower(id) {
			return true
		}
	}
	return false
}
