package terminal

import (
	"fmt"
	"time"

	"github.com/loam-data/loam/host/internal/text"
)

// OrNull returns nil for an empty text.
func OrNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// KnownOrNull returns a count, nil for a negative one, which is unknown.
func KnownOrNull(n int64) *int64 {
	if n < 0 {
		return nil
	}
	return &n
}

// Moment formats a time for a document; "" for the zero time.
func Moment(t time.Time) string { return text.Moment(t) }

// OrEmpty returns an empty list for nil.
func OrEmpty(list []string) []string { return append([]string{}, list...) }

const (
	// MaxAbout, MaxComment and MaxValue are the columns of a terminal that a table
	// cell of a description, a comment and a value may take.
	MaxAbout   = 100
	MaxComment = 80
	MaxValue   = 40
)

// Notes prints the notes of an answer.
func (o *Terminal) Notes(notes []string) {
	for _, note := range notes {
		o.Infof("note: %s", Escape(note))
	}
}

// Section prints a table after an empty line; nothing without rows.
func (o *Terminal) Section(headers []string, rows [][]string) error {
	if len(rows) == 0 {
		return nil
	}
	fmt.Fprintln(o.Out)
	return o.Table(headers, rows)
}

// Raw prints a text unchanged, except that control characters are escaped on a
// terminal.
func (o *Terminal) Raw(text string) error {
	if IsTerminal(o.Out) {
		text = EscapeText(text)
	}
	_, err := fmt.Fprint(o.Out, text)
	return err
}
