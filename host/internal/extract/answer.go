package extract

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/loam-data/loam/host/internal/assertion"
	"github.com/loam-data/loam/sdk"
)

// statement is a statement of an answer, as the schema defines it.
type statement struct {
	Quote     string `json:"quote"`
	Subject   string `json:"subject"`
	Attribute string `json:"attribute"`
	Value     string `json:"value"`
	Unit      string `json:"unit"`
	Expr      string `json:"expr"`
	Filter    string `json:"filter"`
	Table     string `json:"table"`
	Polarity  string `json:"polarity"`
	ValidFrom string `json:"validFrom"`
	ValidTo   string `json:"validTo"`
}

func (s *statement) extract() assertion.Extract {
	e := assertion.Extract{
		Quote: s.Quote, Attribute: assertion.Attribute(s.Attribute), Subject: s.Subject, Value: s.Value, Unit: s.Unit,
		Expr: s.Expr, Filter: s.Filter, Table: s.Table, ValidFrom: s.ValidFrom, ValidTo: s.ValidTo,
	}
	if s.Polarity == "negative" {
		e.Polarity = assertion.Negative
	}
	return e
}

// decode parses an answer: one JSON object with the keys of the schema.
// Errors: KindUnavailable for anything else.
func decode(text []byte) ([]statement, error) {
	var answer struct {
		Statements *[]statement `json:"statements"`
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	err := d.Decode(&answer)
	if err == nil {
		if _, more := d.Token(); more != io.EOF {
			err = io.ErrUnexpectedEOF
		}
	}
	if err != nil || answer.Statements == nil {
		return nil, useless("the model's answer is not the JSON that it was asked for", "try another model in memory.llm.model")
	}
	return *answer.Statements, nil
}

func useless(msg, hint string) error {
	return sdk.Errorf(sdk.KindUnavailable, sdk.SourceHost, "%s", msg).WithHint("%s", hint)
}
