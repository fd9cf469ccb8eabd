package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/loam-data/loam/host/internal/publish/signature"
)

// signedRelease is a folder with an archive, its checksum and the signature.
func signedRelease(t *testing.T) string {
	t.Helper()
	signer, err := signature.NewSigner()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	const archive = "foodb_0.3.1_linux_amd64.tar.gz"
	sum := sha256.Sum256([]byte("an archive"))
	sums := signature.Sums{archive: hex.EncodeToString(sum[:])}.Text()
	for name, text := range map[string]string{archive: "an archive", signature.SumsName: string(sums), signature.SignatureName: string(signer.Sign(sums, ""))} {
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestConnectorPush(t *testing.T) {
	t.Parallel()
	dir, layout := signedRelease(t), "oci:"+filepath.Join(t.TempDir(), "layout")
	code, stdout, stderr := run(t, "connector", "push", dir, layout+":0.3.1", "--json")
	var pushed struct {
		Reference, Digest string
		Files, Absent     []string
	}
	if err := json.Unmarshal([]byte(stdout), &pushed); code != 0 || err != nil {
		t.Fatalf("exit %d: %s%s", code, stdout, stderr)
	}
	if pushed.Reference != layout+":0.3.1" || len(pushed.Files) != 3 || pushed.Absent == nil || len(pushed.Absent) != 0 {
		t.Errorf("%s", stdout)
	}
	code, stdout, stderr = run(t, "connector", "push", dir, layout+":again")
	if code != 0 || stdout != "" || !strings.Contains(stderr, "pushed 3 files to "+layout+":again\n  digest: "+pushed.Digest+"\n") {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
}

func TestConnectorPushRefusals(t *testing.T) {
	t.Parallel()
	dir := signedRelease(t)
	layout := "oci:" + filepath.Join(t.TempDir(), "layout") + ":1"
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{dir}, 2, "2 expected"},
		{[]string{dir, "layout:1"}, 2, "oci://HOST/REPOSITORY:TAG"},
		{[]string{t.TempDir(), layout}, 5, "SHA256SUMS"},
		{[]string{dir, "oci:" + filepath.Join(dir, "SHA256SUMS") + ":1"}, 8, "cannot be written"},
		{[]string{dir, "oci:" + dir + ":1"}, 6, "is no OCI layout"},
	} {
		if code, stdout, stderr := run(t, slices.Concat([]string{"connector", "push"}, c.args)...); code != c.code || !strings.Contains(stderr, c.says) {
			t.Errorf("%q: exit %d, want %d and %q: %s%s", c.args, code, c.code, c.says, stdout, stderr)
		}
	}
}
