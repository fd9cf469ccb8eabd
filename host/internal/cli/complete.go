package cli

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/catalog"
)

// mostCompleted is how many words a shell is offered.
const mostCompleted = 500

// words returns what an argument may be, for a connection that is named or "".
type wordsOf func(ctx context.Context, s *Services, connection string) []string

// placeholders are the arguments whose words are known, as the usage lines write them.
var placeholders = map[string]wordsOf{
	"ID": connectionIDs, "CONNECTION": connectionIDs, "CONNECTOR": connectorNames, "CONNECTOR|URL|FILE": connectorNames, "TABLE": tableNames,
}

// withCompletion completes the arguments and the -c of a command, and of those below it,
// by the placeholders in their usage lines.
func (a *app) withCompletion(cmd *cobra.Command) {
	if cmd.Flags().Lookup("connection") != nil {
		if _, known := cmd.GetFlagCompletionFunc("connection"); !known {
			cobra.CheckErr(cmd.RegisterFlagCompletionFunc("connection", a.completed(func([]string) wordsOf { return connectionIDs })))
		}
	}
	names, repeated := arguments(cmd.Use)
	known := func(name string) bool { return placeholders[name] != nil }
	if cmd.ValidArgsFunction == nil && slices.ContainsFunc(names, known) && cmd.Name() != "relationships" {
		cmd.ValidArgsFunction = a.completed(func(given []string) wordsOf {
			switch n := len(given); {
			case n == 0 && cmd.Name() == "add":
				return nil // a new id
			case n < len(names):
				return placeholders[names[n]]
			case repeated:
				return placeholders[names[len(names)-1]]
			}
			return nil
		})
	}
	for _, inner := range cmd.Commands() {
		a.withCompletion(inner)
	}
}

var (
	usageFlag     = regexp.MustCompile(`\[?-c CONNECTION\]?`)
	usageBrackets = strings.NewReplacer("[", "", "]", "", "...", "")
)

// arguments returns the placeholders of a usage line; repeated: the last may be there
// more than once.
func arguments(use string) (names []string, repeated bool) {
	fields := strings.Fields(usageFlag.ReplaceAllString(use, ""))
	for _, field := range fields[1:] {
		names = append(names, usageBrackets.Replace(field))
		repeated = strings.HasSuffix(field, "...")
	}
	return names, repeated
}

// completed returns a completion; what cannot be found out is not offered.
func (a *app) completed(choose func(given []string) wordsOf) cobra.CompletionFunc {
	return func(cmd *cobra.Command, given []string, begun string) (found []string, _ cobra.ShellCompDirective) {
		all := choose(given)
		if all == nil {
			return nil, cobra.ShellCompDirectiveDefault
		}
		connection := ""
		if f := cmd.Flags().Lookup("connection"); f != nil {
			connection = f.Value.String()
		}
		_ = open(a, func(s *Services) *Services { return s })(cmd.Context(), func(s *Services) error {
			for _, word := range all(cmd.Context(), s, connection) {
				if !strings.HasPrefix(word, begun) { // a table without its schema
					word = word[strings.LastIndexByte(word, '.')+1:]
				}
				if strings.HasPrefix(word, begun) && !slices.Contains(given, word) && !slices.Contains(found, word) && len(found) < mostCompleted {
					found = append(found, word)
				}
			}
			return nil
		})
		if len(found) == 0 {
			return nil, cobra.ShellCompDirectiveDefault
		}
		return found, cobra.ShellCompDirectiveNoFileComp
	}
}

func connectionIDs(ctx context.Context, s *Services, _ string) (ids []string) {
	current, err := s.Project.Project.Current(ctx)
	if err != nil {
		return nil
	}
	for _, c := range current.Connections.All() {
		ids = append(ids, string(c.ID))
	}
	return ids
}

func connectorNames(_ context.Context, s *Services, _ string) (names []string) {
	for _, c := range s.Project.Connectors.List() {
		if c.Err == nil {
			names = append(names, c.Name)
		}
	}
	return names
}

// tableNames are the tables of the last snapshots, with their schema.
func tableNames(ctx context.Context, s *Services, connection string) (names []string) {
	for _, id := range connectionIDs(ctx, s, "") {
		if connection != "" && id != connection {
			continue
		}
		image, err := s.Project.Catalogs.Of(id).Latest()
		if err != nil || image == nil {
			continue
		}
		for _, e := range image.Entries() {
			names = append(names, catalog.Display(e.TableRef))
		}
	}
	return names
}
