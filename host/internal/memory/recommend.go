package memory

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/change/form"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/savedquery"
	"github.com/loam-data/loam/sdk"
)

// QuerySuggestion is a proposed saved query.
type QuerySuggestion struct {
	Name, Title, Description, SQL string
	// Parameters and Output are declarations as JSON has them.
	Parameters, Output []any
	Constraints        string
	// Example are values of the parameters; nil = none.
	Example map[string]any
	// Replaces names the query that is replaced; "" = the query is new.
	Replaces string
}

// QueryProposal is a proposed saved query as its file declares it.
type QueryProposal struct {
	Name string
	// Replaces is "", or Name for a query that is replaced.
	Replaces string
	Query    *savedquery.Query
}

// SuggestedQuery is the outcome of a proposed query.
type SuggestedQuery struct {
	Suggested
	Checks []savedquery.Check `json:"checks"`
}

const (
	maxQueryTitle = 200
	// maxQueryText is the longest SQL, in characters.
	maxQueryText = 100_000
	// maxCompared is how many files of a connection a query is compared with.
	maxCompared = 2000
)

// RecommendQuery proposes a saved query. The change always waits for a person, and the query is not run.
// Shape: when a check fails nothing is stored; the status is no_change and Checks have the reasons.
// Errors: KindInvalid for an invalid name, declaration or example; KindConflict for the name of another query,
// KindNotFound for a missing query to replace; those of submit.
func (s *Service) RecommendQuery(ctx context.Context, c Call, q QuerySuggestion) (*SuggestedQuery, error) {
	saved := &savedquery.Query{Title: q.Title, Description: q.Description, Constraints: q.Constraints, SQL: strings.TrimSpace(q.SQL)}
	if err := saved.Declare(q.Parameters, q.Output); err != nil {
		return nil, err
	}
	if q.Example != nil {
		saved.Examples = []map[string]any{q.Example}
	}
	return s.ProposeQuery(ctx, c, QueryProposal{q.Name, q.Replaces, saved})
}

// ProposeQuery is RecommendQuery for a query whose declarations are read already.
// Shape and errors: those of RecommendQuery.
func (s *Service) ProposeQuery(ctx context.Context, c Call, q QueryProposal) (*SuggestedQuery, error) {
	saved := q.Query
	if c.Connection == "" {
		return nil, noConnection()
	}
	if err := savedquery.CheckName(q.Name); err != nil {
		return nil, err
	}
	if err := s.checked(
		given{"title", saved.Title, maxQueryTitle, false}, given{"description", saved.Description, maxFact, true}, given{"constraints", saved.Constraints, maxFact, false},
		given{"sql", saved.SQL, maxQueryText, true},
	); err != nil {
		return nil, err
	}
	if q.Replaces != "" && q.Replaces != q.Name {
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "replaces is %q and the name %q", q.Replaces, q.Name).WithHint("a query is replaced under its own name: set name to %s", q.Replaces)
	}
	if saved.Title == "" {
		saved.Title = q.Name
	}
	content, err := savedquery.Print(saved)
	if err != nil {
		return nil, err
	}
	if err := s.clean(string(content)); err != nil {
		return nil, err
	}
	checks := []savedquery.Check{}
	done, err := s.submit(ctx, "recommend_query", c, q, func(ctx context.Context, sub *submission) ([]change.Proposal, error) {
		p, found, err := sub.query(ctx, q, string(content))
		checks = found
		if err != nil || p == nil {
			return nil, err
		}
		return []change.Proposal{*p}, nil
	})
	if err != nil {
		return nil, err
	}
	if failed := slices.IndexFunc(checks, func(c savedquery.Check) bool { return !c.OK }); done.ChangeID == nil && failed >= 0 {
		done = nothing("nothing was stored: the check " + checks[failed].Check + " failed")
	}
	return &SuggestedQuery{Suggested: *done, Checks: checks}, nil
}

// query checks a query and returns its change; nil = a check failed, or it is there already.
func (s *submission) query(ctx context.Context, q QueryProposal, content string) (*change.Proposal, []savedquery.Check, error) {
	saved := q.Query
	if s.view.dialect == nil {
		return nil, nil, sdk.Errorf(sdk.KindUnavailable, sdk.SourceHost, "the SQL dialect of %s is not known", s.job.connection).WithHint("run loam connection test %s", s.job.connection)
	}
	at := path.Join("queries", s.job.connection, q.Name+".sql")
	before, err := s.job.service.Engine.Read(at)
	switch {
	case err != nil:
		return nil, nil, err
	case before != nil && q.Replaces == "":
		if old, err := savedquery.Parse(before); err == nil && sameQuery(old, saved) {
			return nil, []savedquery.Check{{Check: "name", OK: true, Message: "the query is there already"}}, nil
		}
		return nil, nil, sdk.Errorf(sdk.KindConflict, sdk.SourceCaller, "there is a query %s already", q.Name).WithHint("set replaces to %s, or choose another name", q.Name)
	case before == nil && q.Replaces != "":
		return nil, nil, sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "there is no query %s to be replaced", q.Replaces).WithHint("leave replaces out")
	}
	checks, template := savedquery.Examine(saved, s.view.dialect)
	if slices.ContainsFunc(checks, func(c savedquery.Check) bool { return !c.OK }) {
		return nil, checks, nil
	}
	twin, err := s.sameText(q.Name, template)
	if err != nil {
		return nil, nil, err
	}
	if twin != "" {
		return nil, append(checks, savedquery.Check{Check: "text", Message: "the query " + twin + " has the same text"}), nil
	}
	dry, columns, err := s.dryRun(ctx, saved, template)
	if err != nil {
		return nil, nil, err
	}
	checks = append(checks, dry...)
	if slices.ContainsFunc(dry, func(c savedquery.Check) bool { return !c.OK }) {
		return nil, checks, nil
	}
	p := &change.Proposal{
		Kind: change.Query, Target: q.Name, Path: at, Blocks: []change.Block{{Place: form.WholeFile, Before: string(before), After: content}},
		Says: firstLine(saved.Title + ": " + saved.Description), Value: hashText(before) + ":" + hexHash([]byte(content)), Why: []string{change.WhyPolicy},
		Note: noteOf(checks, columns),
	}
	return p, checks, nil
}

// noteOf tells the approver what was checked, and the columns.
func noteOf(checks []savedquery.Check, columns []string) string {
	var all []string
	for _, c := range checks {
		all = append(all, c.Check+": "+c.Message)
	}
	if len(columns) > 0 {
		all = append(all, "columns: "+strings.Join(columns, ", "))
	}
	return strings.Join(all, "; ")
}

// dryRun has the engine describe the statement with all optional parts and with none.
// Errors: those of ctx.
func (s *submission) dryRun(ctx context.Context, q *savedquery.Query, t *savedquery.Template) (checks []savedquery.Check, columns []string, err error) {
	for _, optional := range []bool{true, false} {
		sql, err := q.Sample(t, s.view.dialect, optional)
		if err != nil {
			return nil, nil, err
		}
		found, err := s.job.service.Query.Validate(ctx, connection.ID(s.job.connection), sql)
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		kind := sdk.KindOf(err)
		switch {
		case slices.Contains([]sdk.Kind{sdk.KindUnavailable, sdk.KindTimeout, sdk.KindRateLimited, sdk.KindUnauthenticated, sdk.KindUnsupported}, kind):
			return []savedquery.Check{{Check: savedquery.CheckDryRun, OK: true, Message: "not made, the warehouse does not answer: " + failureText(err)}}, nil, nil
		case err != nil:
			return []savedquery.Check{{Check: savedquery.CheckDryRun, Message: failureText(err)}}, nil, nil
		case optional:
			for _, c := range found.Columns {
				columns = append(columns, strings.TrimSpace(fmt.Sprintf("%s %s", c.Name, c.NativeType)))
			}
		}
	}
	message := "the engine accepts it; nothing was run"
	if len(columns) == 0 {
		message = "the guard accepts it; the connector describes no statement"
	}
	return []savedquery.Check{{Check: savedquery.CheckDryRun, OK: true, Message: message}}, columns, nil
}

func sameQuery(a, b *savedquery.Query) bool {
	reviewed := *b
	reviewed.Reviewed = a.Reviewed
	one, errA := savedquery.Print(a)
	two, errB := savedquery.Print(&reviewed)
	return errA == nil && errB == nil && string(one) == string(two)
}

// sameText returns the other query of the connection with the same text; "" = none.
// Errors: KindLimit beyond maxCompared files.
func (s *submission) sameText(name string, t *savedquery.Template) (string, error) {
	folder := path.Join("queries", s.job.connection)
	entries, err := os.ReadDir(filepath.Join(s.job.service.Dir, filepath.FromSlash(folder)))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "%s cannot be read: %w", folder, err).WithHint("make it readable for this user")
	case len(entries) > maxCompared:
		return "", sdk.Errorf(sdk.KindLimit, sdk.SourceHost, "%s has %d files; the limit is %d", folder, len(entries), maxCompared).WithHint("take queries out that nobody runs")
	}
	for _, e := range entries {
		other, ok := strings.CutSuffix(e.Name(), ".sql")
		if !ok || other == name || !e.Type().IsRegular() {
			continue
		}
		content, err := s.job.service.Engine.Read(folder + "/" + e.Name())
		if err != nil {
			return "", err
		}
		q, err := savedquery.Parse(content)
		if err != nil {
			continue // its own problem is shown where it is listed
		}
		if read, err := savedquery.Read(q.SQL, s.view.dialect); err == nil && read.Same(t) {
			return other, nil
		}
	}
	return "", nil
}
