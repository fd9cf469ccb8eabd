package console

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// things are twelve words about which an agent is taught nonsense.
var things = strings.Fields("crate pallet label sticker ribbon trolley lorry ramp scanner shelf basket hammock")

// Story 3: everything that one agent taught is taken back, but for what a person edited since; and that is undone.
func TestStoryUndoAnAgent(t *testing.T) {
	t.Parallel()
	inViews(t, "3-undo", []view{narrowWithout}, func(t *testing.T, b *tab) {
		dir := b.site.dir
		a := b.site.agent(t, "fooled-agent")
		for _, thing := range things {
			a.teach(fmt.Sprintf("# The %s\n\nA %s is made of glass and sings at night, as the %s of the moon does.", thing, thing, thing), "")
		}
		var taught []change
		for _, c := range changes(t, dir, "draft") {
			if strings.Contains(loam(t, dir, "review", "show", c.ID, "--json"), "fooled-agent") {
				taught = append(taught, c)
			}
		}
		if len(taught) != len(things) {
			t.Fatalf("the agent taught %d pages: %v", len(taught), taught)
		}
		kept := filepath.Join("wiki", "global", taught[0].Target+".md")
		edited := strings.Replace(read(t, dir, kept), "sings at night", "is heavy and sings at noon, says a person", 1)
		write(t, dir, kept, edited)

		b.goTo("/console/history?show=reviews&actor=fooled-agent")
		b.shows("fooled-agent", "Undo all of this actor")
		b.check("history")
		b.leaves("the list of what goes", func() { b.click(`main a[href*="revert"]`) })
		b.shows("12 changes")
		b.check("outlook")
		b.leaves("the changes are taken back", func() { b.click(`main form:has(input[name=do][value=revert]) button.danger`) })
		b.check("undone")
		gone := 0
		var stayed []string
		for _, c := range taught {
			if _, err := os.Stat(filepath.Join(dir, "wiki", "global", c.Target+".md")); err != nil {
				gone++
			} else {
				stayed = append(stayed, c.Target)
			}
		}
		if gone != len(taught)-1 {
			t.Errorf("%d of %d pages are gone; %v stay, a person edited %s:\n%s", gone, len(taught), stayed, taught[0].Target, b.text())
		}
		if now := read(t, dir, kept); !strings.Contains(now, "says a person") {
			t.Errorf("what a person edited is gone:\n%s", now)
		}
		b.leaves("the revert is undone", func() { b.click(`#said .undo`) })
		b.check("redone")
		for _, c := range taught {
			if text := read(t, dir, filepath.Join("wiki", "global", c.Target+".md")); !strings.Contains(text, "sings at night") && c != taught[0] {
				t.Errorf("%s did not come back:\n%s", c.Target, text)
			}
		}
	})
}

// Story 4: what a number means, from the search to the chart of it.
func TestStoryMeaning(t *testing.T) {
	t.Parallel()
	inViews(t, "4-meaning", []view{wideWithScript, narrowWithout}, func(t *testing.T, b *tab) {
		if b.view.script {
			b.press("/")
			b.until("/ goes to the search", `document.activeElement.id === "find"`)
			b.press("number of orders")
			b.leaves("Enter searches", func() { b.press("\r") })
		} else {
			b.goTo("/console/search?q=number+of+orders")
		}
		b.shows("orders.order_count")
		b.check("search")
		b.leaves("a measure opens", func() { b.click(`main a[href="/console/measure/shop/orders.order_count"]`) })
		b.shows("Definition", "SQL for the warehouse", "By dimensions", "Used")
		b.check("measure")
		b.leaves("the measure is computed", func() { b.click(`main form:has(input[value=probe]) button`) })
		b.shows("From the warehouse now")
		b.check("probe")
		b.leaves("the chart is drawn", func() { b.click(`main form:has(input[value=chart]) button`) })
		b.until("the chart is there", `document.querySelector("main svg.chart, main .chart") && document.querySelector("main svg title, main svg desc")`)
		b.check("chart")
	})
}

// Story 5: why nothing answers.
func TestStoryHealth(t *testing.T) {
	t.Parallel()
	inViews(t, "5-health", []view{narrowWithout}, func(t *testing.T, b *tab) {
		file := filepath.Join(b.site.dir, "data", "crm.db")
		if err := os.Rename(file, file+".away"); err != nil {
			t.Fatal(err)
		}
		b.site.agent(t, "agent").tool("sql_execution", map[string]any{"connectionId": "crm", "sql": "SELECT 1"})
		if b.view.script {
			b.press("g")
			b.leaves("g h leads to the health", func() { b.press("h") })
		} else {
			b.leaves("the navigation leads to the health", func() { b.click(`nav a[href="/console/health"]`) })
		}
		b.shows("Connections", "crm", "crm.db", "shop", "Connector processes", "State store", "Version")
		b.check("health")
		test := func(connection, step, want string) {
			t.Helper()
			b.goTo("/console/health")
			b.leaves("a test of "+connection, func() { b.click(`form:has(input[name=connection][value=` + connection + `]) button`) })
			b.shows(want)
			b.check(step)
		}
		test("crm", "broken", "The test failed")
		if err := os.Rename(file+".away", file); err != nil {
			t.Fatal(err)
		}
		test("crm", "mended", "All steps passed")
		test("shop", "tested", "All steps passed")
	})
}
