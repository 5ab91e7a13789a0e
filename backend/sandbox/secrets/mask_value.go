package secrets

import "encoding/json"

// MaskValue returns value with the secrets in its texts masked, by converting it to JSON and back. If the masked JSON
// no longer fits T, the result is incomplete.
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
