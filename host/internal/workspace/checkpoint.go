package workspace

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/loam-data/loam/host/internal/note"
	"github.com/loam-data/loam/host/internal/search"
	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/host/internal/tokens"
	"github.com/loam-data/loam/sdk"
)

// CheckpointSave is a state of a work to keep.
type CheckpointSave struct {
	Save
	Summary, Description      string
	TokensBefore, TokensAfter *int64 // nil = not known
}

// CheckpointSaved is the answer to a save.
type CheckpointSaved struct {
	ID         string `json:"id"`
	Summary    string `json:"summary"`
	CreatedAt  string `json:"createdAt"`
	TokenCount int    `json:"tokenCount"`
	// Redacted counts the secrets that were removed.
	Redacted int `json:"redacted"`
	// Repeated: the client made the same call before.
	Repeated bool     `json:"repeated,omitempty"`
	Notes    []string `json:"notes,omitempty"`
}

// SaveCheckpoint keeps a checkpoint without its secrets.
// Errors: KindInvalid for a text that is too long or has more than 20 secrets; KindConflict for a clientId with other
// content; those of the store.
func (s *Service) SaveCheckpoint(ctx context.Context, in CheckpointSave) (*CheckpointSaved, error) {
	var c checks
	c.required("summary", in.Summary, maxSummary)
	c.text("description", in.Description, maxDescription)
	c.save(&in.Save)
	for _, n := range []*int64{in.TokensBefore, in.TokensAfter} {
		if n != nil && *n < 0 {
			c.refuse("leave it out when it is not known", "a number of tokens is %d", *n)
		}
	}
	if c.err != nil {
		return nil, c.err
	}
	call, err := s.call(in.ClientID, in.Summary, in.Description, in.Save, in.TokensBefore, in.TokensAfter)
	if err != nil {
		return nil, err
	}
	keep, err := s.retention(ctx)
	if err != nil {
		return nil, err
	}
	notes, scrub := s.Secrets(ctx), scrubber{redact: s.Redact}
	row := store.Checkpoint{
		Note: s.note(ctx, &in.Save, &scrub), Summary: scrub.text(in.Summary), Description: scrub.text(in.Description),
		TokensBefore: in.TokensBefore, TokensAfter: in.TokensAfter,
	}
	if scrub.err != nil {
		return nil, scrub.err
	}
	if scrub.count > maxSecrets {
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "the checkpoint has %d secrets; with more than %d it is not kept", scrub.count, maxSecrets).
			WithHint("say what was done, without the content of configuration files")
	}
	row.Tokens = tokens.Estimate(strings.Join([]string{row.Summary, row.Description, row.Context, row.Tags}, "\n"))
	keep.Principal = &row.Principal
	answer := &CheckpointSaved{ID: row.ID, Summary: row.Summary, CreatedAt: moment(row.CreatedAt), TokenCount: row.Tokens, Redacted: scrub.count}
	state, err := s.Notes.Store(ctx)
	if err != nil {
		return nil, err
	}
	kept, err := json.Marshal(answer)
	if err != nil {
		return nil, err
	}
	before, err := state.PutCheckpoint(ctx, &row, call, string(kept), keep)
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

// call identifies a call by what was sent.
func (s *Service) call(id string, content ...any) (store.NoteCall, error) {
	sent, err := json.Marshal(content)
	return store.NoteCall{ClientID: id, Hash: note.HashOf(string(sent))}, err
}

// Checkpoint is one in an answer. Its texts are what others wrote.
type Checkpoint struct {
	ID           string            `json:"id"`
	Summary      string            `json:"summary"`
	Description  *string           `json:"description"`
	ProjectPath  *string           `json:"projectPath"`
	Context      map[string]string `json:"context"`
	Tags         []string          `json:"tags"`
	Shared       bool              `json:"shared"`
	TokenCount   int               `json:"tokenCount"`
	TokensBefore *int64            `json:"tokensBefore"`
	TokensAfter  *int64            `json:"tokensAfter"`
	Trust        string            `json:"trust"`
	CreatedAt    string            `json:"createdAt"`
	UpdatedAt    string            `json:"updatedAt"`
}

func checkpointOf(c *store.Checkpoint) Checkpoint {
	return Checkpoint{
		ID: c.ID, Summary: c.Summary, Description: orNull(c.Description), ProjectPath: orNull(c.ProjectPath), Context: note.ContextOf(&c.Note), Tags: note.TagsOf(&c.Note),
		Shared: c.Owner == "", TokenCount: c.Tokens, TokensBefore: c.TokensBefore, TokensAfter: c.TokensAfter, Trust: c.Author,
		CreatedAt: moment(c.CreatedAt), UpdatedAt: moment(c.UsedAt),
	}
}

// CheckpointSearch asks for checkpoints by words.
type CheckpointSearch struct {
	Query       string
	TopK        int // 0 = 5
	ProjectPath string
	Tags        []string
}

// CheckpointMatch is a checkpoint with how it was found.
type CheckpointMatch struct {
	Checkpoint
	Score     float64 `json:"score"`
	Distance  float64 `json:"distance"` // 1 - Score
	MatchedOn string  `json:"matchedOn"`
}

// CheckpointMatches are checkpoints, the best first.
type CheckpointMatches struct {
	Results []CheckpointMatch `json:"results"`
	Query   string            `json:"query"`
	TopK    int               `json:"topK"`
}

const (
	defaultTop = 5
	maxTop     = 100
)

// matchedOn names the fields of a checkpoint as its answer does.
var matchedOn = map[search.Field]string{search.Name: "summary", search.Description: "description", search.Context: "tags", search.Body: "context"}

// SearchCheckpoints finds checkpoints that the caller may see.
func (s *Service) SearchCheckpoints(ctx context.Context, in CheckpointSearch) (*CheckpointMatches, error) {
	if in.TopK == 0 {
		in.TopK = defaultTop
	}
	var c checks
	c.required("query", in.Query, maxQuery)
	c.within("topK", in.TopK, 1, maxTop)
	c.path(in.ProjectPath)
	c.tags(in.Tags)
	if c.err != nil {
		return nil, c.err
	}
	found, err := s.Notes.FindCheckpoints(ctx, note.Query{Text: in.Query, ProjectPath: in.ProjectPath, Tags: in.Tags, Limit: in.TopK})
	if err != nil {
		return nil, err
	}
	answer := &CheckpointMatches{Results: make([]CheckpointMatch, len(found)), Query: in.Query, TopK: in.TopK}
	for i := range found {
		f := &found[i]
		answer.Results[i] = CheckpointMatch{Checkpoint: checkpointOf(&f.Note), Score: f.Score, Distance: thousandths(1 - f.Score), MatchedOn: matchedOn[f.MatchedOn]}
	}
	return answer, nil
}

// CheckpointList asks for a page of checkpoints, the newest first.
type CheckpointList struct {
	Limit       int // 0 = 10
	Offset      int
	Cursor      string // "" = the first page
	ProjectPath string
	SortBy      string // createdAt or updatedAt; "" = createdAt
}

// CheckpointPage is a page of checkpoints.
type CheckpointPage struct {
	Checkpoints []Checkpoint `json:"checkpoints"`
	Total       int          `json:"total"`
	Limit       int          `json:"limit"`
	Offset      int          `json:"offset"`
	NextCursor  *string      `json:"nextCursor"`
}

const (
	defaultListed = 10
	maxListed     = 100
	byUpdate      = "updatedAt"
)

// ListCheckpoints lists the checkpoints that the caller may see.
// Errors: KindInvalid for a cursor of other arguments.
func (s *Service) ListCheckpoints(ctx context.Context, in CheckpointList) (*CheckpointPage, error) {
	if in.Limit == 0 {
		in.Limit = defaultListed
	}
	var c checks
	c.within("limit", in.Limit, 1, maxListed)
	c.within("offset", in.Offset, 0, maxOffset)
	c.oneOf("order", in.SortBy, "createdAt", byUpdate)
	c.path(in.ProjectPath)
	viewer := note.Viewer(ctx)
	print := fmt.Sprintf("%q %q %t", viewer, in.ProjectPath, in.SortBy == byUpdate)
	after := c.cursor(in.Cursor, in.Offset, print)
	if c.err != nil {
		return nil, c.err
	}
	answer := &CheckpointPage{Checkpoints: []Checkpoint{}, Limit: in.Limit, Offset: in.Offset}
	if !s.Notes.Began() {
		return answer, nil
	}
	state, err := s.Notes.Store(ctx)
	if err != nil {
		return nil, err
	}
	rows, total, err := state.Checkpoints(ctx, store.CheckpointList{
		Viewer: viewer, ProjectPath: in.ProjectPath, ByUse: in.SortBy == byUpdate, Limit: in.Limit + 1, Offset: in.Offset, After: after,
	})
	if err != nil {
		return nil, err
	}
	answer.Total = total
	if len(rows) > in.Limit {
		rows = rows[:in.Limit]
		last := &rows[in.Limit-1]
		at := last.CreatedAt
		if in.SortBy == byUpdate {
			at = last.UsedAt
		}
		answer.NextCursor = cursorAt(store.NotePlace{At: at, Seq: last.Seq}, print)
	}
	for i := range rows {
		answer.Checkpoints = append(answer.Checkpoints, checkpointOf(&rows[i]))
	}
	return answer, nil
}
