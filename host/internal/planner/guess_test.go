package planner

import (
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/loam-data/loam/host/internal/change"
)

// TestNamesInProse: the name of a calculation stands where a sentence computes it, or where the clause before says it. Where
// somebody else computes it, or a word is not understood, somebody is asked.
func TestNamesInProse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"You compute ceiling by taking the largest amount in sales.orders.":                  "ceiling",
		"You can derive ceiling from sales.orders by taking the largest amount.":             "ceiling",
		"We look at ceiling a lot; it is the largest amount in sales.orders.":                "ceiling",
		"Someone asked about ceiling yesterday: that's the largest amount in sales.orders.":  "ceiling",
		"A useful figure is the ceiling; by that we mean the largest amount in sales.orders": "ceiling",
		"The ceiling we quote externally equals the largest amount in sales.orders.":         "ceiling",
		"The ceiling, or CLG, is the largest amount in sales.orders.":                        "ceiling",
		"We take the largest amount in sales.orders as ceiling.":                             "ceiling",
		"Den Deckel erhält man aus dem größten amount in sales.orders.":                      "deckel",
		"Als Deckel gilt der größte amount in sales.orders.":                                 "deckel",

		"Our rival computes ceiling by taking the largest amount in sales.orders.":            "",
		"You should compute ceiling by taking the largest amount in sales.orders.":            "",
		"Finance once computed ceiling by taking the largest amount in sales.orders.":         "",
		"We stopped computing ceiling as the largest amount in sales.orders.":                 "",
		"For trade customers we compute ceiling by taking the largest amount in sales.orders": "",
		"Someone asked about booked money: that is the largest amount in sales.orders.":       "",
		"Den Deckel rechnet man nie als größten amount in sales.orders.":                      "",
		"Ceiling is either the largest or the smallest amount in sales.orders.":               "",
	} {
		plan := shop(t).plan(text)
		got := ""
		for _, c := range plan.Changes {
			if c.Kind == change.Measure {
				got += c.Target + " "
			}
		}
		if want != "" && strings.TrimSpace(got) != "orders."+want || want == "" && (got != "" || !slices.ContainsFunc(plan.Questions, func(q Question) bool { return q.Code == TwoReadings })) {
			t.Errorf("%s: %v, want %q", text, summary(plan), want)
		}
	}
}

// TestUnitOrValue: a unit behind a comma may be the currency of the rows, so that somebody is asked.
func TestUnitOrValue(t *testing.T) {
	t.Parallel()
	var tables yaml.Node
	if err := yaml.Unmarshal([]byte("main.orders: {id: int64, fee: int64, currency: text}"), &tables); err != nil {
		t.Fatal(err)
	}
	p := warehouse(t, tables.Content[0], map[string][]string{"main.orders.currency": {"EUR", "CHF"}})
	for text, asks := range map[string]bool{
		"Average fee = avg(fee) from main.orders, in EUR":               true,
		"Average fee = avg(fee) from main.orders with currency = 'EUR'": false,
	} {
		if plan := p.plan(text); (len(plan.Questions) > 0) != asks {
			t.Errorf("%s: %v", text, summary(plan))
		}
	}
}
