package store

import (
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
)

var (
	skillAt = time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	ada     = []byte{1}
	bob     = []byte{2}
)

func use(id string, actor []byte, call string) SkillUse {
	return SkillUse{ID: id, Name: "close", Version: "1.2.0", Major: 1, Actor: actor, Call: call, At: skillAt}
}

// A use and its outcome are counted once, however often a call is repeated, and each actor reports its own.
func TestSkillUses(t *testing.T) {
	t.Parallel()
	s := mustOpen(t, statePath(t))
	begin := func(u SkillUse, id string, want bool) {
		t.Helper()
		got, repeated, err := s.BeginSkillUse(t.Context(), u)
		if err != nil || got.ID != id || repeated != want {
			t.Errorf("begin %s: %+v, %v, %v", u.ID, got, repeated, err)
		}
	}
	report := func(r SkillReport, id string, wantRepeated bool, kind sdk.Kind) {
		t.Helper()
		r.Name = "close"
		got, repeated, err := s.ReportSkillUse(t.Context(), r)
		if sdk.KindOf(err) != kind || err == nil && (got.ID != id || repeated != wantRepeated || *got.Succeeded != r.Succeeded) {
			t.Errorf("report %+v: %+v, %v, %v", r, got, repeated, err)
		}
	}
	report(SkillReport{Actor: ada, Succeeded: true}, "", false, sdk.KindNotFound)
	begin(use("a", ada, "c1"), "a", false)
	begin(use("again", ada, "c1"), "a", true)
	begin(use("b", bob, "c1"), "b", false)
	report(SkillReport{Actor: ada, Version: "2.0.0", Succeeded: true}, "", false, sdk.KindNotFound)
	report(SkillReport{Actor: ada, Call: "c1", Succeeded: true}, "", false, sdk.KindConflict)
	report(SkillReport{Actor: ada, Call: "c2", Succeeded: true}, "a", false, "")
	report(SkillReport{Actor: ada, Call: "c2", Succeeded: true}, "a", true, "")
	report(SkillReport{Actor: ada, Call: "c2", Succeeded: false}, "", false, sdk.KindConflict)
	report(SkillReport{Actor: ada, Succeeded: true}, "a", true, "")
	report(SkillReport{Actor: ada, Succeeded: false}, "", false, sdk.KindConflict)
	report(SkillReport{Actor: bob, Version: "1.2.0", Succeeded: false}, "b", false, "")
	late := use("c", ada, "")
	late.At = skillAt.Add(skillUsesKept + time.Second)
	begin(late, "c", false)
	begin(use("a again", ada, "c1"), "a again", false) // the first one is not kept any more, and its count is
	got, err := s.SkillCounts(t.Context())
	want := map[SkillKey]SkillCount{{"close", 1}: {Uses: 4, Succeeded: 1, Failed: 1, LastAt: late.At}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("counts: %v (-want +got):\n%s", err, diff)
	}
}

// Two hosts on one project count together.
func TestSkillUsesOfTwoHosts(t *testing.T) {
	t.Parallel()
	path := statePath(t)
	var group sync.WaitGroup
	for i := range 2 {
		s := mustOpen(t, path)
		group.Go(func() {
			for n := range 10 {
				if _, _, err := s.BeginSkillUse(t.Context(), use(strconv.Itoa(i*10+n), ada, "call "+strconv.Itoa(n))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	got, err := mustOpen(t, path).SkillCounts(t.Context())
	if err != nil || got[SkillKey{"close", 1}].Uses != 10 {
		t.Errorf("%+v, %v in %s", got, err, filepath.Base(path))
	}
}
