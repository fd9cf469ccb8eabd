package assertion

import (
	"regexp"
	"strings"

	"github.com/loam-data/loam/host/internal/text"
)

// reasons are the Signals.Reasons of statements, by attribute.
var reasons = map[Attribute][]string{
	Definition: {"definition"}, Expansion: {"alias"}, FormulaOf: {"aggregate", "definition"}, Unit: {"unit"}, Filter: {"filter"}, ValueLabel: {"value"},
	Synonym: {"alias"}, Deprecation: {"convention"}, Relation: {"relation"}, Calendar: {"convention"}, Owner: {"owner"}, Grain: {"grain"}, TimeZone: {"unit"},
}

// formats are the formats of snippets, with the languages of their fences and patterns of their text.
var formats = []struct {
	name  string
	infos func(string) bool
	cues  []string // the pattern is tried only if the text contains one; nil = always
	text  func() *regexp.Regexp
}{
	{"lookml", text.Words("lookml lkml"), []string{"view:", "explore:", "measure:", "dimension:"}, text.Pattern(`(?m)^\s*(?:view|explore|measure|dimension):\s*\+?\w+\s*\{`)},
	{"metricflow", nil, []string{"semantic_models:", "metrics:", "saved_queries:"}, text.Pattern(`(?m)^\s*(?:- )?(?:semantic_models|metrics|saved_queries):\s*$(?s:.*)^\s*(?:type_params|measures|agg|agg_time_dimension|semantic_model):`)},
	{"cube", nil, []string{"cubes:", "cube(", "{CUBE}"}, text.Pattern(`(?m)^\s*cubes:\s*$|^\s*cube\(|\{CUBE\}`)},
	{"ossie", nil, []string{"ANSI_SQL", "datasets:"}, text.Pattern(`(?m)^\s*(?:- )?(?:dialects|semantic_model):\s*$(?s:.*)\b(?:ANSI_SQL|datasets:)`)},
	{"dbt", nil, []string{"models:", "sources:", "seeds:"}, text.Pattern(`(?m)^\s*(?:models|sources|seeds):\s*$(?s:.*)^\s*(?:- )?(?:columns|tables|tests|data_tests):`)},
	{"loam", nil, []string{"agg:", "expr:", "filter:", "numerator:"}, text.Pattern(`(?m)^(?:name|source|table|measures|segments|metrics):(?s:.*)(?:^\s*|[{,]\s*)(?:agg|expr|filter|numerator):`)},
	{"sql", text.Words("sql"), nil, text.Pattern(`(?is)^(?:\s|--[^\n]*\n|/\*.*?\*/)*(?:select|with)\b.+?\bfrom\b`)},
}

// Format returns the format of a snippet, by the language of its fence, else by its text; "" =
// unknown.
func Format(info, code string) string {
	for _, f := range formats {
		if f.infos != nil && f.infos(info) {
			return f.name
		}
	}
	for _, f := range formats {
		if (info == "" || f.name == "sql" || info == "yaml" || info == "yml" || info == f.name) && (f.cues == nil || anyIn(code, f.cues)) && f.text().MatchString(code) {
			return f.name
		}
	}
	return ""
}

// signal derives the signals of the text.
func (d *Document) signal(why map[string]bool) {
	for _, s := range d.Statements {
		d.Signals.Knowledge = true
		for _, reason := range reasons[s.Attribute] {
			why[reason] = true
		}
		if s.Rule == "convention" {
			why["convention"] = true
		}
		if strings.HasPrefix(s.Rule, "table") {
			why["table"] = true
		}
		d.Signals.SL = d.Signals.SL || s.Formula != nil
	}
	for _, f := range d.Fences {
		if format := Format(f.Info, d.Text[f.Code.From:f.Code.To]); format != "" {
			d.dialect(format, why)
		}
	}
	if d.Signals.Dialect == "" && len(d.Fences) == 0 && !(d.labelled && d.Signals.SL) {
		if format := Format("", d.Text); format != "" {
			d.dialect(format, why)
		}
	}
}

func (d *Document) dialect(format string, why map[string]bool) {
	if d.Signals.Dialect == "" {
		d.Signals.Dialect = format
	}
	d.Signals.SL = true
	why[format] = true
}
