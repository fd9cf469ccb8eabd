package planner

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

var periodNames = []string{"year", "month", "quarter", "week", "day", "date", "fiscal_year", "fiscal_quarter", "fiscal_month", "jahr", "monat", "quartal", "woche", "datum"}

// isPeriod reports whether a dimension is about time.
func isPeriod(d *model.Dimension) bool {
	switch d.Logical {
	case sdk.TypeDate, sdk.TypeTimestamp, sdk.TypeTimestampTZ:
		return true
	}
	return d.Type == model.Time || slices.Contains(periodNames, strings.ToLower(d.Name))
}

var (
	dateLike = text.Pattern(`^\d{4}-\d{2}(-\d{2}|$)`)
	// bareDate is a date outside of quotes.
	bareDate = text.Pattern(`\b\d{4}-\d{2}-\d{2}\b`)
)

// parsed reads an expression that a person wrote: with marks of code, and with dates without quotes.
func parsed(code string) (expression.Node, error) {
	spans := strings.Split(strings.ReplaceAll(code, "`", ""), "'")
	for i := 0; i < len(spans); i += 2 {
		spans[i] = bareDate().ReplaceAllString(spans[i], "'$0'")
	}
	return expression.Parse(strings.Join(spans, "'"))
}

// fixedPeriod returns the first comparison of an expression that chooses rows by time: "inv_dt >= '2024-04-01'"; nil = none
// does. The names of the expression are columns of the source.
func fixedPeriod(s *model.Source, tree expression.Node) (found expression.Node) {
	expression.Walk(tree, func(n expression.Node) bool {
		if found == nil && expression.Compares(n) && ofTime(s, n) {
			found = n
		}
		return found == nil
	})
	return found
}

// ofTime reports whether a comparison has a moment or a period. Two columns of one row are compared in every period: the moment
// of a delivery with that it was due.
func ofTime(s *model.Source, comparison expression.Node) bool {
	columns, times, moments := 0, 0, 0
	expression.Walk(comparison, func(n expression.Node) bool {
		switch n := n.(type) {
		case *expression.Name:
			if columns++; dimension(s, n.Parts[len(n.Parts)-1]) != nil && isPeriod(dimension(s, n.Parts[len(n.Parts)-1])) {
				times++
			}
		case *expression.Literal:
			if n.Type() == sdk.TypeDate || n.Type() == sdk.TypeTimestamp || n.Type() == sdk.TypeTimestampTZ || n.Type() == sdk.TypeText && dateLike().MatchString(n.Value) {
				moments++
			}
		}
		return true
	})
	return moments > 0 || times > 0 && columns == 1
}

// periodic asks for a definition that holds for every period, in place of one that has some text.
func periodic(quote, text string) *Question {
	return ask(PeriodInFilter, quote, "A measure holds for every period: leave “%s” out, and ask for the period in the query. Which condition on other columns is meant?", text)
}
