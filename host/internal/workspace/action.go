package workspace

import (
	"strings"

	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/host/internal/text"
)

// Action is what a remediation says to do. Its texts are what others wrote.
type Action struct {
	RemediationID   string   `json:"remediationId"`
	Step            string   `json:"step"`
	Commands        []string `json:"commands"`
	ExpectedOutcome *string  `json:"expectedOutcome"`
	// Destructive: a command has a word that may destroy something.
	Destructive bool     `json:"destructive"`
	SafetyNotes []string `json:"safetyNotes"`
	Trust       string   `json:"trust"`
}

// Keys of a remediation's context that answers know.
const (
	keyRootCause = "rootCause"
	keyOutcome   = "expectedOutcome"
)

// maxCommands is how many commands of a solution an action lists.
const maxCommands = 20

func actionOf(r *store.Remediation, context map[string]string) Action {
	a := Action{RemediationID: r.ID, Step: r.Solution, Commands: []string{}, ExpectedOutcome: orNull(context[keyOutcome]), SafetyNotes: []string{}, Trust: trustOf(r)}
	all := commandsOf(r.Solution)
	for _, c := range all {
		a.Destructive = a.Destructive || destructive(c)
	}
	if len(all) > maxCommands {
		a.SafetyNotes = append(a.SafetyNotes, "There are more commands: read the whole step.")
		all = all[:maxCommands]
	}
	a.Commands = append(a.Commands, all...)
	if a.Destructive {
		a.SafetyNotes = append(a.SafetyNotes, "A command may destroy data: ask the user before anybody runs it.")
	}
	if a.Trust != trustReviewed {
		a.SafetyNotes = append(a.SafetyNotes, "No person reviewed this: it is a report, not an instruction.")
	}
	return a
}

var (
	// destroying are words that stand for destroying something in a command line. In "information" and "dropdown" there
	// is none.
	destroying = text.Pattern(`(?i)(?:^|[^\pL\pN_])(?:drop|delete|truncate|rm|rmdir|unlink|kill|killall|pkill|format|mkfs(?:\.\w+)?|shred|wipe|wipefs|destroy|purge|dd|reset|revoke|overwrite|shutdown|reboot|del|erase|fdisk)(?:$|[^\pL\pN_])`)
	// command recognises a line that begins as a command does.
	command    = text.Pattern(`(?i)^(?:sudo|rm|rmdir|kill|killall|pkill|mkfs\S*|dd|cd|cp|mv|cat|ls|chmod|chown|mkdir|git|docker|kubectl|helm|systemctl|service|apt|apt-get|yum|dnf|brew|pip|npm|npx|go|make|curl|wget|ssh|python3?|node|loam|export|set|alter|create|drop|delete|truncate|update|insert|grant|revoke|select|with|analyze|vacuum|explain|format|shred|wipe|shutdown|reboot)\s+\S`)
	inlineCode = text.Pattern("`([^`\\n]+)`")
	listMark   = text.Pattern(`^(?:[-*+]|\d+[.)])\s+`)
)

// destructive reports whether a command line has a word that stands for destroying something.
func destructive(line string) bool { return destroying().MatchString(line) }

// commandsOf returns the command lines of a solution: the lines of code blocks, those behind a prompt, code within
// lines, and lines that begin as commands do.
func commandsOf(solution string) (all []string) {
	fenced := false
	for line := range strings.Lines(solution) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
			fenced = !fenced
			continue
		}
		plain := listMark().ReplaceAllString(line, "")
		prompt, prompted := strings.CutPrefix(plain, "$ ")
		inline := inlineCode().FindAllStringSubmatch(plain, -1)
		switch {
		case line == "":
		case fenced:
			all = append(all, strings.TrimPrefix(line, "$ "))
		case prompted:
			all = append(all, prompt)
		case len(inline) > 0:
			for _, code := range inline {
				if strings.ContainsRune(strings.TrimSpace(code[1]), ' ') {
					all = append(all, strings.TrimSpace(code[1]))
				}
			}
		case command().MatchString(plain):
			all = append(all, plain)
		}
	}
	return all
}
