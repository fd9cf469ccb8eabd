package arch

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The programs are meant for macOS and Windows too. Their source is type checked as it
// is chosen there; to compile it with all it requires takes minutes and finds no more.
// DuckDB's connector needs a C compiler of the other system and is left out.
func TestOtherSystems(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short: type checks for macOS and Windows are left to make ci")
	}
	for _, system := range []string{"darwin/arm64", "windows/amd64"} {
		t.Run(system, func(t *testing.T) {
			t.Parallel()
			wrong, checked := typeCheck(t, system)
			for _, err := range wrong {
				t.Error(err)
			}
			if checked < 50 {
				t.Errorf("%d packages of the module were checked", checked)
			}
		})
	}
}

type source struct {
	ImportPath string
	Dir        string
	GoFiles    []string
	ImportMap  map[string]string
	Module     *struct {
		Main      bool
		GoVersion string
	}
}

// typeCheck returns what is wrong in packages of the module, and how many these are.
func typeCheck(t *testing.T, system string) (wrong []error, checked int) {
	t.Helper()
	goos, goarch, _ := strings.Cut(system, "/")
	cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "-json=ImportPath,Dir,GoFiles,ImportMap,Module", "./cmd/...", "./sdk/...")
	cmd.Dir = root(t)
	cmd.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	files := token.NewFileSet()
	packages := map[string]*types.Package{"unsafe": types.Unsafe}
	// go list names a package after all that it imports.
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p source
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return wrong, checked
		} else if err != nil {
			t.Fatal(err)
		}
		if p.ImportPath == "unsafe" {
			continue
		}
		own := p.Module != nil && p.Module.Main
		var parsed []*ast.File
		for _, name := range p.GoFiles {
			file, err := parser.ParseFile(files, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			parsed = append(parsed, file)
		}
		config := types.Config{
			Importer:         imports{packages, p.ImportMap},
			Sizes:            types.SizesFor("gc", goarch),
			IgnoreFuncBodies: !own,
			FakeImportC:      true,
			Error: func(err error) {
				if own {
					wrong = append(wrong, err)
				}
			},
		}
		if p.Module != nil && p.Module.GoVersion != "" {
			config.GoVersion = "go" + p.Module.GoVersion
		}
		// Its error is the first of those that Error was given.
		packages[p.ImportPath], _ = config.Check(p.ImportPath, files, parsed, nil)
		if own {
			checked++
		}
	}
}

// imports finds what one package imports among those that were checked before it.
type imports struct {
	packages map[string]*types.Package
	vendored map[string]string
}

func (i imports) Import(path string) (*types.Package, error) {
	if actual, ok := i.vendored[path]; ok {
		path = actual
	}
	if p := i.packages[path]; p != nil {
		return p, nil
	}
	return nil, errors.New("go list does not name " + path)
}
