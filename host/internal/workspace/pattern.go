package workspace

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/loam-data/loam/host/internal/note"
	"github.com/loam-data/loam/host/internal/store"
)

// PatternList asks for errors that come again and again.
type PatternList struct {
	Category, Severity string   // "" = any
	MinSuccessRate     *float64 // nil = any, also one that is not known
	Limit              int      // 0 = 10
}

// Pattern is a signature with at least three confirmations or uses. Its texts are what others wrote, of the
// remediation that worked best.
type Pattern struct {
	Signature    string  `json:"signature"`
	ErrorPattern string  `json:"errorPattern"` // the normalised message
	ErrorType    string  `json:"errorType"`
	Category     string  `json:"category"`
	Severity     *string `json:"severity"`
	RootCause    *string `json:"rootCause"`
	Solution     string  `json:"solution"`
	// RemediationID is the id of the solution.
	RemediationID string   `json:"remediationId"`
	SuccessRate   *float64 `json:"successRate"` // of all outcomes that were reported
	UsageCount    int      `json:"usageCount"`
	LastUsed      string   `json:"lastUsed"`
	Tags          []string `json:"tags"`
	Trust         string   `json:"trust"`
}

// Patterns are the patterns of a list, the most used first.
type Patterns struct {
	Patterns []Pattern `json:"patterns"`
	Total    int       `json:"total"`
}

// leastUses make a signature a pattern.
const leastUses = 3

// ListPatterns lists the patterns among what the caller may see.
func (s *Service) ListPatterns(ctx context.Context, in PatternList) (*Patterns, error) {
	if in.Limit == 0 {
		in.Limit = defaultListed
	}
	var c checks
	c.within("limit", in.Limit, 1, maxListed)
	c.oneOf("category", in.Category, categoryNames()...)
	c.oneOf("severity", in.Severity, severities...)
	if in.MinSuccessRate != nil {
		c.share("minSuccessRate", *in.MinSuccessRate)
	}
	answer := &Patterns{Patterns: []Pattern{}}
	if c.err != nil || !s.Notes.Began() {
		return answer, c.err
	}
	state, err := s.Notes.Store(ctx)
	if err != nil {
		return nil, err
	}
	viewer := note.Viewer(ctx)
	found, err := state.NotePatterns(ctx, viewer, leastUses)
	if err != nil {
		return nil, err
	}
	for _, f := range found {
		all, err := state.RemediationsWith(ctx, viewer, f.Signature)
		if err != nil {
			return nil, err
		}
		if len(all) == 0 { // they went in this moment
			continue
		}
		p := patternOf(all)
		if !in.has(&p) {
			continue
		}
		if answer.Total++; len(answer.Patterns) < in.Limit {
			answer.Patterns = append(answer.Patterns, p)
		}
	}
	return answer, nil
}

func (l *PatternList) has(p *Pattern) bool {
	return (l.Category == "" || p.Category == l.Category) && (l.Severity == "" || p.Severity != nil && *p.Severity == l.Severity) &&
		(l.MinSuccessRate == nil || p.SuccessRate != nil && *p.SuccessRate >= *l.MinSuccessRate)
}

// patternOf describes the remediations of a signature.
func patternOf(all []store.Remediation) Pattern {
	best := slices.MaxFunc(all, func(a, b store.Remediation) int {
		return cmp.Or(cmp.Compare(note.Confidence(a.Worked, a.Failed), note.Confidence(b.Worked, b.Failed)), a.Confirmations-b.Confirmations, cmp.Compare(b.Seq, a.Seq))
	})
	p := Pattern{
		Signature: hexadecimal(best.Signature), ErrorPattern: best.Pattern, ErrorType: best.ErrorType, Category: best.Category, Severity: orNull(best.Severity),
		RootCause: orNull(note.ContextOf(&best.Note)[keyRootCause]), Solution: best.Solution, RemediationID: best.ID, Tags: []string{}, Trust: trustOf(&best),
	}
	worked, tried, last := 0, 0, time.Time{}
	for i := range all {
		r := &all[i]
		worked, tried = worked+r.Worked, tried+r.Worked+r.Failed
		p.UsageCount += r.Confirmations + r.Worked + r.Failed
		if r.UsedAt.After(last) {
			last = r.UsedAt
		}
		p.Tags = append(p.Tags, note.TagsOf(&r.Note)...)
	}
	slices.Sort(p.Tags)
	p.Tags = slices.Compact(p.Tags)
	p.LastUsed = moment(last)
	if tried > 0 {
		rate := thousandths(float64(worked) / float64(tried))
		p.SuccessRate = &rate
	}
	return p
}
