package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/mcpserver"
)

// without are the tools without a command, each with what a person does instead.
var without = map[string]string{
	"health":          "a person asks GET /health, or loam mcp status",
	"echo":            "it tests the token of a client; loam token list names the tokens",
	"sl_write_source": "a person edits the file of the source, and checks it with loam sl validate",
}

// Every tool names the command of its use case, and the command and its flags exist.
func TestToolsNameTheirCommands(t *testing.T) {
	t.Parallel()
	docs, err := mcpserver.Docs(mcpserver.Selection{}, mcpserver.Selection{})
	if err != nil {
		t.Fatal(err)
	}
	root := (&app{invocation: &command.Invocation{Terminal: &terminal.Terminal{Out: &bytes.Buffer{}, Err: &bytes.Buffer{}}}}).root()
	known := map[string]bool{}
	for _, d := range docs {
		known[d.Name] = true
		if (d.Command == "") != (without[d.Name] != "") {
			t.Errorf("%s names the command %q; it is listed as a tool without one: %t", d.Name, d.Command, without[d.Name] != "")
		}
		if d.Command == "" {
			continue
		}
		path, flags := []string{}, []string{}
		for _, word := range strings.Fields(d.Command) {
			if flag, ok := strings.CutPrefix(word, "--"); ok {
				flags = append(flags, flag)
			} else {
				path = append(path, word)
			}
		}
		cmd, rest, err := root.Find(path[1:])
		if err != nil || len(rest) > 0 || cmd.CommandPath() != strings.Join(path, " ") || cmd.Example == "" {
			t.Errorf("%s names %q: %v, found %s, and %q remain", d.Name, d.Command, err, cmd.CommandPath(), rest)
			continue
		}
		for _, flag := range flags {
			if cmd.Flags().Lookup(flag) == nil {
				t.Errorf("%s names %q, which has no flag --%s", d.Name, d.Command, flag)
			}
		}
	}
	for name := range without {
		if !known[name] {
			t.Errorf("there is no tool %s", name)
		}
	}
}
