// Package eval measures the quality of search: questions with graded answers over
// a generated warehouse of thousands of tables, its semantic layer, a wiki and
// the schemas of sample databases. Tests fail when the score falls.
package eval

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/search"
	"github.com/loam-data/loam/host/internal/semantic/listing"
)

// warehouseName is the connection of the made-up warehouse.
const warehouseName = "warehouse"

// Corpus is what questions are asked about: the tables of a made-up warehouse and
// of sample databases, the semantic layer over the warehouse, and a wiki.
type Corpus struct {
	Tables    []search.TableDocument
	Semantic  *listing.Listing
	Pages     []search.Document
	Questions []Question
}

// New returns a corpus of so many made-up tables and notes besides the samples.
// Errors: a question that names what there is not.
func New(tables, notes int, samples []search.TableDocument) (*Corpus, error) {
	semantic, err := Semantic()
	if err != nil {
		return nil, err
	}
	c := &Corpus{Tables: samples, Semantic: semantic}
	labels := labels{}
	Warehouse(warehouseName, tables, func(t Table) {
		c.Tables = append(c.Tables, t.TableDocument)
		labels.table(&t)
	})
	for e := range semantic.Entries() {
		labels.source(e)
	}
	wiki, about := pages()
	for i, p := range wiki {
		labels.page(p.ID, about[i])
	}
	for n := range notes {
		wiki = append(wiki, Note(n))
	}
	c.Pages = wiki
	c.Questions, err = questions(labels)
	return c, err
}

// Parts are functions that add the corpus to segments, in about n of them: the
// tables in shards, the semantic layer, and the pages in shards.
func (c *Corpus) Parts(n int) (out []func(*search.Builder) error) {
	for shard := range n {
		out = append(out, func(b *search.Builder) (err error) {
			for i := shard; i < len(c.Tables); i += n {
				err = errors.Join(err, b.Table(c.Tables[i]))
			}
			return err
		}, func(b *search.Builder) (err error) {
			for i := shard; i < len(c.Pages); i += n {
				err = errors.Join(err, b.Add(c.Pages[i]))
			}
			return err
		})
	}
	return append(out, func(b *search.Builder) (err error) {
		for e := range c.Semantic.Entries() {
			err = errors.Join(err, e.Index(b, warehouseName))
		}
		return err
	})
}

// Label is how questions name what was found.
func Label(h search.Hit) string {
	switch h.Kind {
	case search.Wiki:
		return "wiki:" + h.ID
	case search.Source, search.Measure, search.Dimension:
		return "sl:" + h.ID
	}
	return h.Connection + ":" + h.ID
}

// labels are the names by which questions speak of several things at once.
type labels map[string][]string

func (l labels) add(name, id string) { l[name] = append(l[name], id) }

// anyUnit ends the labels of what the other business units have of the same.
const anyUnit = "@*"

// table notes a table and its columns.
func (l labels) table(t *Table) {
	ends := []string{""}
	for _, u := range units[1:] {
		if strings.HasSuffix(t.Schema, "_"+u) {
			ends = []string{"@" + u, anyUnit}
		}
	}
	roles := []Role{t.Role}
	if t.Role != Backup && t.Role != Sandbox && t.Role != Filler {
		roles = append(roles, "*")
	}
	for _, role := range roles {
		name := "@" + t.Entity + "/" + string(role)
		for _, end := range ends {
			l.add(name+end, warehouseName+":"+t.ID)
			for i, concept := range t.Concepts {
				if concept != "" {
					l.add(name+"."+concept+end, warehouseName+":"+t.ID+"."+t.Columns[i].Name)
				}
			}
		}
	}
}

// source notes a source, for questions that its entity's own table answers, and
// its dimensions for those that the column answers. Both are also known by name.
func (l labels) source(e *listing.Entry) {
	s := e.Source()
	if e.IsMetrics() {
		for _, m := range s.Measures {
			l.add("sl:"+m.Name, "sl:"+m.Name)
		}
		return
	}
	l.add("sl:"+e.ID, "sl:"+e.ID)
	_, entity, _ := strings.Cut(s.Table, ".")
	l.add("@"+entity+"/sl", "sl:"+e.ID)
	for _, m := range slices.Concat(s.Measures, s.Dimensions) {
		id := "sl:" + e.ID + "." + m.Name
		l.add(id, id)
	}
	for _, d := range s.Dimensions {
		l.add("@"+entity+"/sl."+cmp.Or(d.Expr, d.Name), "sl:"+e.ID+"."+d.Name)
	}
}

// page notes a page under its key and what it is about.
func (l labels) page(key string, about []string) {
	l.add("wiki:"+key, "wiki:"+key)
	for _, entity := range about {
		l.add("@"+entity+"/wiki", "wiki:"+key)
	}
}
