// Package terminal writes the output of commands: tables, one JSON document, progress,
// prose and errors, with the exit code of each kind of error.
package terminal

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/loam-data/loam/host/internal/failure"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/host/internal/semanticquery"
	"github.com/loam-data/loam/sdk"
)

// Terminal is the input and output of a command: documents and tables go to Out, prose
// and errors to Err.
type Terminal struct {
	In       io.Reader
	Out, Err io.Writer
	JSON     bool
	Quiet    bool
	NoColor  bool
}

// IsTerminal reports whether a file is a terminal.
func IsTerminal(w any) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

func (o *Terminal) color(w io.Writer) bool {
	return !o.NoColor && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && IsTerminal(w)
}

// Style returns a function that styles text, if w shows styles.
func (o *Terminal) Style(w io.Writer, code string) func(string) string {
	if !o.color(w) {
		return func(s string) string { return s }
	}
	return func(s string) string { return "\x1b[" + code + "m" + s + "\x1b[0m" }
}

// Infof writes one line of prose, unless --quiet or --json.
func (o *Terminal) Infof(format string, args ...any) {
	if !o.Quiet && !o.JSON {
		fmt.Fprintf(o.Err, format+"\n", args...)
	}
}

// Warn prints a failure that does not end the command.
func (o *Terminal) Warn(err error) {
	if o.Quiet {
		return
	}
	fmt.Fprintf(o.Err, "warning: %s\n", EscapeText(err.Error()))
	if e := sdk.AsError(err, sdk.SourceHost); e.Hint != "" {
		fmt.Fprintf(o.Err, "  %s\n", EscapeText(e.Hint))
	}
}

// Document writes the command's one JSON document.
func (o *Terminal) Document(v any) error {
	enc := json.NewEncoder(o.Out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// Answer writes v as the command's document with --json; else it calls print.
func (o *Terminal) Answer(v any, print func() error) error {
	if o.JSON {
		return o.Document(v)
	}
	return print()
}

// Done writes the command's document with --json, else a line of prose.
func (o *Terminal) Done(v any, format string, args ...any) error {
	return o.Answer(v, func() error {
		o.Infof(format, args...)
		return nil
	})
}

// List is a JSON document with a list that is written element by element, so that a
// long one needs no memory.
type List struct {
	w       *bufio.Writer
	started bool
}

// List starts a document with the fields of head, at least one, and a list.
func (o *Terminal) List(head any, field string) (*List, error) {
	text, err := compact(head)
	if err != nil {
		return nil, err
	}
	l := &List{w: bufio.NewWriter(o.Out)}
	_, err = fmt.Fprintf(l.w, "%s,%q:[", text[:len(text)-1], field)
	return l, err
}

// Add writes an element.
func (l *List) Add(element any) error {
	text, err := compact(element)
	if err != nil {
		return err
	}
	return l.AddJSON([]byte(text))
}

// AddJSON writes an element from parts of its JSON.
func (l *List) AddJSON(parts ...[]byte) error {
	between := "\n"
	if l.started {
		between = ",\n"
	}
	l.started = true
	_, err := l.w.WriteString(between)
	for _, part := range parts {
		if err == nil {
			_, err = l.w.Write(part)
		}
	}
	return err
}

// End ends the document with the fields of tail, which may be nil.
func (l *List) End(tail any) error {
	end := "]}\n"
	if tail != nil {
		text, err := compact(tail)
		if err != nil {
			return err
		}
		end = "]," + text[1:] + "\n"
	}
	if _, err := l.w.WriteString(end); err != nil {
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

// Table writes rows under headers, columns padded to their widest cell.
func (o *Terminal) Table(headers []string, rows [][]string) error {
	return o.NewTable(headers).Rows(rows)
}

// NewTable starts a table on Out; the columns with these indexes are right-aligned
// numbers.
func (o *Terminal) NewTable(headers []string, numbers ...int) *Table {
	numeric := make([]bool, len(headers))
	for _, i := range numbers {
		numeric[i] = true
	}
	t := NewTable(o.Out, headers, numeric)
	t.Bold = o.Style(o.Out, "1")
	return t
}

// Fail writes an error with its place and hint; as JSON with --json.
func (o *Terminal) Fail(err error) {
	e := sdk.AsError(err, sdk.SourceHost)
	if o.JSON {
		document := NewFailure(err)
		if refusal, ok := errors.AsType[*refusal.Error](err); ok {
			document.Details = semanticquery.NewRefusal(refusal)
		}
		enc := json.NewEncoder(o.Err)
		enc.SetEscapeHTML(false)
		_ = enc.Encode(map[string]any{"error": document}) // stderr is the last resort: nobody to tell
		return
	}
	red := o.Style(o.Err, "31;1")
	if refusal, ok := errors.AsType[*refusal.Error](err); ok {
		fmt.Fprintf(o.Err, "%s %s\n", red("error:"), strings.TrimSuffix(EscapeText(refusal.Text()), "\n"))
		return
	}
	fmt.Fprintf(o.Err, "%s %s\n", red("error:"), EscapeText(err.Error()))
	if e.Hint != "" {
		fmt.Fprintf(o.Err, "  %s\n", strings.ReplaceAll(EscapeText(e.Hint), "\n", "\n  "))
	}
	if len(e.Candidates) > 0 && !strings.Contains(e.Hint, e.Candidates[0]) {
		fmt.Fprintf(o.Err, "  did you mean: %s\n", strings.Join(EscapeAll(e.Candidates), ", "))
	}
}

// Failure is an error in a JSON document.
type Failure struct {
	failure.Failure
	// Details of a request to the semantic layer that was refused.
	Details *semanticquery.Refusal `json:"details,omitempty"`
}

// NewFailure describes an error.
func NewFailure(err error) *Failure { return &Failure{Failure: *failure.New(err)} }
