package skill

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/loam-data/loam/sdk"
)

const (
	mark = "---\n"
	// maxHeader is the longest frontmatter in bytes, maxNesting its deepest YAML.
	maxHeader, maxNesting = 64 << 10, 5
)

// The keys of the frontmatter that are read. Others are those of agents, and stay.
const (
	keyName          = "name"
	keyDescription   = "description"
	keyVersion       = "version"
	keyAuthor        = "author"
	keyCategory      = "category"
	keyPrerequisites = "prerequisites"
	keyOutcome       = "expectedOutcome"
	keyTags          = "tags"
	keyMetadata      = "metadata"
	keyOrigin        = "origin"
	keyCreated       = "created"
	keyReviewed      = "reviewed"
)

// originAgent is the origin of a skill that an agent wrote.
const originAgent = "agent"

// Parse parses the file SKILL.md in the folder with a name.
// Errors: KindInvalid for a file without frontmatter, with another name or with invalid values; KindLimit for more than
// 256 KiB.
func Parse(name string, content []byte) (*Skill, error) {
	front, body, err := split(content)
	if err != nil {
		return nil, err
	}
	s := &Skill{Body: body}
	if err := s.read(front); err != nil {
		return nil, err
	}
	if s.Name != name {
		return nil, invalid("the frontmatter has the name %.64q, and the folder is %s", s.Name, name).WithHint("give both the same name")
	}
	return s, s.validate()
}

// split returns the frontmatter as a mapping, and the text below it.
func split(content []byte) (front *yaml.Node, body string, err error) {
	whole := strings.TrimPrefix(strings.ReplaceAll(string(content), "\r\n", "\n"), "\ufeff")
	switch {
	case len(content) > MaxFile:
		return nil, "", sdk.Errorf(sdk.KindLimit, sdk.SourceCaller, "the skill has %d bytes; the limit is %d", len(content), MaxFile).WithHint("write a shorter one; further files of the folder can have the rest")
	case !utf8.ValidString(whole) || strings.ContainsRune(whole, 0):
		return nil, "", invalid("the skill is no text in UTF-8").WithHint("write valid UTF-8 without NUL characters")
	case !strings.HasPrefix(whole, mark):
		return nil, "", invalid("the skill has no frontmatter").WithHint("begin the file with the name and the description as YAML between two lines ---")
	}
	end := strings.Index(whole, "\n"+mark)
	if end < 0 || end > maxHeader {
		return nil, "", invalid("the frontmatter of the skill has no end within %d bytes", maxHeader).WithHint("end it with a line ---")
	}
	var root yaml.Node
	if err := yaml.Unmarshal([]byte(whole[len(mark):end+1]), &root); err != nil {
		return nil, "", invalid("the frontmatter of the skill cannot be read: %w", err).WithHint("write it as YAML, one key a line")
	}
	if root.Kind != yaml.DocumentNode || root.Content[0].Kind != yaml.MappingNode || !plain(&root, 0) {
		return nil, "", invalid("the frontmatter of the skill is no list of keys, or has anchors, aliases, tags, a key twice, or more than %d levels", maxNesting).
			WithHint("write each value in its place, one key a line")
	}
	return root.Content[0], strings.Trim(whole[end+1+len(mark):], "\n") + "\n", nil
}

// plain reports whether a YAML tree has no anchors, aliases, merges, explicit tags and repeated keys, and is not too deep.
func plain(n *yaml.Node, depth int) bool {
	if depth > maxNesting || n.Kind == yaml.AliasNode || n.Anchor != "" || n.Tag == "!!merge" || n.Style&yaml.TaggedStyle != 0 {
		return false
	}
	seen := map[string]bool{}
	for i, c := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 {
			if seen[c.Value] {
				return false
			}
			seen[c.Value] = true
		}
		if !plain(c, depth+1) {
			return false
		}
	}
	return true
}

// read takes the values of the frontmatter.
func (s *Skill) read(front *yaml.Node) error {
	var origin string
	for i := 0; i+1 < len(front.Content); i += 2 {
		key, value := front.Content[i].Value, front.Content[i+1]
		var into any
		switch key {
		case keyName:
			into = &s.Name
		case keyDescription:
			into = &s.Description
		case keyVersion:
			into = &s.Version
		case keyAuthor:
			into = &s.Author
		case keyCategory:
			into = &s.Category
		case keyOutcome:
			into = &s.ExpectedOutcome
		case keyCreated:
			into = &s.Created
		case keyOrigin:
			into = &origin
		case keyReviewed:
			into = &s.Reviewed
		case keyMetadata:
			into = &s.Metadata
		case keyTags:
			into = (*lines)(&s.Tags)
		case keyPrerequisites:
			into = (*lines)(&s.Prerequisites)
		default:
			continue
		}
		if err := value.Decode(into); err != nil {
			return invalid("line %d of the skill: %s cannot have this value", value.Line+1, key).WithHint("give texts; tags and prerequisites are lists of texts, metadata has texts by name, reviewed is true or false")
		}
	}
	s.Agent = origin == originAgent
	return nil
}

// lines is a list of texts, or one of them alone.
type lines []string

// UnmarshalYAML implements yaml.Unmarshaler.
func (l *lines) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		var one string
		if err := n.Decode(&one); err != nil || one == "" {
			return err
		}
		*l = lines{one}
		return nil
	}
	return n.Decode((*[]string)(l))
}

// Write returns the file of a skill: before with the values of the skill, or a new file where before is nil. Keys that
// are not read stay as they are. Parse of the file returns an equal skill.
// Errors: those of Parse.
func Write(s *Skill, before []byte) ([]byte, error) {
	if strings.HasPrefix(s.Body, mark) {
		return nil, invalid("the content begins with a frontmatter").WithHint("give the Markdown alone, and the rest as values of their own")
	}
	if err := s.validate(); err != nil {
		return nil, err
	}
	front := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	if before != nil {
		var err error
		if front, _, err = split(before); err != nil {
			return nil, err
		}
	}
	origin := ""
	if s.Agent {
		origin = originAgent
	}
	for _, v := range []struct {
		key   string
		value any
		gone  bool
	}{
		{keyName, s.Name, false},
		{keyDescription, s.Description, false},
		{keyVersion, s.Version, s.Version == ""},
		{keyAuthor, s.Author, s.Author == ""},
		{keyCategory, s.Category, s.Category == ""},
		{keyPrerequisites, s.Prerequisites, len(s.Prerequisites) == 0},
		{keyOutcome, s.ExpectedOutcome, s.ExpectedOutcome == ""},
		{keyTags, s.Tags, len(s.Tags) == 0},
		{keyMetadata, s.Metadata, len(s.Metadata) == 0},
		{keyOrigin, origin, origin == ""},
		{keyCreated, s.Created, s.Created == ""},
		{keyReviewed, s.Reviewed, !s.Reviewed},
	} {
		if err := set(front, v.key, v.value, v.gone); err != nil {
			return nil, err
		}
	}
	return printed(s.Name, front, s.Body)
}

// set gives a key of a mapping a value, or removes it.
func set(front *yaml.Node, key string, value any, gone bool) error {
	at := keyAt(front, key)
	if gone {
		if at >= 0 {
			front.Content = slices.Delete(front.Content, at, at+2)
		}
		return nil
	}
	var n yaml.Node
	if err := n.Encode(value); err != nil {
		return err
	}
	if at < 0 {
		front.Content = append(front.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: key}, &n)
		return nil
	}
	old := front.Content[at+1]
	n.HeadComment, n.LineComment, n.FootComment = old.HeadComment, old.LineComment, old.FootComment
	front.Content[at+1] = &n
	return nil
}

// keyAt returns the place of a key in a mapping's content; -1 = none.
func keyAt(front *yaml.Node, key string) int {
	for i := 0; i+1 < len(front.Content); i += 2 {
		if front.Content[i].Value == key {
			return i
		}
	}
	return -1
}

// printed returns the file, which can be parsed.
func printed(name string, front *yaml.Node, body string) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(mark)
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(2)
	if err := errors.Join(encoder.Encode(front), encoder.Close()); err != nil {
		return nil, invalid("the skill cannot be written as YAML: %w", err).WithHint("use plain texts")
	}
	fmt.Fprintf(&b, "%s\n%s\n", mark, strings.Trim(body, "\n"))
	if _, err := Parse(name, b.Bytes()); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// Mark returns the file with reviewed: true or without it; a file that is so already is returned unchanged.
// Errors: those of Parse.
func Mark(name string, content []byte, reviewed bool) ([]byte, error) {
	s, err := Parse(name, content)
	if err != nil || s.Reviewed == reviewed {
		return content, err
	}
	front, body, err := split(content)
	if err != nil {
		return nil, err
	}
	if err := set(front, keyReviewed, reviewed, !reviewed); err != nil {
		return nil, err
	}
	return printed(name, front, body)
}
