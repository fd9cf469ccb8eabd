package catalog

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/console/consoletest"
	"github.com/loam-data/loam/host/internal/relationship"
	"github.com/loam-data/loam/sdk"
)

// hostile are texts that a warehouse may have as names and comments.
func hostile() map[string]string {
	return map[string]string{
		"script":  `<script>alert(1)</script>`,
		"quotes":  `"]'` + "`" + `"><img src=x onerror=alert(1)>`,
		"bidi":    "abc\u202edcba\u2066x",
		"address": `javascript:alert(1)//../../?a=1&b=2#c%2f`,
		"large":   strings.Repeat("<w>", 1000),
		"letters": strings.Repeat("表", 1000),
		"control": "a\x01b\x7f\u2028c\n\td",
		"marks":   "z" + strings.Repeat("\u0301", 1000),
		"slashes": "..//a/./b",
	}
}

// Names and comments of a warehouse are texts on every page, and no page grows with them.
func TestHostile(t *testing.T) {
	t.Parallel()
	for name, text := range hostile() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			long := strings.Repeat(text, (1<<20)/len(text))
			var tables []*sdk.Table
			var found []relationship.Relationship
			for i := range 43 {
				comment := text
				if i == 3 {
					comment = long
				}
				one := table(text[:min(len(text), 60_000)]+fmt.Sprint(i), "id", text, text+"b")
				one.Schema, one.Comment, one.Definition, one.Columns[1].Comment, one.Columns[1].Default, one.Columns[1].NativeType = text, comment, comment, comment, text, text
				one.Properties = map[string]string{text: comment}
				tables = append(tables, one)
				if i > 0 {
					l := relationship.Link{From: one.TableRef, Columns: []string{text}, To: tables[0].TableRef, ToColumns: []string{text + "b"}}
					e := relationship.Evidence{Name: .9, Key: 1, None: text, Reason: text, Like: &tables[0].TableRef}
					status := relationship.Review
					if i%2 == 0 {
						status = relationship.Accepted
					}
					found = append(found, relationship.Relationship{Link: l, Origin: relationship.Inferred, Status: status, Score: .8, Evidence: e})
				}
			}
			p := &catalog.Profile{
				At: scanTime, Stats: []sdk.ColumnStats{{Column: text, Rows: 9, Min: &long, Max: &text, Values: []string{text, long}, Counts: []int64{2, 1}, MinLength: -1, MaxLength: -1}},
				Withheld: []catalog.Withheld{{Column: text + "b", Reason: long}},
			}
			f.scan(t, "s1", tables[:40], map[string]*catalog.Profile{tables[0].Name: p}, found...)
			tables[3].Comment = "another"
			tables[3].Columns[1].NativeType = "other"
			f.scan(t, "s2", tables[2:], map[string]*catalog.Profile{tables[3].Name: p}, found...)
			b := consoletest.Open(t, Pages(f.Services))
			display := catalog.Display(tables[3].TableRef)
			paths := []string{"catalog/wh", "catalog/wh?name=" + url.QueryEscape(text[:min(len(text), 100)]), "catalog/wh/joins", "catalog/wh/joins?state=all&table=" + url.QueryEscape(text[:min(len(text), 100)]), "catalog/wh/er", "catalog/wh/snapshots"}
			if len(display) < 2000 {
				paths = append(paths, "catalog/wh/table/"+url.PathEscape(display), "catalog/wh/er?focus="+url.QueryEscape(display))
			}
			for _, path := range paths {
				page := b.Get(path)
				if page.Status != 200 {
					t.Errorf("%.80s: %d %.300s", path, page.Status, page.Text)
				}
				for _, bad := range []string{"<script>alert", "<img", "<w>"} {
					if strings.Contains(page.Body, bad) {
						t.Errorf("%.80s has %s", path, bad)
					}
				}
				for _, l := range page.Links {
					if len(l.To) > 10*maxLinked {
						t.Errorf("%.80s has a link of %d bytes", path, len(l.To))
					}
				}
			}
		})
	}
}
