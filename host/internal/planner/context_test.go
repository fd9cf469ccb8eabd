package planner

import (
	"slices"
	"strings"
	"testing"

	"github.com/loam-data/loam/host/internal/change"
)

// TestContexts: what stands around a definition can take it back, and makes it no draft. Harmless words around it do not.
func TestContexts(t *testing.T) {
	t.Parallel()
	const english, german = "Booked money is the largest amount in sales.orders.", "Booked money ist der größte amount in sales.orders."
	for context, silent := range map[string]bool{
		// Quoted speech.
		"\"@\"":                       false,
		"“@”":                         false,
		"„§“":                         false,
		"«@»":                         false,
		"He said: \"@\"":              false,
		"\"@\", said Jonas.":          false,
		"> @":                         false,
		"~~@~~":                       false,
		"\"We met. @ Then we left.\"": false,
		"@ (\"as usual\")":            true,
		// Lead-ins, headings and labels.
		"Don't do it like this:\n@":      false,
		"Don't do it like this:\n\n@":    false,
		"Not like this: @":               false,
		"Bad example: @":                 false,
		"Bad:\n- @":                      false,
		"So bitte nicht:\n\n- §":         false,
		"Falsch: §":                      false,
		"Wrong: @":                       false,
		"# Bad examples\n\n@":            false,
		"# Don't\n\n@":                   false,
		"# So nicht\n\n§":                false,
		"# Rejected proposals\n\n@":      false,
		"# Alte Definitionen\n\n§":       false,
		"# Not like this\n\n- @":         false,
		"The old vendor wrote:\n\n@":     false,
		"Proposal: @":                    false,
		"Vorschlag: §":                   false,
		"Proposed by Jonas, rejected: @": false,
		"Before 2024: @":                 false,
		"# Numbers\n\n@":                 true,
		"For the board deck:\n\n@":       true,
		"As agreed: @":                   true,
		// Other moods.
		"If we did it again, booked money is the largest amount in sales.orders.": false,
		"Booked money is not the largest amount in sales.orders.":                 false,
		"Booked money isn't the largest amount in sales.orders.":                  false,
		"Booked money used to be the largest amount in sales.orders.":             false,
		"Booked money was the largest amount in sales.orders.":                    false,
		"Booked money war der größte amount in sales.orders.":                     false,
		"Booked money could be the largest amount in sales.orders.":               false,
		"Booked money would then be the largest amount in sales.orders.":          false,
		"Booked money will be the largest amount in sales.orders.":                false,
		"Booked money should be the largest amount in sales.orders, says Jonas.":  false,
		"Jonas wants booked money to be the largest amount in sales.orders.":      false,
		"We rejected that booked money is the largest amount in sales.orders.":    false,
		"Nobody says that booked money is the largest amount in sales.orders.":    false,
		"They claim that booked money is the largest amount in sales.orders.":     false,
		"Is booked money the largest amount in sales.orders?":                     false,
		"Sag bloß nicht, booked money ist der größte amount in sales.orders.":     false,
		// Sentences behind it.
		"@ Nope, that was the old dashboard.": false,
		"@ No, it is not.":                    false,
		"@ Just kidding.":                     false,
		"§ Stimmt aber nicht.":                false,
		"§ Das gilt nicht mehr.":              false,
		"@ Not true, though.":                 false,
		"@ Example: two orders of 5 and 10 give a booked money of 15.": false,
		"@ For 5 and 10 the booked money is 15.":                       false,
		"@ Booked money does not include refunds.":                     false,
		"@ Booked money is capped at 1000.":                            false,
		"@ It is capped at 1000.":                                      false,
		"@ It does not include vouchers.":                              false,
		"@ This excludes vouchers.":                                    false,
		"§ Darin sind keine Gutscheine.":                               false,
		"§ Gutscheine sind nicht enthalten.":                           false,
		"@ Vouchers not included.":                                     false,
		"@\n\nWhether booked money includes the paid ones is open.":    false,
		"@\n\nNote: booked money leaves vouchers out.":                 false,
		"@\n\nBooked money of paid orders is another thing.":           false,
		"@ (Or the average, we are still debating booked money.)":      false,
		"@ Booked money is doubled for members.":                       false,
		"@ Booked money is reported after conversion to euro.":         false,
		"§ Ab Juli stellen wir die Definition um.":                     false,
		"@ In July the formula changes.":                               false,
		"@ This is the definition for the board deck.":                 true,
		"@ Some say it is the smallest one.":                           false,
		"@\n\nSome words about nothing in particular.":                 true,
		"@ Please use it in the Monday deck.":                          true,
		"@ Please use booked money in the Monday deck.":                true,
		"@ Thanks!": true,
		"@ Anna shows booked money to the board.":             true,
		"@ The berth in Antwerp is confirmed for Thursday.":   true,
		"§ Bitte booked money so in die Monatsfolien nehmen.": true,
		// Sentences before it.
		"Two orders of 5 and 10 have a booked money of 15. @": false,
		"Booked money leaves vouchers out. @":                 false,
		"Ann asked what booked money is. @":                   true,
	} {
		text := strings.NewReplacer("@", english, "§", german).Replace(context)
		plan := shop(t).plan(text)
		drafted := slices.ContainsFunc(plan.Changes, func(c change.Proposal) bool { return c.Kind == change.Measure && len(c.Why) == 0 }) && len(plan.Questions) == 0
		if drafted != silent {
			t.Errorf("%q: %v", text, summary(plan))
		}
	}
}
