package conform

import (
	"strings"
	"testing"
)

func TestEveryGroupHasALevel(t *testing.T) {
	t.Parallel()
	for _, g := range (&run{target: &Target{}, mode: Binary}).groups() {
		if levels[g.name] == "" || breaks[g.name] == "" {
			t.Errorf("group %s: level %q, breaks %q", g.name, levels[g.name], breaks[g.name])
		}
	}
}

func TestOfflineChecksExist(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, g := range (&run{target: &Target{}, mode: Binary}).groups() {
		for _, c := range g.checks {
			known[g.name+"/"+c.name] = true
		}
	}
	for name := range offline {
		if !known[name] {
			t.Errorf("%s is no check", name)
		}
	}
}

func TestReached(t *testing.T) {
	t.Parallel()
	result := func(group string, outcome Outcome, class Class) Result {
		return Result{Group: group, Check: "x", Outcome: outcome, Class: class}
	}
	dropped := result("read_only", Skipped, ByEngine)
	dropped.Dropped = true
	for name, tt := range map[string]struct {
		result Result
		want   Level
		lacks  string
	}{
		"nothing":                   {result("describe", OK, ""), LevelFull, ""},
		"engine lacks it":           {result("types", Skipped, ByEngine), LevelFull, ""},
		"not declared":              {result("profile", Skipped, Undeclared), LevelFull, ""},
		"failed in basic":           {result("open", Failed, ""), LevelNone, "open, 1 failed"},
		"failed in reads":           {result("scan", Failed, ""), LevelBasic, "scan, 1 failed"},
		"failed in full":            {result("dialect", Failed, ""), LevelReads, "dialect, 1 failed"},
		"not run":                   {result("cancel", NotRun, OutOfTime), LevelNone, "cancel, 1 not run"},
		"to do in full":             {result("leak", Skipped, ToDo), LevelReads, "leak, 1 to do"},
		"to do in reads":            {result("types", Skipped, ToDo), LevelBasic, "types, 1 to do"},
		"an attack left out":        {result("read_only", Skipped, ByEngine), LevelBasic, "read_only whole, 1 left out"},
		"a harmless one left out":   {dropped, LevelReads, "every harmless statement, 1 left out"},
		"a fault of the target":     {result("target", Failed, ""), LevelNone, "target, 1 failed"},
		"a group that nobody knows": {result("later", Failed, ""), LevelNone, "later, 1 failed"},
	} {
		level, lacks := Reached([]Result{result("describe", OK, ""), result(semantic, OK, ""), tt.result})
		if level != tt.want || strings.Join(lacks, "; ") != tt.lacks {
			t.Errorf("%s: %s, lacks %q, want %s, %q", name, level, lacks, tt.want, tt.lacks)
		}
	}
	if level, lacks := Reached([]Result{result("describe", OK, "")}); level != LevelReads || len(lacks) != 1 {
		t.Errorf("no host asked requests: %s, lacks %q", level, lacks)
	}
}
