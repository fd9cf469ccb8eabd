// Command progress runs the tests and prints a line per package as it ends, what runs
// during a silence, failures whole, and a summary of what was skipped and why.
//
//	progress [-together] "-short ./..." "-C examples/connector-csv ./..."
//
// Each argument holds the arguments of one go test; they run one after the other, or
// together. NAME=value before them sets a variable of its environment. With -C it is a
// module outside the workspace, and sees what it would see alone. With -race, " -race" is
// appended to the names of its packages in the report. The exit code is 1 when one of them fails. The tests of a package that print
// nothing for ten minutes are ended, and their goroutines printed. The reason of a skip, or
// a log line, that begins with "-short: " names what the short run leaves out; the summary
// lists it apart.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"sync"
	"time"
)

// quiet is how long nothing is printed before a line names what runs.
const quiet = 15 * time.Second

func main() {
	// An interrupt reaches go test too, which ends its tests; the summary follows.
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	code, err := run(context.Background(), os.Args[1:], os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "progress:", err)
		code = 2
	}
	os.Exit(code)
}

func run(ctx context.Context, commands []string, out io.Writer) (int, error) {
	atOnce := 1
	if len(commands) > 0 && commands[0] == "-together" {
		commands = commands[1:]
		atOnce = max(len(commands), 1)
	}
	if len(commands) == 0 {
		return 0, errors.New(`no tests named: progress "-short ./..."`)
	}
	return runAll(ctx, newReport(out, time.Now), slices.Chunk(commands, atOnce))
}

// runAll runs batches of commands, one batch after the other.
func runAll(ctx context.Context, r *report, batches iter.Seq[[]string]) (int, error) {
	failed := false
	for batch := range batches {
		var all []command
		for _, text := range batch {
			c := parse(text)
			folders, err := c.packages(ctx)
			if err != nil {
				return 0, err
			}
			r.expect(text, folders)
			all = append(all, c)
		}
		ok, err := goTests(ctx, r, all)
		if err != nil {
			return 0, err
		}
		failed = failed || !ok
	}
	r.summary()
	if failed || r.failed() {
		return 1, nil
	}
	return 0, nil
}

// goTests runs several go tests at the same time and reports their events. It returns
// false when one of them failed.
func goTests(ctx context.Context, r *report, all []command) (bool, error) {
	lines := make(chan line)
	ended := make(chan error, len(all))
	var group sync.WaitGroup
	for _, c := range all {
		group.Go(func() { ended <- c.test(ctx, lines) })
	}
	go func() {
		group.Wait()
		close(lines)
	}()
	r.events(lines)
	ok := true
	for range all {
		err := <-ended
		if _, failed := errors.AsType[*exec.ExitError](err); failed {
			ok = false
		} else if err != nil {
			return false, err
		}
	}
	return ok, nil
}
