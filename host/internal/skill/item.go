// Package skill reads and writes the skills of a project: folders skills/<name> with a file SKILL.md, in the format that
// agents keep their own skills in, and further files that it links to.
package skill

import (
	"strings"
	"unicode/utf8"

	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

// Folder is the project's folder of skills, and FileName the file of each in a folder with its name.
const (
	Folder   = "skills"
	FileName = "SKILL.md"
)

// MaxFile is the largest file of a skill that is read, in bytes.
const MaxFile = 256 << 10

// Limits of a skill. Units: characters. Source: spec of toolsets, section 5, and the agents' format for the name and the
// description.
const (
	maxName        = 64
	maxDescription = 1024
	maxContent     = 50_000
	maxText        = 1000 // of author, category, outcome, a prerequisite, a value of the metadata
	maxList        = 20   // of tags and of prerequisites
	maxTag         = 50
	maxMetadata    = 50 // keys
)

// Skill is a way of working that agents read when they need it.
type Skill struct {
	Name, Description string
	// Version is that of semantic versioning; "" = the file names none.
	Version                           string
	Author, Category, ExpectedOutcome string
	Prerequisites, Tags               []string
	Metadata                          map[string]string
	// Created is the day of a skill that was made by skill_create, as RFC 3339; "" = not known.
	Created string
	// Reviewed: a person vouches for it. Agent: an agent wrote it.
	Reviewed, Agent bool
	// Body is the Markdown below the frontmatter.
	Body string
}

// Title returns the first heading of the body, else the name.
func (s *Skill) Title() string {
	for line := range strings.Lines(s.Body) {
		if title, ok := strings.CutPrefix(strings.TrimSpace(line), "# "); ok {
			return strings.TrimSpace(title)
		}
	}
	return s.Name
}

// The trust of a skill.
const (
	TrustReviewed = "reviewed"
	TrustPerson   = "person"
	TrustAgent    = "agent"
)

// Trust returns who vouches for the skill.
func (s *Skill) Trust() string {
	switch {
	case s.Reviewed:
		return TrustReviewed
	case s.Agent:
		return TrustAgent
	}
	return TrustPerson
}

// Path returns the file of a skill below the project's folder.
func Path(name string) string { return Folder + "/" + name + "/" + FileName }

var slug = text.Pattern(`^[a-z0-9]+(?:-[a-z0-9]+)*$`)

// taken are the names of prompts that the server has itself; its own skills begin with own.
var taken = map[string]bool{"analyze": true, "define": true}

const own = "loam-"

// CheckName refuses a name that no skill can have.
// Errors: KindInvalid.
func CheckName(name string) error {
	switch {
	case len(name) > maxName || !slug().MatchString(name):
		return invalid("that is no name of a skill").WithHint("use small letters and digits with single dashes between them, at most %d, such as close-the-month", maxName)
	case taken[name] || strings.HasPrefix(name, own):
		return invalid("the name %s is taken by Loam itself", name).WithHint("choose a name that does not begin with %s and is not analyze or define", own)
	}
	return nil
}

// validate refuses what no skill can say.
// Errors: KindInvalid with the length of what is too long.
func (s *Skill) validate() error {
	if err := CheckName(s.Name); err != nil {
		return err
	}
	if s.Version != "" {
		if _, err := ParseVersion(s.Version); err != nil {
			return err
		}
	}
	for what, said := range map[string]string{"description": s.Description, "content": s.Body} {
		if strings.TrimSpace(said) == "" {
			return invalid("%s is empty", what).WithHint("give the skill a name, a description and a text")
		}
	}
	fields := []field{
		{"description", s.Description, maxDescription}, {"content", s.Body, maxContent}, {"author", s.Author, maxText},
		{"category", s.Category, maxTag}, {"expectedOutcome", s.ExpectedOutcome, maxText},
	}
	for _, t := range s.Tags {
		fields = append(fields, field{"a tag", t, maxTag})
	}
	for _, p := range s.Prerequisites {
		fields = append(fields, field{"a prerequisite", p, maxText})
	}
	for key, value := range s.Metadata {
		fields = append(fields, field{"a key of the metadata", key, maxTag}, field{"a value of the metadata", value, maxText})
	}
	for _, f := range fields {
		if err := f.check(); err != nil {
			return err
		}
	}
	for what, n := range map[string][2]int{"tags": {len(s.Tags), maxList}, "prerequisites": {len(s.Prerequisites), maxList}, "metadata": {len(s.Metadata), maxMetadata}} {
		if n[0] > n[1] {
			return invalid("%s has %d entries; the limit is %d", what, n[0], n[1]).WithHint("give fewer")
		}
	}
	return s.checkLinks()
}

// field is a text of a skill with its limit.
type field struct {
	name, value string
	limit       int
}

func (f field) check() error {
	switch n := utf8.RuneCountInString(f.value); {
	case n > f.limit:
		return invalid("%s has %d characters; the limit is %d", f.name, n, f.limit).WithHint("write a shorter one; further files of the folder can have the rest")
	case !utf8.ValidString(f.value) || strings.ContainsFunc(f.value, text.Unseen):
		return invalid("%s is not UTF-8, or has control characters or marks that nobody sees", f.name).WithHint("write plain text")
	}
	return nil
}

func invalid(format string, args ...any) *sdk.Error {
	return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, format, args...)
}
