// Package skillset lists, finds and reads the skills of a project, counts how often they helped, and says which of them
// are served as prompts. Package memory writes them.
package skillset

import (
	"cmp"
	"context"
	"io/fs"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/skill"
	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/host/internal/tokens"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// Config has the dependencies of a Service. All fields are required.
type Config struct {
	Skills *skill.Library
	// State opens the state store, and Began reports whether there is one yet.
	State func(context.Context) (*store.Store, error)
	Began func() bool
	// Waiting returns the file of a skill that waits for a person; nil = none does that the caller may see.
	Waiting func(ctx context.Context, name string, by change.Actor) ([]byte, error)
	// WaitingCount counts the skills that wait for a person.
	WaitingCount func(context.Context) (int, error)
	// Versions returns the kept contents of a skill's file, the latest first, and Keep keeps the present one.
	Versions func(ctx context.Context, name string) ([][]byte, error)
	Keep     func(ctx context.Context, name string) error
	Now      func() time.Time
}

// Service lists and reads skills.
// Concurrency: its methods may be called concurrently.
type Service struct{ Config }

// New returns a Service.
func New(c Config) *Service { return &Service{c} }

// counts are the uses of the skills; nil = they are not known.
type counts map[store.SkillKey]store.SkillCount

// counts returns the uses of the skills. Where there is no state store yet, nothing was used.
func (s *Service) counts(ctx context.Context) (counts, error) {
	if !s.Began() {
		return counts{}, nil
	}
	state, err := s.State(ctx)
	if err != nil {
		return nil, err
	}
	return state.SkillCounts(ctx)
}

func (c counts) of(i *skill.Item) store.SkillCount {
	return c[store.SkillKey{Name: i.Name, Major: skill.MajorOf(i.Skill.Version)}]
}

// rate returns the share of the outcomes that were a success, with three digits; nil = there are none.
func rate(c store.SkillCount) *float64 {
	if c.Succeeded+c.Failed == 0 {
		return nil
	}
	share := math.Round(1000*float64(c.Succeeded)/float64(c.Succeeded+c.Failed)) / 1000
	return &share
}

// usable returns the skills that can be used, by name, and the items that cannot.
func (s *Service) usable(ctx context.Context) (good, broken []skill.Item, err error) {
	all, err := s.Skills.Items(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, i := range all {
		if i.Problem != nil {
			broken = append(broken, i)
		} else {
			good = append(good, i)
		}
	}
	return good, broken, nil
}

// find returns a skill by its name.
// Errors: KindInvalid for a name that no skill has and for a broken file; KindNotFound with similar names.
func (s *Service) find(ctx context.Context, name string) (*skill.Item, error) {
	if err := skill.CheckName(name); err != nil {
		return nil, err
	}
	good, broken, err := s.usable(ctx)
	if err != nil {
		return nil, err
	}
	var names []string
	for i := range good {
		if good[i].Name == name {
			return &good[i], nil
		}
		names = append(names, good[i].Name)
	}
	for _, i := range broken {
		if i.Name == name {
			e := sdk.AsError(i.Problem, sdk.SourceHost)
			return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceHost, "the skill %s cannot be used: %s", name, e.Msg).WithHint("ask a person to mend %s: %s", skill.Path(name), e.Hint)
		}
	}
	e := sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "there is no skill %s", name)
	if e.Candidates = sqlkit.Nearest(name, names); len(e.Candidates) > 0 {
		return nil, e.WithHint("did you mean %s?", strings.Join(e.Candidates, ", "))
	}
	return nil, e.WithHint("call skill_list (loam skills list) for the names")
}

// Reviewed returns the skills that a person reviewed, the most used first.
// Errors: those of skill.Library.Items.
func (s *Service) Reviewed(ctx context.Context) ([]skill.Item, error) {
	good, _, err := s.usable(ctx)
	if err != nil {
		return nil, err
	}
	good = slices.DeleteFunc(good, func(i skill.Item) bool { return !i.Skill.Reviewed })
	uses, err := s.counts(ctx)
	if err != nil && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	slices.SortStableFunc(good, func(a, b skill.Item) int { return cmp.Compare(uses.of(&b).Uses, uses.of(&a).Uses) }) // by name where they are not known
	return good, nil
}

// MaxPrompt is the most tokens of a skill that is a prompt, by the estimate of package tokens.
const MaxPrompt = 4000

// Prompts returns the reviewed skills that are short enough for a prompt, at most so many, the most used first.
// Errors: those of Reviewed.
func (s *Service) Prompts(ctx context.Context, most int) ([]skill.Item, error) {
	all, err := s.Reviewed(ctx)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(i skill.Item) bool { return tokens.Estimate(i.Skill.Body) > MaxPrompt })
	return all[:min(len(all), most)], nil
}

// Prompt returns the text of a reviewed skill.
// Errors: KindNotFound for one that nobody reviewed; KindLimit for one that is too long for a prompt.
func (s *Service) Prompt(ctx context.Context, name string) (*skill.Skill, error) {
	i, err := s.reviewed(ctx, name)
	if err != nil {
		return nil, err
	}
	if n := tokens.Estimate(i.Skill.Body); n > MaxPrompt {
		return nil, sdk.Errorf(sdk.KindLimit, sdk.SourceHost, "the skill %s has %d tokens; a prompt has at most %d", name, n, MaxPrompt).
			WithHint("read it with skill_apply or as %s", FileURI(name, skill.FileName))
	}
	return i.Skill, nil
}

func (s *Service) reviewed(ctx context.Context, name string) (*skill.Item, error) {
	i, err := s.find(ctx, name)
	if err == nil && !i.Skill.Reviewed {
		err = sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "no person has reviewed the skill %s", name).WithHint("skill_apply returns it with its trust")
	}
	return i, err
}

// File returns a file of a reviewed skill.
// Errors: KindNotFound for a skill that nobody reviewed and for a file that it does not have; those of skill.Library.Read.
func (s *Service) File(ctx context.Context, name, file string) ([]byte, error) {
	i, err := s.reviewed(ctx, name)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, f := range i.Files {
		if f.Path == file && fs.ValidPath(file) {
			return s.Skills.Read(name, file)
		}
		names = append(names, f.Path)
	}
	e := sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "the skill %s has no file %.80q", name, file)
	e.Candidates = sqlkit.Nearest(file, names)
	return nil, e.WithHint("skills/get lists its files")
}

// Export returns the files of a reviewed skill, by their paths.
// Errors: those of File.
func (s *Service) Export(ctx context.Context, name string) (map[string][]byte, error) {
	i, err := s.reviewed(ctx, name)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, f := range i.Files {
		if files[f.Path], err = s.Skills.Read(name, f.Path); err != nil {
			return nil, err
		}
	}
	return files, nil
}
