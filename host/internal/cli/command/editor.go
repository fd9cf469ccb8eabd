package command

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/sdk"
)

// Edit opens a text in the person's editor and saves what they made of it. What cannot
// be saved stays in a file, which the error names.
func (i *Invocation) Edit(ctx context.Context, name, before string, save func(after string) error) error {
	editor := i.editor()
	if len(editor) == 0 {
		return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "there is no terminal to edit in, and neither VISUAL nor EDITOR is set").
			WithHint("set EDITOR, or write the text with --file of a command that writes")
	}
	folder, err := os.MkdirTemp("", "loam-edit-")
	if err != nil {
		return sdk.Errorf(sdk.KindUnavailable, sdk.SourceHost, "make a file to edit: %w", err)
	}
	path := filepath.Join(folder, name)
	after, err := i.inEditor(ctx, editor, path, before)
	if err == nil && after != before {
		err = save(after)
	} else if err == nil {
		i.Terminal.Infof("nothing was changed")
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
func (i *Invocation) editor() []string {
	for _, name := range []string{"VISUAL", "EDITOR"} {
		if words := strings.Fields(os.Getenv(name)); len(words) > 0 {
			return words
		}
	}
	switch {
	case !terminal.IsTerminal(i.Terminal.In):
		return nil
	case runtime.GOOS == "windows":
		return []string{"notepad"}
	default:
		return []string{"vi"}
	}
}

// inEditor has a person edit a text in a new file.
func (i *Invocation) inEditor(ctx context.Context, editor []string, path, before string) (after string, err error) {
	if err := os.WriteFile(path, []byte(before), 0o600); err != nil {
		return "", sdk.Errorf(sdk.KindUnavailable, sdk.SourceHost, "make a file to edit: %w", err)
	}
	cmd := exec.CommandContext(ctx, editor[0], append(editor[1:], path)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = i.Terminal.In, i.Terminal.Err, i.Terminal.Err
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
