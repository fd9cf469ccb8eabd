package signature

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
)

// A pair survives its files; another message, signature or key is refused.
func TestSignAndVerify(t *testing.T) {
	t.Parallel()
	signer, err := NewSigner()
	if err != nil {
		t.Fatal(err)
	}
	file, err := signer.File(sdk.Secret{})
	if err != nil || Encrypted(file) {
		t.Fatal(err)
	}
	if again, err := ReadSigner(file, sdk.NewSecret("ignored")); err != nil || again.Key() != signer.Key() {
		t.Errorf("%v %v", again, err)
	}
	if _, err := ReadSigner([]byte("hello"), sdk.Secret{}); sdk.KindOf(err) != sdk.KindInvalid {
		t.Error(err)
	}
	key, err := ParseKey(string(signer.Key().File()))
	if bare, bareErr := ParseKey(string(signer.Key())); err != nil || bareErr != nil || key != signer.Key() || bare != key || !strings.HasPrefix(string(key), "RW") || len(key) != 56 {
		t.Fatalf("%q %q, %v %v", key, bare, err, bareErr)
	}
	other, err := NewSigner()
	if err != nil {
		t.Fatal(err)
	}
	message := []byte("acme")
	signed := signer.Sign(message, "a comment")
	if err := key.Verify(message, signed); err != nil {
		t.Error(err)
	}
	for name, err := range map[string]error{
		"does not fit":     key.Verify([]byte("acmE"), signed),
		"of another key":   other.Key().Verify(message, signed),
		"none of minisign": key.Verify(message, []byte("signed")),
		"no public key":    Key("RWxx").Verify(message, signed),
		"fit:":             key.Verify(message, []byte(strings.Replace(string(signed), "a comment", "a Comment", 1))),
	} {
		if sdk.KindOf(err) != sdk.KindDenied || !strings.Contains(err.Error(), name) {
			t.Errorf("want %q: %v", name, err)
		}
	}
}

// A secret key with a passphrase is read with it alone.
func TestPassphrase(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short: secret keys with a passphrase, of which each reading takes a gigabyte of memory")
	}
	signer, err := NewSigner()
	if err != nil {
		t.Fatal(err)
	}
	file, err := signer.File(sdk.NewSecret("open sesame"))
	if err != nil || !Encrypted(file) {
		t.Fatal(err)
	}
	if again, err := ReadSigner(file, sdk.NewSecret("open sesame")); err != nil || again.Key() != signer.Key() {
		t.Errorf("%v %v", again, err)
	}
	if _, err := ReadSigner(file, sdk.NewSecret("wrong")); sdk.KindOf(err) != sdk.KindDenied {
		t.Error(err)
	}
}

// SHA256SUMS is read as it is written, and nothing else is.
func TestSums(t *testing.T) {
	t.Parallel()
	one, two := strings.Repeat("a", 64), strings.Repeat("0", 64)
	s := Sums{"b_linux_amd64.tar.gz": one, "a.tar.gz": two}
	text := two + "  a.tar.gz\n" + one + "  b_linux_amd64.tar.gz\n"
	if diff := cmp.Diff(text, string(s.Text())); diff != "" {
		t.Error(diff)
	}
	got, err := ParseSums([]byte(text))
	if diff := cmp.Diff(s, got); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
	for _, bad := range []string{"hello", two + "  ../a\n", two + "  a\n" + one + "  a\n", strings.ToUpper(one) + "  a\n"} {
		if _, err := ParseSums([]byte(bad)); sdk.KindOf(err) != sdk.KindDenied {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
