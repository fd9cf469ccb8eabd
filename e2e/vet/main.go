// Command vet runs the analyzers of go vet on packages of the workspace, in one process.
//
//	vet ./... ./sdk/...
//
// go vet starts a process per package and analyzes every dependency from its source, for
// facts that only calls of the dependency need: on an empty cache that takes as long as
// compiling everything. vet reads dependencies as compiled export data, which the tests
// need anyway. It misses what a fact about a function of another module would find, such as a
// wrong format given to its own Printf.
//
// The exit code is 1 when an analyzer reports anything, 2 when a package does not compile.
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/analysis/suite/vet"
	"golang.org/x/tools/go/packages"
)

func main() {
	found, err := run("", os.Args[1:], os.Stdout)
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "vet:", err)
		os.Exit(2)
	case found:
		os.Exit(1)
	}
}

// run analyzes the packages that patterns match in dir, and their tests, and prints the
// diagnostics. It returns whether there are any.
func run(dir string, patterns []string, out io.Writer) (found bool, err error) {
	generated, err := generatedByCgo(dir, patterns)
	if err != nil {
		return false, err
	}
	all, err := packages.Load(&packages.Config{
		Dir: dir, Tests: true,
		Mode:      packages.LoadSyntax | packages.NeedModule | packages.NeedForTest,
		ParseFile: generated.parse,
	}, patterns...)
	if err != nil {
		return false, err
	}
	if n := packages.PrintErrors(all); n > 0 {
		return false, fmt.Errorf("%d errors in packages", n)
	}
	onlyLoaded(all)
	graph, err := checker.Analyze(vet.Suite, chosen(all), nil)
	if err != nil {
		return false, err
	}
	for _, action := range graph.Roots {
		if action.Err != nil {
			return false, fmt.Errorf("%s of %s: %w", action.Analyzer.Name, action.Package.ID, action.Err)
		}
		found = found || len(action.Diagnostics) > 0
	}
	return found, graph.PrintText(out, 0)
}

// cgoFiles has the folder of each file that cgo generated.
//
// The compile cache has such files once per text: with -trimpath, a line directive in it names
// the folder where the package was compiled first, which may be gone. An analyzer reads the
// original file there.
type cgoFiles map[string]string

// generatedByCgo lists the files that cgo generated for the packages that patterns match in dir.
func generatedByCgo(dir string, patterns []string) (cgoFiles, error) {
	all, err := packages.Load(&packages.Config{
		Dir: dir, Tests: true, Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles,
	}, patterns...)
	generated := cgoFiles{}
	for _, p := range all {
		for _, file := range p.CompiledGoFiles {
			if !slices.Contains(p.GoFiles, file) {
				generated[file] = p.Dir
			}
		}
	}
	return generated, err
}

// lineDirective is the first one of a file that cgo generated.
var lineDirective = regexp.MustCompile(`(?m)^//line (.*):1:1$`)

// parse parses a file; the line directives of one that cgo generated name the package's folder.
func (g cgoFiles) parse(fset *token.FileSet, name string, text []byte) (*ast.File, error) {
	if dir, ok := g[name]; ok {
		text = lineDirective.ReplaceAllFunc(text, func(directive []byte) []byte {
			original := lineDirective.FindSubmatch(directive)[1]
			return fmt.Appendf(nil, "//line %s:1:1", filepath.Join(dir, filepath.Base(string(original))))
		})
	}
	return parser.ParseFile(fset, name, text, parser.AllErrors|parser.ParseComments)
}

// onlyLoaded removes the imports whose source was not loaded: the analyzers find no
// syntax in them.
func onlyLoaded(all []*packages.Package) {
	loaded := map[*packages.Package]bool{}
	for _, p := range all {
		loaded[p] = true
	}
	for _, p := range all {
		for path, imported := range p.Imports {
			if !loaded[imported] {
				delete(p.Imports, path)
			}
		}
	}
}

// chosen returns the packages to report about: a package compiled with its tests in place of the
// package alone, and no generated main of a test.
func chosen(all []*packages.Package) []*packages.Package {
	tested := map[string]bool{}
	for _, p := range all {
		if p.PkgPath == p.ForTest {
			tested[p.PkgPath] = true
		}
	}
	var out []*packages.Package
	for _, p := range all {
		if p.ForTest == "" && tested[p.PkgPath] || strings.HasSuffix(p.PkgPath, ".test") {
			continue
		}
		out = append(out, p)
	}
	return out
}
