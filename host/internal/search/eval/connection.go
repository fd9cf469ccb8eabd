package eval

import _ "embed"

//go:embed testdata/connection-questions.txt
var connectionQuestionFile string

// ConnectionQuestions ask the corpus of New for what one of its connections is about; their
// words are in others too.
func ConnectionQuestions() (out []Question) {
	for _, row := range rows(connectionQuestionFile, 2) {
		out = append(out, Question{Class: "connection", Connection: row[0], Text: row[1]})
	}
	return out
}
