// Command progress runs the tests and prints a line per package as it ends, what runs
// during a silence, failures whole, and a summary of what was skipped and why.
//
//	progress [-together] "-short ./..." "-C examples/connector-csv ./..."
//
// Each argument holds the arguments of one go test; they run one after the other, or
// together. With -C it is a module outside the workspace, and sees what it would see
// alone. The exit code is 1 when one of them fails. The tests of a package that print
// nothing for ten minutes are ended, and their goroutines printed. The reason of a skip, or
// a log line, that begins with "-short: " names what the short run leaves out; the summary
// lists it apart.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
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
		var all [][]string
		for _, args := range batch {
			fields := strings.Fields(args)
			folders, err := packages(ctx, fields)
			if err != nil {
				return 0, err
			}
			r.expect(args, folders)
			all = append(all, fields)
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

// packages returns the folders of the packages with tests that go test would run. Their
// patterns begin with "./" or the module's path.
func packages(ctx context.Context, args []string) (map[string]string, error) {
	list := []string{"list", "-f", "{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}\t{{.Dir}}{{end}}"}
	if len(args) > 1 && args[0] == "-C" {
		list = append([]string{"-C", args[1]}, list...)
	}
	for _, arg := range args {
		if strings.HasPrefix(arg, "./") || strings.HasPrefix(arg, module) {
			list = append(list, arg)
		}
	}
	cmd := goCommand(ctx, list)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	folders := map[string]string{}
	for line := range strings.Lines(string(out)) {
		if name, folder, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			folders[name] = folder
		}
	}
	return folders, err
}

// goCommand is the go tool, without the workspace for a module outside it.
func goCommand(ctx context.Context, args []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "go", args...)
	if args[0] == "-C" {
		cmd.Env = append(os.Environ(), "GOWORK=off")
	}
	return cmd
}

// goTests runs several go tests at the same time and reports their events. It returns
// false when one of them failed.
func goTests(ctx context.Context, r *report, all [][]string) (bool, error) {
	lines := make(chan []byte)
	ended := make(chan error, len(all))
	var group sync.WaitGroup
	for _, args := range all {
		group.Go(func() { ended <- goTest(ctx, args, lines) })
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

// goTest runs one go test and passes on its lines.
func goTest(ctx context.Context, args []string, lines chan<- []byte) error {
	command := []string{"test", "-json"}
	if len(args) > 1 && args[0] == "-C" {
		command, args = []string{"-C", args[1], "test", "-json"}, args[2:]
	}
	cmd := goCommand(ctx, append(command, args...))
	read, write, err := os.Pipe()
	if err != nil {
		return err
	}
	defer read.Close()
	cmd.Stdout, cmd.Stderr = write, write
	err = cmd.Start()
	write.Close()
	if err != nil {
		return err
	}
	in := bufio.NewReader(read)
	for err == nil {
		var line []byte
		if line, err = in.ReadBytes('\n'); len(line) > 0 {
			lines <- line
		}
	}
	return cmd.Wait()
}
