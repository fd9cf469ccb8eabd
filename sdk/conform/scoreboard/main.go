// Command scoreboard makes a page of the results that conform.Run wrote:
//
//	LOAM_CONFORM_OUT=/tmp/results.jsonl go test -count=1 ./plugins/...
//	go run ./sdk/conform/scoreboard -output docs/CONFORMANCE.md /tmp/results.jsonl
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/loam-data/loam/sdk/conform"
)

func main() {
	output := flag.String("output", "", "the `file` to write (default: stdout)")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: scoreboard [-output CONFORMANCE.md] results.jsonl …")
		flag.PrintDefaults()
	}
	flag.Parse()
	if err := run(*output, flag.Args(), os.Stdout); err != nil {
		log.SetFlags(0)
		log.Fatalf("scoreboard: %v", err)
	}
}

func run(output string, files []string, stdout io.Writer) error {
	if len(files) == 0 {
		return errors.New("no results named: set LOAM_CONFORM_OUT for a test run and name its file")
	}
	var results []conform.Result
	for _, name := range files {
		more, err := read(name)
		if err != nil {
			return err
		}
		results = append(results, more...)
	}
	page := render(results)
	if output == "" {
		_, err := io.WriteString(stdout, page)
		return err
	}
	return os.WriteFile(output, []byte(page), 0o644)
}

// read returns the results in a file, one JSON object a line.
func read(name string) (results []conform.Result, err error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	const longestLine = 16 << 20 // a failure may quote a lot
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, longestLine)
	for n := 1; lines.Scan(); n++ {
		var r conform.Result
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		results = append(results, r)
	}
	return results, lines.Err()
}
