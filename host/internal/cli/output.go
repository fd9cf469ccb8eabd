package cli

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/host/internal/semanticquery"
	"github.com/loam-data/loam/sdk"
)

// output is where a command writes: documents and tables to out, prose and
// errors to err.
type output struct {
	out, err io.Writer
	json     bool
	quiet    bool
	noColor  bool
}

func isTerminal(w any) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

func (o *output) color(w io.Writer) bool {
	return !o.noColor && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && isTerminal(w)
}

func (o *output) style(w io.Writer, code string) func(string) string {
	if !o.color(w) {
		return func(s string) string { return s }
	}
	return func(s string) string { return "\x1b[" + code + "m" + s + "\x1b[0m" }
}

// say writes one line of prose, unless --quiet or --json.
func (o *output) say(format string, args ...any) {
	if !o.quiet && !o.json {
		fmt.Fprintf(o.err, format+"\n", args...)
	}
}

// warn tells of a failure that does not end the command.
func (o *output) warn(err error) {
	if o.quiet {
		return
	}
	fmt.Fprintf(o.err, "warning: %s\n", shownText(err.Error()))
	if e := sdk.AsError(err, sdk.SourceHost); e.Hint != "" {
		fmt.Fprintf(o.err, "  %s\n", shownText(e.Hint))
	}
}

// document writes the command's one JSON document.
func (o *output) document(v any) error {
	enc := json.NewEncoder(o.out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// list is a document whose last field is a list, written element by element so
// that a long one needs no memory.
type list struct {
	w       *bufio.Writer
	started bool
}

// list starts a document with the fields of head, which has at least one.
func (o *output) list(head any, field string) (*list, error) {
	text, err := compact(head)
	if err != nil {
		return nil, err
	}
	l := &list{w: bufio.NewWriter(o.out)}
	_, err = fmt.Fprintf(l.w, "%s,%q:[", text[:len(text)-1], field)
	return l, err
}

func (l *list) add(element any) error {
	text, err := compact(element)
	if err != nil {
		return err
	}
	between := "\n"
	if l.started {
		between = ",\n"
	}
	l.started = true
	_, err = l.w.WriteString(between + text)
	return err
}

func (l *list) end() error {
	if _, err := l.w.WriteString("]}\n"); err != nil {
		return err
	}
	return l.w.Flush()
}

func compact(v any) (string, error) {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return strings.TrimSuffix(b.String(), "\n"), err
}

// table writes rows under headers, columns padded to their widest cell.
func (o *output) table(headers []string, rows [][]string) error {
	return o.newTable(headers).rows(rows)
}

// newTable starts a table on out; the columns numbers are of numbers.
func (o *output) newTable(headers []string, numbers ...int) *table {
	numeric := make([]bool, len(headers))
	for _, i := range numbers {
		numeric[i] = true
	}
	t := newTable(o.out, headers, numeric)
	t.bold = o.style(o.out, "1")
	return t
}

// failure writes an error: what and where, then what to do; as JSON with --json.
func (o *output) failure(err error) {
	e := sdk.AsError(err, sdk.SourceHost)
	if o.json {
		document := errorDocument(e, err.Error())
		if refusal, ok := errors.AsType[*refusal.Error](err); ok {
			document.Details = semanticquery.NewRefusal(refusal)
		}
		enc := json.NewEncoder(o.err)
		enc.SetEscapeHTML(false)
		_ = enc.Encode(map[string]any{"error": document}) // stderr is the last resort: nobody to tell
		return
	}
	red := o.style(o.err, "31;1")
	if refusal, ok := errors.AsType[*refusal.Error](err); ok {
		fmt.Fprintf(o.err, "%s %s\n", red("error:"), strings.TrimSuffix(shownText(refusal.Text()), "\n"))
		return
	}
	fmt.Fprintf(o.err, "%s %s\n", red("error:"), shownText(err.Error()))
	if e.Hint != "" {
		fmt.Fprintf(o.err, "  %s\n", strings.ReplaceAll(shownText(e.Hint), "\n", "\n  "))
	}
	if len(e.Candidates) > 0 && !strings.Contains(e.Hint, e.Candidates[0]) {
		fmt.Fprintf(o.err, "  did you mean: %s\n", strings.Join(shownAll(e.Candidates), ", "))
	}
}

type failureDocument struct {
	Kind       sdk.Kind   `json:"kind"`
	Source     sdk.Source `json:"source,omitempty"`
	Message    string     `json:"message"`
	Hint       string     `json:"hint,omitempty"`
	Code       string     `json:"code,omitempty"`
	Line       int        `json:"line,omitempty"`
	Column     int        `json:"column,omitempty"`
	Candidates []string   `json:"candidates,omitempty"`
	Retryable  bool       `json:"retryable"`
	// Details of a request to the semantic layer that was refused.
	Details *semanticquery.Refusal `json:"details,omitempty"`
}

func failureOf(err error) *failureDocument {
	d := errorDocument(sdk.AsError(err, sdk.SourceHost), err.Error())
	return &d
}

func errorDocument(e *sdk.Error, message string) failureDocument {
	return failureDocument{
		Kind: e.Kind, Source: e.Source, Message: message, Hint: e.Hint, Code: e.Code,
		Line: e.Pos.Line, Column: e.Pos.Column, Candidates: e.Candidates, Retryable: e.Retry,
	}
}
