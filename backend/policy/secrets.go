package policy

import (
	"slices"

	"sextant/shared/toolspec"
)

func (f facts) secretReasons() []askReason {
	var unused []string
	for _, u := range f.in.Description.Secrets {
		if f.isTainted() || !slices.Contains(f.in.UsedSecrets, u) {
			unused = append(unused, "the secret "+u.Name+" into "+secretPlaceText(u))
		}
	}
	if len(unused) == 0 {
		return nil
	}
	return []askReason{{
		text: "It inserts " + joinWords(unused) + ".", exact: f.isTainted(), inEveryMode: true,
		ofSecret: true,
	}}
}

func secretPlaceText(u toolspec.SecretUse) string {
	where := u.Origin
	if where == "" {
		where = "an unknown page"
	}
	switch u.Place {
	case "query":
		return "the address of a request to " + where
	case "field":
		return "a field of " + where
	}
	return "the " + u.Place + " of a request to " + where
}

func (f facts) secretNames() []string {
	var names []string
	for _, u := range f.in.Description.Secrets {
		names = append(names, u.Name)
	}
	return sortedSet(names)
}
