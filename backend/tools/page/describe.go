package page

import (
	"fmt"

	"sextant/backend/tools/page/observation"
	"sextant/shared/annotation"
	"sextant/shared/toolspec"
)

// result makes the Result of an answer with the default budget.
func (t *Tools) result(a annotation.Observation, sentence string) toolspec.Result {
	return t.resultOf(a, "", observation.DefaultTokens, sentence)
}

// answer returns a function that takes what an action of the surface returns and makes its Result.
func (t *Tools) answer(sentence string) func(annotation.Observation, error) (toolspec.Result, error) {
	return func(a annotation.Observation, err error) (toolspec.Result, error) {
		if err != nil {
			return toolspec.Result{}, err
		}
		return t.result(a, sentence), nil
	}
}

// resultOf makes the Result of an answer, see observation.Result.
func (t *Tools) resultOf(a annotation.Observation, before string, maxTokens int, sentence string) toolspec.Result {
	return observation.Result(a, before, maxTokens, t.tokens.Count, sentence)
}

// nameOf is what a person would call the element id: “Save”, or "element 12".
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

// lineOf is the element id for approvals: `[12] button "Save"`.
func lineOf(s session, id int) string {
	if e, ok := s.Element(id); ok {
		e.Value, e.States = "", nil
		return annotation.Line(e)
	}
	return fmt.Sprintf("[%d]", id)
}

// describeElement describes a call on the element id: the sentence while it runs, and the host of the
// page or frame that the element belongs to.
func describeElement(s session, verb string, id int) toolspec.Description {
	return toolspec.Description{
		Present: verb + " " + nameOf(s, id), Target: lineOf(s, id), Annotation: id,
		Hosts: observation.Hosts(s.OriginOf(id).Origin),
	}
}

// withData adds what the call puts into the element. An element in a document that was closed gets nothing.
func withData(s session, d toolspec.Description, data string) toolspec.Description {
	if !s.OriginOf(d.Annotation).Gone {
		d.Data = data
	}
	return d
}
