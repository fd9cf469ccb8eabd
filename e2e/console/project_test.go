package console

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// told are the texts of the prepared project: five changes of them wait, three are drafts.
var told = [][]string{
	{"-c", "shop", "ARR is the sum of shipping_cents in orders where status = 'paid'. Source: finance."},
	{"-c", "shop", "Express income is the sum of shipping_cents / 100 in orders where status = 'paid'. Source: operations.\n\nMean refund is the average of amount_cents in refunds."},
	{"-c", "shop", "Revenue means the sum of shipping_cents in orders, with refunds. Source: sales."},
	{"A courier is a person who brings a parcel.\n\nA hub is a house where parcels are sorted."},
}

var memorySettings = regexp.MustCompile(`(?m)^memory:\n.*\n`)

// prepared is a project on the sample databases to which told was told. It is made once, and tests copy it.
var prepared = sync.OnceValues(func() (string, error) {
	dir := filepath.Join(work, "prepared")
	run := func(in string, args ...string) error {
		r, err := command(context.Background(), in, args...)
		if err == nil && r.code != 0 {
			err = fmt.Errorf("loam %s: exit %d: %s%s", strings.Join(args, " "), r.code, r.stdout, r.stderr)
		}
		return err
	}
	if err := run(work, "demo", dir); err != nil {
		return "", err
	}
	settings := filepath.Join(dir, "loam.yaml")
	text, err := os.ReadFile(settings)
	if err != nil {
		return "", err
	}
	text = memorySettings.ReplaceAll(text, []byte("memory: {policy: {measure: pending}, approve_from: [cli, script, console]}\n"))
	if err := os.WriteFile(settings, text, 0o600); err != nil {
		return "", err
	}
	for _, args := range told {
		if err := run(dir, append([]string{"ingest", "text"}, args...)...); err != nil {
			return "", err
		}
	}
	return dir, nil
})

// project copies the prepared project.
func project(t testing.TB) string {
	t.Helper()
	source, err := prepared()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "shop") // the name that the pages show
	if err := os.CopyFS(dir, os.DirFS(source)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// write writes a file of a project.
func write(t testing.TB, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t testing.TB, dir, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
