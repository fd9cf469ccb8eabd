package eval

import (
	_ "embed"
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"

	"github.com/loam-data/loam/host/internal/search"
)

//go:embed testdata/questions.txt
var questionFile string

//go:embed testdata/schemas.txt
var schemaFile string

// Question is what someone asks, and how good each answer is: 3 exactly this,
// 2 as good in most cases, 1 related.
type Question struct {
	Connection string // "" = all
	Text       string
	// HeldOut questions are never looked at when constants are chosen.
	HeldOut bool
	Grades  map[string]int // by "connection:id"
}

// warehouseName is the connection of the made-up warehouse.
const warehouseName = "warehouse"

// Fill adds the made-up warehouse with so many tables and the sample schemas
// to a builder, and returns the questions about them.
func Fill(b *search.Builder, tables int) ([]Question, error) {
	var err error
	labels := map[string][]string{}
	for _, line := range samples() {
		if err == nil {
			err = b.Table(line)
		}
	}
	Warehouse(warehouseName, tables, func(t Table) {
		if err == nil {
			err = b.Table(t.TableDocument)
			t.label(labels)
		}
	})
	if err != nil {
		return nil, err
	}
	return questions(labels)
}

// anyUnit ends the labels of what the other business units have of the same.
const anyUnit = "@*"

// label notes the names by which questions speak of a table and its columns.
func (t *Table) label(labels map[string][]string) {
	var ends []string
	for _, u := range units[1:] {
		if strings.HasSuffix(t.Schema, "_"+u) {
			ends = []string{"@" + u, anyUnit}
		}
	}
	if ends == nil {
		ends = []string{""}
	}
	roles := []Role{t.Role}
	if t.Role != Backup && t.Role != Sandbox && t.Role != Filler {
		roles = append(roles, "*")
	}
	for _, role := range roles {
		name := "@" + t.Entity + "/" + string(role)
		for _, end := range ends {
			labels[name+end] = append(labels[name+end], warehouseName+":"+t.ID)
			for i, concept := range t.Concepts {
				if concept != "" {
					column := name + "." + concept + end
					labels[column] = append(labels[column], warehouseName+":"+t.ID+"."+t.Columns[i].Name)
				}
			}
		}
	}
}

// samples are the structures of the sample databases.
func samples() []search.TableDocument {
	var out []search.TableDocument
	for line := range strings.Lines(schemaFile) {
		head, columns, ok := strings.Cut(strings.TrimSuffix(strings.TrimSpace(line), ")"), "(")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		connection, name, _ := strings.Cut(head, " ")
		t := search.TableDocument{Connection: connection, ID: name, Name: name}
		for c := range strings.FieldsSeq(columns) {
			t.Columns = append(t.Columns, search.ColumnDocument{Name: c})
		}
		out = append(out, t)
	}
	return out
}

func questions(labels map[string][]string) ([]Question, error) {
	var out []Question
	for _, row := range rows(questionFile, 3) {
		q := Question{Connection: strings.TrimPrefix(row[0], "-"), Text: row[1], HeldOut: heldOut(row[1]), Grades: map[string]int{}}
		for answer := range strings.SplitSeq(row[2], "; ") {
			name, number, _ := strings.Cut(answer, "=")
			grade, err := strconv.Atoi(number)
			if err != nil || grade < 1 || grade > 3 {
				return nil, fmt.Errorf("question %q: %q has no grade from 1 to 3", q.Text, answer)
			}
			if err := q.grade(name, grade, labels); err != nil {
				return nil, err
			}
		}
		out = append(out, q)
	}
	return out, nil
}

// grade notes the answers that a name stands for. A question that names no
// business unit is answered by the company's own table, and in most cases as
// well by the same table of a unit; not where the name ends in "!".
func (q *Question) grade(name string, grade int, labels map[string][]string) error {
	note := func(ids []string, grade int) {
		for _, id := range ids {
			q.Grades[id] = max(q.Grades[id], grade)
		}
	}
	if !strings.HasPrefix(name, "@") {
		if !strings.Contains(name, ":") {
			name = q.Connection + ":" + name
		}
		note([]string{name}, grade)
		return nil
	}
	name, only := strings.CutSuffix(name, "!")
	if len(labels[name]) == 0 {
		return fmt.Errorf("question %q: there is no %s", q.Text, name)
	}
	note(labels[name], grade)
	if !only && strings.Count(name, "@") == 1 {
		note(labels[name+anyUnit], min(grade, right))
	}
	return nil
}

// heldOut picks a third of the questions by their text alone.
func heldOut(text string) bool {
	h := fnv.New32a()
	_, _ = h.Write([]byte(text)) // a hash takes everything
	return h.Sum32()%3 == 0
}
