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

// further are words behind a definition that may change it. None of them is dropped in silence.
var further = []string{"or used", "or booked", "or Zwickau", "oder gebucht", "bzw. genannt", "and booked", "und gebucht", ", booked", "/ booked", "sowie gebucht", "Zwickau", "from Zwickau", "with Zwickau", "ohne Zwickau", "except Zwickau", "and 7"}

// TestNoWordIsLost: a definition with one word more is another one, so that the measure is another one or none, or waits.
func TestNoWordIsLost(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: the texts kept aside")
	}
	for _, folder := range []string{"voices", "voices2", "blind", "blind2", "blind3", "blind4"} {
		files, err := filepath.Glob("testdata/" + folder + "/*.yaml")
		if err != nil || len(files) == 0 {
			t.Fatal("there are no texts", err)
		}
		for _, file := range files {
			t.Run(folder+"/"+strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
				t.Parallel()
				content, err := os.ReadFile(file)
				var v voices
				if err == nil {
					err = yaml.Unmarshal(content, &v)
				}
				if err != nil {
					t.Fatal(err)
				}
				p := warehouse(t, &v.Tables, v.Values)
				for i := range v.Texts {
					unlost(t, p, strings.TrimSpace(v.Texts[i].Text), v.Texts[i].Measures)
				}
			})
		}
	}
}

// unlost adds words to a text that defines one measure.
func unlost(t *testing.T, p *project, text string, sure []string) {
	tail := len(strings.TrimRight(text, ".!|\n \""))
	if len(sure) != 1 || strings.ContainsAny(text[:tail], "\n.!?;") {
		return // the words may belong to another sentence
	}
	silent := func(text string) string {
		plan := p.plan(text)
		i := slices.IndexFunc(plan.Changes, func(c change.Proposal) bool { return c.Kind == change.Measure && len(c.Why) == 0 })
		if i < 0 || len(plan.Questions) > 0 {
			return ""
		}
		return measureOf(t, plan.Changes[i])
	}
	was := silent(text)
	if was == "" {
		return
	}
	for _, words := range further {
		if more := text[:tail] + " " + words + text[tail:]; silent(more) == was {
			t.Errorf("%q is read without %q: %s", more, words, was)
		}
	}
}

// TestNoColumnIsLost: a column of a table of formulas is a condition, says nothing about the number, or makes a question.
func TestNoColumnIsLost(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ head, cell, want string }{
		{"Filter", "status = 'paid'", "where status = 'paid'"},
		{"Only", "paid orders", "where status = 'paid'"},
		{"Bedingung", "where status = 'paid'", "where status = 'paid'"},
		{"Condition", "-", "max(amount)"},
		{"Owner", "Finance", "max(amount)"},
		{"Comment", "ask Ann", "max(amount)"},
		{"Comment", "paid orders only", ""},
		{"Filter", "nice ones", ""},
		{"Market", "Zwickau", ""},
		{"Status", "paid", ""},
		{"Value", "paid", ""},
		{"Logic", "times two", ""},
	} {
		text := "| Metric | Formula | " + c.head + " |\n|---|---|---|\n| Booked money | max(amount) in sales.orders | " + c.cell + " |\n"
		plan := shop(t).plan(text)
		got := ""
		for _, p := range plan.Changes {
			if p.Kind == change.Measure && len(p.Why) == 0 && len(plan.Questions) == 0 {
				got = measureOf(t, p)
			}
		}
		if (got == "") != (c.want == "") || !strings.HasSuffix(got, c.want) {
			t.Errorf("%s %s: %q", c.head, c.cell, got)
		}
	}
}

// TestLeadsThatRestrict: a clause before a definition is passed over only where it cannot say of what the number is.
func TestLeadsThatRestrict(t *testing.T) {
	t.Parallel()
	const definition = "Booked money = max(amount) in sales.orders"
	for lead, silent := range map[string]bool{
		"reminder bc the dashboards disagree again":                 true,
		"Quick answer for everyone who asked":                       true,
		"Reminder for Germany, since you asked":                     false,
		"Since the merger we report in Zwickau":                     false,
		"because customers asked again":                             false,
		"since 2024 we report this":                                 false,
		"only as reported again":                                    false,
		"reminder because the trial excluding dashboards is broken": false,
	} {
		plan := shop(t).plan(lead + ": " + definition)
		drafted := slices.ContainsFunc(plan.Changes, func(c change.Proposal) bool { return c.Kind == change.Measure && len(c.Why) == 0 }) && len(plan.Questions) == 0
		if drafted != silent {
			t.Errorf("%s: %v", lead, summary(plan))
		}
	}
}
