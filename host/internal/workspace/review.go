package workspace

import (
	"context"
	"encoding/hex"
	"errors"
	"strings"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/note"
	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/sdk"
)

func hexadecimal(b []byte) string { return hex.EncodeToString(b) }

// Reviewed is the answer to a decision about a remediation.
type Reviewed struct {
	ID       string `json:"id"`
	Decision string `json:"decision"` // approved or rejected
}

// ReviewRemediation records the decision of a person about a remediation, whoever owns it. An approved one may be named
// in the hints of errors; a rejected one is not found any more.
// Errors: KindDenied for who may not decide; KindNotFound.
func (s *Service) ReviewRemediation(ctx context.Context, id string, approve bool, by change.Actor) (*Reviewed, error) {
	if err := s.Decides(ctx, by); err != nil {
		return nil, err
	}
	if !s.Notes.Began() {
		return nil, notFound(id)
	}
	state, err := s.Notes.Store(ctx)
	if err != nil {
		return nil, err
	}
	decision := store.Rejected
	if approve {
		decision = store.Approved
	}
	r, err := state.ReviewRemediation(ctx, id, decision)
	if err != nil {
		return nil, err
	}
	if r == nil {
		return nil, notFound(id)
	}
	return &Reviewed{ID: r.ID, Decision: r.Review}, nil
}

// Unreviewed are remediations that no person decided about, the newest first.
type Unreviewed struct {
	Remediations []Remediation `json:"remediations"`
	Total        int           `json:"total"`
}

// Unreviewed lists the remediations that no person decided about, whoever owns them: for the project's owner.
func (s *Service) Unreviewed(ctx context.Context, limit int) (*Unreviewed, error) {
	var c checks
	if c.within("limit", limit, 1, maxListed); c.err != nil {
		return nil, c.err
	}
	answer := &Unreviewed{Remediations: []Remediation{}}
	if !s.Notes.Began() {
		return answer, nil
	}
	state, err := s.Notes.Store(ctx)
	if err != nil {
		return nil, err
	}
	all, total, err := state.UnreviewedRemediations(ctx, limit)
	for i := range all {
		answer.Remediations = append(answer.Remediations, remediationOf(&all[i]))
	}
	answer.Total = total
	return answer, err
}

// maxSentence is how many characters of a solution reach a hint.
const maxSentence = 200

// Advise adds to the hint of a warehouse's error the first sentence of a remediation that a person approved and that
// worked more often than it failed. Another error, and one without a remediation, stays as it is; so does one when the
// notes cannot be read.
func (s *Service) Advise(ctx context.Context, err error) error {
	failure, ok := errors.AsType[*sdk.Error](err)
	native := ok && failure.Code != "" && failure.Code != sdk.CodeUnknownConnection
	if !ok || !native && failure.Source != sdk.SourceWarehouse || !s.Notes.Began() {
		return err
	}
	state, problem := s.Notes.Store(ctx)
	if problem != nil {
		return err
	}
	var signatures [][]byte
	for _, class := range []string{failure.Code, string(failure.Kind)} {
		for _, message := range []string{failure.Msg, failure.Error()} {
			if class != "" && message != "" {
				signatures = append(signatures, note.Signature(class, message, ""))
			}
		}
	}
	r, problem := state.ApprovedRemediation(ctx, note.Viewer(ctx), signatures)
	if problem != nil || r == nil {
		return err
	}
	advised := *failure
	advised.Hint = strings.TrimSpace(failure.Hint)
	switch {
	case advised.Hint == "":
	case strings.ContainsRune(".?!", rune(advised.Hint[len(advised.Hint)-1])):
		advised.Hint += " "
	default:
		advised.Hint += ". "
	}
	advised.Hint += "A reviewed remediation says: " + sentence(r.Solution) + " (" + r.ID + ")"
	advised.Err = err
	return &advised
}

// sentence returns the first sentence of a text as one line.
func sentence(s string) string {
	s = strings.Join(strings.Fields(note.Visible(s)), " ")
	for i, r := range s {
		if strings.ContainsRune(".!?", r) && (i+1 == len(s) || s[i+1] == ' ') {
			s = s[:i+1]
			break
		}
	}
	if all := []rune(s); len(all) > maxSentence {
		return string(all[:maxSentence]) + "…"
	}
	return s
}
