// Command progress runs the tests and prints a line per package as it ends, what runs
// during a silence, failures whole, and a summary of what was skipped and why.
//
//	progress "-short ./..." "-C examples/connector-csv ./..."
//
// Each argument holds the arguments of one go test; they run one after the other. The exit
// code is 1 when one of them fails. The reason of a skip, or a log line, that begins with
// "-short: " names what the short run leaves out; the summary lists it apart.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
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
	if len(commands) == 0 {
		return 0, errors.New(`no tests named: progress "-short ./..."`)
	}
	r := newReport(out, time.Now)
	failed := false
	for _, args := range commands {
		fields := strings.Fields(args)
		n, err := packages(ctx, fields)
		if err != nil {
			return 0, err
		}
		r.expect(args, n)
		ok, err := goTest(ctx, r, fields)
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

// packages counts the packages with tests that go test would run. Their patterns begin
// with "./" or the module's path.
func packages(ctx context.Context, args []string) (int, error) {
	list := []string{"list", "-f", "{{if or .TestGoFiles .XTestGoFiles}}x{{end}}"}
	if len(args) > 1 && args[0] == "-C" {
		list = append([]string{"-C", args[1]}, list...)
	}
	for _, arg := range args {
		if strings.HasPrefix(arg, "./") || strings.HasPrefix(arg, module) {
			list = append(list, arg)
		}
	}
	cmd := exec.CommandContext(ctx, "go", list...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	return strings.Count(string(out), "x"), err
}

// goTest runs one go test and reports its events. It returns false when go test failed.
func goTest(ctx context.Context, r *report, args []string) (bool, error) {
	command := []string{"test", "-json"}
	if len(args) > 1 && args[0] == "-C" {
		command, args = []string{"-C", args[1], "test", "-json"}, args[2:]
	}
	cmd := exec.CommandContext(ctx, "go", append(command, args...)...)
	read, write, err := os.Pipe()
	if err != nil {
		return false, err
	}
	cmd.Stdout, cmd.Stderr = write, write
	if err := cmd.Start(); err != nil {
		return false, err
	}
	write.Close()
	lines := make(chan []byte)
	go func() {
		defer close(lines)
		defer read.Close()
		in := bufio.NewReader(read)
		for {
			line, err := in.ReadBytes('\n')
			if len(line) > 0 {
				lines <- line
			}
			if err != nil {
				return
			}
		}
	}()
	r.events(lines, quiet)
	err = cmd.Wait()
	if _, ok := errors.AsType[*exec.ExitError](err); ok {
		return false, nil
	}
	return err == nil, err
}
