package terminal

import (
	"fmt"

	"github.com/loam-data/loam/host/internal/health"
	"github.com/loam-data/loam/sdk"
)

// Finding is the result of one check, in a JSON document.
type Finding struct {
	Subject string   `json:"subject"`
	OK      bool     `json:"ok"`
	Warning bool     `json:"warning,omitempty"`
	Detail  string   `json:"detail,omitempty"`
	Error   *Failure `json:"error,omitempty"`
	Mend    []string `json:"mend,omitempty"`
}

// Findings prints the findings of a check.
type Findings struct {
	term     *Terminal
	line     *Progress
	all      []Finding
	warnings int
	first    error
}

// NewFindings starts a list of findings.
func (o *Terminal) NewFindings() *Findings { return &Findings{term: o} }

// Progress shows the progress of the check.
func (f *Findings) Progress(p sdk.Progress) {
	if f.line == nil {
		f.line = f.term.NewProgress()
	}
	f.line.Update(share(p), p.Phase)
}

// share is how much is done of what is known to be to do.
func share(p sdk.Progress) float64 {
	if p.Total <= 0 {
		return 0
	}
	return float64(p.Done) / float64(p.Total)
}

// Add prints a finding.
func (f *Findings) Add(one health.Finding) {
	if f.line != nil {
		f.line.Clear()
	}
	d := Finding{Subject: one.Subject, OK: one.Err == nil, Warning: one.Warning, Detail: one.Detail, Mend: one.Mend}
	mark := f.term.Style(f.term.Out, "32")("ok  ")
	switch {
	case one.Err != nil:
		mark = f.term.Style(f.term.Out, "31")("FAIL")
		d.Error = NewFailure(one.Err)
		if f.first == nil {
			f.first = one.Err
		}
	case one.Warning:
		mark = f.term.Style(f.term.Out, "33")("warn")
		f.warnings++
	}
	f.all = append(f.all, d)
	if f.term.JSON {
		return
	}
	fmt.Fprintf(f.term.Out, "%s  %s: %s\n", mark, Escape(one.Subject), EscapeText(one.Detail))
	for _, m := range one.Mend {
		fmt.Fprintf(f.term.Out, "      → %s\n", EscapeText(m))
	}
}

// End closes the list of findings and returns the first problem.
func (f *Findings) End() error {
	if f.term.JSON {
		if err := f.term.Document(map[string]any{"ok": f.first == nil, "findings": append([]Finding{}, f.all...)}); err != nil {
			return err
		}
	}
	if f.first == nil {
		f.term.Infof("no problems found%s", warned(f.warnings))
	}
	return f.first
}

// warned is the number of warnings in words, "" = there are none.
func warned(n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return ", but a warning"
	default:
		return fmt.Sprintf(", but %d warnings", n)
	}
}
