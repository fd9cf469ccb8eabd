package discover

import (
	"fmt"
	"strconv"
	"strings"
)

// Text returns the answer for clients that show only text: the lines of the structured
// answer, below the names of their tables.
func (a *EntitiesAnswer) Text() string {
	var b strings.Builder
	line := func(parts ...string) { b.WriteString(strings.Join(parts, "") + "\n") }
	if a.Snapshot.ExtractedAt != "" {
		line("connection ", string(a.ConnectionID), ", as scanned ", a.Snapshot.ExtractedAt)
	}
	for i := range a.Entities {
		e := &a.Entities[i]
		facts := []string{e.Kind}
		if e.Rows != nil {
			facts = append(facts, strconv.FormatInt(*e.Rows, 10)+" rows")
		}
		line("\n", e.Display, ": ", strings.Join(append(facts, e.Facts...), "; "))
		for _, text := range []string{e.Description, e.Comment} {
			if text != "" {
				line("-- ", text)
			}
		}
		for _, c := range e.Columns {
			line("  ", c.String())
		}
		section(&b, "rows", e.Sample)
		section(&b, "joins", texts(e.Joins))
		if e.Definition != "" {
			line("definition\n", e.Definition)
		}
	}
	section(&b, "schemas", a.Schemas)
	section(&b, "tables", texts(a.Tables))
	section(&b, "ways", texts(a.Paths))
	for _, e := range a.Errors {
		line(e.Code, ": ", e.Message)
		if len(e.Candidates) > 0 {
			line("did you mean: ", strings.Join(e.Candidates, ", "))
		}
	}
	for _, n := range a.Notes {
		line("note: ", n)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func section(b *strings.Builder, name string, lines []string) {
	if len(lines) == 0 {
		return
	}
	b.WriteString(name + "\n")
	for _, l := range lines {
		b.WriteString("  " + l + "\n")
	}
}

func texts[T interface{ String() string }](all []T) (lines []string) {
	for _, one := range all {
		lines = append(lines, one.String())
	}
	return lines
}

// Text returns the answer for clients that show only text: one reference per line, best
// first, without scores.
func (a *SearchAnswer) Text() string {
	var b strings.Builder
	for i := range a.Refs {
		a.Refs[i].write(&b)
	}
	for _, n := range a.Notes {
		b.WriteString("note: " + n + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// write writes the reference as one line, and its snippet on a second.
func (r *Ref) write(b *strings.Builder) {
	b.WriteString(r.Kind + " " + r.ID)
	marks := []string{string(r.ConnectionID), r.Trust}
	if r.Copies > 0 {
		marks = append(marks, fmt.Sprintf("and %d like it", r.Copies))
	}
	if r.Partial {
		marks = append(marks, "partial")
	}
	for _, mark := range append(marks, r.Flags...) {
		if mark != "" {
			b.WriteString("; " + mark)
		}
	}
	if r.Summary != nil {
		b.WriteString(" -- " + flat(*r.Summary))
	}
	if r.Snippet != nil && (r.Summary == nil || *r.Snippet != *r.Summary) {
		b.WriteString("\n  " + flat(*r.Snippet))
	}
	b.WriteString("\n")
}
