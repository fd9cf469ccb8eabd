package model

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/loam-data/loam/host/internal/text"
)

// maxFile is the largest file that is read.
const maxFile = 16 << 20

// shards is the folder of files of tables.
const shards = "_schema/"

// metricsFile is the name of the file of cross-source metrics.
const metricsFile = "metrics"

// Parse reads one file. Its faults are in Problems and in the Broken of each
// unusable part; the other parts can be used.
// Shape: a file that is no YAML at all still has its source, named after the file
// where no other name can be read, so that no other source takes its name.
// Units: the cost is linear in content, which Parse keeps nothing of.
func Parse(name string, content []byte) *File {
	f := &File{Path: name, Hash: hashOf(content), Kind: fileKind(name)}
	root, failure := document(content)
	if failure != nil {
		f.fail(*failure, content)
	} else {
		f.read(root, content)
	}
	f.place()
	return f
}

// ParseNode reads a file from the tree of its document, as Parse does its text. Nothing in it has a place.
func ParseNode(name string, root *yaml.Node) *File {
	f := &File{Path: name, Hash: hashOf(appendNode(nil, root)), Kind: fileKind(name)}
	f.read(root, nil)
	f.place()
	return f
}

// appendNode writes what is in a tree, so that different trees have different texts.
func appendNode(to []byte, n *yaml.Node) []byte {
	to = strconv.AppendUint(to, uint64(n.Kind), 10)
	to = strconv.AppendQuote(append(to, n.Tag...), n.Value)
	for _, c := range n.Content {
		to = appendNode(to, c)
	}
	return append(to, '.')
}

// place tells of the problems which file, source and member they are in.
func (f *File) place() {
	for i := range f.Problems {
		f.Problems[i].File = f.Path
		if len(f.Sources) == 1 {
			f.Problems[i].Source = f.Sources[0].Name.Value
		}
		f.Problems[i].Member = memberOf(f.Problems[i].Path)
	}
	sortProblems(f.Problems)
}

// Unreadable returns the file of that name whose content cannot be read: its
// source, named after the file, is broken, so that no other source takes its
// name. why is one sentence.
// Shape: it has no Problems; the caller reports them.
func Unreadable(name, why string) *File {
	f := &File{Path: name, Hash: hashOf([]byte("unreadable\x00" + why)), Kind: fileKind(name)}
	f.fail(Problem{Msg: why}, nil)
	f.Problems = nil
	return f
}

// read checks and decodes a document.
func (f *File) read(root *yaml.Node, content []byte) {
	c := &checker{broken: map[*yaml.Node]string{}, memory: f.Layer() == MemoryLayer}
	c.check(root, schemas()[f.schema()])
	f.Problems = c.problems
	if c.over || root.Kind != yaml.MappingNode {
		f.fail(Problem{}, content)
		return
	}
	d := decoder{content: content, broken: c.broken}
	d.file(f, root)
	f.compact()
}

func fileKind(name string) FileKind {
	switch {
	case strings.HasPrefix(name, shards):
		return ShardFile
	case stem(name) == metricsFile && layerRoot(path.Dir(name)):
		return MetricsFile
	}
	return SourceFile
}

// layerRoot reports whether a folder is the topmost of a layer, where the file of
// metrics is: the connection's own, _memory, and each importer's.
func layerRoot(dir string) bool {
	return dir == "." || dir+"/" == memoryFolder || path.Dir(dir)+"/" == importedFolder
}

func stem(name string) string {
	base := path.Base(name)
	return strings.TrimSuffix(strings.TrimSuffix(base, ".yaml"), ".yml")
}

func (f *File) schema() string {
	switch f.Kind {
	case MetricsFile:
		return metricsSchema
	case ShardFile:
		return tablesSchema
	}
	return sourceSchema
}

// nameLine finds a name that is a plain or quoted text, not the start of anything
// else that YAML has.
var nameLine = text.Pattern(`(?m)^name:[ \t]*["']?([^"'#\s\[\]{}&*!|>%@,?\x60-][^"'#\r\n]*?)["']?[ \t]*(?:#.*)?\r?$`)

// fail makes the file's source, by its likely name, one that cannot be used.
func (f *File) fail(p Problem, content []byte) {
	if p.Msg != "" {
		f.Problems = append(f.Problems, p)
	}
	f.Sources, f.Metrics = nil, nil
	if f.Kind != SourceFile {
		return
	}
	name := stem(f.Path)
	if m := nameLine().FindSubmatch(content[:min(len(content), 4<<10)]); m != nil && utf8.Valid(m[1]) {
		name = string(m[1])
	}
	f.Sources = []SourceDef{{Name: Text{Value: name}, Broken: f.Problems[0].Msg}}
}

// memberOf returns the member that a path goes through, or "".
func memberOf(p string) string {
	section, rest, ok := strings.Cut(p, ".")
	if !ok || !members[section] {
		return ""
	}
	name, _, _ := strings.Cut(rest, ".")
	return name
}

// document returns the root of the only document.
func document(content []byte) (root *yaml.Node, failure *Problem) {
	defer func() {
		// The parser is not ours, and one file must not take the others down.
		if r := recover(); r != nil {
			root, failure = nil, &Problem{Msg: fmt.Sprintf("is no valid YAML: %v", r)}
		}
	}()
	if len(content) > maxFile {
		return nil, &Problem{Msg: fmt.Sprintf("the file has %d bytes; the limit is %d", len(content), maxFile)}
	}
	if i := invalidUTF8(content); i >= 0 {
		return nil, &Problem{Pos: lineOf(content, i), Msg: "is not UTF-8 text; save the file as UTF-8"}
	}
	var doc, second yaml.Node
	reader := yaml.NewDecoder(bytes.NewReader(content))
	switch err := reader.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return nil, &Problem{Pos: Pos{1, 1}, Msg: "the file is empty; a source starts with name:"}
	case err != nil:
		return nil, unparsed(content, err)
	}
	switch err := reader.Decode(&second); {
	case err == nil:
		return nil, &Problem{Pos: at(&second), Msg: "there is a second document; write one source per file"}
	case !errors.Is(err, io.EOF):
		return nil, unparsed(content, err)
	}
	return follow(doc.Content[0]), nil
}

func invalidUTF8(content []byte) int {
	if utf8.Valid(content) {
		return -1
	}
	for i := 0; ; {
		r, size := utf8.DecodeRune(content[i:])
		if r == utf8.RuneError && size <= 1 {
			return i
		}
		i += size
	}
}

func lineOf(content []byte, i int) Pos {
	start := bytes.LastIndexByte(content[:i], '\n') + 1
	return Pos{Line: int32(bytes.Count(content[:i], []byte("\n")) + 1), Column: int32(utf8.RuneCount(content[start:i]) + 1)}
}

var (
	lineInError = text.Pattern(`line (\d+): `)
	tabIndent   = text.Pattern(`(?m)^ *\t`)
	// lineBefore are the errors in which yaml.v3 counts lines from 0.
	lineBefore = text.Pattern(`did not find expected (<|node content|'-'|key|',')`)
)

// unparsed is the problem of content that is no YAML. The parser names the line
// in its message only.
func unparsed(content []byte, err error) *Problem {
	if tab := tabIndent().FindIndex(content); tab != nil {
		return &Problem{Pos: lineOf(content, tab[1]-1), Msg: "a tab indents the line; YAML wants spaces"}
	}
	if i := bytes.IndexByte(content, 0); i >= 0 {
		return &Problem{Pos: lineOf(content, i), Msg: "there is a NUL character in the file"}
	}
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	p := &Problem{Msg: "is no valid YAML: " + lineInError().ReplaceAllString(text, "") + "; text with braces, colons or asterisks needs quotes"}
	if m := lineInError().FindStringSubmatch(text); m != nil {
		if n, err := strconv.ParseInt(m[1], 10, 32); err == nil {
			p.Line, p.Column = int32(n), 1
		}
		if lineBefore().MatchString(text) {
			p.Line++
		}
	}
	return p
}
