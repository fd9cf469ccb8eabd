package cli

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/loam-data/loam/sdk"
)

// writeManual writes a page of section 1 for each command into folder: loam-mcp-start.1.
// Their date is SOURCE_DATE_EPOCH where that is set.
func writeManual(root *cobra.Command, folder, version string) error {
	date := time.Now()
	if epoch := os.Getenv("SOURCE_DATE_EPOCH"); epoch != "" {
		seconds, err := strconv.ParseInt(epoch, 10, 64)
		if err != nil {
			return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "SOURCE_DATE_EPOCH: %w", err)
		}
		date = time.Unix(seconds, 0).UTC()
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "the folder of the manual pages: %w", err)
	}
	return writePages(root, folder, fmt.Sprintf(`"1" "%s" "Loam %s" "Loam"`, date.Format("Jan 2006"), version))
}

// writePages writes the page of a command and those of its subcommands. Every page has the same heading
// behind its title.
func writePages(cmd *cobra.Command, folder, heading string) error {
	if err := os.WriteFile(filepath.Join(folder, pageName(cmd)+".1"), []byte(manualPage(cmd, heading)), 0o644); err != nil {
		return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "the manual pages: %w", err)
	}
	for _, sub := range cmd.Commands() {
		if !sub.IsAvailableCommand() {
			continue
		}
		if err := writePages(sub, folder, heading); err != nil {
			return err
		}
	}
	return nil
}

func pageName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// manualPage is a command's page in the macros of man.
// Source: man(7).
func manualPage(cmd *cobra.Command, heading string) string {
	cmd.InitDefaultHelpFlag()
	var b strings.Builder
	fmt.Fprintf(&b, ".nh\n.TH \"%s\" %s\n.SH NAME\n%s \\- %s\n", roff(strings.ToUpper(pageName(cmd))), heading, roff(pageName(cmd)), roff(cmd.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n\\fB%s\\fP\n", roff(cmd.UseLine()))
	fmt.Fprintf(&b, ".SH DESCRIPTION\n%s\n", strings.ReplaceAll(roff(cmp.Or(cmd.Long, cmd.Short+".")), "\n\n", "\n.PP\n"))
	manualFlags(&b, "OPTIONS", cmd.NonInheritedFlags())
	manualFlags(&b, "OPTIONS INHERITED FROM PARENT COMMANDS", cmd.InheritedFlags())
	if cmd.Example != "" {
		fmt.Fprintf(&b, ".SH EXAMPLE\n.EX\n%s\n.EE\n", roff(cmd.Example))
	}
	var related []string
	if cmd.HasParent() {
		related = append(related, pageName(cmd.Parent()))
	}
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			related = append(related, pageName(sub))
		}
	}
	if len(related) > 0 {
		fmt.Fprintf(&b, ".SH SEE ALSO\n\\fB%s\\fP(1)\n", strings.Join(strings.Fields(roff(strings.Join(related, " "))), "\\fP(1), \\fB"))
	}
	return b.String()
}

func manualFlags(b *strings.Builder, title string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	fmt.Fprintf(b, ".SH %s\n", title)
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Deprecated != "" {
			return
		}
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		value, usage := pflag.UnquoteUsage(f)
		if def := defaultOf(f); def != "" {
			usage += "; default " + def
		}
		fmt.Fprintf(b, ".TP\n\\fB%s\\fP \\fI%s\\fP\n%s\n", roff(name), roff(value), roff(usage))
	})
}

// roff writes text so that man prints it unchanged: a backslash begins an escape, a hyphen may become
// another sign, and a dot or an apostrophe at the begin of a line is a request.
func roff(text string) string {
	lines := strings.Split(strings.NewReplacer(`\`, `\e`, "-", `\-`, `"`, `\(dq`).Replace(text), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
