package planner

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/loam-data/loam/host/internal/change"
)

// unseen is a text with what a careful person records of it, decided before the rules read the text.
type unseen struct {
	Name, Text string
	// Measures that are certain, "orders.paid = sum(amount) where status = 'paid'"; names
	// that are as good are separated by "|", formulas by " || ". May are correct ones that nobody has to find.
	Measures, May []string
	// Pages are quotes that a page must have.
	Pages []string
	// Changes are a kind and words that such a proposal must have.
	Changes [][]string
	// Ask are codes of questions, one of which is expected; "any" = whichever.
	Ask []string
	// Clearer answers the question, and makes Then.
	Clearer string
	Then    []string
	// Never is in no proposal but a page, Nowhere in none at all. Held is only in proposals that wait.
	Never, Nowhere, Held []string
	// Quiet: nothing beyond pages is proposed. Careful: nothing beyond pages is a draft.
	Quiet, Careful bool
}

// What is found today of the measures, of the other changes and of the questions.
const leastMeasures, leastOthers, leastAsked = 121, 7, 23

// score counts what was right over all texts.
type score struct{ texts, wrong, sure, found, pages, pagesFound, others, othersFound, asked, askedFound, questions, answerable, open int }

// TestUnseen scores texts that were written by somebody who had not read the rules.
// testdata/unseen/README.md has the scores.
func TestUnseen(t *testing.T) {
	s := scored(t, "unseen")
	if s.found < leastMeasures || s.pagesFound < s.pages || s.othersFound < leastOthers || s.askedFound < leastAsked {
		t.Errorf("less is found than before")
	}
}

// TestNotes scores notes of teams. testdata/unseen/README.md says who wrote them when, and has the scores.
func TestNotes(t *testing.T) {
	for folder, least := range map[string]score{
		"aside":  {found: 26, pagesFound: 14, othersFound: 16, askedFound: 6},
		"later":  {found: 13, othersFound: 6},
		"parts":  {found: 13, othersFound: 11, askedFound: 1},
		"first":  {found: 23, askedFound: 4},
		"second": {found: 15, askedFound: 2},
		"third":  {found: 14},
		"fourth": {found: 9},
		"traps":  {},
	} {
		t.Run(folder, func(t *testing.T) {
			s := scored(t, folder)
			if s.found < least.found || s.pagesFound < least.pagesFound || s.othersFound < least.othersFound || s.askedFound < least.askedFound {
				t.Errorf("less is found than before")
			}
		})
	}
}

// scored plans the texts of a folder. None of the plans may have a wrong proposal, and every question must have an answer.
func scored(t *testing.T, folder string) (s score) {
	if testing.Short() {
		t.Skip("-short: the texts kept aside")
	}
	files, err := filepath.Glob("testdata/" + folder + "/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("there are no texts", err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		var all []unseen
		if err == nil {
			err = yaml.Unmarshal(content, &all)
		}
		if err != nil {
			t.Fatal(file, err)
		}
		for _, u := range all {
			t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml")+"/"+u.Name, func(t *testing.T) { u.run(t, &s, shop) })
		}
	}
	s.judge(t)
	return s
}

// judge logs a score. No plan may have a wrong proposal, and every question must have an answer.
func (s *score) judge(t *testing.T) {
	t.Logf("%d texts: %d wrong; measures %d of %d, pages %d of %d, other changes %d of %d, questions asked %d of %d, answerable %d of %d, without a choice %d",
		s.texts, s.wrong, s.found, s.sure, s.pagesFound, s.pages, s.othersFound, s.others, s.askedFound, s.asked, s.answerable, s.questions, s.open)
	if s.wrong > 0 || s.answerable < s.questions {
		t.Errorf("%d proposals are wrong, %d questions have no answer", s.wrong, s.questions-s.answerable)
	}
}

// voices are texts about a warehouse of their own.
type voices struct {
	Tables yaml.Node
	Values map[string][]string
	Texts  []unseen
}

// readVoices calls each with the texts of the files of a pattern.
func readVoices(t *testing.T, pattern string, each func(file string, v *voices)) {
	if testing.Short() {
		t.Skip("-short: the texts kept aside")
	}
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatal("there are no texts", err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		var v voices
		if err == nil {
			err = yaml.Unmarshal(content, &v)
		}
		if err != nil {
			t.Fatal(file, err)
		}
		each(strings.TrimSuffix(filepath.Base(file), ".yaml"), &v)
	}
}

// TestVoices scores texts in the voices of several trades, over warehouses with column names of several habits.
// testdata/unseen/README.md has the scores.
func TestVoices(t *testing.T) {
	for folder, least := range map[string]score{
		"voices":  {found: 35},
		"voices2": {found: 16},
		"blind":   {found: 25},
		"blind2":  {found: 22},
		"blind3":  {found: 13},
		"blind4":  {found: 34},
		"blind5":  {found: 32},
		"blind6":  {found: 31, askedFound: 3},
		"blind7":  {found: 36, askedFound: 2},
		"blind8":  {found: 33, askedFound: 3},
		"blind9":  {found: 32, askedFound: 3},
		"blind10": {found: 33, askedFound: 5},
		"blind11": {found: 76, askedFound: 13},
		"blind12": {found: 30, askedFound: 4},
		"blind13": {found: 71, askedFound: 11},
		"blind14": {found: 68, askedFound: 14},
		"blind15": {found: 33, askedFound: 12},
		"blind16": {found: 51, askedFound: 11},
		"blind17": {found: 39, askedFound: 12},
		"blind18": {found: 44, askedFound: 13},
		"blind20": {found: 84, askedFound: 14},
		"blind21": {found: 82, askedFound: 12},
		"blind19": {found: 29, askedFound: 11},
		"blind22": {found: 82, askedFound: 14},
		"blind23": {found: 75, askedFound: 14},
		"blind24": {found: 87, askedFound: 14},
		"blind25": {found: 88, askedFound: 14},
		"blind26": {found: 91, askedFound: 16},
		"blind27": {found: 92, askedFound: 14},
		"blind28": {found: 95, askedFound: 14},
		"blind29": {found: 84, askedFound: 14},
		"blind30": {found: 88, askedFound: 14},
		"blind31": {found: 86, askedFound: 12},
		"blind32": {found: 87, askedFound: 14},
		"blind33": {found: 85, askedFound: 14},
		"blind34": {found: 84, askedFound: 14},
		"blind35": {found: 80, askedFound: 15},
		"blind36": {found: 83, askedFound: 15},
		"blind37": {found: 87, askedFound: 14},
		"blind38": {found: 80, askedFound: 13},
		"blind39": {found: 87, askedFound: 14},
		"blind40": {found: 87, askedFound: 15},
		"blind41": {found: 85, askedFound: 14},
		"blind42": {found: 86, askedFound: 13},
		"blind43": {found: 83, askedFound: 14},
		"blind44": {found: 82, askedFound: 12},
		"blind45": {found: 87, askedFound: 11},
		"blind46": {found: 82, askedFound: 12},
		"blind47": {found: 87, askedFound: 15},
		"blind48": {found: 78, askedFound: 14},
		"blind49": {found: 78, askedFound: 14},
		"blind50": {found: 76, askedFound: 15},
		"blind51": {found: 84, askedFound: 14},
		"blind52": {found: 77, askedFound: 16},
		"blind53": {found: 82, askedFound: 15},
		"blind54": {found: 84, askedFound: 14},
		"blind55": {found: 79, askedFound: 15},
		"blind56": {found: 82, askedFound: 16},
		"blind57": {found: 89, askedFound: 16},
		"blind58": {found: 87, askedFound: 13},
		"blind59": {found: 86, askedFound: 13},
		"blind60": {found: 140, askedFound: 7},
		"blind61": {found: 149, askedFound: 6},
		"blind62": {found: 142, askedFound: 6},
		"blind63": {found: 134, askedFound: 6},
		"blind64": {found: 128, askedFound: 6},
		"blind65": {found: 133, askedFound: 6},
		"blind66": {found: 123, askedFound: 6},
		"fresh":   {found: 282},
	} {
		t.Run(folder, func(t *testing.T) {
			var s score
			readVoices(t, "testdata/"+folder+"/*.yaml", func(file string, v *voices) {
				for _, u := range v.Texts {
					t.Run(file+"/"+u.Name, func(t *testing.T) {
						u.run(t, &s, func(tb testing.TB) *project { return warehouse(tb, &v.Tables, v.Values) })
					})
				}
			})
			if s.judge(t); s.found < least.found || s.askedFound < least.askedFound {
				t.Errorf("less is found than before")
			}
		})
	}
}

func (u *unseen) run(t *testing.T, s *score, project func(testing.TB) *project) {
	s.texts++
	plan := project(t).plan(u.Text)
	u.measures(t, s, plan, u.Measures)
	u.refused(t, s, plan)
	for _, quote := range u.Pages {
		s.pages++
		if slices.ContainsFunc(plan.Changes, func(c change.Proposal) bool { return c.Kind == change.Page && contains(c, quote) }) {
			s.pagesFound++
		} else {
			t.Logf("MISSED no page has %q: %v", quote, summary(plan))
		}
	}
	for _, words := range u.Changes {
		s.others++
		if slices.ContainsFunc(plan.Changes, func(c change.Proposal) bool {
			return string(c.Kind) == words[0] && !slices.ContainsFunc(words[1:], func(w string) bool { return !contains(c, w) })
		}) {
			s.othersFound++
		} else {
			t.Logf("MISSED no proposal is %v: %v", words, summary(plan))
		}
	}
	u.questions(t, s, plan, project)
}

// measures compares the measures of a plan with the certain ones.
func (u *unseen) measures(t *testing.T, s *score, plan *Plan, sure []string) {
	var have []string
	formulas := map[string]string{} // by name, of measures without a condition
	for _, c := range plan.Changes {
		if c.Kind == change.Measure {
			if _, formula, _ := strings.Cut(measureOf(t, c), " = "); !strings.Contains(formula, " where ") {
				formulas[c.Target[strings.LastIndex(c.Target, ".")+1:]] = strings.TrimPrefix(formula, "calc ")
			}
		}
	}
	for _, c := range plan.Changes {
		if source, ok := strings.CutSuffix(c.Target, ".row_count"); ok && c.Kind == change.Synonyms {
			// Every source counts its rows already: another name for that is a synonym.
			for _, want := range sure {
				name, what, _ := strings.Cut(want, " = ")
				for one := range strings.SplitSeq(name[strings.LastIndex(name, ".")+1:], "|") {
					if slices.Contains(strings.Split(what, " || "), "count()") && (contains(c, one) || contains(c, strings.ReplaceAll(one, "_", " "))) {
						have = append(have, source+"."+one+" = count()")
					}
				}
			}
		}
		if c.Kind != change.Measure {
			continue
		}
		target, formula, _ := strings.Cut(measureOf(t, c), " = ")
		m := target + " = " + formula
		if !calls.MatchString(formula) { // of other measures
			m = target + " = " + otherMeasure.ReplaceAllStringFunc(formula, func(name string) string {
				of := name[strings.LastIndex(name, ".")+1:]
				if other, ok := formulas[of]; ok {
					return other
				}
				if of == "row_count" {
					return "count()"
				}
				return name
			})
		}
		have = append(have, m)
		if !slices.ContainsFunc(slices.Concat(sure, u.May), func(want string) bool { return same(want, m) }) {
			s.wrong++
			t.Logf("WRONG %s %v", m, c.Why)
		}
	}
	for _, want := range sure {
		s.sure++
		if slices.ContainsFunc(have, func(m string) bool { return same(want, m) }) {
			s.found++
		} else {
			t.Logf("MISSED %s: %v", want, summary(plan))
			for _, q := range plan.Questions {
				t.Logf("  asked %s %q %v", q.Code, q.Ask, q.Candidates)
			}
		}
	}
}

// refused counts what must not be proposed.
func (u *unseen) refused(t *testing.T, s *score, plan *Plan) {
	for _, c := range plan.Changes {
		draft := len(c.Why) == 0
		bad := u.Quiet && c.Kind != change.Page || u.Careful && draft && c.Kind != change.Page || c.Kind == change.Segment && draft
		has := func(quote string) bool { return contains(c, quote) }
		bad = bad || c.Kind != change.Page && slices.ContainsFunc(u.Never, has) || slices.ContainsFunc(u.Nowhere, has) || draft && slices.ContainsFunc(u.Held, has)
		if bad {
			s.wrong++
			t.Logf("WRONG %s %s %v: %+v", c.Kind, c.Target, c.Why, c.Blocks)
		}
	}
}

// questions tests what is asked: each question quotes the text, and says what is missing.
func (u *unseen) questions(t *testing.T, s *score, plan *Plan, project func(testing.TB) *project) {
	for _, q := range plan.Questions {
		s.questions++
		if len(q.Candidates) == 0 && q.Code != NoConnection {
			s.open++
			t.Logf("OPEN %s %q %q", q.Code, q.Ask, q.Quote)
		}
		if q.Ask != "" && (asks.MatchString(q.Ask) || len(q.Candidates) > 0) && strings.Contains(folded(u.Text), folded(strings.TrimSuffix(q.Quote, "…"))) {
			s.answerable++
		} else {
			t.Logf("MISSED nobody can answer %s %q (%q) %v", q.Code, q.Ask, q.Quote, q.Candidates)
		}
	}
	if len(u.Ask) > 0 {
		s.asked++
		if slices.ContainsFunc(plan.Questions, func(q Question) bool { return slices.Contains(u.Ask, "any") || slices.Contains(u.Ask, string(q.Code)) }) {
			s.askedFound++
		} else {
			t.Logf("MISSED nothing is asked of %v: %v", u.Ask, summary(plan))
		}
	}
	if u.Clearer != "" {
		u.measures(t, s, project(t).plan(u.Clearer), u.Then)
	}
}

// measureOf is a proposed measure in one line.
func measureOf(t *testing.T, c change.Proposal) string {
	var m struct {
		Name, Type, Agg, Expr, Numerator, Denominator string
		Filter                                        yaml.Node
	}
	at := slices.IndexFunc(c.Blocks, func(b change.Block) bool {
		return strings.HasPrefix(b.Place, "measures/") || strings.HasPrefix(b.Place, "metrics/")
	})
	if at < 0 {
		t.Fatalf("no block is a measure: %+v", c.Blocks)
	}
	if err := yaml.Unmarshal([]byte(c.Blocks[at].After), &m); err != nil {
		t.Fatal(err)
	}
	where := []string{m.Filter.Value}
	if m.Filter.Kind == yaml.SequenceNode {
		where = nil
		for _, n := range m.Filter.Content {
			where = append(where, n.Value)
		}
	}
	if m.Numerator != "" {
		m.Expr = m.Numerator + " / " + m.Denominator
	}
	text := c.Target + " = "
	if m.Agg != "" {
		text += m.Agg + "(" + m.Expr + ")"
	} else {
		text += "calc " + m.Expr
	}
	if filter := strings.Join(where, " and "); filter != "" {
		text += " where " + filter
	}
	return folded(text)
}

// asks is a question, or says what to do.
var asks = regexp.MustCompile(`\?$|\b([Ss]ay|[Ll]eave|[Ww]rite|[Ii]ngest|[Dd]efine) `)

// group is a bracket that calls nothing.
var group = regexp.MustCompile(`(^|[\s(/*+-])\(([^()]*)\)`)

// calls matches an aggregate of a column in a formula, which has no other measures.
var calls = regexp.MustCompile(`\b(?:sum|avg|min|max|median|count|count_distinct)\(`)

// otherMeasure may be the name of another measure in a formula.
var otherMeasure = regexp.MustCompile(`\b[A-Za-z_]\w*(?:\.\w+)*\b`)

// keyword is a word of the language of expressions, whose case says nothing.
var keyword = regexp.MustCompile(`\b(and|or|not|in|is|distinct|from|null|true|false|case|when|then|end)\b`)

// same reports whether two lines say the same measure.
func same(want, have string) bool {
	wanted, what, _ := strings.Cut(want, " = ")
	had, is, _ := strings.Cut(have, " = ")
	source, names, _ := strings.Cut(wanted, ".")
	at := strings.LastIndex(had, ".") // none: a metric, which has no source
	if at >= 0 && !strings.HasSuffix("."+had[:at], "."+source) || !slices.Contains(strings.Split(names, "|"), had[at+1:]) {
		return false
	}
	return slices.ContainsFunc(strings.Split(what, " || "), func(one string) bool { return tight(one) == tight(is) })
}

// tight writes a formula in one of the ways that mean the same: a condition on a truth value without IS and without a constant,
// rows as count(), conditions in the order of their text.
func tight(text string) string {
	for next := ""; next != text; {
		if next != "" {
			text = next
		}
		next = group.ReplaceAllString(text, "$1$2")
	}
	text = keyword.ReplaceAllStringFunc(strings.TrimPrefix(text, "calc "), strings.ToUpper)
	for _, form := range forms {
		text = form.from.ReplaceAllString(text, form.to)
	}
	what, where, found := strings.Cut(text, " where ")
	if found && !strings.Contains(where, " OR ") {
		conditions := strings.Split(where, " AND ")
		slices.Sort(conditions)
		what += " where " + strings.Join(conditions, " AND ")
	} else if found {
		what += " where " + where
	}
	return strings.ReplaceAll(what, " ", "")
}

// forms are other ways to write a part of a formula. A flag that IS NOT true may have no value, and is not false.
var forms = []struct {
	from *regexp.Regexp
	to   string
}{
	{regexp.MustCompile(`\bcount\(\*\)`), "count()"},
	{regexp.MustCompile(`\bcount\(CASE WHEN ([\w.]+) IS NOT NULL THEN 1 END\)`), "count($1)"},
	{regexp.MustCompile(`^count\(CASE WHEN ([^()]+) THEN 1 END\)$`), "count() where $1"},
	{regexp.MustCompile(`(?i)\bcount\(DISTINCT `), "count_distinct("},
	{regexp.MustCompile(` IS DISTINCT FROM `), " <> "},
	{regexp.MustCompile(`\b([\w.]+) (?:=|IS) TRUE`), "$1"},
	{regexp.MustCompile(`\b([\w.]+) (?:=|IS) FALSE`), "NOT $1"},
	{regexp.MustCompile(`\b([\w.]+) <> TRUE`), "NOT $1"}, // whoever excludes true keeps rows without a value
	{regexp.MustCompile(`(?i)NOT coalesce\(([\w.]+), FALSE\)`), "NOT $1"},
}

func folded(text string) string { return strings.Join(strings.Fields(text), " ") }

func contains(c change.Proposal, quote string) bool {
	all := c.Target + "\n" + c.Says
	for _, b := range c.Blocks {
		all += "\n" + b.Place + "\n" + b.After
	}
	return strings.Contains(strings.ToLower(folded(all)), strings.ToLower(folded(quote)))
}
