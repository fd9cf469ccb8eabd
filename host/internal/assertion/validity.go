package assertion

import (
	"strconv"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/text"
)

// period is the period of a written date: its first day, and the first day after it.
type period struct{ from, to time.Time }

// datePattern matches dates: 2026-11-20, 2026-11, 20.11.2026, 1 March 2026, March 2026, März 2026, Q3 2026,
// 2026. It does not match 20/11/2026, because the order of day and month is ambiguous.
const datePattern = `\d{4}-\d{2}(?:-\d{2})?|\d{1,2}\.\s?\d{1,2}\.\s?\d{4}|(?:\d{1,2}(?:\.|st|nd|rd|th)?\s+)?(?:of\s+)?` + monthPattern +
	`(?:\s+\d{1,2}(?:st|nd|rd|th)?,)?\s+\d{4}|Q[1-4][\s/-]?\d{4}|\d{4}-Q[1-4]|(?:19|20)\d{2}`

const monthPattern = `(?:jan(?:uary|uar)?|jänner|feb(?:ruary|ruar)?|mar(?:ch)?|mär(?:z)?|apr(?:il)?|may|mai|june?|juni|july?|juli|aug(?:ust)?|sept?(?:ember)?|o[ck]t(?:ober)?|nov(?:ember)?|de[cz](?:ember)?)\.?`

var (
	isoDate   = text.Pattern(`^(\d{4})-(\d{2})(?:-(\d{2}))?$`)
	dotDate   = text.Pattern(`^(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})$`)
	quarter   = text.Pattern(`(?i)^(?:Q([1-4])[\s/-]?(\d{4})|(\d{4})-Q([1-4]))$`)
	namedDate = text.Pattern(`(?i)^(?:(\d{1,2})(?:\.|st|nd|rd|th)?\s+)?(?:of\s+)?([\pL]+)\.?(?:\s+(\d{1,2})(?:st|nd|rd|th)?,)?\s+(\d{4})$`)
	onlyYear  = text.Pattern(`^(?:19|20)\d{2}$`)
)

// date parses a date; false = it is not one.
func date(s string) (p period, ok bool) {
	s = strings.TrimSpace(s)
	if m := isoDate().FindStringSubmatch(s); m != nil {
		return day(m[1], m[2], m[3])
	}
	if m := dotDate().FindStringSubmatch(s); m != nil {
		return day(m[3], m[2], m[1])
	}
	if m := quarter().FindStringSubmatch(s); m != nil {
		q, _ := strconv.Atoi(m[1] + m[4])
		first, ok := day(m[2]+m[3], strconv.Itoa(3*q-2), "")
		first.to = first.from.AddDate(0, 3, 0)
		return first, ok
	}
	if m := namedDate().FindStringSubmatch(s); m != nil {
		if month := months[strings.ToLower(m[2])]; month != 0 && (m[1] == "" || m[3] == "") {
			return day(m[4], strconv.Itoa(int(month)), m[1]+m[3])
		}
		return period{}, false
	}
	if onlyYear().MatchString(s) {
		first, ok := day(s, "1", "")
		first.to = first.from.AddDate(1, 0, 0)
		return first, ok
	}
	return period{}, false
}

// day returns the period of a day, or of a month if day is "".
func day(year, month, day string) (period, bool) {
	y, _ := strconv.Atoi(year)
	m, _ := strconv.Atoi(month)
	d, whole := 1, day == ""
	if !whole {
		d, _ = strconv.Atoi(day)
	}
	from := time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC)
	if from.Month() != time.Month(m) || from.Day() != d || y < 1900 {
		return period{}, false
	}
	if whole {
		return period{from, from.AddDate(0, 1, 0)}, true
	}
	return period{from, from.AddDate(0, 0, 1)}, true
}

// bounds are the words before a date that bound the validity of a statement.
var bounds = map[string]bool{ // true = a beginning
	"since": true, "from": true, "as of": true, "starting": true, "effective": true, "beginning": true, "seit": true, "ab": true, "ab dem": true,
	"seit dem": true, "stand": true, "gültig ab": true, "valid from": true,
	"until": false, "till": false, "through": false, "up to": false, "bis": false, "bis zum": false, "bis ende": false, "until the end of": false, "valid until": false, "gültig bis": false,
}

const boundPattern = `valid from|valid until|gültig ab|gültig bis|since|from|as of|starting|effective|beginning|until the end of|until|till|through|up to|seit dem|seit|ab dem|ab|stand|bis zum|bis ende|bis`

// boundCues are words; every sentence with a validity contains one.
var boundCues = text.Words("since from as starting effective beginning until till through up valid between seit ab stand bis gültig von zwischen")

// before matches a validity at the beginning of a sentence, behind one at its end.
var (
	before = text.Pattern(`(?i)^(` + boundPattern + `)\s+(` + datePattern + `),?\s+`)
	behind = text.Pattern(`(?i),?\s+\(?(` + boundPattern + `)\s+(` + datePattern + `)\)?[.;]?$`)
	both   = text.Pattern(`(?i)^(?:from|von|between|zwischen)\s+(` + datePattern + `)\s+(?:to|until|and|bis|und)\s+(` + datePattern + `),?\s+`)
)

// bound removes the validity from a sentence, and returns both.
func bound(text string) (rest string, from, to time.Time) {
	rest = text
	if m := both().FindStringSubmatch(rest); m != nil {
		a, okA := date(m[1])
		b, okB := date(m[2])
		if okA && okB {
			return rest[len(m[0]):], a.from, b.to
		}
	}
	for range 2 {
		if m := before().FindStringSubmatch(rest); m != nil {
			if p, ok := date(m[2]); ok {
				rest = rest[len(m[0]):]
				from, to = limit(m[1], p, from, to)
				continue
			}
		}
		if m := behind().FindStringSubmatch(rest); m != nil {
			if p, ok := date(m[2]); ok {
				rest = rest[:len(rest)-len(m[0])]
				from, to = limit(m[1], p, from, to)
			}
		}
	}
	return rest, from, to
}

func limit(word string, p period, from, to time.Time) (time.Time, time.Time) {
	if bounds[strings.ToLower(strings.Join(strings.Fields(word), " "))] {
		return p.from, to
	}
	return from, p.to
}
