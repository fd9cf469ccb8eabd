package memory

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/chunk"
	"github.com/loam-data/loam/host/internal/planner"
	"github.com/loam-data/loam/sdk"
)

// learn has a file of the repository handbook read.
func learn(t *testing.T, s *Service, path, text string) chunk.Taught {
	t.Helper()
	out, err := s.LearnFile(t.Context(), chunk.Lesson{Name: "handbook/" + path, Text: text, Connection: "shop", By: script, Changes: 200, Probes: 20})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// waits lists what waits for a person: by whom, what, and why.
func waits(t *testing.T, s *Service) (all []string) {
	t.Helper()
	list, err := s.Engine.List(t.Context(), change.Filter{States: []change.State{change.Pending, change.Draft}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range list.Changes {
		c := &list.Changes[i]
		all = append(all, fmt.Sprintf("%s %s %s %s: %s (%s)", c.Shown(), c.By.Name(), c.Kind, c.Target, c.Says, strings.Join(c.Why, ", ")))
	}
	slices.Sort(all)
	return all
}

func expectWaits(t *testing.T, s *Service, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, waits(t, s)); diff != "" {
		t.Errorf("what waits (-want +got):\n%s", diff)
	}
}

const paidLine = "# Metrics\n\nPaid amount is the sum of amount in orders where status = 'paid'.\n"

func TestFileWaitsForAPerson(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	s := f.open(t, nil, nil)
	if got := learn(t, s, "terms.md", paidLine); got != (chunk.Taught{Pending: 1, Probes: 1}) {
		t.Errorf("it taught %+v", got)
	}
	one := "pending handbook/terms.md measure orders.paid_amount: paid_amount: agg: sum, expr: amount, filter: status = 'paid' (policy)"
	expectWaits(t, s, one)
	if got := f.read(t, "wiki/global/metrics.md") + f.read(t, "semantic-layer/shop/_memory/orders.yaml"); got != "" {
		t.Errorf("it wrote %q", got)
	}
	// The same again does nothing; nor does another file that says the same.
	for _, path := range []string{"terms.md", "again.md"} {
		if got := learn(t, s, path, paidLine); got.Pending != 0 {
			t.Errorf("%s again: %+v", path, got)
		}
	}
	expectWaits(t, s, one)
	// A newer revision changes what waits, and closes what it says no more.
	if got := learn(t, s, "terms.md", strings.Replace(paidLine, "'paid'", "'refunded'", 1)); got.Pending != 1 {
		t.Errorf("a newer revision: %+v", got)
	}
	expectWaits(t, s, strings.ReplaceAll(one, "'paid'", "'refunded'"))
	learn(t, s, "terms.md", "# Metrics\n\nNothing is said here that could be computed.\n")
	expectWaits(t, s)
}

func TestForgetFile(t *testing.T) {
	t.Parallel()
	s := newFixture(t).open(t, nil, nil)
	learn(t, s, "terms.md", paidLine)
	learn(t, s, "other.md", "Refunded amount is the sum of amount in orders where status = 'refunded'.\n")
	if got := waits(t, s); len(got) != 2 {
		t.Fatalf("%q wait", got)
	}
	for range 2 {
		if err := s.ForgetFile(t.Context(), "handbook/terms.md", script); err != nil {
			t.Fatal(err)
		}
	}
	if got := waits(t, s); len(got) != 1 || !strings.Contains(got[0], "handbook/other.md") {
		t.Errorf("%q wait", got)
	}
}

// TestFileContradicts: what a file says against a page waits as a conflict, and the page stays.
func TestFileContradicts(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write(t, "wiki/global/active-customer.md", "---\ntitle: Active customer\n---\nAn active customer means an order in the last 90 days.\n")
	before := f.read(t, "wiki/global/active-customer.md")
	s := f.open(t, nil, nil)
	got := learn(t, s, "terms.md", "# Terms\n\nAn active customer means an order in the last 30 days.\n")
	if got.Pending != 1 || got.Conflicts != 1 {
		t.Errorf("it taught %+v: %q", got, waits(t, s))
	}
	if after := f.read(t, "wiki/global/active-customer.md"); after != before {
		t.Errorf("the page is %q", after)
	}
	// The same as the page says is no change.
	got = learn(t, s, "terms.md", "# Terms\n\nAn active customer means an order in the last 90 days.\n")
	if got.Pending != 0 {
		t.Errorf("it taught %+v", got)
	}
	expectWaits(t, s)
}

func TestFileHasABudget(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	s := f.open(t, nil, nil)
	text := "# Metrics\n\n"
	for _, status := range []string{"paid", "refunded", "pending"} {
		text += fmt.Sprintf("Sum of %s is the sum of amount in orders where status = '%s'.\n\n", status, status)
	}
	lesson := chunk.Lesson{Name: "handbook/a.md", Text: text, Connection: "shop", By: script, Changes: 2, Probes: 1}
	out, err := s.LearnFile(t.Context(), lesson)
	if err != nil || out != (chunk.Taught{Pending: 2, Probes: 1, Left: 1}) {
		t.Errorf("it taught %+v: %v", out, err)
	}
	untried := 0
	for _, w := range waits(t, s) {
		if strings.Contains(w, change.WhyNotRun) {
			untried++
		}
	}
	if untried != 1 {
		t.Errorf("%d of two were not tried: %q", untried, waits(t, s))
	}
	if out, err = s.LearnFile(t.Context(), lesson); err != nil || out.Pending != 1 || out.Left != 0 {
		t.Errorf("then it taught %+v: %v", out, err)
	}
}

func TestDryLessonWritesNothing(t *testing.T) {
	t.Parallel()
	s := newFixture(t).open(t, nil, nil)
	out, err := s.LearnFile(t.Context(), chunk.Lesson{Name: "handbook/a.md", Text: paidLine, Connection: "shop", By: script, Changes: 9, Probes: 9, DryRun: true})
	if err != nil || out.Pending != 1 {
		t.Errorf("it would teach %+v: %v", out, err)
	}
	expectWaits(t, s)
}

func TestRefusedLesson(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.settings.Review = "off"
	s := f.open(t, nil, nil)
	_, err := s.LearnFile(t.Context(), chunk.Lesson{Name: "handbook/a.md", Text: paidLine, By: script, Changes: 9})
	if sdk.KindOf(err) != sdk.KindDenied {
		t.Errorf("where review is off: %v", err)
	}
}

// TestInterruptedLesson ends the reading of a newer revision at each of its steps; the next one mends it.
func TestInterruptedLesson(t *testing.T) {
	t.Parallel()
	type stopped struct{}
	newer := strings.Replace(paidLine, "'paid'", "'refunded'", 1)
	for at := 1; ; at++ {
		f := newFixture(t)
		learn(t, f.open(t, nil, nil), "terms.md", paidLine)
		steps, ended := 0, false
		s := f.open(t, nil, func(string) {
			if steps++; steps == at {
				panic(stopped{})
			}
		})
		func() {
			defer func() {
				if fault := recover(); fault != nil {
					if _, ok := fault.(stopped); !ok {
						panic(fault)
					}
				}
			}()
			learn(t, s, "terms.md", newer)
			ended = true
		}()
		again := f.open(t, nil, nil)
		learn(t, again, "terms.md", newer)
		expectWaits(t, again, "pending handbook/terms.md measure orders.paid_amount: paid_amount: agg: sum, expr: amount, filter: status = 'refunded' (policy)")
		if ended {
			return
		}
	}
}

// What was approved from a file is flagged when the file does not say it any more, until a person decides.
func TestApprovedFromAFile(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	s := f.open(t, nil, nil)
	learn(t, s, "terms.md", paidLine)
	list, err := s.Engine.List(t.Context(), change.Filter{States: []change.State{change.Pending}})
	if err != nil || len(list.Changes) != 1 {
		t.Fatal(list, err)
	}
	if _, err := s.Approve(t.Context(), Decision{IDs: []string{string(list.Changes[0].ID)}, Actor: person}); err != nil {
		t.Fatal(err)
	}
	unsaid := func() int {
		t.Helper()
		d, err := s.Disputes(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if n := len(d.OfMember("shop", "orders.paid_amount")); n > 0 {
			t.Errorf("%d contradictions", n)
		}
		return len(d.Unsaid().OfMember("shop", "orders.paid_amount"))
	}
	learn(t, s, "terms.md", paidLine+"\nAnother sentence.\n")
	if n := unsaid(); n != 0 {
		t.Errorf("the file says it still: %d", n)
	}
	for _, now := range []func(){
		func() { learn(t, s, "terms.md", "# Metrics\n\nNothing is said here.\n") },
		func() { learn(t, s, "terms.md", "# Metrics\n\nNothing is said here, again.\n") },
	} {
		if now(); unsaid() != 1 {
			t.Errorf("the file says it no more: %d", unsaid())
		}
	}
	learn(t, s, "terms.md", paidLine)
	if n := unsaid(); n != 0 {
		t.Errorf("the file says it again: %d", n)
	}
	if err := s.ForgetFile(t.Context(), "handbook/terms.md", script); err != nil {
		t.Fatal(err)
	}
	expectWaits(t, s, "pending handbook/terms.md measure orders.paid_amount: undo: paid_amount: agg: sum, expr: amount, filter: status = 'paid' (stale)")
	if list, err = s.Engine.List(t.Context(), change.Filter{States: []change.State{change.Pending}}); err != nil {
		t.Fatal(err)
	}
	if err := s.Index.Refresh(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	facts, err := s.Facts(t.Context(), FactsRequest{})
	if err != nil || len(facts) != 1 || !slices.Equal(facts[0].Stale, []string{"handbook/terms.md does not say it any more"}) {
		t.Errorf("%+v, %v", facts, err)
	}
	decided, err := s.Approve(t.Context(), Decision{IDs: []string{string(list.Changes[0].ID)}, Actor: person})
	if err != nil || decided[0].Problem != "" {
		t.Fatal(decided, err)
	}
	if text := f.read(t, "semantic-layer/shop/_memory/orders.yaml"); strings.Contains(text, "paid_amount") || unsaid() != 0 {
		t.Errorf("after it was taken back: %q", text)
	}
}

// What was approved without a quote is not known to be unsaid while its file is there; when the file goes, it is.
func TestApprovedWithoutAQuote(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	s := f.open(t, func(in planner.Input, v planner.View) (*planner.Plan, error) {
		if !strings.Contains(in.Text, " = ") {
			return &planner.Plan{}, nil
		}
		plan, err := measure(in, v)
		plan.Changes[0].Quote = ""
		return plan, err
	}, nil)
	learn(t, s, "terms.md", "paid_amount = {agg: sum, expr: amount}")
	list, err := s.Engine.List(t.Context(), change.Filter{States: []change.State{change.Pending}})
	if err != nil || len(list.Changes) != 1 {
		t.Fatal(list, err)
	}
	if _, err := s.Approve(t.Context(), Decision{IDs: []string{string(list.Changes[0].ID)}, Actor: person}); err != nil {
		t.Fatal(err)
	}
	learn(t, s, "terms.md", "Something else.")
	expectWaits(t, s)
	if err := s.ForgetFile(t.Context(), "handbook/terms.md", script); err != nil {
		t.Fatal(err)
	}
	if got := waits(t, s); len(got) != 1 || !strings.Contains(got[0], "(stale)") {
		t.Errorf("after the file is gone: %q", got)
	}
}

// otherFiles say what they say.
type otherFiles struct{ text string }

func (o *otherFiles) Says(_ context.Context, text, other string) (bool, error) {
	return other == "handbook/terms.md" && strings.Contains(o.text, text), nil
}

// approved learns the paid amount from a file and approves it.
func approved(t *testing.T, s *Service) {
	t.Helper()
	learn(t, s, "terms.md", paidLine)
	list, err := s.Engine.List(t.Context(), change.Filter{States: []change.State{change.Pending}})
	if err != nil || len(list.Changes) != 1 {
		t.Fatal(list, err)
	}
	if _, err := s.Approve(t.Context(), Decision{IDs: []string{string(list.Changes[0].ID)}, Actor: person}); err != nil {
		t.Fatal(err)
	}
}

// What another file still says is not stale when one says it no more.
func TestAnotherFileStillSaysIt(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	s := f.open(t, nil, nil)
	others := &otherFiles{paidLine}
	s.Texts = others
	approved(t, s)
	learn(t, s, "terms.md", "# Metrics\n\nNothing is said here.\n")
	expectWaits(t, s)
	if err := s.ForgetFile(t.Context(), "handbook/terms.md", script); err != nil {
		t.Fatal(err)
	}
	expectWaits(t, s)
	others.text = ""
	learn(t, s, "terms.md", "# Metrics\n\nNothing is said here either.\n")
	expectWaits(t, s, "pending handbook/terms.md measure orders.paid_amount: undo: paid_amount: agg: sum, expr: amount, filter: status = 'paid' (stale)")
}

// A sentence that goes on is an update of what was approved, not one that is gone and another one; what rules cannot read
// of it leaves the old one stale.
func TestSentenceThatGoesOn(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, now string
		want      []string
	}{
		{"with another condition", "# Metrics\n\nPaid amount is the sum of amount in orders where status = 'paid' and amount > 0.\n", []string{
			"pending handbook/terms.md measure orders.paid_amount: paid_amount: agg: sum, expr: amount, filter: status = 'paid' AND amount > 0 (contradiction)",
		}},
		{"with nothing new", "# Metrics\n\nPaid amount is the sum of amount in orders where status = 'paid'. Ask finance.\n", nil},
		{"with what cannot be read", "# Metrics\n\nPaid amount is the sum of amount in orders where status = 'paid' or the moon is full.\n", []string{
			"pending handbook/terms.md measure orders.paid_amount: undo: paid_amount: agg: sum, expr: amount, filter: status = 'paid' (stale)",
		}},
		{"with a longer word", "# Metrics\n\nPaid amount is the sum of amount in orders where status = 'paid'x.\n", []string{
			"pending handbook/terms.md measure orders.paid_amount: undo: paid_amount: agg: sum, expr: amount, filter: status = 'paid' (stale)",
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newFixture(t).open(t, nil, nil)
			approved(t, s)
			learn(t, s, "terms.md", tt.now)
			expectWaits(t, s, tt.want...)
		})
	}
}
