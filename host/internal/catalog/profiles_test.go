package catalog

import (
	"strings"
	"sync"
	"testing"

	"github.com/loam-data/loam/sdk"
)

// profiled is a snapshot of so many tables with a profile each.
func profiled(t testing.TB, tables int, one func(i int) *Profile) *Snapshot {
	t.Helper()
	c := Open(t.TempDir(), "wh")
	w := begin(t, c, false)
	for i := range tables {
		name := "s.t" + strings.Repeat("x", i)
		add(t, w, table(name, "id"))
		if err := w.Profile(sdk.TableRef{Schema: "s", Name: name[2:]}, one(i)); err != nil {
			t.Fatal(err)
		}
	}
	commit(t, w, "s1")
	return latest(t, c)
}

func read(t testing.TB, m *Snapshot, i int) *Profile {
	t.Helper()
	p, err := m.Profile(i)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A profile is decoded once for any number of readers, of which none changes it.
func TestProfileIsDecodedOnce(t *testing.T) {
	t.Parallel()
	m := profiled(t, 2, func(int) *Profile { return profile("a", "b") })
	first := read(t, m, 0)
	var readers sync.WaitGroup
	for range 8 {
		readers.Go(func() {
			for i := range 100 {
				if p, err := m.Profile(i % 2); err != nil || i%2 == 0 && p != first {
					t.Errorf("%v, %v", p, err)
				}
			}
		})
	}
	readers.Wait()
	if size := m.profiles.size; size <= 0 || len(m.profiles.all) != 2 {
		t.Errorf("%d profiles of %d bytes are kept", len(m.profiles.all), size)
	}
	own := first.Clone()
	own.Stats[0].Values = nil
	if got := read(t, m, 0).Column(first.Stats[0].Column); got == nil || len(got.Values) != 2 {
		t.Errorf("a copy that was changed changed the profile: %+v", got)
	}
}

// What is kept is bounded in number and in bytes, and what was used last stays.
func TestProfilesAreBounded(t *testing.T) {
	t.Parallel()
	m := profiled(t, maxProfiles+10, func(int) *Profile { return profile("a") })
	first, second := read(t, m, 0), read(t, m, 1)
	for i := range m.Len() {
		if read(t, m, 0) != first {
			t.Fatal("the profile that was used last was decoded again")
		}
		read(t, m, i)
	}
	if n := len(m.profiles.all); n != maxProfiles {
		t.Errorf("%d profiles are kept", n)
	}
	if read(t, m, 1) == second {
		t.Error("the longest unused profile was kept")
	}

	m = profiled(t, 6, func(i int) *Profile { return profile(strings.Repeat("v", maxProfileBytes/4*(i+1))) })
	for i := range m.Len() {
		read(t, m, i)
		sum := 0
		for _, k := range m.profiles.all {
			sum += k.size
		}
		if sum != m.profiles.size || sum > maxProfileBytes {
			t.Fatalf("%d bytes are kept, and %d are counted", sum, m.profiles.size)
		}
	}
	if read(t, m, 5) == read(t, m, 5) {
		t.Error("a profile larger than all that may be kept was kept")
	}
}
