// Command release makes the files of a release in a folder: for each platform an archive
// with the host, the connectors, completions and manual pages, its bill of materials, and
// the checksums of all of them. It publishes nothing.
//
// The same sources give the same bytes: times are SOURCE_DATE_EPOCH, by default the time
// of the commit.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// platforms are those of a full release.
const platforms = "darwin_amd64,darwin_arm64,linux_amd64,linux_arm64,windows_amd64,windows_arm64"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// release is what one run makes.
type release struct {
	root       string // of the repository
	out        string
	version    string // without "v"
	time       time.Time
	platforms  []platform
	connectors []string // nil = all that can be built
	native     string   // folder with the programs of this machine's platform; "" = built here
	key        string   // file of minisign's secret key; "" = the checksums are not signed
}

// platform is an operating system and an architecture, as Go names them.
type platform struct{ os, arch string }

func (p platform) String() string { return p.os + "_" + p.arch }

func (p platform) exe() string {
	if p.os == "windows" {
		return ".exe"
	}
	return ""
}

var native = platform{runtime.GOOS, runtime.GOARCH}

func run(ctx context.Context, args []string) error {
	r, err := parse(ctx, args)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return err
	}
	if err := r.build(ctx); err != nil {
		return err
	}
	files, err := r.pack(ctx)
	if err != nil {
		return err
	}
	return r.seal(files)
}

var semantic = regexp.MustCompile(`^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?$`)

func parse(ctx context.Context, args []string) (*release, error) {
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	list := flags.String("platforms", platforms, "platforms, with commas")
	connectors := flags.String("connectors", "", "connectors, with commas (default: all)")
	out := flags.String("output", "dist", "folder for the release")
	version := flags.String("version", "", "version, 1.2.3 (default: the tag of the commit)")
	native := flags.String("native", "", "folder in which make build left the programs of this machine (default: they are built)")
	key := flags.String("minisign-key", "", "file of the secret key that signs the checksums (default: they are not signed); its passphrase is in LOAM_MINISIGN_PASSPHRASE")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	r := &release{version: strings.TrimPrefix(*version, "v"), native: *native, key: *key}
	var err error
	if r.root, err = output(ctx, "", "go", "list", "-m", "-f", "{{.Dir}}", loamModule); err != nil {
		return nil, err
	}
	if r.out, err = filepath.Abs(*out); err != nil {
		return nil, err
	}
	if r.version == "" {
		tag, err := output(ctx, r.root, "git", "describe", "--tags", "--exact-match")
		if err != nil {
			return nil, fmt.Errorf("the commit has no tag: name the version with --version 1.2.3")
		}
		r.version = strings.TrimPrefix(tag, "v")
	}
	if !semantic.MatchString(r.version) {
		return nil, fmt.Errorf("%q is no version such as 1.2.3 or 1.2.3-rc.1", r.version)
	}
	if r.time, err = sourceTime(ctx, r.root); err != nil {
		return nil, err
	}
	for name := range strings.SplitSeq(*list, ",") {
		if !slices.Contains(strings.Split(platforms, ","), name) {
			return nil, fmt.Errorf("%q is not among the platforms %s", name, platforms)
		}
		system, arch, _ := strings.Cut(name, "_")
		r.platforms = append(r.platforms, platform{system, arch})
	}
	if *connectors != "" {
		r.connectors = strings.Split(*connectors, ",")
	}
	return r, nil
}

// sourceTime returns the time that every file of the release has.
func sourceTime(ctx context.Context, root string) (time.Time, error) {
	epoch := os.Getenv("SOURCE_DATE_EPOCH")
	if epoch == "" {
		var err error
		if epoch, err = output(ctx, root, "git", "log", "-1", "--format=%ct"); err != nil {
			return time.Time{}, err
		}
	}
	seconds, err := strconv.ParseInt(epoch, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH is %q, not the seconds since 1970", epoch)
	}
	return time.Unix(seconds, 0).UTC(), nil
}

// output runs a program and returns what it prints, without the last newline.
func output(ctx context.Context, dir, program string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = dir
	text, err := cmd.Output()
	if err != nil {
		if failed, ok := err.(*exec.ExitError); ok {
			err = fmt.Errorf("%w: %s", err, failed.Stderr)
		}
		return "", fmt.Errorf("%s %s: %w", filepath.Base(program), cmp.Or(strings.Join(args, " "), "-"), err)
	}
	return strings.TrimSuffix(string(text), "\n"), nil
}
