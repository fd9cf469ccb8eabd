package snippet

import (
	"strings"

	"github.com/loam-data/loam/host/internal/text"
)

var (
	lookBlock = text.Pattern(`(?m)^\s*(view|explore|measure|dimension|dimension_group|derived_table)\s*:\s*\+?\w+\s*\{`)
	selects   = text.Pattern(`(?is)^(\s|--[^\n]*\n|/\*.*?\*/)*(select|with)\s.*\bfrom\b`)
	topKey    = text.Pattern(`(?m)^(?:- )?["']?([A-Za-z_]\w*)["']?[ \t]*:`)
)

// Detect tells the format of a text from the language that its fence names and from its
// content. Shape: "" where it is none.
func Detect(info, text string) Format {
	info, _, _ = strings.Cut(strings.ToLower(strings.TrimSpace(info)), " ")
	switch {
	case strings.TrimSpace(text) == "":
		return ""
	case info == "lookml" || info == "lkml" || lookBlock().MatchString(text):
		return LookML
	case strings.Contains(info, "sql") || selects().MatchString(text) && (info == "" || info == "text"):
		return SQL
	case javaScript().MatchString(text) && (info == "" || info == "js" || info == "javascript"):
		return Cube
	case info != "" && info != "yaml" && info != "yml" && info != "json" && info != "text":
		return ""
	}
	return yamlFormat(text)
}

// yamlFormat tells the format of YAML from the keys at its top.
func yamlFormat(text string) Format {
	has := map[string]bool{}
	for _, m := range topKey().FindAllStringSubmatch(dedented(text), -1) {
		has[m[1]] = true
	}
	content := func(keys ...string) bool {
		for _, key := range keys {
			if strings.Contains(text, key+":") {
				return true
			}
		}
		return false
	}
	switch {
	case has["cubes"] || has["views"] && content("join_path", "includes"):
		return Cube
	case has["tables"] && content("base_table"):
		return SemanticView
	case has["source"] && has["measures"] && !has["name"] && content("expr") && !content("agg"):
		return MetricView
	case has["semantic_model"] && content("datasets"), has["semantic_models"] && content("datasets"):
		return Ossie
	case has["semantic_models"], has["metrics"] && content("type_params", "input_metrics", "input_metric"), has["models"] && content("semantic_model"):
		return MetricFlow
	case has["models"] || has["seeds"] || has["snapshots"] || has["sources"] && content("tables"):
		return DBT
	case has["metrics"] && content("expr", "numerator", "measure"):
		return Own
	case has["name"] && (has["measures"] || has["segments"] || has["joins"] || has["column_overrides"] || has["dimensions"] || has["table"] || content("agg", "expr")):
		return Own
	}
	return ""
}

// dedented takes the indentation of the first line off every line, and the
// bracket of JSON.
func dedented(text string) string {
	text = strings.TrimPrefix(strings.TrimLeft(text, "\r\n"), "{") // JSON
	text = strings.TrimLeft(text, "\r\n")
	indent := text[:len(text)-len(strings.TrimLeft(text, " "))]
	if indent == "" {
		return text
	}
	return strings.ReplaceAll("\n"+text, "\n"+indent, "\n")[1:]
}

// Read reads a text of a format. It never fails: what cannot be read is an item that is
// left out. Shape: nil for a format that is none.
// Units: the cost is linear in text, but for dimensions that others are made of, each of
// which is written out up to the longest expression.
func Read(f Format, text string) *Snippet {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	switch f {
	case LookML:
		return readLookML(text)
	case MetricFlow, DBT:
		return readDBT(f, text)
	case Cube:
		return readCube(text)
	case Ossie:
		return readOssie(text)
	case SemanticView:
		return readSemanticView(text)
	case MetricView:
		return readMetricView(text)
	case Own:
		return readOwn(text)
	case SQL:
		return ReadQuery(text, "")
	}
	return nil
}
