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
	files, err := sourcesOf(dir, patterns)
	if err != nil {
		return false, err
	}
	all, err := packages.Load(&packages.Config{
		Dir: dir, Tests: true,
		Mode:      packages.LoadSyntax | packages.NeedModule | packages.NeedForTest,
		ParseFile: files.parse,
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

// sources are the Go files of the packages, by their last element.
//
// The compile cache has what cgo made of a file once per text: with -trimpath, a line
// directive in it names the folder where the package was compiled first, which may be
// another one by now, or gone. An analyzer reads the original file there.
type sources map[string][]string

// sourcesOf lists the files of the packages that patterns match in dir.
func sourcesOf(dir string, patterns []string) (sources, error) {
	all, err := packages.Load(&packages.Config{Dir: dir, Tests: true, Mode: packages.NeedName | packages.NeedFiles}, patterns...)
	files := sources{}
	for _, p := range all {
		for _, file := range p.GoFiles {
			files[filepath.Base(file)] = append(files[filepath.Base(file)], file)
		}
	}
	return files, err
}

// lineDirective is the first one of a file that cgo generated.
var lineDirective = regexp.MustCompile(`(?m)^//line (.*):1:1$`)

// parse parses a file. A line directive for the whole of it names the file here.
func (s sources) parse(fset *token.FileSet, name string, text []byte) (*ast.File, error) {
	if filepath.Ext(name) != ".go" { // those of the compile cache
		text = lineDirective.ReplaceAllFunc(text, func(directive []byte) []byte {
			return fmt.Appendf(nil, "//line %s:1:1", s.here(string(lineDirective.FindSubmatch(directive)[1])))
		})
	}
	return parser.ParseFile(fset, name, text, parser.AllErrors|parser.ParseComments)
}

// here returns the file whose path ends most like the path of a file elsewhere.
func (s sources) here(elsewhere string) string {
	found, most := elsewhere, 0
	for _, file := range s[filepath.Base(elsewhere)] {
		if n := commonEnd(file, elsewhere); n > most {
			found, most = file, n
		}
	}
	return found
}

// commonEnd returns how many bytes at their ends two texts share.
func commonEnd(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
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
