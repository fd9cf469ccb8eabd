package cli

import (
	"strings"
	"testing"

	"github.com/loam-data/loam/host/internal/cli/search"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/discover"
)

const revenuePage = `---
title: Revenue
summary: What counts as revenue.
tags: [metric, finance]
updated: 2025-06-01
---
# Revenue

Without cancelled orders. See [[money]] and [[revenu]].
`

func TestWiki(t *testing.T) {
	t.Parallel()
	f := newFolder(t, "shop")
	f.session(t, "wiki-empty", words("wiki list"), words("wiki check"), words("wiki read x"))
	f.put(t, "wiki/global/revenue.md", revenuePage)
	f.put(t, "wiki/global/money.md", "---\nupdated: 2025-06-01\n---\n# Cents \x1b[2J\n\nA tab\tand [[revenue]].")
	f.put(t, "wiki/global/broken.md", "---\ntitle: [\n---\n")
	code, stdout, _ := f.loam(t, "wiki", "list")
	if code != 0 || !strings.Contains(stdout, "Revenue") || strings.Contains(stdout, "\x1b") || !strings.Contains(stdout, "metric, finance") {
		t.Errorf("exit %d: %q", code, stdout)
	}
	f.session(t, "wiki", words("wiki check"), words("wiki read revenue"), words("wiki read revenues"), words("wiki read broken"), words("wiki search"))

	t.Log("a page goes as it is to what is no terminal")
	if _, stdout, _ := f.loam(t, "wiki", "read", "money"); stdout != "# Cents \x1b[2J\n\nA tab\tand [[revenue]].\n" {
		t.Errorf("the page is %q", stdout)
	}
	var page discover.WikiPage
	f.decode(t, &page, "wiki", "read", "revenue", "--json")
	if page.Title != "Revenue" || len(page.Links) != 2 {
		t.Errorf("page %+v", page)
	}
	var list struct {
		Pages  []search.PageDocument
		Broken int
	}
	f.decode(t, &list, "wiki", "list", "--json")
	if len(list.Pages) != 2 || list.Broken != 1 || list.Pages[1].Summary == nil || list.Pages[0].Summary != nil {
		t.Errorf("list %+v", list)
	}
	f.put(t, "wiki/global/broken.md", "mended")
	if code, stdout, _ := f.loam(t, "wiki", "check", "--json"); code != 5 || !strings.Contains(stdout, `"ok": false`) || !strings.Contains(stdout, "revenu.md") {
		t.Errorf("exit %d: %s", code, stdout)
	}
}

func TestWikiCheckFollowsSLRefs(t *testing.T) {
	t.Parallel()
	f := newFolder(t, "shop")
	f.scan(t, "shop", "s1", func(*catalog.Writer) error { return nil })
	f.put(t, "semantic-layer/shop/orders.yaml", "name: orders\nsql: select 1\nmeasures: [{name: revenue, agg: sum, expr: amount}]\n")
	f.put(t, "wiki/global/money.md", "---\nsl_refs: [orders.revenue]\n---\n# Money\n")
	if code, stdout, stderr := f.loam(t, "wiki", "check"); code != 0 {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
	f.put(t, "wiki/global/money.md", "---\nsl_refs: [orders.revenues]\n---\n# Money\n")
	code, stdout, stderr := f.loam(t, "wiki", "check")
	if both := stdout + stderr; code != 5 || !strings.Contains(both, `"orders.revenues"`) || !strings.Contains(both, "orders.revenue\n") {
		t.Errorf("exit %d: %s", code, both)
	}
}
