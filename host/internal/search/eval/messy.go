package eval

import (
	_ "embed"
	"fmt"
	"math/rand/v2"
	"path"
	"strconv"
	"strings"

	"github.com/loam-data/loam/host/internal/search"
)

//go:embed testdata/messy.txt
var messyFile string

//go:embed testdata/messy-questions.txt
var messyQuestionFile string

// messyName is the connection of the messy warehouse, and demoName that of the
// sample database that its makers forgot beside it.
const (
	messyName = "main"
	demoName  = "demo"
)

// Messy is a warehouse that grew for twenty years, and what people ask about it:
// names of six letters and of three languages, tables of each day, of two hundred
// columns and left over, a star schema beside the shop that it is made of.
// Errors: a question about a table that there is not.
func Messy(seed uint64) (tables []search.TableDocument, questions []Question, err error) {
	r := rand.New(rand.NewPCG(seed, 7))
	for _, row := range rows(messyFile, 5) {
		t, err := messyTable(row)
		if err != nil {
			return nil, nil, err
		}
		tables = append(tables, t)
	}
	tables = append(tables, dailyCopies(40)...)
	tables = append(tables, partitioned()...)
	tables = append(tables, wide(r, "ops", "readings_wide", 200, sensors), wide(r, "crm", "accounts_export", 220, accounts))
	r.Shuffle(len(tables), func(i, j int) { tables[i], tables[j] = tables[j], tables[i] })
	for _, row := range rows(messyQuestionFile, 3) {
		q := Question{Class: "messy", Text: row[1], HeldOut: row[0] == "kept", Grades: map[string]int{}}
		for pattern := range strings.SplitSeq(row[2], "; ") {
			known := len(q.Grades)
			for _, t := range tables {
				if ok, err := path.Match(pattern, t.ID); err == nil && ok && t.Connection == messyName {
					q.Grades[t.ID] = 3
				}
			}
			if len(q.Grades) == known {
				return nil, nil, fmt.Errorf("question %q: there is no %s", q.Text, pattern)
			}
		}
		questions = append(questions, q)
	}
	return tables, questions, nil
}

// messyTable reads a line of the file of tables.
func messyTable(row []string) (search.TableDocument, error) {
	schema, name, _ := strings.Cut(row[0], ".")
	t := search.TableDocument{Connection: messyName, ID: row[0], Schema: schema, Name: name}
	if schema == demoName {
		t.Connection = demoName
	}
	if row[2] != "-" {
		t.Comment = row[2]
	}
	count, err := strconv.ParseInt(row[1], 10, 64)
	if err != nil {
		return t, fmt.Errorf("table %s: %w", row[0], err)
	}
	t.Size = search.SizeOf(count)
	if row[3] != "-" {
		for to := range strings.SplitSeq(row[3], ", ") {
			t.Refers = append(t.Refers, schema+"."+to)
		}
	}
	for rest := row[4]; rest != ""; {
		var column search.ColumnDocument
		end := strings.IndexAny(rest, " ,")
		if end < 0 {
			end = len(rest)
		}
		column.Name, rest = rest[:end], strings.TrimPrefix(rest[end:], " ")
		if comment, ok := strings.CutPrefix(rest, "'"); ok {
			column.Comment, rest, _ = strings.Cut(comment, "'")
		}
		if values, ok := strings.CutPrefix(rest, "{"); ok {
			values, rest, _ = strings.Cut(values, "}")
			column.Samples, column.Listed = strings.Split(values, "; "), true
		}
		rest = strings.TrimPrefix(rest, ", ")
		t.Columns = append(t.Columns, column)
	}
	return t, nil
}

// dailyCopies are the tables of the first days of 2024.
func dailyCopies(days int) (out []search.TableDocument) {
	for day := range days {
		t := columns("events", fmt.Sprintf("app_event_2024%02d%02d", 1+day/28, 1+day%28), "event_id", "user_id", "event_name", "screen", "happened_at", "device")
		t.Columns[2].Samples = []string{"app_open", "search", "add_to_cart", "checkout"}
		out = append(out, t)
	}
	return out
}

// partitioned are two tables of visits, one of them with its partitions.
func partitioned() (out []search.TableDocument) {
	views := []string{"view_id", "session_id", "url", "viewed_at", "country", "load_ms"}
	out = append(out, columns("trk", "sessions", "session_id", "visitor_id", "started_at", "device", "landing_url", "bounced"), columns("trk", "page_views", views...))
	for month := range 6 {
		out = append(out, columns("trk", fmt.Sprintf("page_views_p2024_%02d", month+1), views...))
	}
	return out
}

func columns(schema, name string, names ...string) search.TableDocument {
	t := search.TableDocument{Connection: messyName, ID: schema + "." + name, Schema: schema, Name: name}
	for _, c := range names {
		t.Columns = append(t.Columns, search.ColumnDocument{Name: c})
	}
	return t
}

var (
	sensors  = strings.Fields("temp vibration pressure current torque speed humidity flow")
	accounts = strings.Fields("owner annual_revenue employees_range industry billing_city shipping_city parent_account last_contact rating custom_field")
)

// wide is a table of so many columns, called after a few things.
func wide(r *rand.Rand, schema, name string, n int, things []string) search.TableDocument {
	t := columns(schema, name, "id", "recorded_at")
	for i := len(t.Columns); i < n; i++ {
		c := things[i%len(things)]
		if i >= len(things)+2 {
			c = fmt.Sprintf("%s_%03d", things[r.IntN(len(things))], i)
		}
		t.Columns = append(t.Columns, search.ColumnDocument{Name: c})
	}
	return t
}

// Found says at which place of a page the right table is first named, by itself
// or by one of its columns: 0 where it is not.
func (q *Question) Found(hits []search.Hit) int {
	for i, h := range hits {
		id := h.ID
		if h.Parent != "" {
			id = h.Parent
		}
		if h.Connection == messyName && q.Grades[id] > 0 {
			return i + 1
		}
	}
	return 0
}
