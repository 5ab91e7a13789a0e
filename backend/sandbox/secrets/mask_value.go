package secrets

import "encoding/json"

// MaskValue returns a copy of value with the secrets in all its texts masked. It converts value to JSON and back.
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
		return out // better an incomplete value than a secret
	}
	return out
}
