package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

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
	fmt.Fprintf(o.err, "warning: %v\n", err)
	if e := sdk.AsError(err, sdk.SourceHost); e.Hint != "" {
		fmt.Fprintf(o.err, "  %s\n", e.Hint)
	}
}

// document writes the command's one JSON document.
func (o *output) document(v any) error {
	enc := json.NewEncoder(o.out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// table writes rows under headers, columns padded to their widest cell.
func (o *output) table(headers []string, rows [][]string) error {
	t := newTable(o.out, headers, nil)
	t.bold = o.style(o.out, "1")
	for _, row := range rows {
		if err := t.row(row); err != nil {
			return err
		}
	}
	return t.flush()
}

// failure writes an error: what and where, then what to do; as JSON with --json.
func (o *output) failure(err error) {
	e := sdk.AsError(err, sdk.SourceHost)
	if o.json {
		enc := json.NewEncoder(o.err)
		enc.SetEscapeHTML(false)
		_ = enc.Encode(map[string]any{"error": errorDocument(e, err.Error())}) // stderr is the last resort: nobody to tell
		return
	}
	red := o.style(o.err, "31;1")
	fmt.Fprintf(o.err, "%s %s\n", red("error:"), err.Error())
	if e.Hint != "" {
		fmt.Fprintf(o.err, "  %s\n", strings.ReplaceAll(e.Hint, "\n", "\n  "))
	}
	if len(e.Candidates) > 0 && !strings.Contains(e.Hint, e.Candidates[0]) {
		fmt.Fprintf(o.err, "  did you mean: %s\n", strings.Join(e.Candidates, ", "))
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
}

func errorDocument(e *sdk.Error, message string) failureDocument {
	return failureDocument{
		Kind: e.Kind, Source: e.Source, Message: message, Hint: e.Hint, Code: e.Code,
		Line: e.Pos.Line, Column: e.Pos.Column, Candidates: e.Candidates, Retryable: e.Retry,
	}
}
