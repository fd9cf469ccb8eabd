package console

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// chromium is the browser of all tests, which starts with the first of them.
var chromium struct {
	once sync.Once
	ctx  context.Context
	ends []func()
	err  error
	path string
}

// browser returns the context of the browser. Without one the test is skipped; LOAM_REQUIRE_SERVERS=1 makes that
// a failure.
func browser(t testing.TB) context.Context {
	t.Helper()
	chromium.once.Do(startBrowser)
	if chromium.path == "" {
		missing(t, "no Chromium: run scripts/setup, or apt install chromium")
	}
	if chromium.err != nil {
		t.Fatalf("%s does not start: %v", chromium.path, chromium.err)
	}
	return chromium.ctx
}

// missing skips a test for want of something that scripts/setup installs.
func missing(t testing.TB, format string, args ...any) {
	t.Helper()
	if os.Getenv("LOAM_REQUIRE_SERVERS") != "" {
		t.Fatalf("LOAM_REQUIRE_SERVERS is set: "+format, args...)
	}
	t.Skipf(format, args...)
}

func startBrowser() {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			chromium.path = path
			break
		}
	}
	if chromium.path == "" {
		return
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(chromium.path), chromedp.UserDataDir(filepath.Join(work, "profile")), chromedp.DisableGPU,
		chromedp.Flag("disable-component-update", true), chromedp.Flag("no-pings", true), chromedp.Flag("hide-scrollbars", true),
		chromedp.Flag("lang", "en-GB"), chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"),
		chromedp.ModifyCmdFunc(func(cmd *exec.Cmd) { cmd.Env = append(os.Environ(), "TZ=UTC") }))
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	ctx, endAllocator := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, endBrowser := chromedp.NewContext(ctx)
	chromium.ctx, chromium.ends = ctx, []func(){endBrowser, endAllocator}
	chromium.err = chromedp.Do(ctx)
}

// closeBrowser ends the browser that a test started.
func closeBrowser() {
	for _, end := range chromium.ends {
		end()
	}
}

// view is how a person looks at the console.
type view struct {
	script bool
	dark   bool
	width  int64
}

func (v view) String() string {
	theme, script := "light", "script"
	if v.dark {
		theme = "dark"
	}
	if !v.script {
		script = "noscript"
	}
	return fmt.Sprintf("%s-%d-%s", theme, v.width, script)
}

var wide = view{script: true, width: 1280}

// tab is a tab of the browser, with its own cookies.
type tab struct {
	t     testing.TB
	ctx   context.Context
	site  *site
	view  view
	story string

	mu sync.Mutex
	// requests are the addresses that the tab asked for.
	requests []string
	// faults are what no page does: messages of the console, refused contents, dialogs.
	faults []string
	// refused are statuses of pages that the test expects.
	refused map[int64]bool
}

// newTab opens a tab on a site. Its test fails on a message of the console, a dialog, a violation of the policy, and a
// request to another origin.
func newTab(t testing.TB, s *site, story string, v view) *tab {
	t.Helper()
	b := &tab{t: t, site: s, view: v, story: story, refused: map[int64]bool{}}
	ctx, cancel := chromedp.NewContext(browser(t), chromedp.WithNewBrowserContext(), chromedp.WithListener(b.hear))
	t.Cleanup(cancel)
	b.ctx = ctx
	scheme := "light"
	if v.dark {
		scheme = "dark"
	}
	b.do("prepare the tab", chromedp.EmulateViewport(v.width, 900), chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
			{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
		}})
		if err == nil && !v.script {
			_, err = chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		}
		return err
	}))
	t.Cleanup(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, fault := range b.faults {
			t.Errorf("%s %s: %s", story, v, fault)
		}
		for _, address := range b.requests {
			if !strings.HasPrefix(address, s.root+"/") {
				t.Errorf("%s %s: a request beyond the origin: %.200s", story, v, address)
			}
		}
		if t.Failed() {
			t.Logf("the server's log:\n%s", tail(s.log(), 3000))
		}
	})
	return b
}

func tail(text string, most int) string {
	if len(text) > most {
		return "…" + text[len(text)-most:]
	}
	return text
}

// hear records what the tab does. It runs in the loop that reads the browser's messages.
func (b *tab) hear(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	fault := func(format string, args ...any) { b.faults = append(b.faults, fmt.Sprintf(format, args...)) }
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		b.requests = append(b.requests, e.Request.URL)
	case *network.EventResponseReceived:
		if status := int64(e.Response.Status); status >= 400 && !b.refused[status] && !strings.HasSuffix(e.Response.URL, "/favicon.ico") {
			fault("%s answers %d", e.Response.URL, status)
		}
	case *runtime.EventConsoleAPICalled:
		args, _ := json.Marshal(e.Args)
		fault("the page wrote to the console: %s", args)
	case *runtime.EventExceptionThrown:
		fault("an exception: %s", thrown(e.ExceptionDetails))
	case *log.EventEntryAdded:
		if e.Entry.Source != log.EntrySourceNetwork { // those are in EventResponseReceived
			fault("%s %s: %s", e.Entry.Source, e.Entry.Level, e.Entry.Text)
		}
	case *page.EventJavascriptDialogOpening:
		fault("a dialog: %q", e.Message)
		go func() {
			_, _ = chromedp.Call(b.ctx, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: true})
		}()
	}
}

// do runs actions.
func (b *tab) do(what string, actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := b.ctx, context.CancelFunc(func() {})
	if chromedp.FromContext(b.ctx).Target != nil {
		ctx, cancel = context.WithTimeout(b.ctx, time.Minute)
	}
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		b.t.Fatalf("%s %s: %s: %v", b.story, b.view, what, err)
	}
}

// eval returns the value of an expression.
func eval[T any](b *tab, expression string) T {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, time.Minute)
	defer cancel()
	out, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.t.Fatalf("%s %s: %.300s: %v", b.story, b.view, expression, err)
	}
	return out
}

// until polls an expression of the page. The page may be left meanwhile.
func (b *tab) until(what, expression string) {
	b.t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for {
		ctx, cancel := context.WithTimeout(b.ctx, 10*time.Second)
		ok, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("!!("+expression+")"))
		cancel()
		if err == nil && ok {
			return
		}
		if time.Now().After(deadline) {
			b.shoot("failed")
			b.t.Fatalf("%s %s: never: %s (%v)\n%s\n%s", b.story, b.view, what, err, eval[string](b, "location.href"), tail(b.text(), 1500))
		}
		time.Sleep(15 * time.Millisecond)
	}
}

// leaves runs something that leads to another page, and waits until that is loaded.
func (b *tab) leaves(what string, act func()) {
	b.t.Helper()
	before := eval[float64](b, "performance.timeOrigin")
	act()
	b.until(what, fmt.Sprintf(`performance.timeOrigin !== %v && document.readyState === "complete"`, number(before)))
}

func number(f float64) string {
	text, _ := json.Marshal(f)
	return string(text)
}

// goTo opens an address below the root of the site.
func (b *tab) goTo(path string) {
	b.t.Helper()
	address := path
	if !strings.HasPrefix(path, "http") {
		address = b.site.root + path
	}
	b.do("open "+path, chromedp.Navigate(address))
}

// signIn signs in with the form, as a person does who typed loam console.
func (b *tab) signIn() {
	b.t.Helper()
	b.goTo(b.site.loginURL(b.t))
	b.check("login")
	b.leaves("the login leads to the inbox", func() { b.click("main form button.primary") })
}

// press sends keys to what has the focus.
func (b *tab) press(keys string) {
	b.t.Helper()
	b.do("press "+keys, chromedp.KeyEvent(keys))
}

// click clicks the first element of a CSS selector.
func (b *tab) click(selector string) {
	b.t.Helper()
	b.do("click "+selector, chromedp.Click(chromedp.CSS(selector), chromedp.NodeReady))
}

// text is what the page shows.
func (b *tab) text() string {
	b.t.Helper()
	return eval[string](b, "(document.querySelector('main') || document.body).innerText")
}

// shows fails the test unless the page shows all of the texts.
func (b *tab) shows(texts ...string) {
	b.t.Helper()
	page := b.text()
	for _, want := range texts {
		if !strings.Contains(strings.ToLower(page), strings.ToLower(want)) {
			b.t.Errorf("%s %s: %s lacks %q:\n%.1500s", b.story, b.view, eval[string](b, "location.pathname + location.search"), want, page)
		}
	}
}

// path is the path of the page.
func (b *tab) path() string { b.t.Helper(); return eval[string](b, "location.pathname") }

// check tests what each page has to be: not wider than the window, and without barriers. A picture of it is kept.
func (b *tab) check(step string) {
	b.t.Helper()
	b.fits(step)
	if dead := eval[int](b, `[...document.querySelectorAll("[data-copy], [data-help], button[data-theme]")].filter((e) => e.checkVisibility()).length`); dead > 0 && !b.view.script {
		b.t.Errorf("%s %s, %s: %d buttons do nothing without the script", b.story, b.view, step, dead)
	}
	if b.view.dark == (b.view.width < 1280) { // the two other views have the same colours and the same layouts
		b.axe(step)
	}
	b.shoot(step)
}

// fits fails the test when the document is wider than the window.
func (b *tab) fits(step string) {
	b.t.Helper()
	wider := eval[string](b, `(() => {
		const root = document.documentElement, wide = [];
		if (root.scrollWidth <= innerWidth) return "";
		for (const e of document.querySelectorAll("body *")) {
			const box = e.getBoundingClientRect();
			if (box.right > innerWidth + 1 && !e.closest(".scroll, .visually-hidden, .skip")) wide.push(e.tagName + "." + e.getAttribute("class") + " " + Math.round(box.right));
		}
		return location.pathname + " is " + root.scrollWidth + " wide in a window of " + innerWidth + ": " + wide.slice(0, 6).join(", ");
	})()`)
	if wider != "" {
		b.t.Errorf("%s %s, %s: %s", b.story, b.view, step, wider)
	}
}

// pictures is the folder of the pictures, "" = none are made.
var pictures = os.Getenv("LOAM_SCREENSHOTS")

// shoot keeps a picture of the page.
func (b *tab) shoot(step string) {
	b.t.Helper()
	if pictures == "" {
		return
	}
	ctx, cancel := context.WithTimeout(b.ctx, time.Minute)
	defer cancel()
	picture, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err == nil {
		err = os.MkdirAll(pictures, 0o755)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(pictures, b.story+"-"+step+"-"+b.view.String()+".png"), picture, 0o644)
	}
	if err != nil {
		b.t.Errorf("the picture of %s: %v", step, err)
	}
}
