package secrets

import "encoding/json"

// MaskValue returns value without the values of secrets in any of its texts, as its JSON shows it.
func MaskValue[T any](vault *Vault, value T) T {
	b, err := json.Marshal(value)
	if err != nil {
		return value
	}
	masked := vault.MaskJSON(b)
	if string(masked) == string(b) {
		return value
	}
	var out T
	if json.Unmarshal(masked, &out) != nil {
		return out // an incomplete value rather than a secret
	}
	return out
}
