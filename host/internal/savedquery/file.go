package savedquery

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

// goType is the name of a type of Go in a decoder's error.
var goType = text.Pattern(` (?:in type |into )(?:\[\])?savedquery\.[A-Za-z]+`)

const opening, closing = "/* loam\n", "\n*/\n"

// Parse parses the file of a query.
// Errors: KindInvalid for a file without the comment, with unknown keys, or with invalid declarations; KindLimit for more
// than 256 KiB.
func Parse(content []byte) (*Query, error) {
	whole := strings.ReplaceAll(string(content), "\r\n", "\n")
	switch {
	case len(content) > MaxFile:
		return nil, sdk.Errorf(sdk.KindLimit, sdk.SourceCaller, "the query has %d bytes; the limit is %d", len(content), MaxFile).WithHint("write a shorter one")
	case !utf8.ValidString(whole) || strings.ContainsRune(whole, 0):
		return nil, invalid("the query is no text in UTF-8").WithHint("send valid UTF-8 without NUL characters")
	case !strings.HasPrefix(whole, opening):
		return nil, invalid("the query does not begin with the comment /* loam").WithHint("write its title and parameters as YAML between /* loam and */")
	}
	end := strings.Index(whole, closing)
	if end < 0 || end > maxHeader {
		return nil, invalid("the comment of the query has no end within %d bytes", maxHeader).WithHint("end it with a line */")
	}
	q := &Query{}
	if header := whole[min(len(opening), end):end]; strings.TrimSpace(header) != "" {
		if err := q.declare([]byte(header)); err != nil {
			return nil, err
		}
	}
	q.SQL = strings.TrimSpace(whole[end+len(closing):])
	return q, q.validate()
}

// declare decodes the YAML of the comment.
func (q *Query) declare(header []byte) error {
	var root yaml.Node
	err := yaml.Unmarshal(header, &root)
	if err == nil && !plain(&root, 0) {
		return invalid("the YAML of the query has anchors, aliases, tags, or more than %d levels", maxNesting).WithHint("write each value in its place")
	}
	if err == nil {
		decoder := yaml.NewDecoder(io.MultiReader(strings.NewReader("\n"), bytes.NewReader(header))) // its lines are those of the file
		decoder.KnownFields(true)
		err = decoder.Decode(q)
	}
	if typed, ok := errors.AsType[*yaml.TypeError](err); ok {
		return invalid("the YAML of the query cannot be read: %s", goType().ReplaceAllString(strings.Join(typed.Errors, "; "), "")).
			WithHint("use title, description, parameters, output, constraints, examples, tags and reviewed")
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return invalid("the YAML of the query cannot be read: %w", err).WithHint("use title, description, parameters, output, constraints, examples, tags and reviewed")
	}
	return nil
}

// plain reports whether a YAML tree has no anchors, aliases, merges and explicit tags, and is not too deep.
func plain(n *yaml.Node, depth int) bool {
	if depth > maxNesting || n.Kind == yaml.AliasNode || n.Anchor != "" || n.Tag == "!!merge" || n.Style&yaml.TaggedStyle != 0 {
		return false
	}
	for _, c := range n.Content {
		if !plain(c, depth+1) {
			return false
		}
	}
	return true
}

// Print returns the file of a query. Parse of the file returns an equal query.
// Errors: KindInvalid for invalid declarations, and for /* or */ in them; KindLimit.
func Print(q *Query) ([]byte, error) {
	var header bytes.Buffer
	encoder := yaml.NewEncoder(&header)
	encoder.SetIndent(2)
	if err := errors.Join(encoder.Encode(q), encoder.Close()); err != nil {
		return nil, invalid("the query cannot be written as YAML: %w", err).WithHint("use plain texts")
	}
	if bytes.Contains(header.Bytes(), []byte("*/")) || bytes.Contains(header.Bytes(), []byte("/*")) {
		return nil, invalid("the title, description or parameters have the mark of a comment").WithHint("leave /* and */ out")
	}
	content := []byte(opening + header.String() + closing[1:] + strings.TrimSpace(q.SQL) + "\n")
	if _, err := Parse(content); err != nil {
		return nil, err
	}
	return content, nil
}

// Review returns the file with reviewed: true; a file that has it already is returned unchanged.
// Errors: those of Parse.
func Review(content []byte) ([]byte, error) {
	q, err := Parse(content)
	if err != nil {
		return nil, err
	}
	if q.Reviewed {
		return content, nil
	}
	q.Reviewed = true
	return Print(q)
}
