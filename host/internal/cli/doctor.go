package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/connector"
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
				d := &doctor{app: a, rooms: rooms}
				return d.run(cmd.Context())
			})
		},
	}
}

// finding is one thing the doctor looked at.
type finding struct {
	Subject string           `json:"subject"`
	OK      bool             `json:"ok"`
	Warning bool             `json:"warning,omitempty"`
	Detail  string           `json:"detail,omitempty"`
	Error   *failureDocument `json:"error,omitempty"`
	Mend    []string         `json:"mend,omitempty"`
}

type doctor struct {
	app      *app
	rooms    *Rooms
	findings []finding
	first    error
}

func (d *doctor) run(ctx context.Context) error {
	current, err := d.rooms.Project.Current(ctx)
	if err == nil {
		d.found("project", fmt.Sprintf("%s, %d connection(s)", current.File, current.Connections.Len()), nil)
		d.found("state", "readable and whole", d.checkState(ctx))
		for _, c := range current.Connections.All() {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			d.connection(ctx, c)
			d.catalog(ctx, c)
			d.semantic(ctx, c)
		}
		if !connector.LimitsMemory && current.Connections.Len() > 0 {
			d.add(finding{Subject: "memory", OK: true, Detail: "this system keeps no connector to a limit: only an engine inside one counts what it takes (limits.memory)"})
		}
		d.strangers(ctx, current.Connections.All())
		d.wiki(ctx)
		d.index(ctx)
		d.observed(ctx, current)
		d.server(ctx)
	} else {
		d.found("project", "", err)
	}
	return d.end()
}

// end closes the list of findings and returns the first problem.
func (d *doctor) end() error {
	if d.app.json {
		if err := d.app.document(map[string]any{"ok": d.first == nil, "findings": append([]finding{}, d.findings...)}); err != nil {
			return err
		}
	}
	if d.first == nil {
		d.app.say("no problems found%s", d.warned())
	}
	return d.first
}

// warned counts the warnings in words, "" = there are none.
func (d *doctor) warned() string {
	n := 0
	for _, f := range d.findings {
		if f.Warning {
			n++
		}
	}
	switch n {
	case 0:
		return ""
	case 1:
		return ", but a warning"
	default:
		return fmt.Sprintf(", but %d warnings", n)
	}
}

func (d *doctor) checkState(ctx context.Context) error {
	state, err := d.rooms.State.Get(ctx)
	if err != nil {
		return err
	}
	return state.Check(ctx)
}

// connection runs the staged checks; the first one that fails is the finding.
func (d *doctor) connection(ctx context.Context, c connection.Connection) {
	subject := "connection " + string(c.ID)
	target, err := d.rooms.Target(c)
	if err != nil {
		d.found(subject, "", err)
		return
	}
	var failed error
	var last string
	err = d.rooms.Supervisor.TestConnection(ctx, target, func(s sdk.TestStep) {
		switch {
		case s.Err != nil && failed == nil:
			failed = s.Err
		case s.Warning:
			d.add(finding{Subject: subject + " " + s.Name, OK: true, Warning: true, Detail: s.Detail, Mend: s.Statements})
		case s.Detail != "":
			last = s.Detail
		}
	})
	if err == nil {
		err = failed
	}
	d.found(subject, last, err)
}

func (d *doctor) found(subject, detail string, err error) {
	f := finding{Subject: subject, OK: err == nil, Detail: detail}
	if err != nil {
		e := sdk.AsError(err, sdk.SourceHost)
		doc := errorDocument(e, err.Error())
		f.Error, f.Detail = &doc, err.Error()
		if e.Hint != "" {
			f.Mend = []string{e.Hint}
		}
		if len(e.Candidates) > 0 && !strings.Contains(e.Hint, e.Candidates[0]) {
			f.Mend = append(f.Mend, "near are: "+strings.Join(e.Candidates, ", "))
		}
		if d.first == nil {
			d.first = err
		}
	}
	d.add(f)
}

func (d *doctor) add(f finding) {
	d.findings = append(d.findings, f)
	if d.app.json {
		return
	}
	mark := d.app.style(d.app.out, "32")("ok  ")
	switch {
	case !f.OK:
		mark = d.app.style(d.app.out, "31")("FAIL")
	case f.Warning:
		mark = d.app.style(d.app.out, "33")("warn")
	}
	fmt.Fprintf(d.app.out, "%s  %s: %s\n", mark, shown(f.Subject), shownText(f.Detail))
	for _, m := range f.Mend {
		fmt.Fprintf(d.app.out, "      → %s\n", shownText(m))
	}
}
