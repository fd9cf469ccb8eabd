package install

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/loam-data/loam/host/internal/install/fetch"
	"github.com/loam-data/loam/sdk"
)

// distribution is a registry with the endpoints of the distribution specification that pull and
// push need.
type distribution struct {
	sync.Mutex
	host      string
	blobs     map[string][]byte // by digest
	manifests map[string]kept   // by digest and tag
	fetched   []string          // blobs
	// answer answers a request in its place when it returns true.
	answer func(w http.ResponseWriter, r *http.Request) bool
}

type kept struct {
	mediaType string
	text      []byte
}

func digestOf(text []byte) string {
	sum := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(sum[:])
}

func newDistribution(t *testing.T) *distribution {
	t.Helper()
	d := &distribution{blobs: map[string][]byte{}, manifests: map[string]kept{}}
	server := httptest.NewServer(d)
	t.Cleanup(server.Close)
	d.host = strings.TrimPrefix(server.URL, "http://")
	return d
}

func (d *distribution) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	d.Lock()
	defer d.Unlock()
	if d.answer != nil && d.answer(w, r) {
		return
	}
	rest, ok := strings.CutPrefix(r.URL.Path, "/v2/acme/foodb/")
	if !ok {
		http.NotFound(w, r)
		return
	}
	body, _ := io.ReadAll(r.Body)
	room, name, _ := strings.Cut(rest, "/")
	switch {
	case room == "blobs" && r.Method == http.MethodPost:
		w.Header().Set("Location", "/v2/acme/foodb/blobs/uploads/1")
		w.WriteHeader(http.StatusAccepted)
	case room == "blobs" && r.Method == http.MethodPut:
		d.blobs[digestOf(body)] = body
		w.WriteHeader(http.StatusCreated)
	case room == "manifests" && r.Method == http.MethodPut:
		d.keep(r.Header.Get("Content-Type"), body, name)
		w.WriteHeader(http.StatusCreated)
	case room == "manifests":
		m, ok := d.manifests[name]
		d.send(w, r, m.mediaType, m.text, ok)
	default:
		text, ok := d.blobs[name]
		if r.Method == http.MethodGet {
			d.fetched = append(d.fetched, name)
		}
		d.send(w, r, "application/octet-stream", text, ok)
	}
}

func (d *distribution) send(w http.ResponseWriter, r *http.Request, mediaType string, text []byte, ok bool) {
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", mediaType)
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	if r.Method == http.MethodGet {
		_, _ = w.Write(text)
	}
}

func (d *distribution) keep(mediaType string, text []byte, tag string) {
	d.manifests[tag], d.manifests[digestOf(text)] = kept{mediaType, text}, kept{mediaType, text}
}

// at is the reference of a version.
func (d *distribution) at(version string) string { return "oci://" + d.host + "/acme/foodb" + version }

// rewrite changes the manifest of a tag.
func (d *distribution) rewrite(t *testing.T, tag string, change func(m map[string]any)) {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal(d.manifests[tag].text, &m); err != nil {
		t.Fatal(err)
	}
	change(m)
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	d.keep(d.manifests[tag].mediaType, text, tag)
}

// push pushes the files of a publisher: a release without the index, or all.
func (p *publisher) push(reference string, names ...string) string {
	p.t.Helper()
	digest, err := fetch.New().Push(p.t.Context(), fetch.Location(reference), p.dir, names)
	p.must(err)
	return digest
}

func (p *publisher) releaseFiles() []string {
	names := []string{"SHA256SUMS", "SHA256SUMS.minisig"}
	for _, platform := range p.platforms {
		names = append(names, "foodb_0.3.0_"+platform+".tar.gz")
	}
	return names
}

func TestInstallFromAnArtifact(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	p.platforms = []string{here, "plan9_mips"}
	p.release("0.3.0")
	d := newDistribution(t)
	digest := p.push(d.at(":0.3.0"), p.releaseFiles()...)
	if again := p.push(d.at(":again"), p.releaseFiles()...); again != digest {
		t.Errorf("the same files are %s and %s", digest, again)
	}
	index := p.push(d.at(":index"), append(p.releaseFiles(), "index.json", "index.json.minisig")...)
	layout := filepath.Join(t.TempDir(), "layout")
	p.push("oci:"+layout+":0.3.0", p.releaseFiles()...)
	p.push("oci:"+layout+":other", "SHA256SUMS")
	if left, err := filepath.Glob(filepath.Join(layout, "ingest")); err != nil || len(left) != 0 {
		t.Errorf("left in the layout: %v, %v", left, err)
	}
	for name, q := range map[string]Request{
		"by tag":             {Source: d.at(":0.3.0")},
		"by digest":          {Source: d.at("@" + digest)},
		"one archive":        {Source: d.at(":0.3.0/foodb_0.3.0_" + here + ".tar.gz")},
		"two platforms":      {Source: d.at(":0.3.0"), Platforms: p.platforms},
		"from its index":     {Source: "acme/foodb", Indexes: []string{d.at(":index")}},
		"an index by digest": {Source: "acme/foodb", Indexes: []string{d.at("@" + index + "/index.json")}},
		"from a layout":      {Source: "oci:" + layout + ":0.3.0"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newService(t, p)
			q.Key, q.Yes = p.key(), true
			if r := install(t, s, q); r.Version != "0.3.0" {
				t.Errorf("installed is %+v", r)
			}
			if err := s.Admit(t.Context(), s.release("acme/foodb", "0.3.0")); err != nil {
				t.Errorf("what was installed may not start: %v", err)
			}
			// A colleague has the lock, and nothing that was fetched.
			colleague := serviceIn(t, s.Dir, t.TempDir())
			if again, err := colleague.InstallLocked(t.Context(), Request{Key: p.key(), Yes: true}); err != nil || len(again) != 1 || again[0].Version != "0.3.0" {
				t.Errorf("what was locked is installed as %+v, %v", again, err)
			}
			if len(q.Indexes) > 0 {
				folders, err := s.Mirror(t.Context(), t.TempDir())
				if err != nil || len(folders) != 1 {
					t.Errorf("mirrored into %v, %v", folders, err)
				}
			}
		})
	}
	// A registry makes nobody trusted.
	_, err := newService(t, p).Install(t.Context(), Request{Source: d.at(":0.3.0"), Yes: true})
	if sdk.KindOf(err) != sdk.KindDenied {
		t.Errorf("without a key: %v", err)
	}
}

func TestConfiguredIndexInAnArtifact(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	p.release("0.3.0")
	d := newDistribution(t)
	files := append(p.releaseFiles(), "index.json", "index.json.minisig")
	p.push(d.at(":index"), files...)
	dir := t.TempDir()
	p.push("oci:"+filepath.Join(dir, "layout")+":index", files...)
	for _, reference := range []string{d.at(":index"), "oci:./layout:index"} {
		write(t, filepath.Join(dir, "loam.yaml"), "version: 1\nconnector_indexes: ['"+reference+"']\n")
		s := serviceIn(t, dir, t.TempDir())
		if r := install(t, s, Request{Source: "acme/foodb", Key: p.key(), Yes: true}); r.Version != "0.3.0" {
			t.Errorf("%s: installed is %+v", reference, r)
		}
	}
	write(t, filepath.Join(dir, "loam.yaml"), "version: 1\nconnector_indexes: ['oci:layout']\n")
	_, err := serviceIn(t, dir, t.TempDir()).Install(t.Context(), Request{Source: "acme/foodb", Key: p.key(), Yes: true})
	if sdk.KindOf(err) != sdk.KindInvalid || !strings.Contains(err.Error(), "names no version") {
		t.Errorf("a reference without a tag: %v", err)
	}
}

// An image index of manifests for platforms has the files of all of them.
func TestIndexOfPlatforms(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	p.release("0.3.0")
	d := newDistribution(t)
	one, other := p.push(d.at(":a"), p.releaseFiles()[:2]...), p.push(d.at(":b"), p.releaseFiles()[2:]...)
	const image, list = "application/vnd.oci.image.manifest.v1+json", "application/vnd.oci.image.index.v1+json"
	entry := func(digest string) map[string]any {
		return map[string]any{"mediaType": image, "digest": digest, "size": len(d.manifests[digest].text)}
	}
	put := func(tag string, entries ...map[string]any) {
		text, err := json.Marshal(map[string]any{"schemaVersion": 2, "mediaType": list, "manifests": entries})
		p.must(err)
		d.keep(list, text, tag)
	}
	put("both", entry(one), entry(other))
	if r := install(t, newService(t, p), Request{Source: d.at(":both"), Key: p.key(), Yes: true}); r.Version != "0.3.0" {
		t.Errorf("installed is %+v", r)
	}
	var many []map[string]any
	for range 65 {
		many = append(many, entry(one))
	}
	put("many", many...)
	nested := entry(one)
	nested["mediaType"] = list
	put("nested", nested)
	for tag, kind := range map[string]sdk.Kind{"many": sdk.KindLimit, "nested": sdk.KindDenied} {
		if _, err := fetch.New().Files(t.Context(), fetch.Location(d.at(":"+tag))); sdk.KindOf(err) != kind {
			t.Errorf("%s: %v", tag, err)
		}
	}
}

func TestArtifactRefusals(t *testing.T) {
	t.Parallel()
	layer := func(m map[string]any) map[string]any { return m["layers"].([]any)[0].(map[string]any) }
	for name, c := range map[string]struct {
		change func(t *testing.T, d *distribution, sums string)
		kind   sdk.Kind
		want   string
	}{
		"a larger size": {func(t *testing.T, d *distribution, _ string) {
			d.rewrite(t, "1", func(m map[string]any) { layer(m)["size"] = 900 })
		}, sdk.KindDenied, "not what its manifest says"},
		"a smaller size, sent in pieces": {func(t *testing.T, d *distribution, sums string) {
			d.rewrite(t, "1", func(m map[string]any) { layer(m)["size"] = 5 })
			d.answer = func(w http.ResponseWriter, r *http.Request) bool {
				if !strings.Contains(r.URL.Path, "/blobs/") {
					return false
				}
				_ = http.NewResponseController(w).Flush()
				_, _ = w.Write(d.blobs[sums])
				return true
			}
		}, sdk.KindDenied, "it is longer than 5 bytes"},
		"a huge size": {func(t *testing.T, d *distribution, _ string) {
			d.rewrite(t, "1", func(m map[string]any) { layer(m)["size"] = int64(1) << 60 })
		}, sdk.KindLimit, "is larger than 1000 bytes"},
		"a negative size": {func(t *testing.T, d *distribution, _ string) {
			d.rewrite(t, "1", func(m map[string]any) { layer(m)["size"] = -1 })
		}, sdk.KindDenied, "without a usable name, size or digest"},
		"other bytes": {func(_ *testing.T, d *distribution, sums string) {
			changed := []byte(strings.Repeat("x", len(d.blobs[sums])))
			d.blobs[sums] = changed
		}, sdk.KindDenied, "its digest is not sha256:"},
		"a digest that is a path": {func(t *testing.T, d *distribution, _ string) {
			d.rewrite(t, "1", func(m map[string]any) { layer(m)["digest"] = "../../other" })
		}, sdk.KindDenied, "without a usable name, size or digest"},
		"a name that leaves": {func(t *testing.T, d *distribution, _ string) {
			d.rewrite(t, "1", func(m map[string]any) {
				layer(m)["annotations"] = map[string]any{"org.opencontainers.image.title": "../SHA256SUMS"}
			})
		}, sdk.KindDenied, "without a usable name, size or digest"},
		"two files of a name": {func(t *testing.T, d *distribution, _ string) {
			d.rewrite(t, "1", func(m map[string]any) {
				m["layers"].([]any)[1].(map[string]any)["annotations"] = layer(m)["annotations"]
			})
		}, sdk.KindDenied, "has two files SHA256SUMS"},
		"an image": {func(t *testing.T, d *distribution, _ string) {
			d.rewrite(t, "1", func(m map[string]any) { delete(m, "artifactType") })
		}, sdk.KindDenied, "is no release of a connector"},
		"a foreign media type": {func(_ *testing.T, d *distribution, _ string) {
			d.keep("application/vnd.docker.distribution.manifest.v2+json", d.manifests["1"].text, "1")
		}, sdk.KindDenied, "is no release of a connector"},
		"a manifest that is none": {func(_ *testing.T, d *distribution, _ string) {
			d.keep(d.manifests["1"].mediaType, []byte("{"), "1")
		}, sdk.KindDenied, "cannot be read"},
		"a large manifest": {func(_ *testing.T, d *distribution, _ string) {
			d.keep(d.manifests["1"].mediaType, make([]byte, 4<<20+1), "1")
		}, sdk.KindLimit, "is larger than 4194304 bytes"},
		"no such tag": {func(_ *testing.T, d *distribution, _ string) { delete(d.manifests, "1") }, sdk.KindNotFound, "there is no artifact"},
		"a blob away": {func(_ *testing.T, d *distribution, sums string) { delete(d.blobs, sums) }, sdk.KindNotFound, "not all of it"},
		"a redirect away in the clear": {func(_ *testing.T, d *distribution, _ string) {
			d.answer = func(w http.ResponseWriter, r *http.Request) bool {
				http.Redirect(w, r, "http://a.example/", http.StatusTemporaryRedirect)
				return true
			}
		}, sdk.KindDenied, "http://a.example/ is not fetched"},
		"a redirect to another scheme": {func(_ *testing.T, d *distribution, _ string) {
			d.answer = func(w http.ResponseWriter, r *http.Request) bool {
				http.Redirect(w, r, "https://127.0.0.1:1/", http.StatusTemporaryRedirect)
				return true
			}
		}, sdk.KindDenied, "leads to another scheme"},
		"tokens from elsewhere": {func(_ *testing.T, d *distribution, _ string) {
			d.answer = func(w http.ResponseWriter, _ *http.Request) bool {
				w.Header().Set("WWW-Authenticate", `Bearer realm="http://192.0.2.1/token",service="r"`)
				w.WriteHeader(http.StatusUnauthorized)
				return true
			}
		}, sdk.KindDenied, "http://192.0.2.1/token"},
		"a password": {func(_ *testing.T, d *distribution, _ string) {
			d.answer = func(w http.ResponseWriter, _ *http.Request) bool {
				w.Header().Set("WWW-Authenticate", `Basic realm="r"`)
				w.WriteHeader(http.StatusUnauthorized)
				return true
			}
		}, sdk.KindUnauthenticated, "asks for credentials"},
		"another manifest than its digest": {func(_ *testing.T, d *distribution, _ string) {
			d.answer = func(w http.ResponseWriter, r *http.Request) bool {
				w.Header().Set("Docker-Content-Digest", digestOf(nil))
				return false
			}
		}, sdk.KindDenied, "is not what was asked for"},
		"too many requests": {func(_ *testing.T, d *distribution, _ string) {
			d.answer = func(w http.ResponseWriter, _ *http.Request) bool {
				w.WriteHeader(http.StatusTooManyRequests)
				return true
			}
		}, sdk.KindRateLimited, "allows no more requests"},
		"a broken registry": {func(_ *testing.T, d *distribution, _ string) {
			d.answer = func(w http.ResponseWriter, _ *http.Request) bool {
				w.WriteHeader(http.StatusBadGateway)
				return true
			}
		}, sdk.KindUnavailable, "answers status 502"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPublisher(t)
			p.release("0.3.0")
			text, err := os.ReadFile(filepath.Join(p.dir, "SHA256SUMS"))
			p.must(err)
			d := newDistribution(t)
			p.push(d.at(":1"), p.releaseFiles()...)
			c.change(t, d, digestOf(text))
			got, err := fetch.New().Bytes(t.Context(), fetch.Location(d.at(":1/SHA256SUMS")), 1000)
			if sdk.KindOf(err) != c.kind || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %q, kind %q, %v; want kind %q, %s", got, sdk.KindOf(err), err, c.kind, c.want)
			}
		})
	}
}

// Of an artifact for many platforms, the archive for this one is fetched.
func TestOneArchiveIsFetched(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	p.platforms = []string{here, "plan9_mips", "plan9_arm"}
	p.release("0.3.0")
	d := newDistribution(t)
	p.push(d.at(":0.3.0"), p.releaseFiles()...)
	install(t, newService(t, p), Request{Source: d.at(":0.3.0"), Key: p.key(), Yes: true})
	if len(d.fetched) != 3 {
		t.Errorf("fetched are %d blobs, of SHA256SUMS, its signature and an archive", len(d.fetched))
	}
	_, err := newService(t, p).Install(t.Context(), Request{Source: d.at(":0.3.0"), Platforms: []string{"plan9_386"}, Key: p.key(), Yes: true})
	if sdk.KindOf(err) != sdk.KindNotFound || !strings.Contains(err.Error(), "has 0 archives for plan9_386") {
		t.Errorf("a platform that it lacks: %v", err)
	}
}
