package console

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// axeFolder is where scripts/setup unpacks axe-core.
const axeFolder = "axe-core-4.14.1"

// axeSource is the script of axe-core; "" where scripts/setup did not fetch it.
var axeSource = sync.OnceValues(func() (string, error) {
	tools := os.Getenv("LOAM_TEST_TOOLS")
	if tools == "" {
		tools = "/var/cache/loam-test"
		if os.Geteuid() != 0 {
			cache, err := os.UserCacheDir()
			if err != nil {
				return "", err
			}
			tools = filepath.Join(cache, "loam-test")
		}
	}
	text, err := os.ReadFile(filepath.Join(tools, axeFolder, "axe.min.js"))
	return string(text), err
})

// axeRun runs the rules of WCAG 2.2 AA and returns what they find.
const axeRun = `(async () => {
	const found = await axe.run(document, {runOnly: {type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}, resultTypes: ["violations"]});
	return JSON.stringify(found.violations.map((v) => ({id: v.id, help: v.help, nodes: v.nodes.slice(0, 4).map((n) => n.html.slice(0, 200) + " – " + n.failureSummary)})));
})()`

// violation is a rule that a page breaks.
type violation struct {
	ID, Help string
	Nodes    []string
}

// axe fails the test when axe-core finds a barrier. It runs in a world of its own beside the page's script, which the
// policy of the page does not reach, so that the policy stays as it is for the page. It needs script.
func (b *tab) axe(step string) {
	b.t.Helper()
	source, err := axeSource()
	if !b.view.script || err != nil {
		return // TestBarriers says that it is missing
	}
	ctx, cancel := context.WithTimeout(b.ctx, 2*time.Minute)
	defer cancel()
	text, err := axeIn(ctx, source)
	if err != nil {
		b.t.Errorf("%s %s, %s: axe: %v", b.story, b.view, step, err)
		return
	}
	var found []violation
	if err := json.Unmarshal([]byte(text), &found); err != nil {
		b.t.Errorf("axe: %v: %.200s", err, text)
	}
	for _, v := range found {
		b.t.Errorf("%s %s, %s: %s: %s (%s):\n  %s", b.story, b.view, step, b.path(), v.ID, v.Help, strings.Join(v.Nodes, "\n  "))
	}
}

func axeIn(ctx context.Context, source string) (string, error) {
	tree, err := chromedp.Call(ctx, page.GetFrameTree, cdp.Empty{})
	if err != nil {
		return "", err
	}
	world, err := chromedp.Call(ctx, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{FrameID: tree.FrameTree.Frame.ID, WorldName: "axe"})
	if err != nil {
		return "", err
	}
	yes := true
	if _, err := chromedp.Call(ctx, runtime.Evaluate, runtime.EvaluateParams{Expression: source + "; true", ContextID: world.ExecutionContextID}); err != nil {
		return "", err
	}
	out, err := chromedp.Call(ctx, runtime.Evaluate, runtime.EvaluateParams{
		Expression: axeRun, ContextID: world.ExecutionContextID, AwaitPromise: &yes, ReturnByValue: &yes,
	})
	if err != nil {
		return "", err
	}
	if out.ExceptionDetails != nil {
		return "", fmt.Errorf("%s", thrown(out.ExceptionDetails))
	}
	var text string
	return text, json.Unmarshal(out.Result.Value, &text)
}

// thrown describes an exception of a script.
func thrown(d *runtime.ExceptionDetails) string {
	if d.Exception != nil {
		return d.Text + " " + d.Exception.Description
	}
	return d.Text
}

// TestBarriers tells whether the stories test the accessibility of pages.
func TestBarriers(t *testing.T) {
	t.Parallel()
	if _, err := axeSource(); err != nil {
		missing(t, "no axe-core: run scripts/setup (%v)", err)
	}
}
