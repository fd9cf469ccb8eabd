package agents

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/file"
	"github.com/loam-data/loam/sdk"
)

// ExportRequest says which skill to copy into the folders of which clients.
type ExportRequest struct {
	// Targets are the clients; none = the installed ones. Scope "" = the default of each client.
	Targets []Target
	Scope   Scope
	// Name of the skill, and its Files by their paths in its folder, with slashes.
	Name  string
	Files map[string][]byte
	// Force replaces files that Export did not write, or that were edited.
	Force bool
	// Dry reports the changes and writes nothing.
	Dry bool
}

// Export copies a skill into the folders where clients look for skills, all of it or nothing, and removes what an earlier
// Export wrote there and the skill has no more.
// Errors: KindConflict for a file that Export did not write or that was edited since; KindUnsupported for a client that
// has no folder of skills; KindDenied for a folder of the scope Project outside the project; those of Setup.
func (a *Agents) Export(ctx context.Context, r ExportRequest) (*Report, error) {
	chosen, notes, err := a.choose(r.Targets, r.Scope)
	if err != nil {
		return nil, err
	}
	report, err := a.run(ctx, r.Dry, func(d *draft, report *Report) error {
		for _, c := range chosen {
			if c.client.archive {
				if len(r.Targets) > 0 {
					return sdk.Errorf(sdk.KindUnsupported, sdk.SourceCaller, "%s has no folder of skills", c.client.title).WithHint("choose another --target")
				}
				report.Notes = append(report.Notes, c.client.title+" has no folder of skills and was left out")
				continue
			}
			if err := d.export(c.client, c.scope, r, report); err != nil {
				return err
			}
		}
		return nil
	})
	if report != nil {
		report.Notes = append(notes, report.Notes...)
	}
	return report, err
}

// export plans the files of a skill in the folder of one client.
func (d *draft) export(c client, scope Scope, r ExportRequest, report *Report) error {
	folder := filepath.Join(filepath.Dir(filepath.Dir(c.place(d.a.c.Machine, scope, d.a.c.Project).skill)), r.Name)
	m, backups := d.of(scope)
	for _, name := range slices.Sorted(maps.Keys(r.Files)) {
		change := Change{Target: c.target, Scope: scope, File: filepath.Join(folder, filepath.FromSlash(name)), Action: Unchanged}
		if _, inside := file.Within(d.a.c.Project, change.File); scope == Project && !inside {
			return sdk.Errorf(sdk.KindDenied, sdk.SourceCaller, "%s leads out of the project folder", change.File).WithHint("put the file itself in the place of the link, or use --scope global")
		}
		if err := d.exportFile(m, &change, r.Files[name], r.Force, backups); err != nil {
			return err
		}
		report.Changes = append(report.Changes, change)
	}
	for _, o := range slices.Clone(m.Exports) {
		below, ok := strings.CutPrefix(o.File, folder+string(filepath.Separator))
		if _, still := r.Files[filepath.ToSlash(below)]; !ok || still {
			continue
		}
		f, err := d.plan.open(o.File)
		if err != nil {
			return err
		}
		change := Change{Target: c.target, Scope: scope, File: o.File, Action: Removed}
		if !f.gone && sum(f.after) != o.Sum && !r.Force {
			change.Action, change.Note = Kept, "it was edited since"
		} else {
			d.plan.remove(f)
			m.disown(o.File)
		}
		report.Changes = append(report.Changes, change)
	}
	return nil
}

// exportFile plans one file.
func (d *draft) exportFile(m *manifest, change *Change, text []byte, force bool, backups string) error {
	f, err := d.plan.open(change.File)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(m.Exports, func(o owned) bool { return o.File == change.File })
	switch {
	case f.gone:
		change.Action = Created
	case string(f.after) == string(text):
	case at >= 0 && sum(f.after) == m.Exports[at].Sum:
		change.Action = Changed
	case !force:
		return sdk.Errorf(sdk.KindConflict, sdk.SourceCaller, "%s is not as loam wrote it", change.File).
			WithHint("keep your text under another name, or replace it with --force: a copy is kept")
	default:
		change.Action, change.Backups, f.backups = Changed, backups, backups
	}
	if change.Action == Unchanged && at < 0 {
		return nil // it is somebody else's, with the same text
	}
	m.disown(change.File)
	m.Exports = append(m.Exports, owned{File: change.File, Sum: sum(text)})
	return f.write(text)
}

// disown removes a file from the exports.
func (m *manifest) disown(file string) {
	m.Exports = slices.DeleteFunc(m.Exports, func(o owned) bool { return o.File == file })
}
