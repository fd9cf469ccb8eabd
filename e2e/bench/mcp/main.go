// Command mcp measures servers of the protocol side by side, in one run and with
// one client: this product, and its peers when scripts/setup peers has installed
// them. All of them answer the same statements on the same small SQLite database;
// one whose rows are others is not compared.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"time"

	"github.com/loam-data/loam/e2e/testserver"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "bench-mcp:", err)
		os.Exit(1)
	}
}

type options struct {
	loam, peers   string
	before        string
	rounds, calls int
	long          time.Duration
}

func run(ctx context.Context) (err error) {
	var o options
	flag.StringVar(&o.loam, "loam", "bin/loam", "the `program` of the product")
	flag.StringVar(&o.before, "before", "", "an earlier build of the product, to measure beside it (a `program` with its connectors)")
	flag.StringVar(&o.peers, "peers", "", "the `folder` with the peers (default: where scripts/setup puts them)")
	flag.IntVar(&o.rounds, "rounds", 7, "how often each server is measured, in turn")
	flag.IntVar(&o.calls, "calls", 300, "calls of a server in a round")
	flag.DurationVar(&o.long, "crowd", 2*time.Second, "how long 16 clients call a server in a round")
	flag.Parse()
	if o.peers == "" {
		if o.peers, err = testserver.MCPPeers(); err != nil {
			return err
		}
	}
	work, err := os.MkdirTemp("", "bench-mcp-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	list, err := subjects(ctx, o, work)
	if err != nil {
		return err
	}
	before := load()
	all, err := measure(ctx, o, list)
	if err != nil {
		return err
	}
	fmt.Printf("%s, %s; load %s before and %s after.\n", time.Now().Format(time.DateOnly), machine(runtime.NumCPU()), before, load())
	fmt.Printf("Medians of %d rounds; the client runs on the same cores. In brackets: times ours.\n\n", o.rounds)
	printTable(os.Stdout, all)
	return ctx.Err()
}

// subjects are the product, its earlier build if there is one, and the peers. Each
// build has its own copy of the sample.
func subjects(ctx context.Context, o options, work string) (list []*server, err error) {
	for _, build := range []struct{ name, loam string }{{"loam", o.loam}, {"loam before", o.before}} {
		if build.loam == "" {
			continue
		}
		loam, err := filepath.Abs(build.loam)
		if err != nil {
			return nil, err
		}
		if missing := absent(loam, "run make build"); missing != "" {
			return nil, errors.New(missing)
		}
		project := filepath.Join(work, build.name)
		if out, err := exec.CommandContext(ctx, loam, "demo", project).CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%s demo: %w\n%s", loam, err, out)
		}
		list = append(list, product(ctx, build.name, loam, project))
	}
	return append(list, others(ctx, filepath.Join(work, list[0].name, "data", "shop.db"), o.peers)...), nil
}

// measure runs every server, in turns. The first is the product, without which
// there is nothing to compare.
func measure(ctx context.Context, o options, list []*server) (all []*subject, err error) {
	for _, s := range list {
		if s.missing != "" {
			fmt.Fprintf(os.Stderr, "bench-mcp: left out: %s: %s", s.name, s.missing)
			continue
		}
		all = append(all, &subject{server: s, figures: map[figure][]float64{}, reasons: map[figure]string{}})
	}
	for range o.rounds {
		for _, s := range all {
			if !s.can(startTime) {
				continue
			}
			if err := s.start(); err != nil {
				s.fails(fmt.Errorf("over stdio: %w", err), startTime)
			}
		}
	}
	for _, s := range all {
		s.open(ctx)
		defer func() { err = errors.Join(err, s.close()) }()
		if err := s.ask(); err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
		if err := s.same(all[0]); err != nil {
			return nil, err
		}
	}
	for range o.rounds {
		for _, s := range all {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			s.round(ctx, o.calls)
			if !s.can(perSecond) {
				continue
			}
			if err := s.crowd(ctx, o.long); err != nil {
				s.fails(err, perSecond)
			}
		}
	}
	for _, s := range all {
		if !s.can(loaded) {
			continue
		}
		mib, err := resident(s.daemon.cmd.Process.Pid, true)
		if err != nil {
			s.fails(err, loaded)
			continue
		}
		s.add(loaded, mib)
	}
	return all, nil
}
