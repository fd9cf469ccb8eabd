package review

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/console/page"
	"github.com/loam-data/loam/host/internal/job"
	"github.com/loam-data/loam/host/internal/memory"
	"github.com/loam-data/loam/host/internal/run"
	"github.com/loam-data/loam/sdk"
)

const (
	// maxReport bounds the report of a run, in characters, and maxRunTexts its questions and notes.
	maxReport, maxRunTexts = 6000, 40
	// retryCause is the cause of a run that was tried again here.
	retryCause = "loam console"
)

// runData is the page of a run.
type runData struct {
	ID        string     `json:"runId"`
	Kind      string     `json:"kind"`
	Target    string     `json:"target,omitempty"`
	Status    string     `json:"status"`
	Stage     string     `json:"stage"`
	Done      int64      `json:"done"`
	Total     *int64     `json:"total"`
	Canceling bool       `json:"canceling,omitempty"`
	By        string     `json:"by"`
	Principal string     `json:"principal,omitempty"`
	Cause     string     `json:"cause,omitempty"`
	QueuedAt  time.Time  `json:"queuedAt"`
	Started   *time.Time `json:"startedAt"`
	Finished  *time.Time `json:"finishedAt"`
	Error     string     `json:"error,omitempty"`
	// Report is what a run of another kind than ingest says of itself, as JSON.
	Report string `json:"report,omitempty"`
	// The fields below are of kind ingest.
	Ingest    bool       `json:"-"`
	Signals   []string   `json:"signals,omitempty"`
	Dialect   string     `json:"dialect,omitempty"`
	Skipped   string     `json:"skippedReason,omitempty"`
	Questions []question `json:"questions,omitempty"`
	Notes     []string   `json:"notes,omitempty"`
	Rows      []row      `json:"changes,omitempty"`
	Pager     page.Pager `json:"pager"`
	// Revert is the address of the page that lists what a revert would do, "" = nothing was written.
	Revert string `json:"-"`
	// Retry: the run can be run again.
	Retry bool `json:"retry"`
}

// question is one that a text leaves open.
type question struct {
	Ask   string `json:"ask"`
	Quote string `json:"quote,omitempty"`
}

// run shows a run of any kind.
func (s Services) run(ctx context.Context, r *page.Request) (*page.View, error) {
	status, err := s.Jobs.Report(ctx, job.Follow{RunID: r.Path("id")})
	if err != nil {
		return nil, err
	}
	data := runOf(&status)
	if status.Kind == run.Ingest {
		if err := s.ingested(ctx, r, data); err != nil {
			return nil, err
		}
	} else {
		data.Report = indented(status.Report)
	}
	view := &page.View{Title: "Run " + data.ID, Command: "loam runs show " + data.ID + " --json", Data: data}
	if status.PollAfterMs != nil {
		const least = 5 * time.Second
		view.Refresh = max(time.Duration(*status.PollAfterMs)*time.Millisecond, least)
	}
	return view, nil
}

func runOf(s *job.Status) *runData {
	data := &runData{
		ID: s.RunID, Kind: s.Kind, Status: string(s.Status), Stage: shown(s.Stage, maxName), Done: s.Done, Total: s.Total, Canceling: s.Canceling,
		By: shown(s.By, maxName), QueuedAt: s.QueuedAt, Started: s.StartedAt, Finished: s.FinishedAt, Ingest: s.Kind == run.Ingest,
	}
	for from, into := range map[*string]*string{s.Target: &data.Target, s.Principal: &data.Principal, s.Cause: &data.Cause} {
		if from != nil {
			*into = shown(*from, maxTarget)
		}
	}
	if s.Error != nil {
		data.Error = shown(s.Error.Message, maxQuote)
	}
	data.Retry = s.Status.Ended() && (s.Kind == run.Ingest || s.Kind == run.Scan || s.Kind == run.Index)
	return data
}

// ingested adds what came of a text.
func (s Services) ingested(ctx context.Context, r *page.Request, data *runData) error {
	of, err := s.Memory.Status(ctx, memory.RunID(data.ID))
	if err != nil {
		return err
	}
	for _, reason := range of.Signals.Reasons {
		data.Signals = append(data.Signals, shown(reason, maxFault))
	}
	if of.Signals.Dialect != nil {
		data.Dialect = shown(*of.Signals.Dialect, maxName)
	}
	if of.SkippedReason != nil {
		data.Skipped = shown(*of.SkippedReason, maxFault)
	}
	for i, q := range of.Questions {
		if i == maxRunTexts {
			break
		}
		data.Questions = append(data.Questions, question{Ask: shown(q.Ask, maxFault), Quote: shown(q.Quote, maxFault)})
	}
	for i, n := range of.Notes {
		if i == maxRunTexts {
			break
		}
		data.Notes = append(data.Notes, shown(n, maxFault))
	}
	list, err := s.Memory.Changes(ctx, memory.ChangesRequest{RunID: memory.RunID(data.ID), Limit: pageRows, Cursor: r.Param("cursor")})
	if err != nil {
		return err
	}
	f := filter{Run: data.ID, State: stateAll}
	for i := range list.Changes {
		line := &list.Changes[i]
		data.Rows = append(data.Rows, rowOf(line, f))
		if line.State == "applied" || line.State == "draft" {
			data.Revert = page.Link("revert") + "?run=" + data.ID
		}
	}
	data.Pager = page.Pager{Total: list.Total, Shown: len(list.Changes), Cursor: r.Param("cursor")}
	if list.NextCursor != nil {
		data.Pager.Next = *list.NextCursor
	}
	return nil
}

// indented returns a document as people read it, cut where it is long.
func indented(document json.RawMessage) string {
	if len(document) == 0 || string(document) == "null" {
		return ""
	}
	var out bytes.Buffer
	if json.Indent(&out, document, "", "  ") != nil {
		return shown(string(document), maxReport)
	}
	return shown(out.String(), maxReport)
}

// retry runs an ended run again and leads to the run that does it.
func (s Services) retry(ctx context.Context, r *page.Request) (*page.Outcome, error) {
	status, err := s.Jobs.Replay(ctx, job.Caller{Actor: r.Actor, Cause: retryCause}, r.Path("id"))
	if err != nil {
		return nil, err
	}
	if !strings.EqualFold(status.RunID, r.Path("id")) {
		return &page.Outcome{To: below("", "run", status.RunID), Flash: &page.Flash{Text: "Run " + status.RunID + " does it again."}}, nil
	}
	return &page.Outcome{To: below("", "run", status.RunID), Flash: &page.Flash{Text: "It runs again."}}, nil
}

// outlookData is the page that lists what a revert of an actor, a run or a source would do.
type outlookData struct {
	Of string `json:"of"`
	// Goes are reverted wholly or in part, Stays are not.
	Goes  []outlookRow `json:"goes"`
	Stays []outlookRow `json:"stays"`
	// Total of the changes, of which the latest are listed.
	Total int    `json:"total"`
	Back  string `json:"-"`
}

// outlookRow is a change that would be reverted.
type outlookRow struct {
	ID     string    `json:"id"`
	Target string    `json:"target"`
	Says   string    `json:"says"`
	State  string    `json:"state"`
	At     time.Time `json:"at"`
	// Kept are blocks that were edited since and stay.
	Kept    []string `json:"kept,omitempty"`
	Problem string   `json:"problem,omitempty"`
	Pick    string   `json:"-"`
	Link    string   `json:"-"`
}

// listed is how many changes the page lists at once: all of them are reverted with one form.
const listed = 100

// outlook lists what a revert by actor, run or source would do.
func (s Services) outlook(ctx context.Context, r *page.Request) (*page.View, error) {
	ask := memory.RevertRequest{RunID: memory.RunID(r.Param("run")), By: r.Param("actor"), Source: r.Param("source"), Actor: r.Actor}
	command, of := "loam review revert", ""
	for _, flag := range [][3]string{{"run", r.Param("run"), "of run "}, {"actor", r.Param("actor"), "of "}, {"source", r.Param("source"), "from the source "}} {
		if flag[1] == "" {
			continue
		}
		if of != "" {
			return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "the address names more than one of run, actor and source").WithHint("name one")
		}
		f := filter{}
		*f.parameters()[flag[0]] = flag[1]
		of, command = flag[2]+shown(flag[1], maxName), "loam review revert"+strings.TrimPrefix(strings.TrimSuffix(f.command(), " --json"), "loam review")
	}
	if of == "" {
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "the address names neither a run nor an actor nor a source").WithHint("filter the inbox by one, and follow the link there")
	}
	if age := r.Param("age"); age != "" {
		if ages()[age] == 0 {
			return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "there is no age %s", quoted(age)).WithHint("use 24h, 7d or 30d")
		}
		ask.Since, of, command = r.Now.Add(-ages()[age]), of+" of the last "+age, command+" --since "+age
	}
	would, total, err := s.Memory.Outlook(ctx, ask, listed)
	if err != nil {
		return nil, err
	}
	data := &outlookData{Of: of, Goes: []outlookRow{}, Stays: []outlookRow{}, Total: total, Back: page.Root}
	for i := range would.Changes {
		data.add(&would.Changes[i])
	}
	return &page.View{Title: "Undo the changes " + of + "?", Command: command + " --dry-run --json", Data: data}, nil
}

func (data *outlookData) add(c *memory.RevertedChange) {
	one := outlookRow{
		ID: string(c.ID), Target: shown(c.Target, maxName), Says: shown(c.Says, asked(listed/2)), State: c.Was, At: c.At, Problem: shown(c.Problem, maxDetail),
		Pick: pickOf(c.ID, c.Version), Link: page.Link("change", string(c.ID)),
	}
	for _, k := range c.Kept {
		one.Kept = append(one.Kept, shown(k, maxName))
	}
	if c.Failed {
		data.Stays = append(data.Stays, one)
		return
	}
	data.Goes = append(data.Goes, one)
}
