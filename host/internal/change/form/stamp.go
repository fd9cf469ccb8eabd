package form

import (
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/sdk"
)

// Kinds returns the form of the files of each kind of change.
func Kinds() map[change.Kind]change.Form {
	return map[change.Kind]change.Form{
		change.Page: Page{}, change.Alias: Page{},
		change.Measure: Overlay{}, change.Segment: Overlay{}, change.Description: Overlay{}, change.Unit: Overlay{},
		change.Values: Overlay{}, change.Synonyms: Overlay{}, change.Join: Overlay{},
		change.Tag: Overlay{}, change.Query: File{}, change.Source: File{}, change.Skill: File{},
	}
}

// File is the form of files that change as a whole: of blocks at the place WholeFile.
type File struct{}

var _ Form = File{}

// Apply implements Form.
func (File) Apply(current []byte, blocks []change.Block) ([]byte, error) {
	return apply(openNothing, current, blocks)
}

// Revert implements Form.
func (File) Revert(current []byte, blocks []change.Block) ([]byte, []change.Block, error) {
	return revert(openNothing, current, blocks)
}

func openNothing(string) (file, error) {
	return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceHost, "a file of this kind changes as a whole").WithHint("give its content as one block at the place file")
}

// Learned says where an entry of an overlay, or a page, is from.
type Learned struct {
	By       string
	At       time.Time
	Source   string
	Reviewed bool
	Verified *change.Verified // nil = as the entry says
}

// Stamp returns blocks that say where they are from: measures, segments, metrics and joins of an
// overlay under the keys learned and verified. A page says with Reviewed that it is.
// Shape: blocks that go, and all others, are as they were.
func Stamp(blocks []change.Block, l Learned) []change.Block {
	stamped := make([]change.Block, 0, len(blocks)+1)
	page, reviewed := false, false
	for _, b := range blocks {
		section, _, _ := strings.Cut(b.Place, "/")
		switch {
		case b.Place == Front("reviewed"):
			if reviewed = true; l.Reviewed {
				b.After = "true"
			}
		case strings.HasPrefix(b.Place, frontPlace) || strings.HasPrefix(b.Place, bodyPlace):
			page = true
		case b.After != "" && strings.Count(b.Place, "/") == 1 && (section == "measures" || section == "segments" || section == "metrics" || section == "joins"):
			b.After = l.stamp(b.After)
		}
		stamped = append(stamped, b)
	}
	if page && l.Reviewed && !reviewed {
		stamped = append(stamped, change.Block{Place: Front("reviewed"), After: "true"})
	}
	return stamped
}

// stamp returns an entry with its notes; one that cannot be read stays, for Apply refuses it.
func (l Learned) stamp(entry string) string {
	n, err := node(entry)
	if err != nil || n == nil || n.Kind != yaml.MappingNode {
		return entry
	}
	n = written(n)
	learned := []string{"by", l.By, "at", l.At.UTC().Format(time.RFC3339), "source", l.Source}
	set(n, "learned", learned, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: map[bool]string{false: "false", true: "true"}[l.Reviewed]})
	if v := l.Verified; v != nil {
		set(n, "verified", []string{"level", v.Level, "at", v.At.UTC().Format(time.RFC3339), "of", v.Of, "reason", v.Reason}, nil)
	}
	text, err := encode(n)
	if err != nil {
		return entry
	}
	return text
}

// set sets a note of an entry: texts by key, those that are not empty, and whether it is reviewed.
func set(n *yaml.Node, key string, texts []string, reviewed *yaml.Node) {
	note := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Style: yaml.FlowStyle}
	for i := 0; i < len(texts); i += 2 {
		if texts[i+1] != "" {
			note.Content = append(note.Content, scalar(texts[i]), scalar(texts[i+1]))
		}
	}
	if reviewed != nil {
		note.Content = append(note.Content, scalar("reviewed"), reviewed)
	}
	if at := keyAt(n, key); at >= 0 {
		n.Content[at+1] = note
		return
	}
	n.Content = append(n.Content, scalar(key), note)
}
