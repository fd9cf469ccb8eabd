package main

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
)

// command is one go test.
type command struct {
	environment []string // additional variables, as NAME=value
	folder      string   // of a module outside the workspace, or ""
	args        []string
	// label is appended to the names of its packages: a package may run with and without the
	// race detector at the same time.
	label string
}

// line is a line that a go test printed.
type line struct {
	label string // of its command
	text  []byte
}

var variable = regexp.MustCompile(`^[A-Z_]+=`)

// parse reads "NAME=value … [-C FOLDER] ARGUMENT …".
func parse(text string) command {
	var c command
	c.args = strings.Fields(text)
	for len(c.args) > 0 && variable.MatchString(c.args[0]) {
		c.environment = append(c.environment, c.args[0])
		c.args = c.args[1:]
	}
	if len(c.args) > 1 && c.args[0] == "-C" {
		c.folder, c.args = c.args[1], c.args[2:]
		c.environment = append(c.environment, "GOWORK=off")
	}
	if slices.Contains(c.args, "-race") {
		c.label = " -race"
	}
	return c
}

// goTool returns the go tool with arguments, in the command's module and environment.
func (c command) goTool(ctx context.Context, args ...string) *exec.Cmd {
	if c.folder != "" {
		args = append([]string{"-C", c.folder}, args...)
	}
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Env = append(os.Environ(), c.environment...)
	return cmd
}

// packages returns the folders of the packages with tests that the command would run, by
// their names in the report. Their patterns begin with "./" or the module's path.
func (c command) packages(ctx context.Context) (map[string]string, error) {
	list := []string{"list", "-f", "{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}\t{{.Dir}}{{end}}"}
	for _, arg := range c.args {
		if strings.HasPrefix(arg, "./") || strings.HasPrefix(arg, module) {
			list = append(list, arg)
		}
	}
	cmd := c.goTool(ctx, list...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	folders := map[string]string{}
	for line := range strings.Lines(string(out)) {
		if name, folder, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			folders[name+c.label] = folder
		}
	}
	return folders, err
}

// test runs the command and sends its lines.
func (c command) test(ctx context.Context, lines chan<- line) error {
	cmd := c.goTool(ctx, append([]string{"test", "-json"}, c.args...)...)
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
		var text []byte
		if text, err = in.ReadBytes('\n'); len(text) > 0 {
			lines <- line{c.label, text}
		}
	}
	return cmd.Wait()
}
