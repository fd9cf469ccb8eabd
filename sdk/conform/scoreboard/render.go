package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/loam-data/loam/sdk/conform"
)

const preface = `# Conformance

What ` + "`sdk/conform`" + ` proved of each connector, and what it did not. Made by ` + "`sdk/conform/scoreboard`" + ` from a test
run; not edited by hand. "real" is an engine that the tests started, "fixture" a stand-in that speaks the engine's
protocol, "embedded" an engine inside the connector. A check is skipped because the engine has no such thing (engine),
because its driver does not show it (driver), because the stand-in lacks it (fixture), because the connector does not
declare it (not declared), because nobody can see it or there is nothing to see (not applicable), or because the
connector could do it and does not yet (to do).
`

var modes = []struct {
	mode  conform.Mode
	title string
}{
	{conform.InProcess, "in process"},
	{conform.Wire, "over the wire"},
	{conform.Binary, "as a program"},
}

// board is what is known of one connector on one kind of server.
type board struct {
	connector, server string
	results           []conform.Result
}

// render writes the page. Of a check that ran several times the last run counts.
func render(results []conform.Result) string {
	var page strings.Builder
	page.WriteString(preface)
	boards := boardsOf(results)
	page.WriteString("\n| connector | target | server |" + titles() + " to do |\n|---|---|---|" + strings.Repeat("---|", len(modes)) + "---|\n")
	for _, b := range boards {
		target, server := b.target()
		fmt.Fprintf(&page, "| %s | %s | %s |", b.connector, target, server)
		for _, m := range modes {
			fmt.Fprintf(&page, " %s |", tally(b.results, m.mode, ""))
		}
		fmt.Fprintf(&page, " %s |\n", b.toDo())
	}
	for _, b := range boards {
		b.render(&page)
	}
	return page.String()
}

// target splits what the tests ran on into "real", "fixture" or "embedded" and the rest.
func (b *board) target() (kind, server string) {
	kind, server, _ = strings.Cut(b.server, " ")
	return strings.TrimSuffix(kind, ":"), server
}

// toDo counts the checks that the connector could pass and does not yet.
func (b *board) toDo() string {
	checks := map[string]bool{}
	for _, r := range b.results {
		if r.Class == conform.ToDo {
			checks[r.Group+"/"+r.Check] = true
		}
	}
	if len(checks) == 0 {
		return "none"
	}
	return strconv.Itoa(len(checks))
}

func titles() string {
	var s strings.Builder
	for _, m := range modes {
		s.WriteString(" " + m.title + " |")
	}
	return s.String()
}

func boardsOf(results []conform.Result) []board {
	type key struct {
		connector, server string
		mode              conform.Mode
		group, check      string
	}
	last := map[key]int{}
	for i, r := range results {
		last[key{r.Connector, r.Server, r.Mode, r.Group, r.Check}] = i
	}
	byName := map[[2]string]*board{}
	for _, i := range slices.Sorted(maps.Values(last)) {
		r := results[i]
		name := [2]string{r.Connector, r.Server}
		if byName[name] == nil {
			byName[name] = &board{connector: r.Connector, server: r.Server}
		}
		byName[name].results = append(byName[name].results, r)
	}
	var boards []board
	for _, b := range byName {
		boards = append(boards, *b)
	}
	slices.SortFunc(boards, func(a, b board) int {
		return cmp.Or(strings.Compare(a.connector, b.connector), strings.Compare(a.server, b.server))
	})
	return boards
}

// tally counts outcomes, of a group or, for "", of all.
func tally(results []conform.Result, mode conform.Mode, group string) string {
	count := map[conform.Outcome]int{}
	for _, r := range results {
		if r.Mode == mode && (group == "" || r.Group == group) {
			count[r.Outcome]++
		}
	}
	if len(count) == 0 {
		return "—"
	}
	words := []string{fmt.Sprintf("%d ok", count[conform.OK])}
	if n := count[conform.Skipped]; n > 0 {
		words = append(words, fmt.Sprintf("%d skipped", n))
	}
	if n := count[conform.Failed]; n > 0 {
		words = append(words, fmt.Sprintf("**%d failed**", n))
	}
	return strings.Join(words, ", ")
}

func (b *board) render(page *strings.Builder) {
	fmt.Fprintf(page, "\n## %s\n\nServer: %s.\n\n| group |%s\n|---|%s\n", b.connector, b.server, titles(), strings.Repeat("---|", len(modes)))
	var groups []string
	for _, r := range b.results {
		if !slices.Contains(groups, r.Group) {
			groups = append(groups, r.Group)
		}
	}
	for _, group := range groups {
		fmt.Fprintf(page, "| %s |", group)
		for _, m := range modes {
			fmt.Fprintf(page, " %s |", tally(b.results, m.mode, group))
		}
		page.WriteString("\n")
	}
	b.reasons(page, "Failed", func(r *conform.Result) bool { return r.Outcome == conform.Failed })
	for _, class := range []conform.Class{conform.ToDo, conform.ByEngine, conform.ByDriver, conform.ByFixture, conform.Undeclared, conform.NotApplicable, ""} {
		title := "Skipped"
		if class != "" {
			title += " (" + string(class) + ")"
		}
		b.reasons(page, title, func(r *conform.Result) bool { return r.Outcome == conform.Skipped && r.Class == class })
	}
}

// reasons lists the checks that are meant under the reason they share.
func (b *board) reasons(page *strings.Builder, title string, meant func(*conform.Result) bool) {
	checks := map[string][]string{}
	for _, r := range b.results {
		if !meant(&r) {
			continue
		}
		reason, _, _ := strings.Cut(r.Reason, "\n")
		if name := r.Group + "/" + r.Check; !slices.Contains(checks[reason], name) {
			checks[reason] = append(checks[reason], name)
		}
	}
	if len(checks) == 0 {
		return
	}
	fmt.Fprintf(page, "\n%s:\n\n", title)
	for _, reason := range slices.Sorted(maps.Keys(checks)) {
		names := slices.Sorted(slices.Values(checks[reason]))
		fmt.Fprintf(page, "- `%s`: %s\n", strings.Join(names, "`, `"), reason)
	}
}
