package conformance

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/loam-data/loam/sdk/conform"
)

// Report is the result of Check. Its JSON is the output of the command.
type Report struct {
	Connector string  `json:"connector"`
	Version   string  `json:"version"`
	Contract  string  `json:"contract"`
	Kit       string  `json:"kit,omitempty"`    // the program that checked
	Server    string  `json:"server,omitempty"` // Fixture.Server
	Mode      string  `json:"mode"`
	Seconds   float64 `json:"seconds"`
	// Level is the level reached, Lacks what is missing for the next one, in words.
	Level     conform.Level `json:"level"`
	NextLevel conform.Level `json:"nextLevel,omitempty"`
	Lacks     []string      `json:"lacks"`
	OK        int           `json:"ok"`
	Failed    int           `json:"failed"`
	Skipped   int           `json:"skipped"`
	NotRun    int           `json:"notRun"`
	// Unsaid are the harmless statements that the dialect cannot express.
	Unsaid []string `json:"unsaid"`
	// Results are the results of the selected checks.
	Results []conform.Result `json:"results"`
}

func newReport(req *Request, target *conform.Target, results []conform.Result, took time.Duration) *Report {
	d := req.Installed.Description
	r := &Report{
		Connector: d.ID, Version: d.Version, Contract: fmt.Sprintf("1.%d", d.ContractMinor), Mode: string(conform.Binary),
		Seconds: float64(took.Round(time.Millisecond)) / float64(time.Second), Unsaid: append([]string{}, target.Unsaid...),
	}
	if req.Fixture != nil {
		r.Server = req.Fixture.Server
	}
	r.Level, r.Lacks = conform.Reached(results)
	if next := slices.Index(conform.Levels(), r.Level) + 1; next < len(conform.Levels()) {
		r.NextLevel = conform.Levels()[next]
	}
	partial := false
	for _, result := range results {
		if r.Connector == "" {
			r.Connector, r.Version = result.Connector, result.Version
		}
		if result.Class == conform.NotSelected {
			partial = partial || r.NextLevel.Needs(result.Group)
			continue
		}
		r.Results = append(r.Results, result)
	}
	r.count()
	switch {
	case req.Fixture == nil && r.Failed == 0:
		r.Lacks = []string{"a fixture: --fixture check.yaml"}
	case partial:
		r.Lacks = append([]string{"all of its checks to run"}, failures(r.Lacks)...)
	}
	r.Lacks = append([]string{}, r.Lacks...)
	return r
}

// failures returns lacks without those about checks that did not run.
func failures(lacks []string) []string {
	return slices.DeleteFunc(slices.Clone(lacks), func(what string) bool { return strings.HasSuffix(what, "not run") })
}

func (r *Report) count() {
	for _, result := range r.Results {
		switch result.Outcome {
		case conform.OK:
			r.OK++
		case conform.Failed:
			r.Failed++
		case conform.Skipped:
			r.Skipped++
		case conform.NotRun:
			r.NotRun++
		}
	}
}

// Failures returns the failed checks, grouped by reason.
func (r *Report) Failures() [][]conform.Result {
	var lists [][]conform.Result
	index := map[string]int{}
	for _, result := range r.Results {
		if result.Outcome != conform.Failed {
			continue
		}
		at, known := index[result.Reason]
		if !known {
			at = len(lists)
			index[result.Reason] = at
			lists = append(lists, nil)
		}
		lists[at] = append(lists[at], result)
	}
	return lists
}

// Passed reports whether no check failed and the level is reached; "" = any level.
func (r *Report) Passed(level conform.Level) bool {
	all := conform.Levels()
	return r.Failed == 0 && r.NotRun == 0 && slices.Index(all, r.Level) >= slices.Index(all, level)
}

// LevelLine returns the level in words.
func (r *Report) LevelLine() string {
	if len(r.Lacks) == 0 {
		return fmt.Sprintf("level: %s", r.Level)
	}
	return fmt.Sprintf("level: %s (%q needs %s)", r.Level, r.NextLevel, strings.Join(r.Lacks, "; "))
}

// The elements of JUnit's XML that build servers read.
type (
	suites struct {
		XMLName  xml.Name `xml:"testsuites"`
		Name     string   `xml:"name,attr"`
		Tests    int      `xml:"tests,attr"`
		Failures int      `xml:"failures,attr"`
		Suites   []*suite `xml:"testsuite"`
	}
	suite struct {
		Name     string     `xml:"name,attr"`
		Tests    int        `xml:"tests,attr"`
		Failures int        `xml:"failures,attr"`
		Skipped  int        `xml:"skipped,attr"`
		Cases    []testCase `xml:"testcase"`
	}
	testCase struct {
		Class   string   `xml:"classname,attr"`
		Name    string   `xml:"name,attr"`
		Failure *message `xml:"failure"`
		Skipped *message `xml:"skipped"`
	}
	message struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// JUnit returns the report as JUnit's XML.
func (r *Report) JUnit() ([]byte, error) {
	all := suites{Name: r.Connector + " " + r.Version, Tests: len(r.Results), Failures: r.Failed}
	byGroup := map[string]*suite{}
	for _, result := range r.Results {
		s := byGroup[result.Group]
		if s == nil {
			s = &suite{Name: result.Group}
			byGroup[result.Group] = s
			all.Suites = append(all.Suites, s)
		}
		s.Tests++
		c := testCase{Class: r.Connector + "." + result.Group, Name: result.Check}
		first, _, _ := strings.Cut(result.Reason, "\n")
		switch result.Outcome {
		case conform.Failed:
			s.Failures++
			c.Failure = &message{Message: first, Text: result.Reason}
		case conform.Skipped, conform.NotRun:
			s.Skipped++
			c.Skipped = &message{Message: strings.TrimPrefix(string(result.Class)+": "+first, ": ")}
		}
		s.Cases = append(s.Cases, c)
	}
	text, err := xml.MarshalIndent(all, "", "  ")
	return append([]byte(xml.Header), append(text, '\n')...), err
}

// Text returns the report as JSON, with a newline at the end.
func (r *Report) Text() ([]byte, error) {
	text, err := json.MarshalIndent(r, "", "  ")
	return append(text, '\n'), err
}

// Heading returns a line that names the connector and the server.
func Heading(req *Request) string {
	d := req.Installed.Description
	words := []string{strings.TrimSpace(d.ID + " " + d.Version), fmt.Sprintf("contract 1.%d", d.ContractMinor)}
	if d.ID == "" {
		words = []string{filepath.Base(req.Installed.Binary), "without a manifest"}
	}
	if req.Fixture != nil {
		words = append(words, req.Fixture.Server)
	}
	return strings.Join(words, ", ") + "   " + string(conform.Binary)
}

// SkipLine returns the number of skipped checks by class; "" = there are none.
func (r *Report) SkipLine() string {
	counts := map[conform.Class]int{}
	for _, result := range r.Results {
		if result.Outcome == conform.Skipped {
			counts[result.Class]++
		}
	}
	var words []string
	for _, class := range slices.Sorted(maps.Keys(counts)) {
		words = append(words, fmt.Sprintf("%d %s", counts[class], class))
	}
	if len(words) == 0 {
		return ""
	}
	return "skipped: " + strings.Join(words, ", ")
}
