package catalog

import (
	"context"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/cli/snapshot"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/scan"
)

type scanFlags struct {
	connections      []string
	mode             string
	include, exclude []string
	full             bool
	budget           time.Duration
}

func (a *commands) scanCommand() *cobra.Command {
	var f scanFlags
	cmd := &cobra.Command{
		Use:   "scan [CONNECTION]...",
		Short: "Read the structure of warehouses into the catalog",
		Long: `Reads the structure of warehouses into the catalog, which search and agents use: tables,
columns and keys; unless --mode is structural also profiles of the tables, with the values
of columns that have few, and inferred foreign keys. Without a CONNECTION all are scanned,
one after the other.

A scan reuses unchanged parts of the last one, unless --full is set. Profiles take at most
the budget; tables that it leaves out come first the next time. Values of columns that look
personal or secret are not stored. Objects that the account may not read are warnings. A
failed or cancelled scan leaves the last snapshot as it was.

Globs match catalog.schema.table or its last parts; loam.yaml can set them and the other
options per connection under scan (see docs/project.md).`,
		Example: `  loam scan
  loam scan warehouse --include "sales.*" --exclude "*_backup" --budget 30m
  loam scan -c warehouse --mode structural --json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.connections = append(slices.Clone(args), f.connections...)
			if err := f.check(cmd); err != nil {
				return err
			}
			return a.open(cmd.Context(), func(services *Services) error { return a.scan(cmd.Context(), services, f) })
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVarP(&f.connections, "connection", "c", nil, "connection id, repeatable (default: all)")
	flags.StringVar(&f.mode, "mode", "", "structural or enriched (default: the connection's, else enriched)")
	flags.StringArrayVar(&f.include, "include", nil, "scan only tables that match a glob, repeatable")
	flags.StringArrayVar(&f.exclude, "exclude", nil, "leave out tables that match a glob, repeatable")
	flags.BoolVar(&f.full, "full", false, "reuse nothing of earlier snapshots")
	flags.DurationVar(&f.budget, "budget", 0, "time for profiles of each connection (default: the connection's, else 10m)")
	return cmd
}

func (f *scanFlags) check(cmd *cobra.Command) error {
	if f.mode != "" && f.mode != connection.ScanStructural && f.mode != connection.ScanEnriched {
		return command.Usage(cmd, "unknown mode %q: structural or enriched", f.mode)
	}
	if f.budget < 0 || f.budget == 0 && cmd.Flags().Changed("budget") {
		return command.Usage(cmd, "--budget must be a time above 0, such as 10m; for no profiles: --mode structural")
	}
	for _, glob := range slices.Concat(f.include, f.exclude) {
		if glob == "" {
			return command.Usage(cmd, "an empty glob fits nothing")
		}
	}
	return nil
}

// chosen returns the connections to scan, each once.
func (f *scanFlags) chosen(ctx context.Context, services *Services) ([]connection.Connection, error) {
	current, err := services.Project.Current(ctx)
	if err != nil {
		return nil, err
	}
	if len(f.connections) == 0 {
		return current.Connections.Some()
	}
	var all []connection.Connection
	for _, id := range f.connections {
		c, err := current.Connections.Get(connection.ID(id))
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(all, func(o connection.Connection) bool { return o.ID == c.ID }) {
			all = append(all, c)
		}
	}
	return all, nil
}

// scan scans one connection after the other. One that fails does not stop the
// others.
func (a *commands) scan(ctx context.Context, services *Services, f scanFlags) error {
	chosen, err := f.chosen(ctx, services)
	if err != nil {
		return err
	}
	docs := []snapshot.ScanDocument{}
	var failed []string
	var first error
	for _, c := range chosen {
		result, err := snapshot.Scan(ctx, a.invocation, services.Scan, scan.Request{
			Connection: c.ID, Mode: catalog.Mode(f.mode), Include: f.include, Exclude: f.exclude, Full: f.full, Budget: f.budget,
		})
		docs = append(docs, snapshot.NewScanDocument(c.ID, result, err))
		if err == nil {
			for _, next := range snapshot.Next(c.ID, result) {
				a.term.Infof("next: %s", next)
			}
			continue
		}
		failed = append(failed, string(c.ID))
		if first == nil {
			first = err
		}
		if ctx.Err() != nil {
			chosen, first = chosen[:1], err // it says all that there is to say
			break
		}
		if len(chosen) > 1 && !a.term.JSON {
			a.term.Fail(err)
		}
		a.reportUnchanged(services, c.ID)
	}
	if a.term.JSON {
		if err := a.term.Document(map[string]any{"connections": docs}); err != nil {
			return err
		}
	}
	return scansFailed(len(chosen), failed, first)
}
