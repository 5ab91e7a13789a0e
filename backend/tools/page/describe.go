package page

import (
	"fmt"

	"sextant/backend/tools/page/observation"
	"sextant/shared/annotation"
	"sextant/shared/toolspec"
)

func (t *Tools) result(a annotation.Observation, sentence string) toolspec.Result {
	return t.resultOf(a, "", observation.DefaultMaxTokens, sentence)
}

func (t *Tools) answer(sentence string) func(annotation.Observation, error) (toolspec.Result, error) {
	return func(a annotation.Observation, err error) (toolspec.Result, error) {
		if err != nil {
			return toolspec.Result{}, err
		}
		return t.result(a, sentence), nil
	}
}

func (t *Tools) resultOf(a annotation.Observation, before string, maxTokens int, sentence string) toolspec.Result {
	return observation.Result(a, before, maxTokens, t.tokens.Count, sentence)
}

func nameOf(s session, id int) string {
	e, ok := s.Element(id)
	if !ok {
		return fmt.Sprintf("element %d", id)
	}
	if name := annotation.Clean(e.Name, 60); name != "" {
		return "“" + name + "”"
	}
	return fmt.Sprintf("the %s %d", annotation.Clean(e.Role, 30), e.ID)
}

func lineOf(s session, id int) string {
	if e, ok := s.Element(id); ok {
		e.Value, e.States = "", nil
		return annotation.Line(e)
	}
	return fmt.Sprintf("[%d]", id)
}

// The host is that of the document that contains the element, which may be a frame.
func describeElement(s session, verb string, id int) toolspec.Description {
	return toolspec.Description{
		Sentence: verb + " " + nameOf(s, id), Target: lineOf(s, id), Annotation: id,
		Hosts: observation.Hosts(s.OriginOf(id).Origin),
	}
}

func withData(s session, d toolspec.Description, data string) toolspec.Description {
	if !s.OriginOf(d.Annotation).Gone {
		d.Data = data
	}
	return d
}
