package workspace

import (
	"context"
	"encoding/json"

	"github.com/loam-data/loam/host/internal/note"
	"github.com/loam-data/loam/host/internal/store"
)

// RemediationSave is an error and what mended it.
type RemediationSave struct {
	Save
	ErrorMessage, ErrorType, Solution, StackTrace string
	Connection                                    string // "" = none
	Severity                                      string // of severities; "" = not known
}

var severities = []string{"low", "medium", "high", "critical"}

// RemediationSaved is the answer to a save.
type RemediationSaved struct {
	ID string `json:"id"`
	// Signature of the error, as hexadecimal digits.
	Signature     string `json:"signature"`
	Status        string `json:"status"` // created or confirmed
	Confirmations int    `json:"confirmations"`
	CreatedAt     string `json:"createdAt"`
	// Redacted counts the secrets that were removed.
	Redacted int      `json:"redacted"`
	Repeated bool     `json:"repeated,omitempty"`
	Notes    []string `json:"notes,omitempty"`
}

// SaveRemediation keeps a remediation without its secrets. One with the signature and the normalised solution of
// another one of the same owner confirms that one.
// Errors: as SaveCheckpoint; KindNotFound for an unknown connection.
func (s *Service) SaveRemediation(ctx context.Context, in RemediationSave) (*RemediationSaved, error) {
	var c checks
	c.required("errorMessage", in.ErrorMessage, maxError)
	c.required("errorType", in.ErrorType, maxErrorType)
	c.required("solution", in.Solution, maxSolution)
	c.text("stackTrace", in.StackTrace, maxStack)
	c.oneOf("severity", in.Severity, severities...)
	c.save(&in.Save)
	if c.err != nil {
		return nil, c.err
	}
	if err := s.known(ctx, in.Connection); err != nil {
		return nil, err
	}
	call, err := s.call(in.ClientID, in.ErrorMessage, in.ErrorType, in.Solution, in.StackTrace, in.Connection, in.Severity, in.Save)
	if err != nil {
		return nil, err
	}
	keep, err := s.retention(ctx)
	if err != nil {
		return nil, err
	}
	notes, scrub := s.Secrets(ctx), scrubber{redact: s.Redact}
	row := s.remediation(ctx, &in, &scrub)
	if scrub.err != nil {
		return nil, scrub.err
	}
	state, err := s.Notes.Store(ctx)
	if err != nil {
		return nil, err
	}
	answer, own := &RemediationSaved{Signature: hexadecimal(row.Signature), Redacted: scrub.count}, row.ID
	before, err := state.PutRemediation(ctx, row, call, func() string {
		answer.ID, answer.Status, answer.Confirmations, answer.CreatedAt = row.ID, "confirmed", row.Confirmations, moment(row.CreatedAt)
		if row.ID == own {
			answer.Status = "created"
		}
		kept, err := json.Marshal(answer)
		if err != nil {
			panic("workspace: an answer is no JSON: " + err.Error())
		}
		return string(kept)
	}, keep)
	if err != nil {
		return nil, err
	}
	if before != "" {
		if err := json.Unmarshal([]byte(before), answer); err != nil {
			return nil, err
		}
		answer.Repeated = true
	}
	answer.Notes = notes
	return answer, nil
}

// remediation returns the row of a remediation, and counts the secrets that were removed.
func (s *Service) remediation(ctx context.Context, in *RemediationSave, scrub *scrubber) *store.Remediation {
	r := &store.Remediation{
		Note: s.note(ctx, &in.Save, scrub), Connection: in.Connection, ErrorType: scrub.text(in.ErrorType),
		ErrorMessage: scrub.text(in.ErrorMessage), StackTrace: scrub.text(in.StackTrace), Solution: scrub.text(in.Solution), Severity: in.Severity,
	}
	r.Pattern = note.Normalize(r.ErrorMessage)
	r.PatternHash = note.HashOf(r.Pattern)
	r.Frames = note.JoinFrames(r.StackTrace)
	r.Signature = note.Signature(r.ErrorType, r.ErrorMessage, r.StackTrace)
	r.SolutionHash = note.HashOf(note.Normalize(r.Solution))
	r.Category = categoryOf(in.Context, r.ErrorType+": "+r.ErrorMessage)
	return r
}

// Remediation is one in an answer. Its texts are what others wrote.
type Remediation struct {
	ID            string            `json:"id"`
	ErrorMessage  string            `json:"errorMessage"`
	ErrorType     string            `json:"errorType"`
	Solution      string            `json:"solution"`
	ConnectionID  *string           `json:"connectionId"`
	ProjectPath   *string           `json:"projectPath"`
	Severity      *string           `json:"severity"`
	Category      string            `json:"category"`
	Confirmations int               `json:"confirmations"`
	Worked        int               `json:"worked"`
	Failed        int               `json:"failed"`
	Trust         string            `json:"trust"`
	Context       map[string]string `json:"context"`
	Tags          []string          `json:"tags"`
	CreatedAt     string            `json:"createdAt"`
}

func remediationOf(r *store.Remediation) Remediation {
	return Remediation{
		ID: r.ID, ErrorMessage: r.ErrorMessage, ErrorType: r.ErrorType, Solution: r.Solution, ConnectionID: orNull(r.Connection), ProjectPath: orNull(r.ProjectPath),
		Severity: orNull(r.Severity), Category: r.Category, Confirmations: r.Confirmations, Worked: r.Worked, Failed: r.Failed, Trust: trustOf(r),
		Context: note.ContextOf(&r.Note), Tags: note.TagsOf(&r.Note), CreatedAt: moment(r.CreatedAt),
	}
}

// trustOf says how far the text of a remediation is to be trusted.
func trustOf(r *store.Remediation) string {
	if r.Review == store.Approved {
		return trustReviewed
	}
	return r.Author
}

// RemediationSearch asks for the remediations of errors like one.
type RemediationSearch struct {
	ErrorMessage, StackTrace string
	Limit                    int      // 0 = 5
	MinScore                 *float64 // nil = 0.5
	Tags                     []string
}

// RemediationMatch is a remediation with its scores.
type RemediationMatch struct {
	Remediation
	Score           float64 `json:"score"`
	SemanticScore   float64 `json:"semanticScore"`
	StringScore     float64 `json:"stringScore"`
	SemanticBackend string  `json:"semanticBackend"`
	ErrorTypeMatch  bool    `json:"errorTypeMatch"`
	StackTraceMatch bool    `json:"stackTraceMatch"`
}

// RemediationMatches are remediations, the most similar first.
type RemediationMatches struct {
	Results []RemediationMatch `json:"results"`
	Query   string             `json:"query"`
	Total   int                `json:"total"`
}

const (
	maxRanked    = 50
	usualScore   = 0.5
	defaultRanks = 5
)

// SearchRemediations finds the remediations of errors like one, of those that the caller may see.
func (s *Service) SearchRemediations(ctx context.Context, in RemediationSearch) (*RemediationMatches, error) {
	if in.Limit == 0 {
		in.Limit = defaultRanks
	}
	least := usualScore
	if in.MinScore != nil {
		least = *in.MinScore
	}
	var c checks
	c.required("errorMessage", in.ErrorMessage, maxError)
	c.text("stackTrace", in.StackTrace, maxStack)
	c.within("limit", in.Limit, 1, maxRanked)
	c.tags(in.Tags)
	c.share("minScore", least)
	if c.err != nil {
		return nil, c.err
	}
	found, total, err := s.Notes.Rank(ctx, &note.Trouble{Message: in.ErrorMessage, StackTrace: in.StackTrace, Tags: in.Tags, Limit: in.Limit, Least: least})
	if err != nil {
		return nil, err
	}
	answer := &RemediationMatches{Results: make([]RemediationMatch, len(found)), Query: in.ErrorMessage, Total: total}
	for i := range found {
		f := &found[i]
		answer.Results[i] = RemediationMatch{
			Remediation: remediationOf(&f.Remediation), Score: thousandths(f.Score), SemanticScore: thousandths(f.Semantic), StringScore: thousandths(f.String),
			SemanticBackend: note.SemanticBackend, ErrorTypeMatch: f.TypeMatch, StackTraceMatch: f.TraceMatch,
		}
	}
	return answer, nil
}

// share refuses a number that is not from 0 to 1.
func (c *checks) share(name string, n float64) {
	if !(n >= 0 && n <= 1) {
		c.refuse("give a number from 0 to 1", "%s is %v; it is from 0 to 1", name, n)
	}
}

// count counts an outcome that the caller reports.
func (s *Service) count(ctx context.Context, id string, worked bool) error {
	if !s.Notes.Began() {
		return notFound(id)
	}
	state, err := s.Notes.Store(ctx)
	if err != nil {
		return err
	}
	found, err := state.CountRemediation(ctx, note.Viewer(ctx), id, worked, s.Now())
	if err == nil && !found {
		return notFound(id)
	}
	return err
}
