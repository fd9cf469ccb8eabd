package command

import (
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/sdk"
)

// Text returns the text of a command: its argument, the file of --file, or standard
// input, which "-" names too. what describes the text in one word: "statement".
func Text(cmd *cobra.Command, term *terminal.Terminal, what, file string, args []string) (string, error) {
	if len(args) == 1 && args[0] == "-" && file == "" {
		file, args = "-", nil
	}
	switch {
	case len(args) > 1:
		return "", Usage(cmd, "%d arguments given, only the %s is one: put it in quotes, and say the rest by flags", len(args), what)
	case len(args) == 1 && file != "":
		return "", Usage(cmd, "give the %s either as an argument or with --file", what)
	case len(args) == 1:
		return args[0], nil
	case file != "" && file != "-":
		text, err := os.ReadFile(file)
		if err != nil {
			return "", sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "read the %s: %w", what, err)
		}
		return string(text), nil
	case file == "" && terminal.IsTerminal(term.In):
		return "", Usage(cmd, "no %s given", what)
	}
	text, err := io.ReadAll(term.In)
	if err != nil {
		return "", sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "read the %s from standard input: %w", what, err)
	}
	return string(text), nil
}
