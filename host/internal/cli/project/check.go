package project

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/conformance"
	"github.com/loam-data/loam/host/internal/connector"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/conform"
)

// exitFailed is the exit code when a check failed.
const exitFailed = 1

func (a *commands) connectorCheckCommand() *cobra.Command {
	var fixture, level, junit, document string
	var watching bool
	req := conformance.Request{}
	cmd := &cobra.Command{
		Use:   "check TARGET",
		Short: "Check that a connector keeps the contract",
		Long: `Checks a connector's program, in whatever language it is written, as Loam's own connectors are
checked: that it starts and ends, connects, answers, cancels, and changes nothing whatever
statement it gets. TARGET is an installed connector, or the path of a program, of a manifest
or of its folder. The files are verified first where there is a manifest.

A fixture, check.yaml, says what only the author knows: how to connect, the tables and their
SQL, statements with their answers, and which checks do not apply and why. Without one only
what needs no connection is checked.

The result is a level: "basic" (it connects, answers and ends), "reads" (what it reads is
right, and it only reads), "full" (the semantic layer, profiles and many calls at once too).
A check that fails or is left to do keeps a level from being reached.

The exit code is 0 when nothing failed and the level of --level is reached, and 1 otherwise.`,
		Example: "  loam connector check ./build/loam-connector-foodb --fixture check.yaml\n  loam connector check acme/foodb --fixture check.yaml --level reads --junit report.xml\n  loam connector check ./connector.json --fixture check.yaml --case 'types/*' --case dialect/sum",
		Args:    command.Exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			req.Level = conform.Level(level)
			if level != "" && !slices.Contains(conform.Levels(), req.Level) {
				return command.Usage(cmd, "the level %q is none of basic, reads or full", level)
			}
			if err := conformance.CheckGlobs(req.Cases); err != nil {
				return err
			}
			if watching && a.term.JSON {
				return command.Usage(cmd, "--watch has no end, and --json is one document: use one of them")
			}
			once := func() (err error) {
				if fixture != "" {
					if req.Fixture, err = conformance.ReadFixture(fixture); err != nil {
						return err
					}
				}
				return a.open(cmd.Context(), func(services *Services) error {
					found, err := findTarget(services.Connectors, args[0])
					if err != nil {
						return err
					}
					if found.Stored { // as before any other start
						if err := services.Install.Start(cmd.Context(), found); err != nil {
							return err
						}
					}
					if req.Installed, err = conformance.Describe(cmd.Context(), found); err != nil {
						return err
					}
					return a.check(cmd, req, junit, document)
				})
			}
			if !watching {
				return once()
			}
			return a.watchChecks(cmd, args[0], fixture, once)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&fixture, "fixture", "", "the file with what the checks need: check.yaml")
	flags.StringArrayVar(&req.Cases, "case", nil, "run only the checks that this glob matches: 'types/*', dialect/sum (again for more)")
	flags.StringVar(&level, "level", "", "run the checks up to this level, basic, reads or full, and fail where it is not reached")
	flags.BoolVar(&watching, "watch", false, "check again whenever the program, its manifest or a file of the fixture changes")
	flags.StringVar(&junit, "junit", "", "also write the results to this file, as JUnit's XML")
	flags.IntVar(&req.Requests, "requests", 200, "how many random requests of the semantic layer are asked")
	flags.StringVar(&document, "report", "", "also write the report to this file, as JSON: loam connector package needs it")
	flags.DurationVar(&req.CheckLimit, "check-timeout", 30*time.Second, "the longest time for one check")
	flags.DurationVar(&req.Limit, "timeout", 10*time.Minute, "the longest time for all checks")
	return cmd
}

// watchChecks checks again and again. A fault of the connector or of the fixture ends one
// check: the author is about to mend it.
func (a *commands) watchChecks(cmd *cobra.Command, target, fixture string, check func() error) error {
	files := func() (all []string) {
		err := a.open(cmd.Context(), func(services *Services) error {
			found, err := findTarget(services.Connectors, target)
			all = conformance.Files(found, fixture)
			return err
		})
		if err != nil { // the check says so
			all = append(all, fixture, target)
		}
		return all
	}
	watch(cmd.Context(), files, func() {
		if err := check(); err != nil && cmd.Context().Err() == nil {
			a.term.Warn(err)
		}
		a.term.Infof("waiting for a change of the program or of the fixture; Ctrl-C ends")
	})
	return cmd.Context().Err()
}

// findTarget returns a connector by its name or by a path.
func findTarget(connectors *connector.Registry, text string) (connector.Installed, error) {
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, string(os.PathSeparator)) || strings.HasSuffix(text, ".json") {
		return connectors.At(text)
	}
	found, err := connectors.Find(text, "")
	// A bare name is never looked up in the working directory.
	if sdk.KindOf(err) == sdk.KindNotFound && strings.ContainsRune(text, os.PathSeparator) {
		if _, there := os.Stat(text); there == nil {
			return connectors.At(text)
		}
	}
	return found, err
}

func (a *commands) check(cmd *cobra.Command, req conformance.Request, junit, document string) error {
	line := a.term.NewProgress()
	headed := false
	req.Started = func(group string, checks int) {
		if !headed && !a.term.JSON {
			fmt.Fprintln(a.term.Out, conformance.Heading(&req))
		}
		headed = true
		line.Update(0, fmt.Sprintf("%s: %d checks", group, checks))
	}
	req.Ended = func(group string, results []conform.Result) {
		line.Clear()
		if !a.term.JSON {
			fmt.Fprintln(a.term.Out, a.groupLine(group, results))
		}
	}
	report, err := conformance.Check(cmd.Context(), req)
	line.Clear()
	if err != nil {
		return err
	}
	report.Kit = "loam " + a.invocation.Version
	for _, output := range []struct {
		path string
		text func() ([]byte, error)
	}{{junit, report.JUnit}, {document, report.Text}} {
		if output.path == "" {
			continue
		}
		text, err := output.text()
		if err == nil {
			err = os.WriteFile(output.path, text, 0o644)
		}
		if err != nil {
			return sdk.Errorf(sdk.KindUnavailable, sdk.SourceHost, "the results cannot be written: %w", err)
		}
	}
	if !report.Passed(req.Level) {
		a.invocation.Code = exitFailed
	}
	return a.term.Answer(report, func() error { return a.printReport(report) })
}

// groupLine returns a line with the counts of a group's results.
func (a *commands) groupLine(group string, results []conform.Result) string {
	counts := map[conform.Outcome]int{}
	for _, r := range results {
		if r.Class != conform.NotSelected {
			counts[r.Outcome]++
		}
	}
	line := fmt.Sprintf("  %-12s %4d ok", group, counts[conform.OK])
	for _, other := range []struct {
		outcome conform.Outcome
		word    string
	}{{conform.Skipped, "skipped"}, {conform.NotRun, "not run"}, {conform.Failed, a.term.Style(a.term.Out, "31")("FAILED")}} {
		if n := counts[other.outcome]; n > 0 {
			line += fmt.Sprintf(" %4d %s", n, other.word)
		}
	}
	return line
}

func (a *commands) printReport(report *conformance.Report) error {
	for _, alike := range report.Failures() {
		a.printFailure(alike[0], alike[1:])
	}
	if line := report.SkipLine(); line != "" {
		fmt.Fprintln(a.term.Out, line)
	}
	for _, r := range report.Results {
		if r.Class == conform.ToDo {
			fmt.Fprintf(a.term.Out, "  to do: %s/%s: %s\n", r.Group, r.Check, terminal.Escape(r.Reason))
		}
	}
	if n := len(report.Unsaid); n > 0 {
		fmt.Fprintf(a.term.Out, "not said: %d harmless statements, for which the dialect has no words: %s\n", n, terminal.Escape(strings.Join(report.Unsaid, ", ")))
	}
	_, err := fmt.Fprintln(a.term.Out, report.LevelLine())
	return err
}

// printFailure prints a failed check, and the names of checks that failed with the same reason.
func (a *commands) printFailure(r conform.Result, alike []conform.Result) {
	fmt.Fprintf(a.term.Out, "%s %s/%s\n", a.term.Style(a.term.Out, "31")("FAILED"), r.Group, r.Check)
	field := func(name, text string) {
		if text = strings.TrimSpace(text); text != "" {
			fmt.Fprintf(a.term.Out, "  %-10s %s\n", name, strings.ReplaceAll(terminal.EscapeText(text), "\n", "\n             "))
		}
	}
	for _, f := range r.Findings {
		field("found", f.Text)
		field("statement", f.Statement)
		field("wanted", f.Wanted)
		field("got", f.Got)
	}
	if len(r.Findings) == 0 {
		field("found", r.Reason)
	}
	field("breaks", r.Breaks)
	const most = 5
	var names []string
	for _, other := range alike[:min(len(alike), most)] {
		names = append(names, other.Group+"/"+other.Check)
	}
	if more := len(alike) - most; more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	field("alike", strings.Join(names, ", "))
}
