package memory

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/memory"
	"github.com/loam-data/loam/sdk"
)

func (a *commands) reviewEditCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "edit CHANGE",
		Short: "Edit a change that waits, in $EDITOR",
		Long: `Opens the text of a pending change in $VISUAL or $EDITOR, and stores your edited text. The
change stays pending until it is approved.`,
		Example: "  EDITOR=nano loam review edit 3fa2",
		Args:    command.Exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			return a.open(ctx, func(services *Services) error {
				before, version, err := services.Drafts.Pending(ctx, args[0])
				if err != nil {
					return err
				}
				return a.edit(ctx, "change-"+args[0]+".yaml", before, func(after string) error {
					detail, err := services.Drafts.EditPending(ctx, args[0], after, version, a.invocation.Actor())
					if err != nil {
						return err
					}
					return a.term.Answer(map[string]any{"changes": []*memory.Detail{detail}}, func() error { return a.printChange(detail) })
				})
			})
		},
	}
}

// edit opens a text in the person's editor and saves what they made of it. What cannot
// be saved stays in a file, which the error names.
func (a *commands) edit(ctx context.Context, name, before string, save func(after string) error) error {
	editor := a.editor()
	if len(editor) == 0 {
		return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "there is no terminal to edit in, and neither VISUAL nor EDITOR is set").
			WithHint("write the text with --file: loam wiki write --help")
	}
	folder, err := os.MkdirTemp("", "loam-edit-")
	if err != nil {
		return sdk.Errorf(sdk.KindUnavailable, sdk.SourceHost, "make a file to edit: %w", err)
	}
	path := filepath.Join(folder, name)
	after, err := a.inEditor(ctx, editor, path, before)
	if err == nil && after != before {
		err = save(after)
	} else if err == nil {
		a.term.Infof("nothing was changed")
	}
	if err == nil {
		return os.RemoveAll(folder)
	}
	if text, failed := os.ReadFile(path); failed == nil && string(text) == before { // nothing was written
		return errors.Join(err, os.RemoveAll(folder))
	}
	kept := *sdk.AsError(err, sdk.SourceHost)
	kept.Hint = strings.TrimPrefix(kept.Hint+"; what you wrote is in "+path, "; ")
	return &kept
}

// editor is the command that edits a file; nil = there is none.
func (a *commands) editor() []string {
	for _, name := range []string{"VISUAL", "EDITOR"} {
		if words := strings.Fields(os.Getenv(name)); len(words) > 0 {
			return words
		}
	}
	switch {
	case !terminal.IsTerminal(a.term.In):
		return nil
	case runtime.GOOS == "windows":
		return []string{"notepad"}
	default:
		return []string{"vi"}
	}
}

// inEditor has a person edit a text in a new file.
func (a *commands) inEditor(ctx context.Context, editor []string, path, before string) (after string, err error) {
	if err := os.WriteFile(path, []byte(before), 0o600); err != nil {
		return "", sdk.Errorf(sdk.KindUnavailable, sdk.SourceHost, "make a file to edit: %w", err)
	}
	cmd := exec.CommandContext(ctx, editor[0], append(editor[1:], path)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.term.In, a.term.Err, a.term.Err
	if err := cmd.Run(); err != nil {
		return "", sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "the editor %s: %w", editor[0], err).
			WithHint("set VISUAL or EDITOR to the command of an editor that waits until the file is closed")
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", sdk.Errorf(sdk.KindUnavailable, sdk.SourceHost, "read what was edited: %w", err)
	}
	return string(text), nil
}
