package console

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	_ "modernc.org/sqlite"
)

// hostile are texts that would run, lead away, or break the layout where a page took them for more than text.
var hostile = []string{
	`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `<svg/onload=alert(1)><a xlink:href="javascript:alert(1)">x</a></svg>`,
	`[click](javascript:alert(1)) ![p](https://evil.example/p.png) [[x]](javascript:alert(1))`, `<a href="javascript:alert(1)">x</a>`,
	"\u202egnp.exe\u202c \u2066left\u2069 a\u0300\u0301\u0302\u0303", `'"` + "`" + `;--></textarea></script><script>alert(1)</script>{{alert(1)}}${alert(1)}`,
	`<iframe srcdoc="<script>parent.alert(1)</script>"></iframe><base href="https://evil.example/"><meta http-equiv=refresh content="0;url=https://evil.example">`,
}

// word is a word of a megabyte.
var word = strings.Repeat("Donaudampfschiff", 1<<16)

// all of them in one text, and in one name.
var (
	hostileText = strings.Join(hostile, "\n\n") + "\n\n" + word[:60_000]
	hostileName = hostile[0] + " " + hostile[1] + " " + hostile[5]
)

// hostileProject is a project in which every field that an agent, a file or a warehouse can fill is hostile.
func hostileProject(t *testing.T) string {
	dir := project(t)
	quoted := func(text string) string { out, _ := json.Marshal(text); return string(out) }
	name := func(text string) string { return `"` + strings.ReplaceAll(text, `"`, `""`) + `"` }
	db, err := sql.Open("sqlite", filepath.Join(dir, "data", "evil.db"))
	if err != nil {
		t.Fatal(err)
	}
	wordy := strings.Repeat("x", 1000)
	for i, text := range append(hostile[:len(hostile):len(hostile)], wordy) {
		table := fmt.Sprintf("%s %d", text, i)
		for _, statement := range []string{
			fmt.Sprintf("CREATE TABLE %s (id INTEGER PRIMARY KEY, %s TEXT, other_id INTEGER REFERENCES %s (id)) /* %s */", name(table), name(text), name(table), strings.ReplaceAll(text, "*/", "")),
			fmt.Sprintf("INSERT INTO %s (%s) VALUES (?), (?), (?)", name(table), name(text)),
			fmt.Sprintf("CREATE VIEW %s AS SELECT *, '%s' AS said FROM %s", name("v "+table), strings.ReplaceAll(text, "'", "''"), name(table)),
		} {
			var args []any
			if strings.Contains(statement, "?)") && strings.HasPrefix(statement, "INSERT") {
				args = []any{text, text + " again", word[:100_000]}
			}
			if _, err := db.ExecContext(t.Context(), statement, args...); err != nil {
				t.Fatalf("%s: %v", statement, err)
			}
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	settings := strings.Replace(read(t, dir, "loam.yaml"), "connections:\n", "connections:\n  evil:\n    connector: sqlite\n    display_name: "+quoted(hostileName)+"\n    description: "+
		quoted(strings.Join(hostile, " "))+"\n    config: {path: data/evil.db}\n", 1)
	write(t, dir, "loam.yaml", settings)
	loam(t, dir, "scan", "evil")

	write(t, dir, "wiki/global/evil.md", "---\nsummary: "+quoted(hostileName)+"\ntags: ["+quoted(hostile[0])+"]\nrefs: ["+quoted(hostile[3])+"]\n---\n# "+hostileName+"\n\n"+hostileText+"\n\n| "+hostile[0]+" | b |\n|---|---|\n| "+hostile[1]+" | "+word[:5000]+" |\n\n```html\n"+hostileText+"\n```\n")
	write(t, dir, "wiki/global/glossary.md", read(t, dir, "wiki/global/glossary.md")+"\n"+hostileText+"\n")
	write(t, dir, "wiki/global/huge.md", "# Huge\n\n"+word+"\n") // more than a page may have: it is refused
	write(t, dir, "queries/shop/evil.sql", "-- description: "+strings.Join(hostile, " ")+"\nSELECT '"+strings.ReplaceAll(hostileName, "'", "''")+"' AS "+name(hostileName)+", {{who}} AS who\n")
	orders := read(t, dir, "semantic-layer/shop/refunds.yaml")
	write(t, dir, "semantic-layer/shop/refunds.yaml", orders+"\n# "+hostile[0]+"\n")
	write(t, dir, "semantic-layer/shop/evil.yaml", "name: evil\ntable: orders\ngrain: [id]\ndescription: "+quoted(strings.Join(hostile, " "))+"\nmeasures:\n  - {name: evil_sum, agg: sum, expr: shipping_cents, label: "+quoted(hostileName)+", description: "+quoted(hostileText[:3000])+"}\n  - {name: evil_broken, agg: sum, expr: "+quoted(hostileName)+"}\n")
	return dir
}

// teachEvil has a client with a hostile name say hostile things.
func teachEvil(s *site, t *testing.T) {
	a := s.agent(t, hostileName)
	for i, text := range hostile {
		a.tool("sql_execution", map[string]any{"connectionId": "evil", "sql": fmt.Sprintf("SELECT %q FROM \"%d %s\"", text, i, strings.ReplaceAll(text, `"`, ""))})
		a.teach(fmt.Sprintf("# %s\n\nEvil %d means %s. Source: %s.", text, i, text, text), "shop")
	}
	a.tool("sql_execution", map[string]any{"connectionId": hostileName, "sql": word})
	a.teach("Evil net is the sum of shipping_cents in orders where status = '"+hostile[0]+"'. Source: "+hostileName+".", "shop")
	a.teach("ARR means "+hostileName+" "+word[:20_000]+". Source: "+hostileName+".", "shop")
	a.tool("discover_data", map[string]any{"query": hostileText[:3000]})
}

// walk opens the pages of a site, breadth first from the inbox, and at most some of each kind.
func (b *tab) walk(t *testing.T, most, each int, visit func(path string)) {
	t.Helper()
	queue := []string{
		"/console/", "/console/?state=all", "/console/wiki/evil", "/console/wiki/huge", "/console/wiki/glossary?view=history", "/console/catalog/evil", "/console/catalog/evil/er", "/console/semantic/shop/evil",
		"/console/measure/shop/evil.evil_sum", "/console/measure/shop/evil.evil_broken", "/console/queries/shop/evil", "/console/history", "/console/history?show=reviews", "/console/health",
		"/console/search?q=" + url.QueryEscape(hostile[0]), "/console/search?q=evil", "/console/query?connection=evil", "/console/queries",
	}
	seen, kinds := map[string]bool{}, map[string]int{}
	opened := 0
	for len(queue) > 0 && opened < most {
		path := queue[0]
		queue = queue[1:]
		kind := kindOf(path)
		if seen[path] || kinds[kind] >= each {
			continue
		}
		seen[path] = true
		kinds[kind]++
		ctx, cancel := context.WithTimeout(b.ctx, time.Minute)
		err := chromedp.Do(ctx, chromedp.Navigate(b.site.root+path))
		cancel()
		if err != nil {
			if strings.Contains(err.Error(), "ERR_ABORTED") {
				continue // a file for saving
			}
			t.Errorf("%s: %v", path, err)
			continue
		}
		opened++
		visit(path)
		for _, link := range eval[[]string](b, `[...document.querySelectorAll("a[href]")].filter((a) => a.rel !== "noopener noreferrer" || !/^https?:/.test(a.getAttribute("href"))).map((a) => new URL(a.getAttribute("href"), location.href).href)`) {
			to, err := url.Parse(link)
			if err != nil || to.Scheme != "http" || "http://"+to.Host != b.site.root {
				t.Errorf("%s links to %.200q", path, link)
				continue
			}
			if strings.HasPrefix(to.Path, "/console/") && !strings.HasPrefix(to.Path, "/console/asset/") {
				queue = append(queue, to.RequestURI())
			}
		}
	}
	t.Logf("%d pages of %d kinds", opened, len(kinds))
}

// kindOf is the form of an address: its first segments and the names of its parameters.
func kindOf(path string) string {
	u, err := url.Parse(path)
	if err != nil {
		return path
	}
	segments := strings.Split(strings.Trim(u.Path, "/"), "/")
	kind := strings.Join(segments[:min(2, len(segments))], "/")
	if len(segments) > 3 && segments[1] == "catalog" {
		kind += "/" + segments[3]
	} else {
		kind += fmt.Sprint(min(len(segments), 5))
	}
	for _, name := range []string{"view", "tab", "part", "show", "edit", "export", "format", "show", "hops", "rev"} {
		if u.Query().Has(name) {
			kind += " " + name
		}
	}
	return kind
}

// Nothing of hostile texts runs, leads away, or makes a page wider than the window.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short: a walk of the console with hostile texts")
	}
	browser(t)
	dir := hostileProject(t)
	s := open(t, dir, "0")
	teachEvil(s, t)
	b := newTab(t, s, "6-hostile", view{script: true, width: 1280})
	b.refused[404], b.refused[413], b.refused[422] = true, true, true
	b.signIn()
	const most, each = 60, 3
	barriers, shown := map[string]bool{}, 0
	b.walk(t, most, each, func(path string) {
		for _, width := range []int64{1280, 320} {
			b.view.width = width
			b.do("resize", chromedp.EmulateViewport(width, 900))
			b.fits(fmt.Sprintf("%d: %s", width, path))
		}
		if kind := kindOf(path); !barriers[kind] { // narrow, since tables scroll there
			barriers[kind] = true
			b.axe(path)
			b.shoot(strings.NewReplacer("/", "_", " ", "_").Replace(kind))
		}
		if strings.Contains(b.text(), "alert(1)") {
			shown++
		}
		if at := eval[string](b, "location.origin"); at != s.root {
			t.Errorf("%s leads to %s", path, at)
		}
		if n := eval[int](b, `document.querySelectorAll("iframe, object, embed, base, script:not([src^='/console/asset/']), [onerror], [onload], [onclick], a[href^='javascript:' i], img[src^='http']").length`); n > 0 {
			t.Errorf("%s has %d elements that a text brought", path, n)
		}
		if size := eval[int](b, `document.documentElement.outerHTML.length`); size > 1<<20 {
			t.Errorf("%s has %d characters", path, size)
		}
	})
	if t.Logf("%d pages show the texts", shown); shown < most/4 {
		t.Errorf("%d of %d pages show the texts", shown, most)
	}
}
