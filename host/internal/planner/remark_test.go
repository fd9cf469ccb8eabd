package planner

import (
	"slices"
	"strings"
	"testing"
)

// behind and before are what takes a definition back, restricts it, or changes its number, by language.
var (
	behindEnglish = []string{
		"Only sites in Leeds count.", "This is not true any more.", "Until June only.", "Without the northern sites.", "That is wrong.", "Please ignore this.", "The number is doubled.",
		"We only use it for Leeds.", "It is only for Leeds.", "Leeds counts differently.", "Except for June.", "At least I think so.", "But nobody agreed to it.", "Half of them are tests.",
		"We multiply it by two.", "Test data must be removed first.", "It only holds until June.", "Then we subtract the refunds.", "The refunds are taken off.", "Divide it by two.",
		"Minus the tests.", "In thousands.", "Only the first ten.", "Duplicates are dropped.", "Does anybody know if that is right?", "This was the old definition.", "The new definition is different.",
		"But not on weekends.", "Per site.", "Excluding VAT.", "Net of VAT.", "Before tax.", "Rows older than a year are skipped.", "Only rows of this year.", "Leeds excluded.",
		"With the exception of Leeds.", "Except Leeds.", "Leeds aside.", "Not counting Leeds.", "We only look at the big ones.", "Small ones don't matter.", "Careful, the old rows are wrong.",
		"The first week is always cut off.", "For the report we round it to tens.", "From that we take 10 percent off.", "Actually the median is better.", "Finance does it differently.",
		"Use the other column instead.", "We stopped using it in May.", "It is being replaced.", "Not valid for Leeds.", "Valid until further notice.", "Only since 2024.",
		"In 2023 it was computed in another way.", "Add the tips to it.", "Plus the tips.", "Tips come on top.", "The rest is estimated.", "Missing days are filled up with the mean.", "We cap it at 100.",
		"Outliers are cut.", "Zeros are ignored.", "If it is above 100, we take 100.", "Unless it is a test.", "When the site is closed, nothing counts.", "Whenever there is a strike we leave the day out.",
		"Ignore the first month.", "Sorry, that was nonsense.", "No, scratch that.", "Hmm, not sure about that one.", "To be confirmed by Anna.", "Still under discussion.", "Anna disagrees.",
		"Is this still current?", "I am not certain, though.", "Double-check before using it.", "This is just an idea.", "Don't take it literally.", "Roughly.", "More or less.",
	}
	behindGerman = []string{
		"Nur in Leeds.", "Das stimmt nicht mehr.", "Ohne die Nordstandorte.", "Das gilt nur bis Juni.", "Leeds zählt anders.", "Davon die Hälfte.", "Testdaten müssen vorher raus.",
		"Glaube ich zumindest.", "Danach ziehen wir die Rabatte ab.", "Doppelte fallen weg.", "In Tausend.", "Nur die ersten zehn.", "Am Wochenende nicht.", "Vor Steuern.",
		"Zeilen, die älter als ein Jahr sind, lassen wir weg.", "Leeds ausgenommen.", "Außer Leeds.", "Mit Ausnahme von Leeds.", "Wir sehen uns nur die großen an.", "Alles unter 5 fällt weg.",
		"Bitte ohne den Piloten.", "Der Median wäre besser.", "Die Finanzabteilung rechnet anders.", "Seit Mai nutzen wir das nicht mehr.", "Gilt nicht für Leeds.", "Erst seit 2024.",
		"2023 wurde anders gerechnet.", "Trinkgeld kommt noch dazu.", "Plus Trinkgeld.", "Ausreißer schneiden wir ab.", "Nullen ignorieren wir.", "Wenn es über 100 ist, nehmen wir 100.",
		"Es sei denn, es ist ein Test.", "Den ersten Monat bitte ignorieren.", "Sorry, das war Quatsch.", "Bin mir nicht sicher.", "Muss Anna noch bestätigen.", "Anna sieht das anders.",
		"Ist das noch aktuell?", "Nur so eine Idee.", "So in etwa.",
	}
	// below are the same in a paragraph of their own, which may be written later.
	belowEnglish = []string{
		"Edit 14:20 - scrap that.", "Sorry, forget the above.", "What I wrote above is wrong.", "PS: the above was wrong, please wait for Anna.", "Correction: refunds count too.", "Update Tuesday: that was the old formula.",
		"Ignore all of the above.", "Scrap that, Anna has the right one.", "Edit: please don't use it.", "Update: Leeds is left out.", "Note from Friday: it is only for Leeds.",
	}
	belowGerman = []string{
		"Nachtrag von Freitag: das oben war falsch, bitte nicht verwenden.", "Nachtrag: Das oben bitte vergessen.", "Korrektur: Gutscheine zählen auch.", "Alles oben bitte ignorieren.", "PS: das oben stimmt so nicht.",
		"Nachtrag vom 3. Mai: Leeds zählt anders.",
	}
	beforeEnglish = []string{
		"In Leeds: ", "Until June: ", "Not true: ", "Somebody claims: ", "Wrong: ", "Old: ", "For Leeds only: ", "Never do this: ", "As an example: ", "If we ever need it: ", "Proposal: ", "Leeds says: ", "I guess ", "Maybe ",
	}
	beforeGerman = []string{"Bis Juni: ", "In Leeds gilt: ", "Falsch: ", "Zum Beispiel: ", "Vorschlag: ", "Nur für Leeds: "}
)

// TestRemark has no measure made as if nothing were said where somebody takes a definition back, restricts it or changes its number: behind
// it, behind what else is said of it, and before it.
func TestRemark(t *testing.T) {
	tried, text := 0, 0
	laid(t, "testdata/blind4[6-9]/*.yaml", func(file string, texts []unseen, measures func(string) []string) {
		for _, u := range texts {
			said := strings.TrimSpace(u.Text)
			plain := measures(said)
			if strings.Contains(said, "\n") || strings.HasPrefix(strings.ToLower(said), "select") || len(plain) == 0 {
				continue
			}
			text++
			behind, below, before := behindEnglish, belowEnglish, beforeEnglish
			if slices.ContainsFunc(strings.Fields(said), func(w string) bool {
				return slices.Contains([]string{"der", "die", "ist", "sind", "mit", "auf", "ohne", "nur"}, w)
			}) {
				behind, below, before = behindGerman, belowGerman, beforeGerman
			}
			var all []string
			for i, remark := range behind {
				if i%4 == text%4 {
					all = append(all, strings.TrimRight(said, ".")+". "+remark)
				}
			}
			for _, remark := range below {
				all = append(all, said+"\n\n"+remark)
			}
			if !strings.Contains(strings.TrimRight(said, "."), ". ") { // a lead before a sentence that tells what the name is says nothing of the number
				all = append(all, before[text%len(before)]+said)
			}
			for _, with := range all {
				tried++
				if got := measures(with); slices.Equal(got, plain) {
					t.Errorf("%s, %s: %q of\n%s", file, u.Name, got, with)
				}
			}
		}
	})
	t.Logf("%d remarks on %d texts", tried, text)
}
