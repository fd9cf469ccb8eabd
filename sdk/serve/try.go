package serve

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"os/signal"
	"syscall"
	"time"

	"github.com/loam-data/loam/sdk"
)

// query runs one statement in this process and prints a line with the columns,
// a line for each row and a line with the summary.
func (p *program) query(ctx context.Context, args []string) error {
	var config string
	limits := sdk.Limits{}
	define := func(f *flag.FlagSet) {
		f.StringVar(&config, "config", "{}", "the connection's configuration: a JSON `object` or a file with one")
		f.Int64Var(&limits.MaxRows, "max-rows", 1000, "stop after so many rows; 0 = never")
		f.DurationVar(&limits.Timeout, "timeout", time.Minute, "stop after so long")
	}
	rest, err := p.arguments("query", define, args, 1)
	if err != nil {
		return err
	}
	return p.withSession(ctx, config, func(ctx context.Context, session sdk.Session) error {
		ctx, cancel := context.WithTimeout(ctx, limits.Timeout)
		defer cancel()
		started := time.Now()
		lines := newLines(p)
		w := sdk.NewRowWriter(&rowLines{lines: lines}, limits)
		if err := session.Execute(ctx, sdk.ExecuteRequest{SQL: rest[0], Limits: limits}, w); err != nil && !errors.Is(err, sdk.ErrLimit) {
			return errors.Join(err, lines.flush())
		}
		if err := w.Close(); err != nil {
			return err
		}
		s := w.Summary()
		lines.print("summary", summaryLine{s.Rows, string(s.TruncatedBy), s.CellsClipped, s.QueryID, time.Since(started).Milliseconds()})
		return lines.flush()
	})
}

// scan prints a line for each table and warning and one with the summary.
func (p *program) scan(ctx context.Context, args []string) error {
	var config string
	var req sdk.ScanRequest
	add := func(list *[]string) func(string) error {
		return func(glob string) error { *list = append(*list, glob); return nil }
	}
	define := func(f *flag.FlagSet) {
		f.StringVar(&config, "config", "{}", "the connection's configuration: a JSON `object` or a file with one")
		f.Func("include", "scan only what this `glob` matches, \"schema.*\" (again for more)", add(&req.Include))
		f.Func("exclude", "leave out what this `glob` matches (again for more)", add(&req.Exclude))
	}
	if err := p.parse("scan", define, args, 0); err != nil {
		return err
	}
	return p.withSession(ctx, config, func(ctx context.Context, session sdk.Session) error {
		lines := newLines(p)
		summary, err := session.Scan(ctx, req, &tableLines{lines})
		if err != nil {
			return errors.Join(err, lines.flush())
		}
		lines.print("summary", scanLine{summary.Tables, summary.Columns, summary.Complete})
		return lines.flush()
	})
}

// withSession opens a connection for one command, which Ctrl-C cancels. Errors
// lose their secrets.
func (p *program) withSession(ctx context.Context, given string, run func(context.Context, sdk.Session) error) (err error) {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	config, err := p.readConfig(given)
	if err != nil {
		return err
	}
	p.scrubber.Add(config)
	defer func() {
		if err != nil {
			err = p.scrubber.Error(err)
		}
	}()
	for _, found := range p.connector.Diagnose(config) {
		if found.Severity == sdk.SeverityError {
			return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%s: %s", cmp.Or(found.Path, "the configuration"), found.Summary)
		}
	}
	session, err := p.connector.Open(ctx, sdk.OpenRequest{ConnectionID: "cli", Config: config, MaxOpen: 1})
	if err != nil {
		return err
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastGrace)
		defer cancel()
		err = errors.Join(err, session.Close(closing))
	}()
	return run(ctx, session)
}
