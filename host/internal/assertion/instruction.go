package assertion

import (
	"regexp"
	"strings"

	"github.com/loam-data/loam/host/internal/text"
)

// instructions match texts that address an agent or a tool. A pattern is tried only if the text in
// lower case contains one of its cues.
var instructions = []struct {
	cues    []string
	pattern func() *regexp.Regexp
}{
	// English
	{[]string{"ignor", "disregard", "forget", "overrid", "bypass"}, text.Pattern(`(?i)\b(?:ignor(?:e|ing)|disregard|forget|override|bypass)\b[^.\n]{0,40}\b(?:previous|prior|above|earlier|preceding|all|any|your|system|these|those)\b[^.\n]{0,30}\b(?:instructions?|rules?|prompts?|messages?|guidelines?|directives?|guardrails?|safeguards?)\b`)},
	{[]string{"you are now", "from now on", "you must now", "act as", "pretend", "new instruction", "system prompt", "jailbreak", "developer mode"}, text.Pattern(`(?i)\b(?:you are now|from now on,? you|you must now|act as (?:an?|the) (?:admin|administrator|assistant|system|agent|root|developer)|pretend (?:to be|that you)|new instructions?:|system prompt|jailbreak|developer mode)\b`)},
	{[]string{"approve", "accept", "confirm", "reject"}, text.Pattern(`(?i)\b(?:approve|accept|confirm|reject) (?:all|every|any)(?: of)?(?: the| these| pending)* (?:changes?|proposals?|requests?)\b`)},
	{[]string{" tool", " function"}, text.Pattern(`(?i)\b(?:call|invoke|use|run|execute) the [\w-]+ (?:tool|function)\b`)},
	{[]string{"do not ", "don't "}, text.Pattern(`(?i)\b(?:do not|don't) (?:tell|inform|mention|reveal)[^.\n]{0,20}\b(?:user|person|human|anyone)\b`)},
	{[]string{"key", "password", "credential", "secret", "token"}, text.Pattern(`(?i)\b(?:reveal|print|send|leak|exfiltrate)\b[^.\n]{0,30}\b(?:api keys?|passwords?|credentials|secrets?|tokens)\b`)},
	// German
	{[]string{"ignorier", "vergiss", "vergessen", "missacht", "übergeh"}, text.Pattern(`(?i)(?:ignoriere?|ignorieren sie|vergiss|vergessen sie|missachte|übergehe)\s[^.\n]{0,50}(?:anweisung|regel|vorgabe|instruktion|prompt)`)},
	{[]string{"du bist", "bist du", "genehmig", "bestätig", "führe", "sag "}, text.Pattern(`(?i)(?:du bist (?:jetzt|nun|ab sofort)|ab (?:jetzt|sofort) bist du|genehmige alle|bestätige alle|führe (?:das|den) [\w-]+[ -](?:tool|werkzeug|befehl) aus|sage? (?:dem|der) (?:nutzer|benutzer|nutzerin) nicht)`)},
	// French
	{[]string{"ignore", "oublie", "ne tiens", "ne tenez"}, text.Pattern(`(?i)(?:ignore[zr]?|oublie[zr]?|ne tiens pas compte|ne tenez pas compte)\s[^.\n]{0,50}(?:instructions?|consignes|règles|directives)`)},
	{[]string{"tu es", "vous êtes", "approuve"}, text.Pattern(`(?i)\b(?:tu es|vous êtes) (?:maintenant|désormais)|\bapprouve[zr]? (?:toutes|tous)\b`)},
	// Spanish
	{[]string{"ignora", "ignore", "olvid", "caso omiso"}, text.Pattern(`(?i)\b(?:ignora|ignore|olvida|olvide|haz caso omiso)\b[^.\n]{0,50}(?:instrucciones|reglas|indicaciones)`)},
	{[]string{"eres", "aprueba"}, text.Pattern(`(?i)\b(?:ahora eres|a partir de ahora eres)\b|\baprueba (?:todos|todas)\b`)},
	// Structure: role markers, tool calls.
	{[]string{"system", "assistant", "developer", "human", "ai"}, text.Pattern(`(?im)^\s*(?:#{1,6}\s*)?(?:system|assistant|developer|human|ai)\s*:\s*\S`)},
	{[]string{"<", "[inst", "[/inst", "[sys"}, text.Pattern(`(?i)<\|?(?:im_start|im_end|system|assistant|endoftext|start_header_id)\|?>|\[/?(?:INST|SYS)\]|<</?SYS>>|</?(?:tool_call|tool_use|function_calls?|invoke|system_prompt|system-reminder)\b`)},
	{[]string{`"tool`, `"function`, `"name`, `"method`}, text.Pattern(`(?i)"(?:tool_calls|function_call|tool_use|tool_name)"\s*:|\{\s*"(?:name|tool|function)"\s*:\s*"[^"]*"\s*,\s*"(?:arguments|parameters|input|args)"\s*:|"method"\s*:\s*"tools/call"`)},
}

// Instructs reports whether a text reads like an instruction to an agent or a tool.
func Instructs(block string) bool {
	low := strings.ToLower(block)
	for _, i := range instructions {
		if anyIn(low, i.cues) && i.pattern().MatchString(block) {
			return true
		}
	}
	return false
}

func anyIn(text string, parts []string) bool {
	for _, p := range parts {
		if strings.Contains(text, p) {
			return true
		}
	}
	return false
}

// replyCues are parts of all that reply matches.
var replyCues = []string{"---", "wrote:", "schrieb", "a écrit", "@"}

// reply matches the beginning of the quoted mail in a reply.
var reply = text.Pattern(`(?im)^(?:-{3,}\s*(?:original message|ursprüngliche nachricht|forwarded message|weitergeleitete nachricht)|on .{4,80} wrote:\s*$|am .{4,80} schrieb .{0,80}:\s*$|le .{4,80} a écrit\s?:\s*$|(?:from|von|de): .*@.*$)`)

// farewell matches the end of a mail: the "-- " of a signature, or a closing line.
var farewell = text.Pattern(`(?i)\A(?:-- ?\n|(?:best|kind|warm) regards\b|regards,|cheers,|sincerely|(?:many )?thanks,|viele grüße|mit freundlichen grüßen|beste grüße|liebe grüße|freundliche grüße|mfg\b|cordialement|saludos\b)`)
