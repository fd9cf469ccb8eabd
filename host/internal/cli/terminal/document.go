package terminal

import (
	"fmt"
	"time"
)

// OrNull is a text, null where there is none.
func OrNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// KnownOrNull is a count, null where it is negative, which means unknown.
func KnownOrNull(n int64) *int64 {
	if n < 0 {
		return nil
	}
	return &n
}

// Moment is a time as documents have it, "" where there is none.
func Moment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// OrEmpty is a list that is never null.
func OrEmpty(list []string) []string { return append([]string{}, list...) }

const (
	// MaxAbout is how much a table shows of what a thing is about, MaxComment of a
	// comment, and MaxValue of a value.
	MaxAbout   = 100
	MaxComment = 80
	MaxValue   = 40
)

// Notes prints what an answer says of itself.
func (o *Terminal) Notes(notes []string) {
	for _, note := range notes {
		o.Infof("note: %s", Escape(note))
	}
}

// Section prints a table under an empty line, or nothing.
func (o *Terminal) Section(headers []string, rows [][]string) error {
	if len(rows) == 0 {
		return nil
	}
	fmt.Fprintln(o.Out)
	return o.Table(headers, rows)
}

// Raw prints a text that may be kept; a terminal gets control characters escaped.
func (o *Terminal) Raw(text string) error {
	if IsTerminal(o.Out) {
		text = EscapeText(text)
	}
	_, err := fmt.Fprint(o.Out, text)
	return err
}
