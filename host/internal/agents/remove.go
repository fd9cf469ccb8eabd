package agents

import (
	"context"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/agents/edit"
	"github.com/loam-data/loam/sdk"
)

// RemoveRequest says which entries and skills to remove.
type RemoveRequest struct {
	// Targets, Scope and Name restrict it; zero values mean all that this project set up. Only
	// with Scope Global does it include entries of other projects.
	Targets []Target
	Scope   Scope
	Name    string
	// Force removes also what was edited since Setup.
	Force bool
	// Dry reports the changes and writes nothing.
	Dry bool
}

// Remove removes what Setup wrote and recorded, all of it or nothing, and restores what Setup
// replaced.
// Errors: KindConflict for what was edited since Setup; KindInvalid, KindUnsupported and
// KindDenied as of Setup.
func (a *Agents) Remove(ctx context.Context, r RemoveRequest) (*Report, error) {
	for _, target := range r.Targets {
		if _, err := clientOf(target); err != nil {
			return nil, err
		}
	}
	if r.Scope != "" && !slices.Contains(Scopes(), r.Scope) {
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "there is no scope %q", r.Scope).WithHint("use one of: %s", joined(Scopes()))
	}
	return a.run(ctx, r.Dry, func(d *draft, report *Report) error {
		for _, m := range []*manifest{d.ours, d.mine} {
			for _, rec := range slices.Clone(m.Records) {
				if !a.meant(rec, r) {
					continue
				}
				m.remove(&rec)
				if err := d.takeBack(rec, r.Force, report); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// meant reports whether a request includes a record. Global records of another project are
// included only if the request names that scope.
func (a *Agents) meant(rec record, r RemoveRequest) bool {
	of := rec.Scope == Project || rec.Project == a.c.Project || rec.Scope == Global && r.Scope == Global
	return of && (r.Scope == "" || r.Scope == rec.Scope) && (r.Name == "" || r.Name == rec.name()) && (len(r.Targets) == 0 || slices.Contains(r.Targets, rec.Target))
}

// takeBack plans to remove what a record lists. The caller has removed the record from its
// manifest.
func (d *draft) takeBack(rec record, force bool, report *Report) error {
	_, backups := d.of(rec.Scope)
	if e := rec.Entry; e != nil {
		if err := d.takeEntry(rec, e, force, backups, report); err != nil {
			return err
		}
	}
	if s := rec.Skill; s != nil {
		return d.takeSkill(rec, s, force, backups, report)
	}
	return nil
}

func (d *draft) takeEntry(rec record, e *entry, force bool, backups string, report *Report) error {
	change := Change{Target: rec.Target, Scope: rec.Scope, File: e.File, Key: strings.Join(e.Path, "."), Action: Unchanged}
	f, err := d.plan.open(e.File)
	if err != nil {
		return err
	}
	value, found, err := edit.Find(e.Form, f.after, e.Path)
	if err != nil {
		return at(e.File, err, "")
	}
	switch {
	case !found:
		change.Note = "it is gone already"
		d.leave(e.Dirs)
	case !force && !reflect.DeepEqual(value, e.Value):
		return sdk.Errorf(sdk.KindConflict, sdk.SourceCaller, "%s: %s was edited since loam wrote it", e.File, change.Key).
			WithHint("keep it by taking it over yourself, or remove it with --force")
	default:
		text, err := edit.Remove(e.Form, f.after, e.Path, e.Undo)
		if err != nil {
			return at(e.File, err, "")
		}
		change.Action = Removed
		if e.Created && edit.Bare(text) {
			d.plan.remove(f)
			d.leave(e.Dirs)
			break
		}
		f.backups, change.Backups = backups, backups
		d.handOver(e)
		if err := f.write(text); err != nil {
			return err
		}
	}
	report.Changes = append(report.Changes, change)
	return nil
}

// handOver assigns what a removed entry created to an entry that still needs it: the file, and
// the containers above the key.
func (d *draft) handOver(e *entry) {
	lowest := len(e.Path) - e.Undo.Made
	created, made := e.Created, e.Undo.Made > 0
	for _, m := range []*manifest{d.ours, d.mine} {
		for _, r := range m.Records {
			o := r.Entry
			if o == nil || o.File != e.File {
				continue
			}
			if created {
				o.Created, o.Dirs = true, append(o.Dirs, e.Dirs...)
				created = false
			}
			if made && len(o.Path) > lowest && slices.Equal(o.Path[:lowest], e.Path[:lowest]) {
				o.Undo = o.Undo.Adopt(len(o.Path) - lowest)
				made = false
			}
		}
	}
}

func (d *draft) takeSkill(rec record, s *owned, force bool, backups string, report *Report) error {
	change := Change{Target: rec.Target, Scope: rec.Scope, File: s.File, Action: Removed}
	f, err := d.plan.open(s.File)
	if err != nil {
		return err
	}
	switch other := d.sharer(&rec, s.File); {
	case other != nil:
		change.Action, change.Note = Kept, "it is also the skill of "+string(other.Target)
		other.Skill.Dirs = append(other.Skill.Dirs, s.Dirs...)
	case f.gone:
		change.Action, change.Note = Unchanged, "it is gone already"
		d.leave(s.Dirs)
	case !force && sum(f.after) != s.Sum:
		return sdk.Errorf(sdk.KindConflict, sdk.SourceCaller, "%s was edited since loam wrote it", s.File).
			WithHint("keep your text under another name, or remove it with --force")
	default:
		if sum(f.after) != s.Sum {
			f.backups, change.Backups = backups, backups
		}
		if s.Old != nil {
			if err := f.write([]byte(*s.Old)); err != nil {
				return err
			}
			break
		}
		d.plan.remove(f)
		d.leave(s.Dirs)
	}
	report.Changes = append(report.Changes, change)
	return nil
}

// leave plans to remove folders that Setup made. A folder with files of another record is
// assigned to that record.
func (d *draft) leave(dirs []string) {
	for _, dir := range dirs {
		if !d.inherit(dir) && !slices.Contains(d.plan.dirs, dir) {
			d.plan.dirs = append(d.plan.dirs, dir)
		}
	}
}

func (d *draft) inherit(dir string) bool {
	below := func(file string) bool { return strings.HasPrefix(file, dir+string(filepath.Separator)) }
	for _, m := range []*manifest{d.ours, d.mine} {
		for _, r := range m.Records {
			switch {
			case r.Entry != nil && below(r.Entry.File):
				r.Entry.Dirs = append([]string{dir}, r.Entry.Dirs...)
				return true
			case r.Skill != nil && below(r.Skill.File):
				r.Skill.Dirs = append([]string{dir}, r.Skill.Dirs...)
				return true
			}
		}
	}
	return false
}
