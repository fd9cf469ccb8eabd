package planner

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/loam-data/loam/host/internal/change"
)

// told are all texts of this package's corpora and of those about the sample project.
func told(t *testing.T) (texts []string) {
	t.Helper()
	for _, pattern := range []string{"testdata/unseen/*.yaml", "../../../e2e/testdata/corpus/*.yaml"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatal(pattern, err)
		}
		for _, file := range files {
			var all []struct{ Text string }
			content, err := os.ReadFile(file)
			if err == nil {
				err = yaml.Unmarshal(content, &all)
			}
			if err != nil {
				t.Fatal(file, err)
			}
			for _, c := range all {
				texts = append(texts, c.Text)
			}
		}
	}
	files, err := filepath.Glob("testdata/cases/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(content))
	}
	return texts
}

// TestAnswers sends back each answer that a question of the corpora offers. It is a sentence that makes a change or is known,
// or asks about another part, and never the same again: with first answers alone each text is settled within four rounds.
// A question without an answer says what to write.
func TestAnswers(t *testing.T) {
	t.Parallel()
	p := shop(t)
	v := p.view()
	questions, answers, without := 0, 0, 0
	var follow func(in Input, v View, asked []Question, round int)
	follow = func(in Input, v View, asked []Question, round int) {
		plan, err := Make(in, v)
		if err != nil {
			t.Fatal(err)
		}
		if round > 0 && len(plan.Questions)+len(plan.Changes)+len(plan.Notes) == 0 || plan.Skipped != "" && round > 0 {
			t.Errorf("the answer %q makes nothing", in.Text)
		}
		if round == 4 && len(plan.Questions) > 0 {
			t.Errorf("the answers to %q do not end", in.Text)
			return
		}
		for _, q := range plan.Questions {
			questions++
			if slices.ContainsFunc(asked, func(o Question) bool { return o.Code == q.Code && o.Ask == q.Ask }) {
				t.Errorf("%q is asked again: %q", q.Ask, in.Text)
			}
			if len(q.Candidates) == 0 {
				without++
				if !asks.MatchString(q.Ask) {
					t.Errorf("%q asks %q, and nobody knows what to write", in.Text, q.Ask)
				}
			}
			for i, c := range q.Candidates {
				if round > 0 && i > 0 {
					break
				}
				if answers++; len(strings.Fields(c)) < 3 {
					t.Errorf("%q: %q is no sentence", in.Text, c)
				}
				next := in
				next.Text = c
				follow(next, v, append(slices.Clip(asked), q), round+1)
			}
		}
	}
	for i, text := range told(t) {
		if testing.Short() && i%4 > 0 {
			continue
		}
		in := p.input(text)
		view := v
		if in.Connection == "" {
			view.Model, view.Dialect = nil, nil
		}
		follow(in, view, nil, 0)
	}
	if testing.Short() {
		t.Log("-short: three of four texts")
	}
	t.Logf("%d questions, %d answers; %d questions have none", questions, answers, without)
	if answers < questions/2 {
		t.Errorf("%d answers to %d questions", answers, questions)
	}
}

// TestAnswersMean tells what an answer makes: the measure that the question was about.
func TestAnswersMean(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, answer, want string }{
		{"Good = median(amount) on orders where status = 'payed'", "Good = median(amount) in orders where status = 'paid'", "agg: median, expr: amount, filter: status = 'paid'"},
		{"Recent is the median of amount in orders where created_at > '2026-01-01'.", "Recent = median(amount) in orders", "agg: median, expr: amount"},
		{"Buyers is the number of distinct customers.", "Buyers = count_distinct(sales.orders.customer_id)", "agg: count_distinct, expr: customer_id"},
		{"Customers is the number of customers.", "Customers = count(*) in crm.customer", ""},
		{"Typical per customer is the median of amount in orders per customer.", "", ""},
		{"Only paid orders count. Typical is the median of amount in orders.", "Typical = median(amount) in orders where status = 'paid'", "agg: median, expr: amount, filter: status = 'paid'"},
		{"Top in Berlin is the maximum of amount in orders.", "top_in_berlin = max(amount) in orders", "agg: max, expr: amount"},
	} {
		plan := shop(t).plan(tt.text)
		if len(plan.Questions) != 1 {
			t.Errorf("%q: %+v", tt.text, plan.Questions)
			continue
		}
		if tt.answer == "" {
			t.Log(tt.text, plan.Questions[0])
			continue
		}
		if !slices.Contains(plan.Questions[0].Candidates, tt.answer) {
			t.Errorf("%q: %q is no answer of %q", tt.text, tt.answer, plan.Questions[0].Candidates)
			continue
		}
		answered := shop(t).plan(tt.answer)
		if !slices.ContainsFunc(answered.Changes, func(c change.Proposal) bool {
			return tt.want == "" || c.Kind == change.Measure && strings.HasSuffix(c.Says, ": "+tt.want)
		}) {
			t.Errorf("%q makes %+v", tt.answer, answered.Changes)
		}
	}
}
