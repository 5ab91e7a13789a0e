package page

import (
	"fmt"

	"sextant/backend/tools/page/observation"
	"sextant/shared/annotation"
	"sextant/shared/toolspec"
)

// result returns the Result of an observation with the default budget.
func (t *Tools) result(a annotation.Observation, sentence string) toolspec.Result {
	return t.resultOf(a, "", observation.DefaultMaxTokens, sentence)
}

// answer returns a function that turns the return values of an action on a page into a Result.
func (t *Tools) answer(sentence string) func(annotation.Observation, error) (toolspec.Result, error) {
	return func(a annotation.Observation, err error) (toolspec.Result, error) {
		if err != nil {
			return toolspec.Result{}, err
		}
		return t.result(a, sentence), nil
	}
}

// resultOf returns the Result of an observation; see observation.Result.
func (t *Tools) resultOf(a annotation.Observation, before string, maxTokens int, sentence string) toolspec.Result {
	return observation.Result(a, before, maxTokens, t.tokens.Count, sentence)
}

// nameOf returns a name of the element for people, such as “Save”, "the link 12" or "element 12".
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

// lineOf returns the element as approvals show it, such as `[12] button "Save"`.
func lineOf(s session, id int) string {
	if e, ok := s.Element(id); ok {
		e.Value, e.States = "", nil
		return annotation.Line(e)
	}
	return fmt.Sprintf("[%d]", id)
}

// describeElement describes a call on one element. The host is that of the page or frame that contains the element.
func describeElement(s session, verb string, id int) toolspec.Description {
	return toolspec.Description{
		Sentence: verb + " " + nameOf(s, id), Target: lineOf(s, id), Annotation: id,
		Hosts: observation.Hosts(s.OriginOf(id).Origin),
	}
}

// withData adds the data that the call puts into the element, unless the element's document was closed.
func withData(s session, d toolspec.Description, data string) toolspec.Description {
	if !s.OriginOf(d.Annotation).Gone {
		d.Data = data
	}
	return d
}
