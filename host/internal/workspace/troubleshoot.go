package workspace

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/note"
	"github.com/loam-data/loam/sdk"
)

// The modes of a diagnosis.
const (
	modeAuto        = "auto"        // asks nothing
	modeInteractive = "interactive" // asks for the category that nothing tells
	modeGuided      = "guided"      // asks for the category unless it is given, and lists how to find the cause
)

// Trouble is an error to diagnose.
type Trouble struct {
	ErrorMessage, StackTrace string
	Context                  map[string]string
	Category                 string // "" = not known
	Mode                     string // "" = auto
	Tags                     []string
	TopK                     int    // 0 = 5
	Connection               string // "" = any
	OutcomeOf                *Outcome
	// CanAsk: the refusal with choices reaches a person.
	CanAsk bool
}

// Outcome says whether a remediation worked.
type Outcome struct {
	ID     string `json:"id"`
	Worked bool   `json:"worked"`
}

// Hypothesis is a possible cause.
type Hypothesis struct {
	RemediationID string  `json:"remediationId"`
	Cause         *string `json:"cause"`
	// Probability among the hypotheses and "none of these".
	Probability float64 `json:"probability"`
	Trust       string  `json:"trust"`
}

// Issue is an error that was solved before.
type Issue struct {
	Remediation
	Match float64 `json:"match"` // of the errors
	Rank  float64 `json:"rank"`
}

// Diagnosis is the answer to a Trouble. Its texts are what others wrote, apart from those of the category.
type Diagnosis struct {
	// ID of the best remediation, whose outcome can be reported; nil = there is none.
	ID                 *string      `json:"id"`
	RootCause          *string      `json:"rootCause"`
	Confidence         string       `json:"confidence"` // low, medium or high
	ConfidenceScore    float64      `json:"confidenceScore"`
	Category           string       `json:"category"`
	Severity           *string      `json:"severity"`
	Hypotheses         []Hypothesis `json:"hypotheses"`
	SimilarIssues      []Issue      `json:"similarIssues"`
	RecommendedActions []Action     `json:"recommendedActions"`
	DiagnosticSteps    []string     `json:"diagnosticSteps"`
	Notes              []string     `json:"notes,omitempty"`
	TimeTakenMs        int64        `json:"timeTakenMs"`
	DiagnosedAt        string       `json:"diagnosedAt"`
}

// Undecided is the refusal of a diagnosis whose category a person is to choose.
type Undecided struct {
	refusal *sdk.Error
	Choices []string
}

func (u *Undecided) Error() string { return u.refusal.Error() }

// Unwrap returns the *sdk.Error.
func (u *Undecided) Unwrap() error { return u.refusal }

// The weights of a diagnosis. Source: spec of toolsets, section 5.
const (
	matchShare, successShare, useShare = 0.6, 0.3, 0.1
	manyUses                           = 100
	noneOfThese                        = 0.5 // the mass of other causes
	highConfidence, mediumConfidence   = 0.8, 0.5
	leastMatch                         = 0.4
)

// Troubleshoot compares an error with those that were solved before, of those that the caller may see.
// Errors: *Undecided for a mode that asks; KindNotFound for an unknown remediation in OutcomeOf or connection.
func (s *Service) Troubleshoot(ctx context.Context, in Trouble) (*Diagnosis, error) {
	started := s.Now()
	if in.TopK == 0 {
		in.TopK = defaultTop
	}
	if err := s.admit(ctx, &in); err != nil {
		return nil, err
	}
	category, asked, err := in.settle()
	if err != nil {
		return nil, err
	}
	if o := in.OutcomeOf; o != nil {
		if err := s.count(ctx, o.ID, o.Worked); err != nil {
			return nil, err
		}
	}
	similar, _, err := s.Notes.Rank(ctx, &note.Trouble{
		Message: in.ErrorMessage, StackTrace: in.StackTrace, Connection: in.Connection, Tags: in.Tags, Limit: maxRanked, Least: leastMatch,
	})
	if err != nil {
		return nil, err
	}
	d := &Diagnosis{
		Confidence: "low", Category: category, Hypotheses: []Hypothesis{}, SimilarIssues: []Issue{}, RecommendedActions: []Action{}, DiagnosticSteps: asked,
	}
	d.judge(similar, &in)
	if len(similar) == 0 || in.Mode == modeGuided {
		d.DiagnosticSteps = append(d.DiagnosticSteps, steps(category)...)
	}
	if len(similar) == 0 {
		d.Notes = append(d.Notes, "Nothing is known about this error: no remediation is like it. Save one with remediation_save when it is solved.")
	}
	d.TimeTakenMs = max(0, s.Now().Sub(started).Milliseconds())
	d.DiagnosedAt = moment(s.Now())
	return d, nil
}

func (s *Service) admit(ctx context.Context, in *Trouble) error {
	var c checks
	c.required("errorMessage", in.ErrorMessage, maxError)
	c.text("stackTrace", in.StackTrace, maxStack)
	c.pairs(in.Context)
	c.tags(in.Tags)
	c.oneOf("category", in.Category, categoryNames()...)
	c.oneOf("mode", in.Mode, modeAuto, modeInteractive, modeGuided)
	c.within("topK", in.TopK, 1, maxRanked)
	if c.err != nil {
		return c.err
	}
	return s.known(ctx, in.Connection)
}

// settle returns the category, and the questions that nobody was asked.
// Errors: *Undecided where a person can be asked.
func (in *Trouble) settle() (category string, questions []string, err error) {
	category = cmp.Or(in.Category, categoryOf(in.Context, in.ErrorMessage))
	certain := in.Category != "" || in.Mode == modeInteractive && fact(in.Context, in.ErrorMessage) != ""
	if certain || in.Mode != modeInteractive && in.Mode != modeGuided {
		return category, []string{}, nil
	}
	choices := []string{category}
	for _, name := range []string{categoryPermission, categoryTimeout, categoryConnection, categorySyntax, categoryMissing, categoryOther} {
		const most = 5 // of a question
		if len(choices) < most && !slices.Contains(choices, name) {
			choices = append(choices, name)
		}
	}
	if in.CanAsk {
		refusal := sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "nothing says of which category the error is").
			WithHint("call again with category, or with mode auto")
		refusal.Candidates = choices
		return "", nil, &Undecided{refusal: refusal, Choices: choices}
	}
	return category, []string{"Ask the user which category the error has: " + strings.Join(categoryNames(), ", ") + ". Then call again with category."}, nil
}

// judged is a remediation with what speaks for it.
type judged struct {
	note.Scored
	context map[string]string
	rank, p float64
	shared  int // values of the context that are those of the error
}

// judge ranks the remediations of similar errors.
func (d *Diagnosis) judge(similar []note.Scored, in *Trouble) {
	all, mass := make([]judged, len(similar)), noneOfThese
	for i := range similar {
		j := judged{Scored: similar[i], context: note.ContextOf(&similar[i].Note)}
		success := note.Confidence(j.Worked, j.Failed)
		uses := min(1, float64(j.Confirmations+j.Worked+j.Failed)/manyUses)
		j.rank, j.p = matchShare*j.Score+successShare*success+useShare*uses, j.Score*success
		for _, key := range slices.Sorted(maps.Keys(in.Context)) {
			if value, given := j.context[key]; given && value == in.Context[key] {
				j.shared++
			}
		}
		mass += j.p
		all[i] = j
	}
	slices.SortStableFunc(all, func(a, b judged) int { return cmp.Or(cmp.Compare(b.rank, a.rank), b.shared-a.shared) })
	all = all[:min(in.TopK, len(all))]
	for i := range all {
		d.add(&all[i], mass)
	}
	if len(all) == 0 {
		return
	}
	best := &all[0]
	d.ID, d.RootCause, d.Severity, d.ConfidenceScore = &best.Remediation.ID, orNull(best.context[keyRootCause]), orNull(best.Severity), thousandths(best.p)
	switch {
	case best.p >= highConfidence:
		d.Confidence = "high"
	case best.p >= mediumConfidence:
		d.Confidence = "medium"
	}
}

func (d *Diagnosis) add(j *judged, mass float64) {
	d.Hypotheses = append(d.Hypotheses, Hypothesis{
		RemediationID: j.Remediation.ID, Cause: orNull(j.context[keyRootCause]), Probability: thousandths(j.p / mass), Trust: trustOf(&j.Remediation),
	})
	d.SimilarIssues = append(d.SimilarIssues, Issue{Remediation: remediationOf(&j.Remediation), Match: thousandths(j.Score), Rank: thousandths(j.rank)})
	d.RecommendedActions = append(d.RecommendedActions, actionOf(&j.Remediation, j.context))
}
