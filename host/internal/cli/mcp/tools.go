package mcp

import (
	"os"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/mcpserver"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/host/internal/text"
)

// toolFlags adds the flags that say which tools an MCP server has. They come
// before what loam.yaml says under mcp.
func toolFlags(flags *pflag.FlagSet, s *mcpserver.Selection) {
	flags.StringSliceVar(&s.Toolsets, "toolsets", nil, "serve these toolsets (default research; all = all of them but legacy)")
	flags.StringSliceVar(&s.Tools, "tools", nil, "serve these tools, beside any --toolsets")
	flags.StringSliceVar(&s.ExcludeTools, "exclude-tools", nil, "do not serve these tools")
	flags.BoolVar(&s.ReadOnly, "read-only", false, "serve only read-only tools, whatever the other flags select")
}

func (a *commands) mcpToolsCommand() *cobra.Command {
	var chosen mcpserver.Selection
	cmd := &cobra.Command{
		Use:   "tools",
		Short: "List the tools of the MCP server, and what they cost an agent",
		Long: `Lists every tool of the MCP server with its toolset, whether it is switched on, whether it
only reads, and what its definition costs an agent: the bytes that it has in the list of
tools, and an estimate of the tokens. Most clients send all that is switched on with every
conversation.

Without a flag it is what loam.yaml says under mcp, and outside of a project the default.
With the flags of loam mcp stdio it is what a server with these would serve.`,
		Example: `  loam mcp tools
  loam mcp tools --toolsets research,context --read-only
  loam mcp tools --json`,
		Args: command.Exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			var configured mcpserver.Selection
			if _, err := os.Stat(filepath.Join(a.invocation.Dir, project.FileName)); err == nil {
				err := a.open(cmd.Context(), func(services *Services) error {
					current, err := services.Project.Current(cmd.Context())
					if err == nil {
						configured = current.MCP
					}
					return err
				})
				if err != nil {
					return err
				}
			}
			tools, err := mcpserver.Docs(chosen, configured)
			if err != nil {
				return err
			}
			return a.mcpTools(tools)
		},
	}
	toolFlags(cmd.Flags(), &chosen)
	return cmd
}

// toolDocument is one tool as mcp tools prints it with --json.
type toolDocument struct {
	Name     string `json:"name"`
	Title    string `json:"title"`
	Toolset  string `json:"toolset"`
	Command  string `json:"command,omitempty"` // of the same use case
	On       bool   `json:"on"`
	Off      string `json:"off,omitempty"` // why it is
	ReadOnly bool   `json:"readOnly"`
	Bytes    int    `json:"bytes"`
	Tokens   int    `json:"tokens"`
}

// toolsDocument is what mcp tools prints with --json. On is the sum of those that are on.
type toolsDocument struct {
	Tools []toolDocument `json:"tools"`
	On    struct {
		Tools  int `json:"tools"`
		Bytes  int `json:"bytes"`
		Tokens int `json:"tokens"`
	} `json:"on"`
}

func (a *commands) mcpTools(tools []mcpserver.ToolDoc) error {
	var d toolsDocument
	var rows [][]string
	for _, t := range tools {
		one := toolDocument{t.Name, t.Title, t.Toolset, t.Command, t.Off == "", t.Off, t.ReadOnly, t.Bytes, t.Tokens}
		d.Tools = append(d.Tools, one)
		if one.On {
			d.On.Tools++
			d.On.Bytes += t.Bytes
			d.On.Tokens += t.Tokens
		}
		rows = append(rows, []string{t.Name, t.Toolset, yes(one.On), yes(t.ReadOnly), strconv.Itoa(t.Bytes), strconv.Itoa(t.Tokens)})
	}
	if a.term.JSON {
		return a.term.Document(d)
	}
	table := a.term.NewTable([]string{"TOOL", "TOOLSET", "ON", "READS ONLY", "BYTES", "TOKENS"}, 4, 5)
	if err := table.Rows(rows); err != nil {
		return err
	}
	if err := table.Flush(); err != nil {
		return err
	}
	a.term.Infof("%s on, %s, about %s", text.Count(d.On.Tools, "tool"), text.Count(d.On.Bytes, "byte"), text.Count(d.On.Tokens, "token"))
	return nil
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
