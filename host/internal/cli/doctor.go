package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/health"
	"github.com/loam-data/loam/sdk"
)

func (a *app) doctorCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Look for what is wrong and say how to mend it",
		Long: `Checks the project file, the state, every connector a connection needs (present,
checksum right), every connection (configuration, secrets, reaching the warehouse,
read-only) and its catalog (whole, of this warehouse, not old), the decisions on
relationships, the files of the semantic layer, the wiki's pages, the search index, the
MCP server and whether the clients that were set up find it.
Exits with the code of the first problem, 0 when there is none but warnings.`,
		Example: "  loam doctor",
		Args:    exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withRooms(cmd.Context(), func(rooms *Rooms) error {
				f := findings{app: a}
				if err := rooms.Health.Check(cmd.Context(), f.add, f.progress); err != nil {
					return err
				}
				return f.end()
			})
		},
	}
}

// findingDocument is one thing that was looked at.
type findingDocument struct {
	Subject string           `json:"subject"`
	OK      bool             `json:"ok"`
	Warning bool             `json:"warning,omitempty"`
	Detail  string           `json:"detail,omitempty"`
	Error   *failureDocument `json:"error,omitempty"`
	Mend    []string         `json:"mend,omitempty"`
}

// findings prints what a check found.
type findings struct {
	app      *app
	line     *progressLine
	all      []findingDocument
	warnings int
	first    error
}

func (f *findings) progress(p sdk.Progress) {
	if f.line == nil {
		f.line = f.app.progressLine()
	}
	f.line.update(share(p), p.Phase)
}

// share is how much is done of what is known to be to do.
func share(p sdk.Progress) float64 {
	if p.Total <= 0 {
		return 0
	}
	return float64(p.Done) / float64(p.Total)
}

func (f *findings) add(one health.Finding) {
	if f.line != nil {
		f.line.clear()
	}
	d := findingDocument{Subject: one.Subject, OK: one.Err == nil, Warning: one.Warning, Detail: one.Detail, Mend: one.Mend}
	mark := f.app.style(f.app.out, "32")("ok  ")
	switch {
	case one.Err != nil:
		mark = f.app.style(f.app.out, "31")("FAIL")
		d.Error = failureOf(one.Err)
		if f.first == nil {
			f.first = one.Err
		}
	case one.Warning:
		mark = f.app.style(f.app.out, "33")("warn")
		f.warnings++
	}
	f.all = append(f.all, d)
	if f.app.json {
		return
	}
	fmt.Fprintf(f.app.out, "%s  %s: %s\n", mark, shown(one.Subject), shownText(one.Detail))
	for _, m := range one.Mend {
		fmt.Fprintf(f.app.out, "      → %s\n", shownText(m))
	}
}

// end closes the list of findings and returns the first problem.
func (f *findings) end() error {
	if f.app.json {
		if err := f.app.document(map[string]any{"ok": f.first == nil, "findings": append([]findingDocument{}, f.all...)}); err != nil {
			return err
		}
	}
	if f.first == nil {
		f.app.say("no problems found%s", warned(f.warnings))
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
