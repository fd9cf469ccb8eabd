//go:build !windows

package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// instruction is one of a Dockerfile.
type instruction struct{ name, rest string }

// dockerfile reads the instructions of the repository's Dockerfile by stage, with values of
// its arguments.
func dockerfile(t *testing.T, values map[string]string) (stages [][]instruction) {
	t.Helper()
	text, err := os.ReadFile("../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(strings.ReplaceAll(string(text), "\\\n", " ")) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, rest, _ := strings.Cut(line, " ")
		if name == "FROM" {
			stages = append(stages, nil)
		}
		stage := &stages[len(stages)-1]
		for argument, value := range values {
			if strings.Contains(rest, "${"+argument+"}") && !slices.Contains(*stage, instruction{"ARG", argument}) {
				t.Errorf("%s uses %s, which this stage has not declared", line, argument)
			}
			rest = strings.ReplaceAll(rest, "${"+argument+"}", value)
		}
		*stage = append(*stage, instruction{name, strings.TrimSpace(rest)})
	}
	return stages
}

// arguments splits an instruction into flags and words.
func (i instruction) arguments() (flags map[string]string, words []string) {
	flags = map[string]string{}
	for _, word := range strings.Fields(i.rest) {
		if name, value, ok := strings.Cut(strings.TrimPrefix(word, "--"), "="); ok && strings.HasPrefix(word, "--") {
			flags[name] = value
		} else {
			words = append(words, word)
		}
	}
	return flags, words
}

// TestReleaseImage follows the Dockerfile over the archive of a release: what is copied is
// there, the program of the entry point is in its place, and no user has more rights than
// they need. Where a builder answers it also builds the image.
func TestReleaseImage(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("the image is for Linux")
	}
	dir, root := newRelease(t), t.TempDir()
	archive := "loam_" + releaseVersion + "_" + nativePlatform + ".tar.gz"
	files := unpack(t, filepath.Join(dir, archive), root)
	stages := dockerfile(t, map[string]string{"VERSION": releaseVersion, "TARGETARCH": runtime.GOARCH})
	if len(stages) != 2 {
		t.Fatalf("the Dockerfile has %d stages", len(stages))
	}
	made := map[string]bool{}   // in the first stage
	image := map[string]bool{}  // in the second
	last := map[string]string{} // the last instruction of each name in the second
	for _, i := range stages[0] {
		_, words := i.arguments()
		switch {
		case i.name == "ADD" && words[0] == "dist/"+archive && words[1] == "/":
			for _, file := range files {
				made["/"+file] = true
			}
		case i.name == "ADD":
			t.Errorf("ADD %s is not the archive of the release", i.rest)
		case i.name == "WORKDIR":
			made[words[0]] = true
		}
	}
	environment := map[string]string{}
	for _, i := range stages[1] {
		flags, words := i.arguments()
		last[i.name] = i.rest
		switch i.name {
		case "COPY":
			found := false
			for file := range made {
				if below, ok := strings.CutPrefix(file, words[0]); ok {
					image[path.Join(words[1], below)], found = true, true
				}
			}
			if flags["from"] != "release" || !found {
				t.Errorf("COPY %s copies nothing", i.rest)
			}
		case "ENV":
			for _, word := range words {
				name, value, _ := strings.Cut(word, "=")
				environment[name] = value
			}
		}
	}
	if !regexp.MustCompile(`^gcr\.io/distroless/cc-debian\d+:nonroot$`).MatchString(last["FROM"]) {
		t.Errorf("the base is %s", last["FROM"])
	}
	if user, _, _ := strings.Cut(last["USER"], ":"); user == "" || user == "0" || strings.Trim(user, "0123456789") != "" {
		t.Errorf("the user is %q, whose number a cluster must know not to be root's", last["USER"])
	}
	var entry []string
	if err := json.Unmarshal([]byte(last["ENTRYPOINT"]), &entry); err != nil || len(entry) != 1 || !image[entry[0]] {
		t.Errorf("the entry point %s is not in the image (%v)", last["ENTRYPOINT"], err)
	}
	var command []string
	if err := json.Unmarshal([]byte(last["CMD"]), &command); err != nil {
		t.Errorf("CMD %s: %v", last["CMD"], err)
	}
	if help := loam(t, t.TempDir(), append(command, "--help")...); help.code != 0 {
		t.Errorf("loam %v --help: %s", command, help.stderr)
	}
	if !image[environment["LOAM_STATE_DIR"]] || environment["LOAM_PROJECT_DIR"] != last["WORKDIR"] {
		t.Errorf("the environment is %v", environment)
	}
	buildImage(t, dir, archive)
}

func buildImage(t *testing.T, dir, archive string) {
	t.Helper()
	if err := exec.Command("docker", "info").Run(); err != nil {
		t.Logf("the image was not built, for no builder answers (docker info: %v): its Dockerfile was followed", err)
		return
	}
	context := t.TempDir()
	copyFile(t, filepath.Join(dir, archive), filepath.Join(context, "dist", archive))
	tool(t, "..", "docker", "build", "-q", "-f", "Dockerfile", "--build-arg", "VERSION="+releaseVersion, "--build-arg", "TARGETARCH="+runtime.GOARCH, "-t", "loam-e2e", context)
	if version := tool(t, context, "docker", "run", "--rm", "--read-only", "loam-e2e", "version"); !strings.Contains(version, "loam ") {
		t.Errorf("the image prints %s", version)
	}
}

// TestUnitOfSystemd runs the command of the unit as far as its flags, and verifies the unit
// where systemd is installed.
func TestUnitOfSystemd(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../packaging/loam.service")
	if err != nil {
		t.Fatal(err)
	}
	set := map[string][]string{}
	for line := range strings.Lines(string(text)) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok && !strings.HasPrefix(key, "#") {
			set[key] = append(set[key], value)
		}
	}
	start := strings.Fields(strings.Join(set["ExecStart"], " "))
	if len(start) < 2 || start[0] != "/opt/loam/bin/loam" || !slices.Contains(start, "--foreground") {
		t.Fatalf("ExecStart is %v", start)
	}
	if help := loam(t, t.TempDir(), append(start[1:], "--help")...); help.code != 0 {
		t.Errorf("%v: %s", start, help.stderr)
	}
	state, ok := strings.CutPrefix(strings.Join(set["Environment"], " "), "LOAM_PROJECT_DIR=/srv/loam LOAM_STATE_DIR=/var/lib/")
	if !ok || !strings.HasPrefix(state, set["StateDirectory"][0]+" ") {
		t.Errorf("Environment is %v, StateDirectory %v", set["Environment"], set["StateDirectory"])
	}
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Logf("systemd is not installed (%v): the unit was read, not verified", err)
		return
	}
	unit := filepath.Join(t.TempDir(), "loam.service")
	program, err := filepath.Abs(filepath.Join(bin, "loam"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(unit, []byte(strings.ReplaceAll(string(text), "/opt/loam/bin/loam", program)), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), "systemd-analyze", "verify", "--man=no", unit).CombinedOutput()
	if err != nil || strings.Contains(string(out), "loam.service:") {
		t.Errorf("systemd-analyze verify: %v\n%s", err, out)
	}
}
