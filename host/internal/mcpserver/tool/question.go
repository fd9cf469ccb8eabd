package tool

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/host/internal/mcpserver/transport"
	"github.com/loam-data/loam/host/internal/project"
)

const (
	// maxChoices and maxQuestion bound a question, the latter in characters.
	maxChoices  = 5
	maxQuestion = 300
	// askTime is how long a client of the era with sessions may be silent.
	askTime = time.Minute
	// choiceID names the question of a call, and the field of its form.
	choiceID = "choice"
)

// Asking is an error that names what the caller may have meant, and that a person can settle with one choice.
type Asking interface {
	error
	// Question returns the question, nil = there is none.
	Question() *Question
}

// Question is a refusal with choices, put to the person who uses the client.
type Question struct {
	// Code is the refusal's.
	Code string
	// Text consists of names: it contains no text that was stored by others.
	Text string
	// Choices are all that can be meant. Values says that they are values, which the history does not record.
	Choices []string
	Values  bool
	// Settle returns the context and the arguments with which the call goes on after a choice.
	Settle func(ctx context.Context, arguments json.RawMessage, choice string) (context.Context, json.RawMessage)
	// Note returns the sentence that the answer has about a choice.
	Note func(choice string) string
}

// fits reports whether a question is within the bounds.
func (q *Question) fits() bool {
	return q != nil && len(q.Choices) > 0 && len(q.Choices) <= maxChoices && utf8.RuneCountInString(q.Text) <= maxQuestion &&
		len(slices.Compact(slices.Sorted(slices.Values(q.Choices)))) == len(q.Choices)
}

// id identifies the question among all of a call.
func (q *Question) id() string {
	text, err := json.Marshal([]any{q.Code, q.Text, q.Choices})
	if err != nil {
		panic("tool: a question is no JSON: " + err.Error())
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// form is the question as the client shows it: a text and one list.
func (q *Question) form() mcp.ElicitationParams {
	return mcp.ElicitationParams{Message: q.Text, RequestedSchema: map[string]any{
		"type": "object", "required": []string{choiceID},
		"properties": map[string]any{choiceID: map[string]any{"type": "string", "title": "Meant", "enum": q.Choices}},
	}}
}

// said is what became of a question.
type said string

const (
	saidChoice  said = outcomeOK
	saidOther   said = "invalid"     // a value that is no choice
	saidNo      said = "canceled"    // declined, dismissed, or taken back with the call
	saidNothing said = "timeout"     // no reply in time
	saidFailed  said = "unavailable" // an error, or a client that is gone
)

// read returns the choice of an answered form.
func (q *Question) read(answer *mcp.ElicitationResult) (choice string, what said) {
	if answer == nil || answer.Action != mcp.ElicitationResponseActionAccept {
		return "", saidNo
	}
	content, _ := answer.Content.(map[string]any)
	choice, _ = content[choiceID].(string)
	if !slices.Contains(q.Choices, choice) {
		return "", saidOther
	}
	return choice, saidChoice
}

// question returns what a person can be asked about a refused call, nil = nothing, or nobody can be asked.
func (s *Set) question(ctx context.Context, e *entry, refused error) *Question {
	if refused == nil || s.config.Ask == project.AskOff || ctx.Err() != nil || !CanAsk(ctx) {
		return nil
	}
	q := e.questionOf(refused)
	if !q.fits() {
		return nil
	}
	return q
}

// CanAsk reports whether the client of a call declared that it asks its user to fill in forms, and questions
// reach it.
func CanAsk(ctx context.Context) bool {
	var declared mcp.ClientCapabilities
	if info := server.RequestProtocolInfoFromContext(ctx); info != nil && info.Modern {
		if info.ClientCapabilities != nil {
			declared = *info.ClientCapabilities
		}
	} else if session, ok := server.ClientSessionFromContext(ctx).(server.SessionWithClientInfo); ok && transport.CanAsk(ctx) {
		declared = session.GetClientCapabilities()
	}
	can := declared.Elicitation
	return can != nil && (can.Form != nil || can.URL == nil) // a client that names no mode asks forms
}

// answered is a refused call on its way through a question.
type answered struct {
	set       *Set
	entry     *entry
	request   mcp.CallToolRequest
	arguments json.RawMessage
}

// settle puts the question of a refused call, and runs it again with the choice. A call of the stateless era ends
// with the question, and the client repeats it with the answer. Without a choice the call is refused as it was.
func (a answered) settle(ctx context.Context, q *Question, refused error, again func(context.Context, json.RawMessage) ([]byte, string, error)) (*mcp.CallToolResult, error) {
	if server.IsModernRequest(ctx) && a.request.Params.RequestState == "" {
		call := Call{CallToolRequest: a.request, states: a.set.states, who: caller.Of(ctx)}
		call.Params.Name = a.entry.tool.Name
		a.record(ctx, q, saidChoice, "", time.Now())
		return call.Ask(q.id()).Elicit(choiceID, q.form()).ToolResult(), refused
	}
	started := time.Now()
	choice, what := a.ask(ctx, q)
	a.record(ctx, q, what, choice, started)
	switch {
	case ctx.Err() != nil:
		return nil, because(ctx, ctx.Err())
	case what != saidChoice:
		return nil, refused
	}
	ctx, arguments := q.Settle(ctx, a.arguments, choice)
	note := q.Note(choice)
	out, text, err := again(ctx, arguments)
	if err != nil {
		return nil, &afterChoice{err, note}
	}
	if out, text, err = withNote(out, text, note); err != nil {
		return nil, err
	}
	return answerOf(out, text), nil
}

// ask returns the choice of the person.
func (a answered) ask(ctx context.Context, q *Question) (choice string, what said) {
	if server.IsModernRequest(ctx) {
		call := Call{CallToolRequest: a.request, states: a.set.states, who: caller.Of(ctx)}
		call.Params.Name = a.entry.tool.Name
		if call.State() != q.id() {
			return "", saidOther // the choices are others by now
		}
		return q.read(server.ElicitationResponse(a.request.Params.InputResponses, choiceID))
	}
	limit := a.set.config.AskTime
	if limit == 0 {
		limit = askTime
	}
	waiting, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	reply, err := transport.Ask(waiting, string(mcp.MethodElicitationCreate), q.form())
	switch {
	case ctx.Err() != nil:
		return "", saidNo
	case waiting.Err() != nil:
		return "", saidNothing
	case err != nil:
		return "", saidFailed
	}
	var answer mcp.ElicitationResult
	if json.Unmarshal(reply, &answer) != nil {
		return "", saidOther
	}
	return q.read(&answer)
}

// record tells the audit and the log of a question: what was asked, and what became of it.
func (a answered) record(ctx context.Context, q *Question, what said, choice string, started time.Time) {
	a.set.config.Logger.InfoContext(ctx, "question asked", "tool", a.entry.tool.Name, "outcome", string(what))
	if a.set.config.Audit == nil {
		return
	}
	names := map[string]any{"tool": a.entry.tool.Name, "code": q.Code}
	all, one := "choices", "choice"
	if q.Values {
		all, one = "values", "value"
	}
	names[all] = q.Choices
	if choice != "" {
		names[one] = choice
	}
	arguments, err := json.Marshal(names)
	if err != nil {
		panic("tool: a question is no JSON: " + err.Error())
	}
	a.set.config.Audit(context.WithoutCancel(ctx), Record{
		Tool: string(mcp.MethodElicitationCreate), Arguments: bytes.Clone(a.set.redactJSON(arguments)), Outcome: string(what),
		Started: started, Elapsed: time.Since(started), Call: callIn(ctx), Caller: CallerOf(ctx),
	})
}

// afterChoice is why a call fails that went on with a choice.
type afterChoice struct {
	err  error
	note string
}

func (e *afterChoice) Error() string { return fmt.Sprintf("%v (%s)", e.err, e.note) }

func (e *afterChoice) Unwrap() error { return e.err }

// withNote adds a note to an answer.
func withNote(out []byte, text, note string) ([]byte, string, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(out, &members); err != nil {
		return nil, "", err
	}
	var notes []string
	if err := json.Unmarshal(members["notes"], &notes); err != nil && members["notes"] != nil {
		return nil, "", err
	}
	encodedNotes, err := encode(append([]string{note}, notes...))
	if err != nil {
		return nil, "", err
	}
	members["notes"] = encodedNotes
	noted, err := encode(members)
	if err != nil {
		return nil, "", err
	}
	if text == string(out) {
		return noted, string(noted), nil
	}
	return noted, text + "\nnote: " + note, nil
}
