package eval

import (
	_ "embed"
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
)

//go:embed testdata/questions.txt
var questionFile string

// Classes are the sorts of questions, as the file of questions names them.
var Classes = []string{
	"exact", "abbreviation", "plural", "camelCase", "typo", "prefix", "umlaut", "Cyrillic", "Japanese", "concept", "wiki", "measure", "dimension",
}

// Question is what someone asks, and how good each answer is: 3 exactly this,
// 2 as good in most cases, 1 related.
type Question struct {
	Class      string
	Connection string // "" = all
	Text       string
	// HeldOut questions are never looked at when constants are chosen.
	HeldOut bool
	Grades  map[string]int // by Label
}

func questions(l labels) ([]Question, error) {
	var out []Question
	for _, row := range rows(questionFile, 4) {
		q := Question{Class: row[0], Connection: strings.TrimPrefix(row[1], "-"), Text: row[2], HeldOut: heldOut(row[2]), Grades: map[string]int{}}
		for answer := range strings.SplitSeq(row[3], "; ") {
			name, number, _ := strings.Cut(answer, "=")
			grade, err := strconv.Atoi(number)
			if err != nil || grade < 1 || grade > 3 {
				return nil, fmt.Errorf("question %q: %q has no grade from 1 to 3", q.Text, answer)
			}
			if err := q.grade(name, grade, l); err != nil {
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
func (q *Question) grade(name string, grade int, l labels) error {
	if !strings.ContainsAny(name, "@:") {
		q.note([]string{q.Connection + ":" + name}, grade)
		return nil
	}
	name, only := strings.CutSuffix(name, "!")
	if strings.Contains(name, ":") && !strings.HasPrefix(name, "sl:") && !strings.HasPrefix(name, "wiki:") {
		q.note([]string{name}, grade)
		return nil
	}
	if len(l[name]) == 0 {
		return fmt.Errorf("question %q: there is no %s", q.Text, name)
	}
	q.note(l[name], grade)
	if only || strings.Count(name, "@") != 1 {
		return nil
	}
	q.note(l[name+anyUnit], min(grade, right))
	if entity, column, ok := strings.Cut(name, "/"+string(Core)); ok {
		q.note(l[entity+"/sl"+column], min(grade, right))
		if column == "" {
			q.note(l[entity+"/wiki"], 1)
		}
	}
	return nil
}

func (q *Question) note(labels []string, grade int) {
	for _, label := range labels {
		q.Grades[label] = max(q.Grades[label], grade)
	}
}

// heldOut picks a third of the questions by their text alone.
func heldOut(text string) bool {
	h := fnv.New32a()
	_, _ = h.Write([]byte(text)) // a hash takes everything
	return h.Sum32()%3 == 0
}
