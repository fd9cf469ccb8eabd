package install

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/install/lockfile"
	"github.com/loam-data/loam/host/internal/install/machine"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/sdk"
)

const elsewhere = "plan9_arm64"

// faultsOf verifies the locked connectors and returns the faults by platform.
func faultsOf(t *testing.T, s *Service, all bool) map[string][]string {
	t.Helper()
	checked, err := s.Verify(t.Context(), "", all)
	if err != nil {
		t.Fatal(err)
	}
	faults := map[string][]string{}
	for _, c := range checked {
		faults[c.Platform] = c.Faults
		if len(c.Faults) == 0 {
			faults[c.Platform] = nil
		}
	}
	return faults
}

func TestLockPlatforms(t *testing.T) {
	t.Parallel()
	for name, source := range map[string]func(*publisher) string{
		"of an index":   func(*publisher) string { return "acme/foodb" },
		"of an archive": func(p *publisher) string { return p.file("0.3.0") },
		"of a folder":   func(p *publisher) string { return p.dir },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPublisher(t)
			p.release("0.3.0")
			s := newService(t, p)
			install(t, s, Request{Source: source(p), Key: p.key(), Yes: true})
			p.platforms = append(p.platforms, elsewhere) // built later
			p.release("0.3.0")
			before := listing(t, s.Store.Data)
			locked, err := s.LockPlatforms(t.Context(), "", []string{elsewhere}, "")
			want := []Locked{{ID: "acme/foodb", Version: "0.3.0", Platforms: slices.Sorted(slices.Values([]string{elsewhere, here})), Added: []string{elsewhere}}}
			if diff := cmp.Diff(want, locked); err != nil || diff != "" {
				t.Fatalf("%v (-want +got):\n%s", err, diff)
			}
			if diff := cmp.Diff(before, listing(t, s.Store.Data)); diff != "" {
				t.Errorf("something was installed (-before +after):\n%s", diff)
			}
			if diff := cmp.Diff(map[string][]string{here: nil, elsewhere: nil}, faultsOf(t, s, true)); diff != "" {
				t.Errorf("verify (-want +got):\n%s", diff)
			}
			theirs := serviceIn(t, s.Dir, t.TempDir()) // a colleague
			if _, err := theirs.InstallLocked(t.Context(), Request{Key: p.key(), Platforms: []string{elsewhere}}); err != nil {
				t.Errorf("from the lock: %v", err)
			}
			lock, err := lockfile.Read(s.Dir)
			if err != nil || len(lock["acme/foodb"].Platforms) != 2 {
				t.Errorf("the lock has %+v, %v", lock, err)
			}
		})
	}
}

// What cannot be locked for a platform is refused, and the lock stays.
func TestLockPlatformsRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(t *testing.T, p *publisher, s *Service)
		want   string
	}{
		"a platform without an archive": {func(*testing.T, *publisher, *Service) {}, "has no archive for " + elsewhere},
		"an archive that gets more": {func(t *testing.T, p *publisher, _ *Service) {
			p.platforms = []string{elsewhere}
			p.release("0.3.0", "AWS_SECRET_ACCESS_KEY")
		}, `connector "acme/foodb" 0.3.0 for ` + elsewhere + ` gets more than was approved: [environment: AWS_SECRET_ACCESS_KEY]`},
		"a changed archive": {func(t *testing.T, p *publisher, _ *Service) {
			p.platforms = []string{elsewhere}
			p.release("0.3.0")
			p.must(os.Truncate(filepath.Join(p.dir, "foodb_0.3.0_"+elsewhere+".tar.gz"), 100))
		}, "it is not the archive that was named"},
		"a key that is trusted no more": {func(t *testing.T, p *publisher, s *Service) {
			p.platforms = []string{elsewhere}
			p.release("0.3.0")
			_, err := s.Distrust(t.Context(), p.key())
			p.must(err)
		}, "which is not trusted on this machine"},
		"another connector": {func(t *testing.T, _ *publisher, s *Service) {
			if err := os.Remove(filepath.Join(s.Dir, lockfile.Name)); err != nil {
				t.Fatal(err)
			}
		}, `connector "acme/foodb" is not locked by this project`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPublisher(t)
			p.release("0.3.0")
			s := newService(t, p)
			install(t, s, Request{Source: "acme/foodb", Key: p.key(), Yes: true})
			c.change(t, p, s)
			before := listing(t, s.Store.Data, s.Dir)
			_, err := s.LockPlatforms(t.Context(), "acme/foodb", []string{elsewhere}, "")
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got  %v\nwant … %s", err, c.want)
			}
			if diff := cmp.Diff(before, listing(t, s.Store.Data, s.Dir)); diff != "" {
				t.Errorf("something changed (-before +after):\n%s", diff)
			}
		})
	}
}

func TestLockPlatformsOfAnUnsignedArchive(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	p.platforms = append(p.platforms, elsewhere)
	p.release("0.3.0")
	p.must(os.Remove(filepath.Join(p.dir, "SHA256SUMS.minisig")))
	s := newService(t, p)
	install(t, s, Request{Source: p.dir, Approve: yes})
	_, err := s.LockPlatforms(t.Context(), "", []string{elsewhere}, "")
	if sdk.KindOf(err) != sdk.KindDenied || !strings.Contains(err.Error(), "is not signed") {
		t.Errorf("got %v, want a refusal", err)
	}
}

// Verify says everything that is wrong, and a line for each.
func TestVerifyNamesEveryFault(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	p.platforms = append(p.platforms, elsewhere)
	p.release("0.3.0")
	s := newService(t, p)
	install(t, s, Request{Source: "acme/foodb", Key: p.key(), Yes: true})
	dir := s.Store.Path(s.release("acme/foodb", "0.3.0"))
	write(t, filepath.Join(dir, "sitecustomize.py"), "")
	p.must(os.Remove(filepath.Join(dir, "foodb")))
	write(t, s.PolicyFile, "trust: [pinned]\n")
	p.must(os.Truncate(filepath.Join(p.dir, "foodb_0.3.0_"+elsewhere+".tar.gz"), 100))
	found := faultsOf(t, s, true)
	for platform, wants := range map[string][]string{
		here: {
			"its files are not those that were installed", `its trust is "signed"`,
			"sitecustomize.py is not among the files that connector.json lists", "foodb is missing, which connector.json lists",
		},
		elsewhere: {"it is not the archive that was named"},
	} {
		got := strings.Join(found[platform], "\n")
		for _, want := range wants {
			if !strings.Contains(got, want) {
				t.Errorf("%s: no line with %q in:\n%s", platform, want, got)
			}
		}
		if len(found[platform]) != len(wants) {
			t.Errorf("%s has %d lines, want %d:\n%s", platform, len(found[platform]), len(wants), got)
		}
	}
}

// A connector that is installed for all projects starts in those that lock none themselves.
func TestInstallForAllProjects(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	p.release("0.3.0")
	first := newService(t, p)
	if err := os.Remove(filepath.Join(first.Dir, project.FileName)); err != nil { // it needs no project
		t.Fatal(err)
	}
	if r := install(t, first, Request{Source: p.file("0.3.0"), Key: p.key(), Yes: true, User: true}); !r.User {
		t.Errorf("installed is %+v", r)
	}
	if _, err := os.Stat(filepath.Join(first.Dir, lockfile.Name)); !os.IsNotExist(err) {
		t.Errorf("the project got a lock: %v", err)
	}
	other := serviceIn(t, t.TempDir(), first.Store.Data)
	write(t, filepath.Join(other.Dir, project.FileName), "version: 1\nconnector_indexes: ['"+p.dir+"']\n")
	admit := func(version string) error { return other.Admit(t.Context(), other.release("acme/foodb", version)) }
	if err := admit("0.3.0"); err != nil || other.Locked("acme/foodb") != "0.3.0" {
		t.Fatalf("another project: %v, it uses %q", err, other.Locked("acme/foodb"))
	}
	if faults := faultsOf(t, other, false); len(faults[here]) > 0 {
		t.Errorf("verify: %v", faults)
	}
	p.release("0.4.0")
	install(t, other, Request{Source: "acme/foodb", Yes: true})
	if err := admit("0.3.0"); sdk.KindOf(err) != sdk.KindDenied {
		t.Errorf("the project's own lock does not go first: %v", err)
	}
	if err := admit("0.4.0"); err != nil {
		t.Error(err)
	}
	if err := os.Remove(filepath.Join(other.Dir, lockfile.Name)); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(other.Dir, project.FileName), "version: 1\nconnectors: {acme/foodb: '~> 0.4'}\n")
	if err := admit("0.3.0"); err == nil || !strings.Contains(err.Error(), "is not what this project allows: ~> 0.4") {
		t.Errorf("a version that the project does not allow: %v", err)
	}
	if err := other.Remove(t.Context(), "acme/foodb", false); err != nil || other.Locked("acme/foodb") != "" {
		t.Errorf("removed: %v, and locked is %q", err, other.Locked("acme/foodb"))
	}
}

// gc removes what nothing uses, and nothing else.
func TestCollect(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	s, other := newService(t, p), newService(t, p)
	other.Store = s.Store
	get := func(s *Service, version string) {
		t.Helper()
		p.release(version)
		install(t, s, Request{Source: "acme/foodb", Key: p.key(), Yes: true})
	}
	get(other, "0.1.0") // stays locked there
	for _, version := range []string{"0.2.0", "0.3.0", "0.4.0", "0.5.0"} {
		get(s, version)
	}
	if version, err := s.Rollback(t.Context(), "acme/foodb"); err != nil || version != "0.4.0" {
		t.Fatal(version, err)
	}
	leftover := filepath.Join(s.Store.Dir, "acme", "foodb", "9.0.0", here) // no record names it
	if err := os.MkdirAll(leftover, 0o755); err != nil {
		t.Fatal(err)
	}
	before := listing(t, s.Store.Data)
	would, err := s.Collect(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, listing(t, s.Store.Data)); diff != "" {
		t.Errorf("a dry run changed something (-before +after):\n%s", diff)
	}
	c, err := s.Collect(t.Context(), false)
	if diff := cmp.Diff(would, c); err != nil || diff != "" {
		t.Errorf("%v (-would remove +removed):\n%s", err, diff)
	}
	var gone []string
	for _, r := range c.Releases {
		gone = append(gone, r.Version)
	}
	if diff := cmp.Diff([]string{"0.2.0", "0.3.0"}, gone); diff != "" || len(c.Archives) != 2 || c.Bytes == 0 || !slices.Contains(c.Leftovers, leftover) {
		t.Errorf("removed is %+v", c)
	}
	for _, path := range []string{leftover, s.Store.Path(s.release("acme/foodb", "0.2.0"))} {
		if _, err := os.Stat(path); !os.IsNotExist(err) {
			t.Errorf("%s is there: %v", path, err)
		}
	}
	for _, uses := range []struct {
		s       *Service
		version string
	}{{other, "0.1.0"}, {s, "0.4.0"}} {
		if err := uses.s.Admit(t.Context(), uses.s.release("acme/foodb", uses.version)); err != nil {
			t.Errorf("%s, which is used: %v", uses.version, err)
		}
	}
	if again, err := s.Collect(t.Context(), false); err != nil || again.Bytes > 0 || len(again.Releases) > 0 {
		t.Errorf("a second time: %+v, %v", again, err)
	}
	// A lock that cannot be read may use anything.
	write(t, filepath.Join(other.Dir, lockfile.Name), "<<<<<<< HEAD")
	if _, err := s.Collect(t.Context(), false); sdk.KindOf(err) != sdk.KindInvalid {
		t.Errorf("with a lock that cannot be read: %v", err)
	}
	if err := os.RemoveAll(other.Dir); err != nil {
		t.Fatal(err)
	}
	c, err = s.Collect(t.Context(), false)
	want := []machine.Release{s.release("acme/foodb", "0.1.0")}
	if diff := cmp.Diff(want, c.Releases); err != nil || diff != "" {
		t.Errorf("when the project is gone: %v (-want +got):\n%s", err, diff)
	}
}
