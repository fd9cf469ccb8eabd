package collect

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"strings"

	"github.com/loam-data/loam/host/internal/chunk"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

const (
	// maxChunk is the largest chunk that a client's parser may make, maxName its longest name, in bytes.
	maxChunk = 64 << 10
	maxName  = 200
	// recordVersion is the version of the records parsed-chunk-v1, firstVersion that of a parser that names none.
	recordVersion = "1.0.0"
	firstVersion  = "1.0.0"
)

var (
	parserID      = text.Pattern(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)
	parserVersion = text.Pattern(`^[0-9]{1,9}\.[0-9]{1,9}\.[0-9]{1,9}([-+][A-Za-z0-9.+-]{1,64})?$`)
)

// record is a parsed-chunk-v1 record. What is not stored is only checked to be of its type.
// Source: the published schema of parsed-chunk-v1, version 1.0.0.
type record struct {
	SchemaVersion *string `json:"schemaVersion"`
	TenantID      *string `json:"tenantId"`
	RepoSlug      *string `json:"repoSlug"`
	SourcePath    string  `json:"sourcePath"`
	Content       *string `json:"content"`
	ParserID      string  `json:"parserId"`
	ParserVersion string  `json:"parserVersion"`
	Name          string  `json:"name"`
	LineStart     *int    `json:"lineStart"`
	LineEnd       *int    `json:"lineEnd"`

	RootKind   string          `json:"rootKind"`
	Kind       string          `json:"kind"`
	ClassName  string          `json:"className"`
	Extends    string          `json:"extends"`
	HashInputs []string        `json:"hashInputs"`
	CustomMeta map[string]any  `json:"customMeta"`
	Embedding  json.RawMessage `json:"embedding"`
}

// item is one of the files of a push, in any of its three forms.
type item struct {
	record
	Path         string            `json:"path"`
	Parser       string            `json:"parser"`
	ParsedChunks []json.RawMessage `json:"parsedChunks"`
}

// wrong returns the error of one item of a push.
func wrong(format string, args ...any) *sdk.Error {
	return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, format, args...).WithHint("correct it and send it again")
}

// decode decodes a JSON object with known members, in camelCase or snake_case.
func decode(raw json.RawMessage, into any) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil || members == nil {
		return wrong("it is no object")
	}
	named := make(map[string]json.RawMessage, len(members))
	for name, value := range members {
		camel := camelCase(name)
		if _, twice := named[camel]; twice {
			return wrong("it has %s twice", camel)
		}
		named[camel] = value
	}
	text, err := json.Marshal(named)
	if err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return wrong("%s", strings.TrimPrefix(err.Error(), "json: "))
	}
	return nil
}

func camelCase(name string) string {
	words := strings.Split(name, "_")
	for i, w := range words[1:] {
		if w != "" {
			words[i+1] = strings.ToUpper(w[:1]) + w[1:]
		}
	}
	return strings.Join(words, "")
}

// checkPath returns an error for a path under which no file is stored.
func checkPath(path string) error {
	switch {
	case path == "":
		return wrong("the path is missing")
	case len(path) > maxPath:
		return wrong("the path has %d bytes; the limit is %d", len(path), maxPath)
	case !fs.ValidPath(path) || path == "." || !nameable(path):
		return wrong("the path is not relative to the repository and clean, or has control characters")
	}
	return nil
}

// piece checks a chunk that a client's parser made.
func (r *record) piece() (p chunk.Piece, err error) {
	if r.Content == nil || strings.TrimSpace(*r.Content) == "" {
		return p, wrong("content is missing")
	}
	p = chunk.Piece{Heading: r.Name, Text: *r.Content}
	switch {
	case len(p.Text) > maxChunk:
		return p, wrong("content has %d bytes; the limit is %d", len(p.Text), maxChunk)
	case len(p.Heading) > maxName:
		return p, wrong("name has %d bytes; the limit is %d", len(p.Heading), maxName)
	case strings.ContainsRune(p.Text, 0) || !nameable(p.Heading):
		return p, wrong("content has a NUL, or name has control characters")
	case r.LineStart == nil && r.LineEnd == nil:
		return p, nil
	case r.LineStart == nil || *r.LineStart < 1 || r.LineEnd != nil && *r.LineEnd < *r.LineStart:
		return p, wrong("lineStart and lineEnd are no lines")
	}
	p.First, p.Last = *r.LineStart, *r.LineStart
	if r.LineEnd != nil {
		p.Last = *r.LineEnd
	}
	return p, nil
}
