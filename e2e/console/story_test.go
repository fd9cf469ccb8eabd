package console

import (
	"flag"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

var everyView = flag.Bool("console.views", false, "run every story in every view")

// Two views that differ in everything.
var (
	wideWithScript = view{script: true, width: 1280}
	narrowWithout  = view{dark: true, width: 320}
)

// views are those of a story; with -console.views all eight.
func views(some []view) []view {
	if !*everyView {
		return some
	}
	var out []view
	for _, script := range []bool{true, false} {
		for _, dark := range []bool{false, true} {
			for _, width := range []int64{1280, 320} {
				out = append(out, view{script, dark, width})
			}
		}
	}
	return out
}

// inViews runs a story in some views, each on a project of its own.
func inViews(t *testing.T, story string, some []view, run func(t *testing.T, b *tab)) {
	t.Helper()
	browser(t)
	for _, v := range views(some) {
		t.Run(v.String(), func(t *testing.T) {
			t.Parallel()
			s := open(t, project(t), "0")
			b := newTab(t, s, story, v)
			b.signIn()
			run(t, b)
		})
	}
}

// Story 1: a reviewer reads a change, approves it, and approves four others at once. With the script only by keys.
func TestStoryReview(t *testing.T) {
	t.Parallel()
	inViews(t, "1-review", []view{wideWithScript, narrowWithout}, func(t *testing.T, b *tab) {
		dir := b.site.dir
		waiting := len(changes(t, dir, "pending"))
		b.shows(fmt.Sprintf("%d wait", waiting), "pending", "draft", "orders.arr")
		b.check("inbox")
		if b.view.script {
			reviewByKeys(b)
		} else {
			reviewByForms(b)
		}
		b.until("the flash says so", `document.querySelector("#said .flash")`)
		b.shows("4 changes")
		b.check("approved")
		if now := changes(t, dir, "pending"); len(now) != waiting-5 {
			t.Errorf("%d of %d still wait: %v", len(now), waiting, now)
		}
	})
}

func reviewByKeys(b *tab) {
	b.t.Helper()
	b.press("jj")
	b.until("the second row is marked", `document.querySelectorAll("[data-row]")[1].classList.contains("at") && document.activeElement.matches("a[href]")`)
	for eval[bool](b, `!/pending/.test(document.querySelector("[data-row].at").innerText)`) {
		b.press("j")
	}
	b.leaves("Enter opens the change", func() { b.press("\r") })
	b.shows("What changes", "Where it is from", "What it reaches")
	b.check("change")
	first := b.path()
	b.press("a")
	b.until("the next change is there", `location.pathname !== "`+first+`" && document.querySelector("#said .flash")`)
	b.shows("approved")
	b.press("gi")
	b.until("g i leads to the inbox", `location.pathname === "/console/" && document.readyState === "complete" && document.querySelector("[data-row]")`)
	selected := 0
	for range eval[int](b, `document.querySelectorAll("[data-row]").length`) {
		b.press("j")
		if selected < 4 && eval[bool](b, `/pending/.test(document.querySelector("[data-row].at").innerText)`) {
			b.press("x")
			selected++
		}
	}
	b.until("four are selected", `/4 selected/.test(document.querySelector("[data-count]").innerText)`)
	b.check("selected")
	b.press("A")
	b.until("the question is there", `/4 changes, and nothing else/.test(document.querySelector("main").innerText)`)
	b.check("question")
	b.press("a")
	b.until("the answer is there", `document.querySelector("#said .flash") && !/nothing else/.test(document.querySelector("main").innerText)`)
}

func reviewByForms(b *tab) {
	b.t.Helper()
	b.leaves("a link opens the change", func() { b.click(`main a[href*="` + one(b.t, b.site.dir, "orders.express_income").ID + `"]`) })
	b.shows("What changes", "Where it is from", "operations", "What it reaches")
	b.check("change")
	b.leaves("the button approves", func() { b.click(`form:has(input[name=do][value=approve]) button`) })
	b.shows("approved")
	b.goTo("/console/?state=pending")
	for _, c := range changes(b.t, b.site.dir, "pending")[:4] {
		b.click(`input[name=pick][value^="` + c.ID + `"]`)
	}
	b.check("selected")
	b.leaves("the question", func() { b.click(`button[name=verb][value=approve]`) })
	b.shows("4 changes, and nothing else")
	b.check("question")
	b.leaves("the answer", func() { b.click(`main form:has(input[name=do][value=approve]) button`) })
}

// A decision about listed changes catches nothing that came after the list was shown.
func TestWhatCameMeanwhileWaits(t *testing.T) {
	t.Parallel()
	s := open(t, project(t), "0")
	p := s.signIn(t, "Ada")
	var picks []string
	for _, m := range pickInput.FindAllStringSubmatch(p.get("/console/?state=pending").body, -1) {
		picks = append(picks, m[1])
	}
	if waiting := changes(t, s.dir, "pending"); len(picks) != len(waiting) || len(picks) < 5 {
		t.Fatalf("%d rows can be selected of %v", len(picks), waiting)
	}
	ask := p.send(http.MethodPost, "/console/", url.Values{"token": {p.token()}, "do": {"ask"}, "verb": {"approve"}, "pick": picks})
	form, err := ask.fields("approve")
	if err != nil {
		t.Fatal(err)
	}
	loam(t, s.dir, "ingest", "text", "-c", "shop", "Handling income is the sum of shipping_cents / 50 in orders where status = 'paid'. Source: late.")
	if a := p.send(http.MethodPost, "/console/", form); a.status != http.StatusSeeOther {
		t.Fatalf("%d: %.500s", a.status, a.body)
	}
	if now := changes(t, s.dir, "pending"); len(now) == 0 {
		t.Error("nothing waits: what came after the click was approved, too")
	} else {
		for _, c := range now {
			if !strings.Contains(c.Target, "handling") {
				t.Errorf("%s waits", c.Target)
			}
		}
	}
}

// Story 2: a reviewer corrects a formula, and saves and approves it. With the script only by keys.
func TestStoryEdit(t *testing.T) {
	t.Parallel()
	inViews(t, "2-edit", []view{wideWithScript}, func(t *testing.T, b *tab) {
		target := one(t, b.site.dir, "orders.arr")
		b.goTo("/console/change/" + target.ID)
		if b.view.script {
			b.leaves("e opens the editor", func() { b.press("e") })
		} else {
			b.leaves("the link opens the editor", func() { b.click(`a[data-key=e]`) })
		}
		b.shows("Save and approve")
		b.check("editor")
		if at := eval[int](b, `document.querySelector("textarea#text").value.indexOf("shipping_cents")`); at < 0 {
			t.Fatalf("the editor has another text: %s", eval[string](b, `document.querySelector("textarea#text").value`))
		}
		// The caret goes behind shipping_cents, as an arrow key would take it there.
		eval[bool](b, `(() => { const e = document.querySelector("textarea#text"); e.focus(); const at = e.value.indexOf("shipping_cents") + 14; e.setSelectionRange(at, at); return true; })()`)
		b.press(" / 100")
		if b.view.script {
			b.press("\t\t") // past Save
			b.until("Save and approve has the focus", `document.activeElement.value === "save-approve"`)
			b.leaves("Enter saves and approves", func() { b.press("\r") })
		} else {
			b.leaves("the button saves and approves", func() { b.click(`button[value=save-approve]`) })
		}
		b.check("approved")
		if text := read(t, b.site.dir, "semantic-layer/shop/_memory/orders.yaml"); !strings.Contains(text, "shipping_cents / 100") {
			t.Errorf("the measure is not the corrected one:\n%s", text)
		}
		b.goTo("/console/change/" + one(t, b.site.dir, "orders.arr").ID)
		b.shows("What happened", "edited", "approved", "/ 100")
		b.check("afterwards")
	})
}
