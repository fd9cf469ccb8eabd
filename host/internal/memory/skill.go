package memory

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/assertion"
	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/change/form"
	"github.com/loam-data/loam/host/internal/skill"
	"github.com/loam-data/loam/host/internal/tokens"
	"github.com/loam-data/loam/sdk"
)

// SkillEdit changes a skill; a nil field stays as it is.
type SkillEdit struct {
	Name string
	// Base is the version that was edited, or the revision of the file.
	Base                                                             string
	Description, Content, Version, Author, Category, ExpectedOutcome *string
	Prerequisites, Tags                                              []string
	Metadata                                                         map[string]string
}

// SkillWritten is the outcome of a call that writes a skill.
type SkillWritten struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	// TokenCount estimates what the content costs a model; 0 = it goes.
	TokenCount int `json:"tokenCount,omitempty"`
	// UpdatedAt is when the file changed; nil = it waits for a person.
	UpdatedAt *time.Time `json:"updatedAt"`
	// Message says how to bring a removed skill back, "" = it is not removed.
	Message string `json:"message,omitempty"`
	Suggested
}

// CreateSkill proposes a new skill. An agent's waits for a person; a person's is applied.
// Errors: KindInvalid for what no skill can say; KindConflict for the name of another skill; those of submit.
func (s *Service) CreateSkill(ctx context.Context, c Call, n skill.Skill) (*SkillWritten, error) {
	n.Agent, n.Reviewed, n.Created = c.Actor.Channel == change.MCP, c.Actor.Person(), s.Now().UTC().Format(time.RFC3339)
	if n.Version == "" {
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "the skill has no version").WithHint("give a version such as 1.0.0")
	}
	said := n
	said.Created = ""
	return s.writeSkill(ctx, "skill_create", c, n.Name, said, func(before []byte) ([]byte, error) {
		if before != nil {
			return nil, skillExists(n.Name, before)
		}
		return skill.Write(&n, nil)
	})
}

func skillExists(name string, before []byte) error {
	return sdk.Errorf(sdk.KindConflict, sdk.SourceCaller, "there is a skill %s already", name).
		WithHint("change it with skill_update and baseVersion %s, or choose another name", versionOf(name, before))
}

// versionOf returns what identifies a file for SkillEdit.Base.
func versionOf(name string, content []byte) string {
	if s, err := skill.Parse(name, content); err == nil && s.Version != "" {
		return s.Version
	}
	return hashText(content)
}

// UpdateSkill proposes a change of a skill. Without a version it gets the next one.
// Errors: those of CreateSkill; KindNotFound; KindConflict for another version than Base; KindInvalid for a version that
// is not after it.
func (s *Service) UpdateSkill(ctx context.Context, c Call, e SkillEdit) (*SkillWritten, error) {
	return s.writeSkill(ctx, "skill_update", c, e.Name, e, func(before []byte) ([]byte, error) {
		if err := skillIs(e.Name, before, e.Base); err != nil {
			return nil, err
		}
		old, err := skill.Parse(e.Name, before)
		if err != nil {
			return nil, err
		}
		next, err := e.of(*old)
		if err != nil || next == nil {
			return before, err
		}
		next.Agent, next.Reviewed = c.Actor.Channel == change.MCP || old.Agent && !c.Actor.Person(), c.Actor.Person()
		return skill.Write(next, before)
	})
}

// of returns the skill with the edit; nil = nothing changes.
func (e *SkillEdit) of(s skill.Skill) (*skill.Skill, error) {
	before, err := skill.Write(&s, nil)
	if err != nil {
		return nil, err
	}
	version := s.Version
	for _, f := range []struct{ from, into *string }{
		{e.Description, &s.Description}, {e.Content, &s.Body}, {e.Author, &s.Author}, {e.Category, &s.Category}, {e.ExpectedOutcome, &s.ExpectedOutcome},
	} {
		if f.from != nil {
			*f.into = *f.from
		}
	}
	if e.Prerequisites != nil {
		s.Prerequisites = e.Prerequisites
	}
	if e.Tags != nil {
		s.Tags = e.Tags
	}
	if e.Metadata != nil {
		s.Metadata = e.Metadata
	}
	if after, err := skill.Write(&s, nil); err != nil || string(after) == string(before) && (e.Version == nil || *e.Version == version) {
		return nil, err
	}
	known, err := skill.ParseVersion(cmp.Or(version, "0.0.0"))
	if err != nil {
		return nil, err
	}
	following := known.IncPatch()
	s.Version = following.String()
	if e.Version != nil {
		s.Version = *e.Version
		next, err := skill.ParseVersion(s.Version)
		if err == nil && next.Compare(known) <= 0 {
			err = sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "version %s is not after %s", s.Version, known).WithHint("give %s or a later one, or leave version out", &following)
		}
		if err != nil {
			return nil, err
		}
	}
	return &s, nil
}

// skillIs refuses to change a skill that is not the edited version.
// Errors: KindNotFound; KindConflict with both versions.
func skillIs(name string, content []byte, base string) error {
	if content == nil {
		return sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "there is no skill %s", name).WithHint("call skill_list (loam skills list) for the names")
	}
	if base != "" && versionOf(name, content) == base {
		return nil
	}
	return editedMeanwhile("skill "+name, hashText(content), base)
}

// DeleteSkill proposes to remove the file SKILL.md of a skill; other files of its folder stay.
// Errors: KindNotFound; KindConflict for another version than base; those of submit.
func (s *Service) DeleteSkill(ctx context.Context, c Call, name, base string) (*SkillWritten, error) {
	out, err := s.writeSkill(ctx, "skill_delete", c, name, base, func(before []byte) ([]byte, error) {
		return nil, skillIs(name, before, base)
	})
	if err != nil || out.ChangeID == nil {
		return out, err
	}
	out.Message = "once approved it can be restored for 30 days: loam review revert " + string(*out.ChangeID)
	if out.Status == StatusApplied {
		out.Message = strings.TrimPrefix(out.Message, "once approved ")
	}
	return out, nil
}

// PutSkill writes the whole file of a skill. base is the revision of the file that was edited; "" = the skill is new.
// Errors: those of CreateSkill and of skill.Parse; KindConflict for another revision than base.
func (s *Service) PutSkill(ctx context.Context, c Call, name string, content []byte, base string) (*SkillWritten, error) {
	return s.writeSkill(ctx, "skill_put", c, name, string(content)+base, func(before []byte) ([]byte, error) {
		if before != nil && base == "" {
			return nil, skillExists(name, before)
		}
		if err := editedMeanwhile("skill "+name, hashText(before), base); err != nil {
			return nil, err
		}
		if as, err := skill.Mark(name, content, true); err == nil && string(as) == string(before) {
			return before, nil // whoever asks, it says the same
		}
		return skill.Mark(name, content, c.Actor.Person())
	})
}

// SkillFile returns the file of a skill and its revision for PutSkill; nil and "" for a missing one.
func (s *Service) SkillFile(name string) (content []byte, revision string, err error) {
	if err := skill.CheckName(name); err != nil {
		return nil, "", err
	}
	content, err = s.Engine.Read(skill.Path(name))
	return content, hashText(content), err
}

// writeSkill has a call make the change of a skill's file. build returns the new file, nil = it goes.
func (s *Service) writeSkill(ctx context.Context, tool string, c Call, name string, arguments any, build func(before []byte) ([]byte, error)) (*SkillWritten, error) {
	if err := skill.CheckName(name); err != nil {
		return nil, err
	}
	out := &SkillWritten{Name: name}
	done, err := s.submit(ctx, tool, c, []any{name, arguments}, func(ctx context.Context, sub *submission) ([]change.Proposal, error) {
		p, err := sub.skill(ctx, name, build)
		if err != nil || p == nil {
			return nil, err
		}
		return []change.Proposal{*p}, nil
	})
	if err != nil {
		return nil, err
	}
	out.Suggested = *done
	if done.ChangeID == nil {
		return out, nil
	}
	stored, err := s.Engine.Get(ctx, string(*done.ChangeID))
	if err != nil {
		return nil, err
	}
	if out.Status == StatusApplied {
		at := stored.AppliedAt.UTC()
		out.UpdatedAt = &at
	}
	if n, err := skill.Parse(name, []byte(stored.Blocks[0].After)); err == nil {
		out.Version, out.TokenCount = n.Version, tokens.Estimate(n.Body)
	}
	return out, nil
}

// skill is the change that writes a skill; nil = the file is as it is to be.
func (s *submission) skill(ctx context.Context, name string, build func(before []byte) ([]byte, error)) (*change.Proposal, error) {
	memory := s.job.service
	if err := memory.noTwin(name); err != nil {
		return nil, err
	}
	at := skill.Path(name)
	before, err := memory.Engine.Read(at)
	if err != nil {
		return nil, err
	}
	after, err := build(before)
	if err != nil || before != nil && string(after) == string(before) {
		return nil, err
	}
	if err := memory.clean(string(after)); err != nil {
		return nil, err
	}
	last, err := memory.lastChange(ctx, at)
	if err != nil {
		return nil, err
	}
	p := &change.Proposal{
		Kind: change.Skill, Target: name, Path: at, Blocks: []change.Block{{Place: form.WholeFile, Before: string(before), After: string(after)}},
		Says: "remove the skill", Value: string(last) + ":" + hashText(before) + ":" + hashText(after), // an older text may come back
	}
	old, _ := skill.Parse(name, before) // a file that is none may be replaced and removed
	next, _ := skill.Parse(name, after)
	if next != nil {
		p.Says = firstLine(next.Version + " " + next.Description)
	}
	if s.job.actor.Person() {
		return p, nil
	}
	if next == nil || before != nil && (old == nil || old.Reviewed) { // no policy lets a machine take from what a person vouches for
		p.Why = []string{change.WhyPolicy}
	}
	if next != nil && assertion.Instructs(next.Description+"\n\n"+next.Body) {
		wait(p, change.WhyInstruction, "it reads like an attack on the agent that follows it")
	}
	return p, nil
}

// lastChange returns the last change that was written to a file; "" = none was.
func (s *Service) lastChange(ctx context.Context, path string) (change.ID, error) {
	if !s.began() {
		return "", nil
	}
	found, err := s.Engine.List(ctx, change.Filter{Path: path, States: []change.State{change.Applied, change.Draft, change.Reverted}, Limit: 1})
	if err != nil || len(found.Changes) == 0 {
		return "", err
	}
	return found.Changes[0].ID, nil
}

// noTwin refuses a skill whose folder or file is there in another case: where case does not count they are one.
// Errors: KindConflict.
func (s *Service) noTwin(name string) error {
	for _, p := range []struct{ dir, name string }{{skill.Folder, name}, {skill.Folder + "/" + name, skill.FileName}} {
		entries, err := os.ReadDir(filepath.Join(s.Dir, filepath.FromSlash(p.dir)))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "%s cannot be read: %w", p.dir, err).WithHint("make it a folder that this user may read")
		}
		for _, e := range entries {
			if e.Name() != p.name && strings.EqualFold(e.Name(), p.name) {
				return sdk.Errorf(sdk.KindConflict, sdk.SourceHost, "%s/%s is there, which differs from %s in case alone", p.dir, e.Name(), p.name).WithHint("rename it to %s", p.name)
			}
		}
	}
	return nil
}
