package conform

import (
	"slices"
	"strings"
	"time"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// holds reports whether the engine's timestamps can be this one: some count
// whole seconds, some begin in 1970. What they cannot is a remark.
func (s *script) holds(text, what string) bool {
	sql, ok := s.write(moment(text))
	if !ok {
		return false
	}
	a, err := s.probe.try(sdk.ExecuteRequest{SQL: s.selection("", []exam{{sql: sql}})})
	if err == nil && len(a.rows) == 1 && readable(a.columns[0].Type, a.rows[0][0]) == text {
		return true
	}
	s.probe.remark("timestamps hold no %s", what)
	return false
}

func (s *script) holdsFractions() bool {
	return s.holds("2024-05-15 13:14:15.678", "fractions of a second")
}

func (s *script) holdsEarly() bool { return s.holds("1960-05-15 13:14:15", "time before 1970") }

// fine reports whether the periods of a grain begin with a time of day.
func fine(g dialect.Grain) bool {
	return g == dialect.Second || g == dialect.Minute || g == dialect.Hour
}

// period is the start of a period as a form must give it.
func period(g dialect.Grain, text string) want {
	if fine(g) {
		return atMoment(text)
	}
	return onDay(text)
}

// truncations are moments and the starts of their periods.
var truncations = map[dialect.Grain][][2]string{
	dialect.Second: {{"2024-05-15 13:14:15", "2024-05-15 13:14:15"}, {"2024-05-15 13:14:15.678", "2024-05-15 13:14:15"}},
	dialect.Minute: {{"2024-05-15 13:14:15", "2024-05-15 13:14:00"}, {"2024-12-31 23:59:59", "2024-12-31 23:59:00"}},
	dialect.Hour: {
		{"2024-05-15 13:14:15", "2024-05-15 13:00:00"},
		{"2024-12-31 23:59:59", "2024-12-31 23:00:00"},
		{"1960-05-15 13:14:15", "1960-05-15 13:00:00"},
	},
	dialect.Day: {
		{"2024-05-15 13:14:15", "2024-05-15"},
		{"2024-12-31 23:59:59", "2024-12-31"},
		{"2024-02-29 00:00:00", "2024-02-29"},
		{"1960-05-15 13:14:15", "1960-05-15"},
	},
	dialect.Week: {
		{"2024-05-15 13:14:15", "2024-05-13"}, // a Wednesday
		{"2024-05-13 00:00:00", "2024-05-13"}, // a Monday
		{"2024-05-19 23:59:59", "2024-05-13"}, // a Sunday
		{"2025-01-01 12:00:00", "2024-12-30"},
		{"2024-12-31 23:59:59", "2024-12-30"},
		{"2023-01-01 12:00:00", "2022-12-26"}, // a Sunday in the year before's last week
		{"1960-05-15 13:14:15", "1960-05-09"}, // a Sunday
	},
	dialect.Month: {
		{"2024-05-15 13:14:15", "2024-05-01"},
		{"2024-01-31 23:59:59", "2024-01-01"},
		{"2024-02-29 00:00:00", "2024-02-01"},
		{"2024-12-31 23:59:59", "2024-12-01"},
		{"1960-05-15 13:14:15", "1960-05-01"},
	},
	dialect.Quarter: {
		{"2024-05-15 13:14:15", "2024-04-01"},
		{"2024-01-31 00:00:00", "2024-01-01"},
		{"2024-03-31 23:59:59", "2024-01-01"},
		{"2024-09-30 23:59:59", "2024-07-01"},
		{"2024-12-31 23:59:59", "2024-10-01"},
		{"1960-05-15 13:14:15", "1960-04-01"},
	},
	dialect.Year: {
		{"2024-05-15 13:14:15", "2024-01-01"},
		{"2024-12-31 23:59:59", "2024-01-01"},
		{"2025-01-01 00:00:00", "2025-01-01"},
		{"1960-05-15 13:14:15", "1960-01-01"},
	},
}

// startsOfDays are dates and the starts of their periods.
var startsOfDays = map[dialect.Grain]map[string]string{
	dialect.Day:     {"2024-02-29": "2024-02-29"},
	dialect.Week:    {"2024-05-19": "2024-05-13", "2024-05-20": "2024-05-20"},
	dialect.Month:   {"2024-02-29": "2024-02-01"},
	dialect.Quarter: {"2024-12-31": "2024-10-01"},
	dialect.Year:    {"2024-12-31": "2024-01-01"},
}

func dialectTrunc(s *script) {
	early, fractions := s.holdsEarly(), s.holdsFractions()
	for _, g := range dialect.Grains() {
		cases := []formCase{{dialect.Trunc(g), args{"x": nullOf("timestamp")}, null}}
		for _, c := range truncations[g] {
			if strings.HasPrefix(c[0], "19") && !early || strings.Contains(c[0], ".") && !fractions {
				continue
			}
			cases = append(cases, formCase{dialect.Trunc(g), args{"x": moment(c[0])}, period(g, c[1])})
		}
		if !fine(g) {
			for text, start := range startsOfDays[g] {
				cases = append(cases, formCase{dialect.Trunc(g), args{"x": day(text)}, onDay(start)})
			}
		}
		s.evaluate("", s.forms(cases))
	}
}

func dialectAdd(s *script) {
	for _, g := range dialect.Grains() {
		var cases []formCase
		for _, c := range map[dialect.Grain][][3]string{
			dialect.Second:  {{"2024-05-15 13:14:15", "50", "2024-05-15 13:15:05"}, {"2025-01-01 00:00:00", "(-1)", "2024-12-31 23:59:59"}},
			dialect.Minute:  {{"2024-05-15 13:14:00", "(-15)", "2024-05-15 12:59:00"}, {"2024-12-31 23:59:00", "1", "2025-01-01 00:00:00"}},
			dialect.Hour:    {{"2024-05-15 13:00:00", "11", "2024-05-16 00:00:00"}, {"2025-01-01 00:00:00", "(-1)", "2024-12-31 23:00:00"}},
			dialect.Day:     {{"2024-02-28", "2", "2024-03-01"}, {"2024-05-15", "0", "2024-05-15"}, {"2025-01-01", "(-1)", "2024-12-31"}},
			dialect.Week:    {{"2024-05-13", "(-1)", "2024-05-06"}, {"2024-12-30", "1", "2025-01-06"}},
			dialect.Month:   {{"2024-01-01", "(-1)", "2023-12-01"}, {"2024-12-01", "14", "2026-02-01"}, {"2024-03-31", "(-1)", "2024-02-29"}},
			dialect.Quarter: {{"2024-10-01", "2", "2025-04-01"}, {"2024-01-01", "(-1)", "2023-10-01"}, {"2025-05-31", "(-1)", "2025-02-28"}},
			dialect.Year:    {{"2024-01-01", "(-24)", "2000-01-01"}, {"2024-01-01", "1", "2025-01-01"}, {"2024-02-29", "1", "2025-02-28"}},
		}[g] {
			x := day(c[0])
			if fine(g) {
				x = moment(c[0])
			}
			cases = append(cases, formCase{dialect.Add(g), args{"x": x, "n": plain(c[1])}, period(g, c[2])})
		}
		s.evaluate("", s.forms(cases))
	}
}

// spines are all periods from the first to the last.
var spines = map[dialect.Grain][]string{
	dialect.Second:  {"2024-12-31 23:59:59", "2025-01-01 00:00:00", "2025-01-01 00:00:01"},
	dialect.Minute:  {"2024-12-31 23:59:00", "2025-01-01 00:00:00"},
	dialect.Hour:    {"2024-12-31 22:00:00", "2024-12-31 23:00:00", "2025-01-01 00:00:00"},
	dialect.Day:     {"2024-02-28", "2024-02-29", "2024-03-01"},
	dialect.Week:    {"2024-12-23", "2024-12-30", "2025-01-06"},
	dialect.Month:   {"2024-11-01", "2024-12-01", "2025-01-01"},
	dialect.Quarter: {"2024-10-01", "2025-01-01", "2025-04-01"},
	dialect.Year:    {"2024-01-01"},
}

// dialectSpine: forwards, and backwards, which is no period at all.
func dialectSpine(s *script) {
	for _, g := range dialect.Grains() {
		periods := spines[g]
		s.spine(g, periods[0], periods[len(periods)-1], periods)
		last := "2023-01-02"
		if fine(g) {
			last += " 00:00:00"
		}
		s.spine(g, periods[0], last, nil)
	}
}

func (s *script) spine(g dialect.Grain, from, to string, periods []string) {
	form, kind := dialect.Spine(g), period(g, "").is
	first, last := valueOf(kind.String(), from), valueOf(kind.String(), to)
	if sql, ok := s.expand(form, args{"from": first, "to": last}); ok {
		s.listed(form, kind, sql, from, to, periods)
	}
	over := dialect.SpineOver(g)
	if _, ok := s.d.Forms[over]; !ok {
		return
	}
	a, ok := s.write(first)
	b, also := s.write(last)
	if !ok || !also {
		return
	}
	ends := "(SELECT " + a + " AS " + s.name("first") + ", " + b + " AS " + s.name("last") + ") AS " + s.name("ends")
	end := func(name string) operand { return plain(s.name("ends") + "." + s.name(name)) }
	if sql, ok := s.expand(over, args{"from": end("first"), "to": end("last"), "ends": plain(ends)}); ok {
		s.listed(over, kind, sql, from, to, periods)
	}
}

// listed asks for periods.
func (s *script) listed(form dialect.Form, kind sdk.Type, sql, from, to string, periods []string) {
	if !s.d.TopLevelWith { // as a compiler puts it
		sql = "SELECT * FROM (" + sql + ") " + s.name("s")
	}
	a, err := s.ask(sql)
	if err != nil {
		s.wrongf("%s: %s fails: %v", form, sql, err)
		return
	}
	if len(a.columns) != 1 || !strings.EqualFold(a.columns[0].Name, "period") {
		s.wrongf("%s has the columns %s, want one named period", form, columnList(a.columns))
		return
	}
	var got []string
	for _, row := range a.rows {
		got = append(got, readable(a.columns[0].Type, row[0]))
	}
	slices.Sort(got)
	if !slices.Equal(got, periods) {
		s.wrongf("%s from %s to %s has %d periods, %q, want %q", form, from, to, len(got), got[:min(len(got), 5)], periods)
	} else if len(got) > 0 && !s.fits(kind, a.columns[0].Type) {
		s.wrongf("%s has periods of type %s, want %s", form, a.columns[0].Type, kind)
	}
}

// zones are Berlin in winter, Berlin in summer and Kolkata.
var zones = map[dialect.ZoneStyle][3]string{
	"":                  {"Europe/Berlin", "Europe/Berlin", "Asia/Kolkata"},
	dialect.ZoneIANA:    {"Europe/Berlin", "Europe/Berlin", "Asia/Kolkata"},
	dialect.ZoneWindows: {"W. Europe Standard Time", "W. Europe Standard Time", "India Standard Time"},
	dialect.ZoneOffset:  {"+01:00", "+02:00", "+05:30"},
	dialect.ZoneAny:     {"Europe/Berlin", "Europe/Berlin", "Asia/Kolkata"},
}

func dialectZone(s *script) {
	var cases []formCase
	for i, c := range [3][2]string{
		{"2024-01-15 12:00:00", "2024-01-15 13:00:00"},
		{"2024-07-15 23:30:00", "2024-07-16 01:30:00"},
		{"2024-07-15 12:00:00", "2024-07-15 17:30:00"},
	} {
		zone := quoted(zones[s.d.Zones][i])
		cases = append(cases,
			formCase{dialect.ToZone, args{"x": moment(c[0]), "zone": zone}, atMoment(c[1])},
			formCase{dialect.ToUTC, args{"x": moment(c[1]), "zone": zone}, atMoment(c[0])},
			formCase{dialect.InstantToZone, args{"x": valueOf("timestamp_tz", strings.Replace(c[0], " ", "T", 1)+"Z"), "zone": zone}, atMoment(c[1])})
	}
	zone := quoted(zones[s.d.Zones][0])
	cases = append(cases,
		formCase{dialect.ToZone, args{"x": nullOf("timestamp"), "zone": zone}, null},
		formCase{dialect.ToUTC, args{"x": nullOf("timestamp"), "zone": zone}, null})
	s.evaluate("", s.forms(cases))
	for zone, known := range map[string]bool{zones[s.d.Zones][0]: true, zones[s.d.Zones][2]: true, "Europe/Atlantis": false} {
		probe, ok := s.expand(dialect.ZoneProbe, args{"zone": quoted(zone)})
		if !ok {
			return
		}
		answer, ok := s.list(string(dialect.ZoneProbe), s.selection("", []exam{{sql: probe}}))
		if ok && (len(answer) != 1 || (answer[0] != "NULL") != known) {
			s.wrongf("%s of %s gives %q", dialect.ZoneProbe, zone, answer)
		}
	}
}

func dialectStoredTime(s *script) {
	cases := []formCase{
		{dialect.EpochSeconds, args{"x": plain("86400")}, atMoment("1970-01-02 00:00:00")},
		{dialect.EpochSeconds, args{"x": plain("2000000000")}, atMoment("2033-05-18 03:33:20")},
		{dialect.EpochSeconds, args{"x": valueOf("int64", "1715778855")}, atMoment("2024-05-15 13:14:15")},
		{dialect.EpochMillis, args{"x": plain("86400000")}, atMoment("1970-01-02 00:00:00")},
		{dialect.EpochMillis, args{"x": valueOf("int64", "1715778855000")}, atMoment("2024-05-15 13:14:15")},
		{dialect.TextISO, args{"x": quoted("2024-05-15T13:14:15+02:00")}, atMoment("2024-05-15 11:14:15")},
		{dialect.TextISO, args{"x": quoted("2024-05-15T13:14:15-09:30")}, atMoment("2024-05-15 22:44:15")},
		{dialect.TextISO, args{"x": quoted("2024-05-15 13:14:15Z")}, atMoment("2024-05-15 13:14:15")},
		{dialect.TextISO, args{"x": quoted("2024-05-15T13:14:15")}, atMoment("2024-05-15 13:14:15")},
		{dialect.TextISO, args{"x": quoted("2024-05-15")}, atMoment("2024-05-15 00:00:00")},
		{dialect.TextISO, args{"x": quoted("2024-12-31T23:30:00-01:00")}, atMoment("2025-01-01 00:30:00")},
		{dialect.TextISO, args{"x": nullOf("text")}, null},
		{dialect.EpochSeconds, args{"x": nullOf("int64")}, null},
		{dialect.EpochMillis, args{"x": nullOf("int64")}, null},
	}
	if s.holdsEarly() {
		cases = append(cases,
			formCase{dialect.EpochSeconds, args{"x": plain("(-86399)")}, atMoment("1969-12-31 00:00:01")},
			formCase{dialect.EpochMillis, args{"x": valueOf("int64", "-86399000")}, atMoment("1969-12-31 00:00:01")})
	}
	if s.holdsFractions() {
		cases = append(cases,
			formCase{dialect.EpochMillis, args{"x": plain("86400999")}, atMoment("1970-01-02 00:00:00.999")},
			formCase{dialect.TextISO, args{"x": quoted("2024-05-15T13:14:15.5+01:00")}, atMoment("2024-05-15 12:14:15.5")})
	}
	s.evaluate("", s.forms(cases))
}

// dialectNow: the clocks of the two machines are within a day of each other.
func dialectNow(s *script) {
	now, ok := s.expand(dialect.Now, nil)
	if !ok {
		return
	}
	a, err := s.ask(s.selection("", []exam{{sql: now}}))
	if err != nil || len(a.rows) != 1 || len(a.columns) != 1 {
		s.wrongf("%s: %s fails: %v", dialect.Now, now, err)
		return
	}
	text := readable(a.columns[0].Type, a.rows[0][0])
	if !s.fits(sdk.TypeTimestamp, a.columns[0].Type) {
		s.wrongf("%s is of type %s, want %s", now, a.columns[0].Type, sdk.TypeTimestamp)
	}
	at, err := time.Parse("2006-01-02 15:04:05.999999999", text)
	if err != nil || time.Since(at).Abs() > 24*time.Hour {
		s.wrongf("%s gives %q, more than a day from this machine's clock", now, text)
	}
}
