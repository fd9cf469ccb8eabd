package e2e

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// shopTexts are about the sample project, so that they reach its semantic layer.
var shopTexts = []string{
	"Porto is the sum of shipping_cents / 100 in orders where status = 'shipped'. Source: finance",
	"Versandkosten ist die Summe von shipping_cents in orders ohne cancelled.",
	"Refund total is the sum of amount_cents in refunds, excluding reason damaged.",
	"Only shipped orders count. Income is the sum of shipping_cents in orders.",
	"Orders per customer is the number of orders per customer.",
	"Turnover in euros is also known as revenue_eur.",
	"```sql\nSELECT sum(shipping_cents) / 100 AS cut FROM orders WHERE status = 'paid'\n```",
	"Largest refund = max(amount_cents) on refunds",
	"shipping is the average of shipping_cents in orders.",
}

// changeID is random.
var changeID = regexp.MustCompile(`change [0-9a-f]{10}`)

// told is what became of a text, without what differs from run to run.
type told struct {
	Signals   any
	Questions []any
	Notes     []string
	Skipped   *string `json:"skippedReason"`
	Error     *string
	Captured  struct {
		Wiki, SL, Metrics, Synonyms, Descriptions []string
		Pending                                   []struct {
			Target, Note string
			Why          []string
		}
	}
}

// TestToolAndCommandRememberAlike tells the golden corpus of the planner to one project by memory_ingest and to
// another by loam ingest text. Each text becomes the same, and in the end the projects have equal files.
func TestToolAndCommandRememberAlike(t *testing.T) {
	heavy(t, "the corpus of texts by the tool and by the command")
	t.Parallel()
	texts := slices.Clone(shopTexts)
	corpus := filepath.Join("..", "host", "internal", "planner", "testdata", "cases")
	found, every := 0, 4
	if *wholeCorpus {
		every = 1
	}
	err := filepath.WalkDir(corpus, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".md" {
			return err
		}
		if found++; found%every != 0 {
			return nil
		}
		text, err := os.ReadFile(path)
		texts = append(texts, string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	source, err := sample()
	if err != nil {
		t.Fatal(err)
	}
	byTool, byCommand := filepath.Join(t.TempDir(), "demo"), filepath.Join(t.TempDir(), "demo")
	for _, dir := range []string{byTool, byCommand} {
		if err := os.CopyFS(dir, os.DirFS(source)); err != nil {
			t.Fatal(err)
		}
	}
	const perSession = 50 // of the 60 texts that a session may tell within a minute
	var s *server
	measures := 0
	for i, text := range texts {
		if i%perSession == 0 {
			s = stdioServer(t, byTool)
		}
		tool, command := s.tell(t, text, "shop"), commandTells(t, byCommand, text)
		if diff := cmp.Diff(tool, command); diff != "" {
			t.Errorf("%q (-tool +command):\n%s", text, diff)
		}
		measures += len(tool.Captured.SL)
	}
	if measures < 3 {
		t.Errorf("only %d measures came of %d texts", measures, len(texts))
	}
	t.Logf("%d texts, %d measures; -corpus tells %d", len(texts), measures, len(shopTexts)+found)
	if diff := cmp.Diff(knowledge(t, byTool), knowledge(t, byCommand)); diff != "" {
		t.Errorf("files (-tool +command):\n%s", diff)
	}
}

// tell has the server remember a text about a connection, "" = none, and waits until it is done.
func (s *server) tell(t *testing.T, text, connection string) (out told) {
	t.Helper()
	call := func(tool string, args map[string]any, into any) {
		t.Helper()
		result, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
		if err != nil || result.IsError {
			t.Fatalf("%s %q: %v %+v", tool, text, err, result)
		}
		answer, err := json.Marshal(result.StructuredContent)
		if err != nil {
			t.Fatal(err)
		}
		unmarshal(t, changeID.ReplaceAll(answer, []byte("change ID")), into)
	}
	var run struct {
		RunID string
		Done  bool
	}
	args := map[string]any{"content": text}
	if connection != "" {
		args["connectionId"] = connection
	}
	call("memory_ingest", args, &run)
	for id := run.RunID; !run.Done; {
		call("memory_ingest_status", map[string]any{"runId": id}, &run)
	}
	call("memory_ingest_status", map[string]any{"runId": run.RunID}, &out)
	return out
}

func commandTells(t *testing.T, dir, text string) (out told) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "text.md")
	writeFile(t, path, text)
	r := loam(t, dir, "ingest", "text", "-c", "shop", "--json", "--file", path)
	if r.code != 0 {
		t.Fatalf("%q: %s", text, r.stderr)
	}
	unmarshal(t, changeID.ReplaceAll([]byte(r.stdout), []byte("change ID")), &out)
	return out
}

// knowledge returns the pages and overlays of a project, without the lines that name who said something, and when.
func knowledge(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, root := range []string{"wiki", "semantic-layer"} {
		err := filepath.WalkDir(filepath.Join(dir, root), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			content, err := os.ReadFile(path)
			var kept []string
			for line := range strings.Lines(string(content)) {
				if !aboutTheTelling(line) {
					kept = append(kept, line)
				}
			}
			name, _ := filepath.Rel(dir, path)
			all[name] = strings.Join(kept, "")
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

func aboutTheTelling(line string) bool {
	line = strings.TrimSpace(line)
	return slices.ContainsFunc([]string{"created:", "updated:", "learned:", "verified:", "change:", "by:", "at:"}, func(key string) bool { return strings.HasPrefix(line, key) })
}

// TestAnswerToAQuestion sends back a sentence that a question offers, by the tool and by the command: each makes the measure.
func TestAnswerToAQuestion(t *testing.T) {
	t.Parallel()
	dir := scannedProject(t)
	const text = "Lost parcels is the count of orders whose status is lost."
	s := stdioServer(t, dir)
	asked := s.tell(t, text, "shop")
	if len(asked.Questions) != 1 {
		t.Fatalf("%+v", asked)
	}
	candidates, _ := asked.Questions[0].(map[string]any)["candidates"].([]any)
	if len(candidates) < 2 {
		t.Fatalf("%+v", asked.Questions)
	}
	for i, tell := range []func(string) told{
		func(text string) told { return s.tell(t, text, "shop") },
		func(text string) told { return commandTells(t, dir, text) },
	} {
		answered := tell(candidates[i].(string))
		if len(answered.Questions) > 0 || len(answered.Captured.SL)+len(answered.Captured.Pending) != 1 {
			t.Errorf("%v: %+v", candidates[i], answered)
		}
	}
}
