package install

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/connector"
	"github.com/loam-data/loam/host/internal/install/lockfile"
	"github.com/loam-data/loam/sdk"
)

func install(t *testing.T, s *Service, q Request) Result {
	t.Helper()
	r, err := s.Install(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestTheWholeWay(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	p.release("0.3.0")
	s := newService(t, p)
	first := Request{Source: "acme/foodb", Key: p.key(), Yes: true}
	if r := install(t, s, first); r.Version != "0.3.0" {
		t.Errorf("installed is %s", r.Version)
	}
	if err := s.Admit(t.Context(), s.release("acme/foodb", "0.3.0")); err != nil {
		t.Errorf("what was installed may not start: %v", err)
	}
	p.release("0.3.1")
	newer, err := s.Outdated(t.Context(), "", false)
	if diff := cmp.Diff([]Newer{{ID: "acme/foodb", Version: "0.3.0", Newest: "0.3.1", Changes: []Change{}, Wider: []string{}}}, newer); err != nil || diff != "" {
		t.Errorf("outdated: %v (-want +got):\n%s", err, diff)
	}
	// The key is trusted now.
	if r := install(t, s, Request{Source: "acme/foodb", Yes: true}); r.Version != "0.3.1" || r.Was != "0.3.0" {
		t.Errorf("updated is %+v", r)
	}
	if version, err := s.Rollback(t.Context(), "acme/foodb"); err != nil || version != "0.3.0" {
		t.Errorf("rolled back to %q, %v", version, err)
	}
	if err := s.Admit(t.Context(), s.release("acme/foodb", "0.3.0")); err != nil {
		t.Errorf("what was rolled back may not start: %v", err)
	}
	if err := s.Admit(t.Context(), s.release("acme/foodb", "0.3.1")); sdk.KindOf(err) != sdk.KindDenied {
		t.Errorf("what is not locked starts: %v", err)
	}
	if err := s.Remove(t.Context(), "acme/foodb", true); err != nil {
		t.Fatal(err)
	}
	if err := s.Admit(t.Context(), s.release("acme/foodb", "0.3.0")); sdk.KindOf(err) != sdk.KindDenied {
		t.Errorf("what was removed starts: %v", err)
	}
	if err := os.RemoveAll(p.dir); err != nil { // the server is gone
		t.Fatal(err)
	}
	results, err := s.InstallLocked(t.Context(), Request{})
	if err != nil || len(results) != 1 || results[0].Version != "0.3.0" || !results[0].Changed {
		t.Fatalf("from the lock: %+v, %v", results, err)
	}
	results, err = s.InstallLocked(t.Context(), Request{})
	if err != nil || len(results) != 1 || results[0].Changed {
		t.Errorf("a second time: %+v, %v", results, err)
	}
}

// Every refusal has its own sentence and leaves everything as it was.
func TestRefusals(t *testing.T) {
	t.Parallel()
	other := newPublisher(t)
	for name, c := range map[string]struct {
		change func(t *testing.T, p *publisher, s *Service) Request
		want   string
	}{
		"a changed byte": {func(t *testing.T, p *publisher, _ *Service) Request {
			text, err := os.ReadFile(p.file("0.3.0"))
			p.must(err)
			text[len(text)/2] ^= 1
			p.must(os.WriteFile(p.file("0.3.0"), text, 0o644))
			return Request{Source: "acme/foodb", Key: p.key(), Yes: true}
		}, "it is not the archive that was named"},
		"a truncated archive": {func(t *testing.T, p *publisher, _ *Service) Request {
			p.must(os.Truncate(p.file("0.3.0"), 100))
			return Request{Source: p.file("0.3.0"), Key: p.key(), Yes: true}
		}, "it is not the archive that was named"},
		"a swapped program": {func(t *testing.T, p *publisher, _ *Service) Request {
			files := p.program("0.3.0")
			files["foodb"] = "#!/bin/sh\nevil\n"
			p.republish("0.3.0", files)
			return Request{Source: "acme/foodb", Key: p.key(), Yes: true}
		}, "is not the expected file"},
		"an unlisted file": {func(t *testing.T, p *publisher, _ *Service) Request {
			files := p.program("0.3.0")
			files["sitecustomize.py"] = "evil"
			p.republish("0.3.0", files)
			return Request{Source: "acme/foodb", Key: p.key(), Yes: true}
		}, "sitecustomize.py is not among the files that connector.json lists"},
		"a missing file": {func(t *testing.T, p *publisher, _ *Service) Request {
			files := p.program("0.3.0")
			delete(files, "foodb")
			p.republish("0.3.0", files)
			return Request{Source: "acme/foodb", Key: p.key(), Yes: true}
		}, "foodb is missing, which connector.json lists"},
		"another version in the archive": {func(t *testing.T, p *publisher, _ *Service) Request {
			p.republish("0.3.0", p.program("0.2.0"))
			return Request{Source: "acme/foodb", Key: p.key(), Yes: true}
		}, "it has connector acme/foodb 0.2.0, and not acme/foodb 0.3.0"},
		"another version under the name of a file": {func(t *testing.T, p *publisher, _ *Service) Request {
			p.must(os.Rename(p.file("0.3.0"), p.file("9.0.0")))
			p.must(os.Remove(filepath.Join(p.dir, "SHA256SUMS")))
			return Request{Source: p.file("9.0.0"), Approve: yes}
		}, "has connector acme/foodb 0.3.0 for " + here + ", whose archive is named"},
		"no signature of the index": {func(t *testing.T, p *publisher, _ *Service) Request {
			p.must(os.Remove(filepath.Join(p.dir, "index.json.minisig")))
			return Request{Source: "acme/foodb", Key: p.key(), Yes: true}
		}, "it has no signature"},
		"the signature of somebody else": {func(t *testing.T, p *publisher, _ *Service) Request {
			text, err := p.index.Text()
			p.must(err)
			p.must(os.WriteFile(filepath.Join(p.dir, "index.json.minisig"), other.signer.Sign(text, ""), 0o644))
			return Request{Source: "acme/foodb", Key: p.key(), Yes: true}
		}, "the signature is of another key"},
		"an index that was changed": {func(t *testing.T, p *publisher, _ *Service) Request {
			path := filepath.Join(p.dir, "index.json")
			text, err := os.ReadFile(path)
			p.must(err)
			p.must(os.WriteFile(path, []byte(strings.Replace(string(text), `"reads"`, `"full"`, 1)), 0o644))
			return Request{Source: "acme/foodb", Key: p.key(), Yes: true}
		}, "the signature does not fit"},
		"a key that nobody trusts": {func(t *testing.T, p *publisher, _ *Service) Request {
			return Request{Source: "acme/foodb", Yes: true}
		}, "which is not trusted on this machine"},
		"no terminal and no --yes": {func(t *testing.T, p *publisher, _ *Service) Request {
			return Request{Source: "acme/foodb", Key: p.key()}
		}, "there is no terminal to approve"},
		"a person says no": {func(t *testing.T, p *publisher, _ *Service) Request {
			return Request{Source: "acme/foodb", Approve: func(context.Context, *Offer) (bool, error) { return false, nil }}
		}, "was not approved"},
		"an unsigned archive without a terminal": {func(t *testing.T, p *publisher, _ *Service) Request {
			p.must(os.Remove(filepath.Join(p.dir, "SHA256SUMS.minisig")))
			return Request{Source: p.file("0.3.0"), Key: p.key(), Yes: true}
		}, "is not signed, and there is no terminal"},
		"an archive that the checksums do not name": {func(t *testing.T, p *publisher, _ *Service) Request {
			p.sign(map[string]string{"other.tar.gz": strings.Repeat("a", 64)})
			return Request{Source: p.file("0.3.0"), Key: p.key(), Yes: true}
		}, "SHA256SUMS does not name it"},
		"an expired index": {func(t *testing.T, p *publisher, _ *Service) Request {
			p.index.Expires = now.AddDate(0, 0, -1)
			p.publish()
			return Request{Source: "acme/foodb", Key: p.key(), Yes: true}
		}, "it expired on 2026-11-27"},
		"a falling serial": {func(t *testing.T, p *publisher, s *Service) Request {
			install(t, s, Request{Source: "acme/foodb", Key: p.key(), Yes: true})
			p.index.Serial--
			p.publish()
			return Request{Source: "acme/foodb", Yes: true}
		}, "it is an older one in place of a newer"},
		"another namespace in the index": {func(t *testing.T, p *publisher, _ *Service) Request {
			p.index.Connectors["zeta/foodb"] = p.index.Connectors["acme/foodb"]
			p.publish()
			return Request{Source: "zeta/foodb", Key: p.key(), Yes: true}
		}, "zeta/foodb has no key: it may not name a connector of another namespace"},
		"a key of another namespace": {func(t *testing.T, p *publisher, s *Service) Request {
			p.must(s.Trust(t.Context(), p.key(), "zeta/*"))
			return Request{Source: p.file("0.3.0"), Yes: true}
		}, "which is trusted for other connectors only"},
		"another key than the one that is trusted": {func(t *testing.T, p *publisher, s *Service) Request {
			p.must(s.Trust(t.Context(), other.key(), "acme/*"))
			return Request{Source: "acme/foodb", Approve: yes}
		}, "and this machine trusts " + other.key() + " for acme/*"},
		"an older version than the locked": {func(t *testing.T, p *publisher, s *Service) Request {
			install(t, s, Request{Source: "acme/foodb", Key: p.key(), Yes: true})
			p.release("0.2.0")
			return Request{Source: p.file("0.2.0"), Yes: true}
		}, "version 0.2.0 is older than the locked 0.3.0"},
		"a version that was released again": {func(t *testing.T, p *publisher, s *Service) Request {
			install(t, s, Request{Source: "acme/foodb", Key: p.key(), Yes: true})
			files := p.program("0.3.0")
			files["LICENSE"] = "another"
			p.republish("0.3.0", files)
			return Request{Source: "acme/foodb", Yes: true}
		}, "is not what this project locked"},
		"more of the environment than before": {func(t *testing.T, p *publisher, s *Service) Request {
			install(t, s, Request{Source: "acme/foodb", Key: p.key(), Yes: true})
			p.release("0.3.1", "AWS_SECRET_ACCESS_KEY")
			return Request{Source: "acme/foodb", Yes: true}
		}, "gets more than 0.3.0: [environment: AWS_SECRET_ACCESS_KEY]"},
		"a policy of the machine": {func(t *testing.T, p *publisher, s *Service) Request {
			write(t, s.PolicyFile, "keys: {acme/*: "+other.key()+"}\n")
			return Request{Source: "acme/foodb", Key: p.key(), Yes: true}
		}, "does not allow key " + p0},
		"no version that fits": {func(t *testing.T, p *publisher, _ *Service) Request {
			return Request{Source: "acme/foodb", Key: p.key(), Yes: true, Constraint: "~> 0.4"}
		}, "no version of acme/foodb"},
		"a store that is a file": {func(t *testing.T, p *publisher, s *Service) Request {
			write(t, s.Store.Downloads, "")
			return Request{Source: "acme/foodb", Key: p.key(), Yes: true}
		}, "connectors cannot be installed in"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPublisher(t)
			p.release("0.3.0")
			s := newService(t, p)
			q := c.change(t, p, s)
			data := filepath.Dir(s.Store.Dir)
			before := listing(t, data, s.Dir)
			_, err := s.Install(t.Context(), q)
			want := strings.ReplaceAll(c.want, p0, p.key())
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got  %v\nwant … %s", err, want)
			}
			if diff := cmp.Diff(before, listing(t, data, s.Dir)); diff != "" {
				t.Errorf("something changed (-before +after):\n%s", diff)
			}
		})
	}
}

// p0 stands for the key of the publisher.
const p0 = "«key»"

func yes(context.Context, *Offer) (bool, error) { return true, nil }

// republish replaces the archive of a version, with an index and checksums that fit.
func (p *publisher) republish(version string, files map[string]string) {
	p.t.Helper()
	name, sum, tree := p.pack(version, files)
	r := p.index.Connectors["acme/foodb"].Versions[version]
	target := r.Targets[here]
	target.SHA256, target.Tree = sum, tree
	r.Targets[here] = target
	p.index.Serial++
	p.publish()
	p.sign(map[string]string{name: sum})
}

// What is in the store is compared with the lock before each start.
func TestAdmit(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(t *testing.T, s *Service, dir string)
		want   string
	}{
		"nothing": {func(*testing.T, *Service, string) {}, ""},
		"a file was replaced": {func(t *testing.T, _ *Service, dir string) {
			write(t, filepath.Join(dir, "foodb"), "#!/bin/sh\nevil\n")
		}, "its files are not those that were installed"},
		"program and manifest were replaced together": {func(t *testing.T, _ *Service, dir string) {
			p := newPublisher(t)
			for file, content := range p.program("0.3.0", "PATH") {
				write(t, filepath.Join(dir, file), content)
			}
		}, "its files are not those that were installed"},
		"a file was added": {func(t *testing.T, _ *Service, dir string) {
			write(t, filepath.Join(dir, "sitecustomize.py"), "")
		}, "its files are not those that were installed"},
		"a file is a link": {func(t *testing.T, _ *Service, dir string) {
			if err := os.Symlink("/etc/passwd", filepath.Join(dir, "link")); err != nil {
				t.Fatal(err)
			}
		}, "is no regular file"},
		"others may write": {func(t *testing.T, _ *Service, dir string) {
			if err := os.Chmod(dir, 0o775); err != nil {
				t.Fatal(err)
			}
		}, "others than its owner may write to"},
		"the lock is gone": {func(t *testing.T, s *Service, _ string) {
			if err := os.Remove(filepath.Join(s.Dir, lockfile.Name)); err != nil {
				t.Fatal(err)
			}
		}, "is not locked by this project"},
		"the record is gone": {func(t *testing.T, s *Service, _ string) {
			if err := os.Remove(filepath.Join(s.Store.Dir, "store.json")); err != nil {
				t.Fatal(err)
			}
		}, "is not installed on this machine as the project locked it"},
		"a policy came": {func(t *testing.T, s *Service, _ string) {
			write(t, s.PolicyFile, "trust: [pinned]\n")
		}, `its trust is "signed"`},
		"a policy that cannot be read": {func(t *testing.T, s *Service, _ string) {
			write(t, s.PolicyFile, "trust: everything\n")
		}, "policy.yaml"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPublisher(t)
			p.release("0.3.0")
			s := newService(t, p)
			install(t, s, Request{Source: "acme/foodb", Key: p.key(), Yes: true})
			c.change(t, s, s.Store.Path(s.release("acme/foodb", "0.3.0")))
			err := s.Admit(t.Context(), s.release("acme/foodb", "0.3.0"))
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("got %v, want %q", err, c.want)
			}
			checked, verifyErr := s.Verify(t.Context(), "", false)
			if c.want != "" && verifyErr == nil && len(checked) > 0 && len(checked[0].Faults) == 0 {
				t.Error("verify finds nothing")
			}
			if c.want == "" && (verifyErr != nil || len(checked) != 1 || len(checked[0].Faults) > 0) {
				t.Errorf("verify finds %+v, %v", checked, verifyErr)
			}
			if c.want == "" || !strings.Contains(c.want, "its files") {
				return
			}
			if _, err := s.InstallLocked(t.Context(), Request{}); err != nil {
				t.Fatalf("loam connector install does not repair it: %v", err)
			}
			if err := s.Admit(t.Context(), s.release("acme/foodb", "0.3.0")); err != nil {
				t.Errorf("after loam connector install: %v", err)
			}
		})
	}
}

// A lock can come from anybody: it makes no key trusted, and no archive of the cache.
func TestALockGrantsNothing(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	p.release("0.3.0")
	theirs := newService(t, p)
	install(t, theirs, Request{Source: "acme/foodb", Key: p.key(), Yes: true})
	mine := serviceIn(t, theirs.Dir, t.TempDir())
	if _, err := mine.InstallLocked(t.Context(), Request{Yes: true}); sdk.KindOf(err) != sdk.KindDenied || !strings.Contains(err.Error(), "not trusted") {
		t.Errorf("got %v, want a refusal", err)
	}
	if _, err := mine.InstallLocked(t.Context(), Request{Key: p.key()}); err != nil {
		t.Errorf("with the key: %v", err)
	}
	everything := serviceIn(t, theirs.Dir, t.TempDir())
	everything.Everything = true
	if _, err := everything.InstallLocked(t.Context(), Request{}); err != nil {
		t.Errorf("on a machine that trusts every project: %v", err)
	}
}

func TestPinned(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	p.release("0.3.0")
	p.must(os.Remove(filepath.Join(p.dir, "SHA256SUMS.minisig")))
	s := newService(t, p)
	var seen *Offer
	install(t, s, Request{Source: p.dir, Approve: func(_ context.Context, o *Offer) (bool, error) {
		seen = o
		return true, nil
	}})
	if seen == nil || seen.Level != "pinned" || seen.Trusted {
		t.Errorf("offered is %+v", seen)
	}
	if err := s.Admit(t.Context(), s.release("acme/foodb", "0.3.0")); err != nil {
		t.Error(err)
	}
	// Confirmed once: the same files need no second confirmation.
	install(t, s, Request{Source: p.file("0.3.0"), Yes: true})
}

// Who reads between the two files of an index reads them again.
func TestIndexWhileItIsPublished(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	p.release("0.3.0")
	old, err := os.ReadFile(filepath.Join(p.dir, "index.json.minisig"))
	p.must(err)
	p.release("0.3.1")
	var read atomic.Int32
	files := http.FileServer(http.Dir(p.dir))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, ".minisig") && read.Add(1) == 1 {
			_, _ = w.Write(old)
			return
		}
		files.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	s := newService(t, p)
	write(t, filepath.Join(s.Dir, "loam.yaml"), "version: 1\nconnector_indexes: ['"+server.URL+"/index.json']\n")
	if r := install(t, s, Request{Source: "acme/foodb", Key: p.key(), Yes: true}); r.Version != "0.3.1" || read.Load() != 2 {
		t.Errorf("installed is %s after %d reads of the signature", r.Version, read.Load())
	}
}

func TestMirror(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	p.release("0.3.0")
	s := newService(t, p)
	install(t, s, Request{Source: "acme/foodb", Key: p.key(), Yes: true})
	folders, err := s.Mirror(t.Context(), t.TempDir())
	if err != nil || len(folders) != 1 {
		t.Fatalf("mirrored to %v, %v", folders, err)
	}
	p.must(os.RemoveAll(p.dir))
	isolated := serviceIn(t, s.Dir, t.TempDir())
	if _, err := isolated.InstallLocked(t.Context(), Request{Key: p.key(), Indexes: folders}); err != nil {
		t.Errorf("from the mirror: %v", err)
	}
}

// A host without the checksums of its connectors knows none of what lies beside it: a policy
// that allows signed ones alone is not gone round that way.
func TestStartOfWhatLiesBesideTheHost(t *testing.T) {
	t.Parallel()
	s := newService(t, newPublisher(t))
	beside := connector.Installed{Name: "sqlite", Bundled: true}
	if err := s.Start(t.Context(), beside); err != nil {
		t.Errorf("without a policy: %v", err)
	}
	write(t, s.PolicyFile, "trust: [signed]\n")
	if err := s.Start(t.Context(), beside); sdk.KindOf(err) != sdk.KindDenied {
		t.Errorf("with a policy: %v", err)
	}
}
