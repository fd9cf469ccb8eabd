// Package command has the parts that all command groups share: the state of one run
// of the command line, errors of usage, and the choice of a connection.
package command

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// NoSuchCommand refuses a word that is not a command of the group.
func NoSuchCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	e := Usage(cmd, "unknown command %q", args[0])
	cmd.SuggestionsMinimumDistance = 2
	e.Candidates = cmd.SuggestionsFor(args[0])
	return e
}

// Usage returns the error of a wrong command line; its hint names the help to read.
func Usage(cmd *cobra.Command, format string, args ...any) *sdk.Error {
	return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%s", fmt.Sprintf(format, args...)).
		WithHint("see: %s --help", cmd.CommandPath())
}

// FlagError returns the error of a command line whose flags cannot be read. For a flag that the command does not
// have, its candidates are those that are written nearly alike, and those whose description has the word: --sql is
// one of the formats of sl query.
func FlagError(cmd *cobra.Command, err error) error {
	if words := cmd.Flags().Args(); cmd.HasSubCommands() && len(words) > 0 { // loam query -c shop
		return NoSuchCommand(cmd, words)
	}
	e := Usage(cmd, "%s", err.Error())
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) || unknown.GetSpecifiedShortnames() != "" {
		return e
	}
	var names, described []string
	name := unknown.GetSpecifiedName()
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		names = append(names, f.Name)
		if slices.Contains(strings.FieldsFunc(strings.ToLower(f.Usage), func(r rune) bool { return !unicode.IsLetter(r) }), strings.ToLower(name)) {
			described = append(described, f.Name)
		}
	})
	for _, found := range [][]string{sqlkit.Nearest(name, names), described} {
		for _, f := range found {
			if f = "--" + f; !slices.Contains(e.Candidates, f) && len(e.Candidates) < 3 {
				e.Candidates = append(e.Candidates, f)
			}
		}
	}
	return e
}

// Exactly is cobra.ExactArgs with an error of Usage.
func Exactly(n int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != n {
			return Usage(cmd, "%d argument(s) given, %d expected: %s", len(args), n, cmd.UseLine())
		}
		return nil
	}
}

// Group returns a command that only has subcommands.
func Group(use, short string, commands ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: short, Args: NoSuchCommand, RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	cmd.AddCommand(commands...)
	return cmd
}

// KeyValues parses key=value arguments. Its errors quote no argument that may contain
// a secret.
func KeyValues(cmd *cobra.Command, args []string) (map[string]string, error) {
	values := map[string]string{}
	for _, arg := range args {
		key, value, ok := strings.Cut(arg, "=")
		if (!ok || key == "") && strings.ContainsAny(arg, ":@") || strings.ContainsAny(key, ":@") {
			return nil, Usage(cmd, "an argument is neither KEY=VALUE nor a URL that can be read")
		}
		if !ok || key == "" {
			return nil, Usage(cmd, "%q is not of the form key=value", arg)
		}
		if _, twice := values[key]; twice {
			return nil, Usage(cmd, "%s is given twice", key)
		}
		values[key] = value
	}
	return values, nil
}
