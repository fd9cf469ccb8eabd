package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/connector"
	"github.com/loam-data/loam/host/internal/relationship"
	"github.com/loam-data/loam/host/internal/review"
	"github.com/loam-data/loam/host/internal/semanticquery"
	"github.com/loam-data/loam/host/internal/text"
)

// mostCompleted is how many words a shell is offered.
const mostCompleted = 500

// asked is what a shell asks to complete: the beginning of a word, behind arguments and
// for a connection that is named or "".
type asked struct {
	connection, begun string
	given             []string
}

// wordsOf returns what a word may be, each with a tab and a description or without. What
// does not begin as asked is left out later.
type wordsOf func(ctx context.Context, s *Services, a asked) []string

// placeholders are the arguments whose words are known, as the usage lines write them.
var placeholders = map[string]wordsOf{
	"ID": connectionIDs, "CONNECTION": connectionIDs, "CONNECTOR": connectorNames, "CONNECTOR|URL|FILE|FOLDER": connectorNames, "URL|FILE|FOLDER|CONNECTOR|-": connectorNames, "TABLE": tableNames,
	"SOURCE": semanticNames(semanticquery.SourceNames), "RELATIONSHIP": relationshipIDs, "KEY=VALUE": configurationKeys("="), "KEY": configurationKeys(""),
}

// memberFlags are the flags of the commands below sl whose values are known.
var memberFlags = map[string]wordsOf{
	"measure": semanticNames(semanticquery.MeasureNames), "by": semanticNames(semanticquery.DimensionNames),
	"segment": semanticNames(semanticquery.SegmentNames), "dimension": dimensionsOfSource,
}

// withCompletion completes the arguments and the -c of a command, and of those below it,
// by the placeholders in their usage lines.
func (a *app) withCompletion(cmd *cobra.Command) {
	if cmd.Flags().Lookup("connection") != nil {
		if _, known := cmd.GetFlagCompletionFunc("connection"); !known {
			cobra.CheckErr(cmd.RegisterFlagCompletionFunc("connection", a.completed(func([]string) wordsOf { return connectionIDs })))
		}
	}
	for name, words := range memberFlags {
		if cmd.HasParent() && cmd.Parent().Name() == "sl" && cmd.Flags().Lookup(name) != nil {
			complete := a.completed(func([]string) wordsOf { return words })
			cobra.CheckErr(cmd.RegisterFlagCompletionFunc(name, func(cmd *cobra.Command, given []string, begun string) ([]string, cobra.ShellCompDirective) {
				found, _ := complete(cmd, given, begun)
				return found, cobra.ShellCompDirectiveNoFileComp // no member is a file
			}))
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
	usageFlag     = text.Pattern(`\[?-c CONNECTION\]?`)
	usageBrackets = strings.NewReplacer("[", "", "]", "", "...", "")
)

// arguments returns the placeholders of a usage line; repeated: the last may be there
// more than once.
func arguments(use string) (names []string, repeated bool) {
	fields := strings.Fields(usageFlag().ReplaceAllString(use, ""))
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
		question := asked{begun: begun, given: given}
		if f := cmd.Flags().Lookup("connection"); f != nil {
			question.connection = f.Value.String()
		}
		_ = open(a, func(s *Services) *Services { return s })(cmd.Context(), func(s *Services) error {
			known := map[string]bool{}
			for _, line := range all(cmd.Context(), s, question) {
				word, _, _ := strings.Cut(line, "\t")
				if strings.HasPrefix(word, begun) && !slices.Contains(given, word) && !known[word] && len(found) < mostCompleted {
					found, known[word] = append(found, line), true
				}
			}
			return nil
		})
		switch {
		case len(found) == 0:
			return nil, cobra.ShellCompDirectiveDefault
		case strings.HasSuffix(found[0], "="): // the value follows
			return found, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
		}
		return found, cobra.ShellCompDirectiveNoFileComp
	}
}

func connectionIDs(ctx context.Context, s *Services, _ asked) (ids []string) {
	current, err := s.Project.Project.Current(ctx)
	if err != nil {
		return nil
	}
	for _, c := range current.Connections.All() {
		ids = append(ids, string(c.ID))
	}
	return ids
}

func connectorNames(_ context.Context, s *Services, _ asked) (names []string) {
	for _, c := range s.Project.Connectors.List() {
		if c.Err == nil {
			names = append(names, c.Name)
		}
	}
	return names
}

// tableNames are the tables of the last snapshots, with their schema unless what is begun
// has none.
func tableNames(ctx context.Context, s *Services, a asked) (names []string) {
	for _, id := range a.connections(ctx, s) {
		snapshot, err := s.Project.Catalogs.Of(id).Latest()
		if err != nil || snapshot == nil {
			continue
		}
		for _, e := range snapshot.Entries() {
			name := catalog.Display(e.TableRef)
			if !strings.HasPrefix(name, a.begun) {
				name = name[strings.LastIndexByte(name, '.')+1:]
			}
			names = append(names, name)
		}
	}
	return names
}

// relationshipIDs are those that a person may decide on, those that wait for it first, each
// with its two ends. Of copies one stands for all.
func relationshipIDs(ctx context.Context, s *Services, a asked) (lines []string) {
	for _, id := range a.connections(ctx, s) {
		image, err := s.Project.Catalogs.Of(id).Latest()
		if err != nil || image == nil {
			continue
		}
		links, err := s.Catalog.Review.List(ctx, review.Scope{Connection: connection.ID(id), Snapshot: image})
		if err != nil {
			continue
		}
		slices.SortStableFunc(links, func(a, b review.Link) int {
			return strings.Compare(string(b.Status), string(a.Status)) // review, rejected, accepted
		})
		for _, l := range links {
			if l.Origin != relationship.Declared && l.Evidence.Like == nil {
				lines = append(lines, l.ID+"\t"+terminal.Escape(l.Text()))
			}
		}
	}
	return lines
}

// configurationKeys are the keys of a connector that are not given yet, each with something
// behind it.
func configurationKeys(behind string) wordsOf {
	return func(ctx context.Context, s *Services, a asked) (lines []string) {
		c, ok := a.connector(ctx, s)
		if !ok {
			return nil
		}
		keys, err := connection.Keys(c.Description.ConfigSchema)
		if err != nil {
			return nil
		}
		for _, k := range keys {
			if !slices.ContainsFunc(a.given, func(given string) bool { return strings.HasPrefix(given, k.Name+"=") }) {
				lines = append(lines, k.Name+behind)
			}
		}
		return lines
	}
}

// connector is the one that the second argument names, or else the first: by its own name,
// by the scheme of a URL, or by a connection of it.
func (a asked) connector(ctx context.Context, s *Services) (found connector.Installed, ok bool) {
	for _, word := range slices.Backward(a.given[:min(2, len(a.given))]) { //nolint:mnd // an id and a connector
		name := word
		if current, err := s.Project.Project.Current(ctx); err == nil {
			if c, err := current.Connections.Get(connection.ID(word)); err == nil {
				name = c.Connector
			}
		}
		u, isURL := connection.ParseURL(word)
		for _, c := range s.Project.Connectors.List() {
			if c.Err == nil && (c.Name == name || isURL && slices.Contains(connection.Schemes(c.Description.ConfigSchema), u.Scheme())) {
				return c, true
			}
		}
	}
	return connector.Installed{}, false
}

// connections are the one that is named, or all.
func (a asked) connections(ctx context.Context, s *Services) []string {
	return slices.DeleteFunc(connectionIDs(ctx, s, a), func(id string) bool { return a.connection != "" && id != a.connection })
}

// semanticNames are the names of a kind in the semantic layer, with what they are.
func semanticNames(kind string) wordsOf {
	return func(ctx context.Context, s *Services, a asked) (lines []string) {
		for _, id := range a.connections(ctx, s) {
			names, err := s.Query.Semantic.Names(ctx, connection.ID(id), kind, a.begun, mostCompleted)
			if err != nil {
				continue
			}
			for _, n := range names {
				if terminal.Escape(n.Reference) == n.Reference {
					lines = append(lines, strings.TrimSuffix(n.Reference+"\t"+terminal.Escape(terminal.Cut(n.About, terminal.MaxAbout)), "\t"))
				}
			}
		}
		return lines
	}
}

// dimensionsOfSource are the dimensions of the source that is the argument, by their own
// names.
func dimensionsOfSource(ctx context.Context, s *Services, a asked) (lines []string) {
	if len(a.given) == 0 {
		return nil
	}
	before := a.given[0] + "."
	a.begun = before + a.begun
	for _, line := range semanticNames(semanticquery.DimensionNames)(ctx, s, a) {
		lines = append(lines, strings.TrimPrefix(line, before))
	}
	return lines
}
