package claim

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/model"
)

// Message describes a finding in sentences, with its consequences for measures.
func (c Claim) Message(m *model.Model, f *Finding) string {
	if c.Join == 0 {
		return c.keyMessage(m, f)
	}
	home, to := m.Source(c.Home).Name, m.Source(c.To).Name
	var parts []string
	if f.Violations > 0 {
		parts = append(parts, fmt.Sprintf("%s to several rows of %s (up to %d): measures of %s are counted too often by what %s has, and filters on %s",
			rows(f.Violations, home, "leads", "lead"), to, f.Most, home, to, to))
	}
	if f.Back > 0 {
		parts = append(parts, fmt.Sprintf("%s several rows of %s (up to %d) that lead to it, so it is no one_to_one: measures of %s are counted too often by what %s has",
			rows(f.Back, to, "has", "have"), home, f.BackMost, to, home))
	}
	if f.Orphans > 0 {
		parts = append(parts, fmt.Sprintf("%s to no row of %s, %s of those with a key: by what %s has they are the group NULL",
			rows(f.Orphans, home, "leads", "lead"), to, percent(f.OrphanRate()), to))
	}
	switch {
	case len(parts) > 0:
		return strings.Join(parts, "; ") + "."
	case f.Rows == 0:
		return home + " has no rows, so nothing is known of the join to " + to + "."
	case f.Nulls > 0:
		return fmt.Sprintf("Each row of %s leads to at most one row of %s; %s no key.", home, to, rows(f.Nulls, home, "has", "have"))
	}
	return fmt.Sprintf("Each row of %s leads to one row of %s.", home, to)
}

func (c Claim) keyMessage(m *model.Model, f *Finding) string {
	key, home := c.key(m), m.Source(c.Home).Name
	if c.Kind == OnePeriod {
		return c.calendarMessage(home, f)
	}
	switch {
	case f.Rows == 0:
		return home + " has no rows, so nothing is known of " + key + "."
	case c.Kind == UniqueKey && f.Violations > 0:
		return fmt.Sprintf("%s is not unique: %s (up to %d times); joins that rely on it lead to several rows, so that measures are counted too often.", key, repeat(f.Violations), f.Most)
	case f.Violations > 0:
		null := ""
		if f.Nulls > 0 {
			null = " and " + rows(f.Nulls, home, "has", "have") + " no whole key"
		}
		return fmt.Sprintf("%s is not unique: %s (up to %d times)%s. Rows with the same key are taken for one by finer dimensions, and joins to %s lead to several rows: measures are counted too rarely or too often.",
			key, repeat(f.Violations), f.Most, null, home)
	case c.Kind == PrimaryKey && f.Nulls > 0:
		return fmt.Sprintf("%s no whole key %s: finer dimensions take them for one row.", rows(f.Nulls, home, "has", "have"), key)
	}
	return fmt.Sprintf("%s tells rows apart.", key)
}

func (c Claim) calendarMessage(home string, f *Finding) string {
	switch {
	case f.Rows == 0:
		return home + " has no days, so nothing is known of its periods."
	case f.Violations > 0:
		days := "1 day"
		if f.Violations > 1 {
			days = strconv.FormatInt(f.Violations, 10) + " days"
		}
		return fmt.Sprintf("%s has %s whose rows differ in a period (up to %d rows for a day): times of such a day are of no period.", home, days, f.Most)
	}
	return "Each day of " + home + " is in one period of a name."
}

// rows returns a number of rows as the subject of a sentence, with its verb.
func rows(n int64, of, one, several string) string {
	if n == 1 {
		return "1 row of " + of + " " + one
	}
	return strconv.FormatInt(n, 10) + " rows of " + of + " " + several
}

func repeat(n int64) string {
	if n == 1 {
		return "1 value repeats"
	}
	return strconv.FormatInt(n, 10) + " values repeat"
}

// percent formats a rate; it never rounds to 0% or 100%.
func percent(rate float64) string {
	switch text := strconv.FormatFloat(100*rate, 'f', 1, 64); {
	case text == "0.0" && rate > 0:
		return "less than 0.1%"
	case text == "100.0" && rate < 1:
		return "more than 99.9%"
	default:
		return strings.TrimSuffix(text, ".0") + "%"
	}
}
